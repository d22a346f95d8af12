package decide

// bound is a limit of a quantity. A value reaches it at the limit or, if past is set, only
// beyond it. The zero value is no limit.
type bound struct {
	value     float64
	past, set bool
}

func at(v float64) bound { return bound{value: v, set: true} }

func past(v float64) bound { return bound{value: v, past: true, set: true} }

// reached reports whether a value reaches the bound. If down is set, lower values are worse.
func (b bound) reached(v float64, down bool) bool {
	switch {
	case !b.set:
		return false
	case v == b.value:
		return !b.past
	case down:
		return v < b.value
	}
	return v > b.value
}

// limits holds the bounds of one cell of the table. If floor is set, it returns the action
// bound from the floors of a region.
type limits struct {
	info, watch, action bound
	floor               func(Floor) float64
}

// severity returns what a value raises and the bound that it has reached, or zero values if
// it has reached none.
func (l limits) severity(v float64, down bool) (Severity, bound) {
	switch {
	case l.action.reached(v, down):
		return Action, l.action
	case l.watch.reached(v, down):
		return Watch, l.watch
	case l.info.reached(v, down):
		return Info, l.info
	}
	return "", bound{}
}

// Threshold is one row of the table of thresholds: a quantity, its limits for each activity,
// and the source of these limits.
type Threshold struct {
	Code   string // of the reasons that it raises
	What   string
	Unit   string
	Down   bool // less is worse
	Source string
	cells  map[Activity]limits
	words  string // in place of numbers, if the limits depend on a second number

	// weather is the weather service's word for the weather whose coverage is compared, for weather
	// that has no field of its own in the facts.
	weather string
}

// For reports whether the quantity matters to an activity.
func (t *Threshold) For(a Activity) bool {
	_, ok := t.cells[a]
	return ok
}

// limits returns the bounds for an activity in a region with the floor f.
func (t *Threshold) limits(a Activity, f Floor) limits {
	l := t.cells[a]
	if l.floor != nil {
		l.action = at(l.floor(f))
	}
	return l
}

// Sources that several rows share.
const (
	jetstream = "NWS JetStream, marine warnings; NWS regional directives"
	advisory  = "Wind Advisory, 31 and 46 mph"
	ours      = "ours"
)

// Limits of the rules that combine two quantities.
const (
	steepFrom    = 3.0  // ft: steep seas below this height are small (ours)
	steepness    = 0.2  // ft/s2: height by period squared, 1/25 of a deep-water wave's length
	againstWatch = 10.0 // kn of wind, with
	againstSlow  = 1.0  // kn of current
	againstAct   = 15.0 // kn of wind, with
	againstFast  = 2.0  // kn of current
	againstRace  = 3.0  // kn of current, with the wind of againstWatch (ours)
	seasFrom     = 4.0  // ft of seas against
	seasFast     = 2.0  // kn of current, without any wind (ours)
	opposed      = 60.0 // degrees at most from the current's set to the origin of wind or waves
	floodNear    = 1.0  // ft below the flood level
	blowoutWatch = -1.0 // ft above MLLW, of prediction and residual together (ours)
	blowoutAct   = -3.0 // likewise
	swellFrom    = 6.0  // ft of swell, with
	swellPeriod  = 14.0 // s of period: such waves run up a beach without warning (ours)
	swellLongest = 25.0 // s: the longest period that a swell of unknown period may have (ours)
	runupSeas    = 14.0 // ft of seas, with
	runupPeriod  = 14.0 // s of period: such waves run up the shore beyond the tide (ours)
	leastRise    = 1.0  // ft since low water: less is noise at stations with a small range (ours)
)

// ripCurrent is the code of the reason about rip currents.
const ripCurrent = "rip_current"

// lowWaterObserved is the code of the reason about a gauge that is below its prediction, when the
// wind blows the water out of a bay.
const lowWaterObserved = "low_water_observed"

// waveRunup is the code of the reason about waves that reach further up the shore than the tide.
const waveRunup = "wave_runup"

// unreadText is the code of the reason that quotes what is not known of the text.
const unreadText = "unread_text"

// thresholds is the table. Both the decisions and the page that explains them use it.
var thresholds = []Threshold{
	{Code: "wind", What: "wind, the worse of grid and text", Unit: "kn",
		Source: "15: small craft exercise caution (" + jetstream + "); S: small craft " +
			"advisory floors; 10: ACA Level 2; 16: British Canoeing, force 4; 27: " + advisory,
		cells: merge(
			alike(limits{watch: at(15), floor: Floor.wind}, Fishing, Boating),
			alike(limits{watch: at(10), action: at(16)}, SurfPaddle),
			alike(limits{watch: at(27)}, Beachcombing, Photography, CoastalLiving))},
	{Code: "gust", What: "gusts, the worse of grid and text", Unit: "kn",
		Source: "20: lowest small craft floor; 25: Chesapeake advisories; " +
			"surf-paddle: ours; 40: " + advisory,
		cells: merge(
			alike(limits{watch: at(20), action: at(25)}, Fishing, Boating),
			alike(limits{watch: at(15), action: at(20)}, SurfPaddle),
			alike(limits{watch: at(40)}, Beachcombing, Photography, CoastalLiving))},
	{Code: "seas", What: "seas, the worse of grid and text", Unit: "ft",
		Source: "4 and H: " + jetstream + "; surf-paddle: 3 is British Canoeing's 1 m of surf, 6 ours; " +
			"beachcombing: ours",
		cells: merge(
			alike(limits{watch: at(4), floor: Floor.seas}, Fishing, Boating),
			alike(limits{watch: at(3), action: at(6)}, SurfPaddle),
			alike(limits{watch: at(6)}, Beachcombing))},
	{Code: "steep_seas", What: "steep seas: height at least 3 ft and 0.2 x period squared", Unit: "ft",
		Source: "steepness 1/25: Burch",
		words:  "action",
		cells:  alike(limits{}, Fishing, Boating)},
	{Code: "wind_against_current", What: "current against the wind, within 60 degrees", Unit: "kn",
		Source: "one knot steepens seas: Cunliffe; pairings: ours",
		words:  "watch 1 with wind from 10 kn, action 2 with wind from 15 kn or 3 with wind from 10 kn",
		cells:  alike(limits{}, Fishing, Boating, SurfPaddle)},
	{
		Code:   "seas_against_current",
		What:   "current against seas, within 60 degrees, with any wind",
		Unit:   "kn",
		Source: "one knot steepens seas: Cunliffe; pairing: ours",
		words:  "action 2 with seas from 4 ft",
		cells:  alike(limits{}, Boating),
	},
	{
		Code: "long_swell",
		What: "swell with a period of at least 14 s and a height of at least 84 ft s by the period, " +
			"as 6 ft at 14 s (sneaker waves)",
		Unit:   "ft",
		Source: ours,
		words:  "action",
		cells:  alike(limits{}, SurfPaddle, Beachcombing, Photography),
	},
	{
		Code: waveRunup,
		What: "seas of at least 14 ft with a period of at least 14 s, where the grid cell of the place " +
			"has waves",
		Unit:   "ft",
		Source: ours,
		words:  "watch",
		cells:  alike(limits{}, CoastalLiving),
	},
	{Code: ripCurrent, What: "risk of rip currents in the surf zone forecast", Unit: "",
		Source: "categories: NWSI 10-320, 2.6.1; severities: ours",
		words:  "watch Moderate, action High",
		cells:  alike(limits{}, SurfPaddle, Beachcombing)},
	{Code: "current", What: "current", Unit: "kn",
		Source: "3 and 5: half and all of the speed of a small displacement hull, ours; " +
			"2: British Canoeing; 4: NSPN Level 4",
		cells: merge(
			alike(limits{watch: at(3), action: at(5)}, Fishing, Boating),
			alike(limits{watch: at(2), action: at(4)}, SurfPaddle))},
	{
		Code:   "thunderstorms",
		What:   "coverage of thunderstorms: any is watch; likely, numerous or more is action",
		Unit:   "percent",
		Source: "coverage: NWSI 10-503; split: ours",
		cells: merge(
			alike(limits{watch: at(10), action: at(60)}, outdoors()...),
			alike(limits{watch: at(10)}, CoastalLiving)),
	},
	{Code: "fog", What: "coverage of fog: any", Unit: "percent",
		Source: "NWSI 10-301",
		cells:  alike(limits{watch: at(10)}, Fishing, Boating, SurfPaddle)},
	{
		Code: "freezing_spray", What: "coverage of freezing spray: any", Unit: "percent",
		Source:  ours,
		cells:   alike(limits{action: at(10)}, Fishing, Boating, SurfPaddle),
		weather: "freezing_spray",
	},
	{
		Code: "waterspouts", What: "coverage of waterspouts: any", Unit: "percent",
		Source:  ours,
		cells:   alike(limits{action: at(10)}, Fishing, Boating, SurfPaddle),
		weather: "water_spouts",
	},
	{
		Code: "volcanic_ash", What: "coverage of volcanic ash: any", Unit: "percent",
		Source:  ours,
		cells:   alike(limits{watch: at(10)}, Activities()...),
		weather: "volcanic_ash",
	},
	{
		Code: "heavy_smoke", What: "coverage of heavy smoke: any", Unit: "percent",
		Source:  ours,
		cells:   alike(limits{watch: at(10)}, Activities()...),
		weather: "heavy smoke",
	},
	{
		Code: "heavy_snow", What: "coverage of heavy snow: any (it hides the view)", Unit: "percent",
		Source:  ours,
		cells:   alike(limits{watch: at(10)}, Fishing, Boating, SurfPaddle),
		weather: "heavy snow",
	},
	{
		Code: "severe_weather", Unit: "percent",
		What: "coverage of severe weather in the text: any (hurricane, tropical, tornado, squall, " +
			"hail, severe, damaging, dangerous, breaking)",
		Source:  "ours: the words give no number, so the least that makes a boat read the text",
		cells:   alike(limits{watch: at(10)}, Fishing, Boating, SurfPaddle),
		weather: "severe_weather",
	},
	{Code: "visibility", What: "visibility, the worse of grid and text", Unit: "nmi", Down: true,
		Source: "1: NWSI 10-301; 0.25: ours, the quarter mile of dense fog advisories on land",
		cells: merge(
			alike(limits{watch: at(1), action: at(0.25)}, Fishing, Boating, SurfPaddle))},
	{
		Code:   "darkness",
		What:   "altitude of the sun, outside civil daylight",
		Unit:   "degrees",
		Down:   true,
		Source: "civil twilight; split: ours",
		cells: merge(
			alike(limits{watch: past(-6)}, Boating, SurfPaddle, Beachcombing),
			alike(limits{info: past(-6)}, Fishing, Photography, CoastalLiving)),
	},
	{Code: "low_water", What: "predicted level above MLLW", Unit: "ft", Down: true,
		Source: "0: soundings are from MLLW; -1: ours",
		cells:  alike(limits{info: past(0), watch: at(-1)}, Fishing, Boating)},
	{
		Code: lowWaterObserved,
		What: "observed minus predicted, up to 6 h ahead, if below 0, " +
			"compared with what the lowest predicted level leaves to -1 and -3 ft above MLLW",
		Unit:   "ft",
		Down:   true,
		Source: ours,
		words:  "watch if the two reach -1, action if -3",
		cells:  alike(limits{}, Fishing, Boating),
	},
	{Code: "cold_water", What: "water temperature", Unit: "degrees F", Down: true,
		Source: "National Center for Cold Water Safety; below 50 cold shock is strongest",
		cells: merge(
			alike(limits{watch: past(60)}, Fishing, Boating),
			alike(limits{info: past(70), watch: past(60), action: past(50)}, SurfPaddle))},
	{
		Code: "rising_tide",
		What: "time after low water while the level rises, at the end of the span, if by at least " +
			"1 ft since then",
		Unit: "min",
		Source: "Point Reyes National Seashore: return no later than an hour after " +
			"the tide has begun to rise; 1 ft: ours",
		cells: alike(limits{watch: past(60)}, Beachcombing),
	},
	{
		Code:   "fast_rise",
		What:   "rate at which the predicted level rises (mudflats, bores)",
		Unit:   "ft/h",
		Source: ours,
		cells:  alike(limits{watch: past(4)}, Beachcombing),
	},
	{
		Code:   unreadText,
		What:   "sentences of the coastal waters text of which a part is not read",
		Source: ours,
		words:  "information or watch",
		cells:  alike(limits{}, Activities()...),
	},
	{
		Code:   "flooding_predicted",
		What:   "highest predicted level, compared with the flood level",
		Unit:   "ft",
		Source: "flood level: NWS minor, otherwise NOS minor (NOS CO-OPS 086); 1.0 ft: ours",
		words:  "watch within 1.0 ft, action at the level",
		cells:  alike(limits{}, CoastalLiving),
	},
	{
		Code:   "flooding_observed",
		What:   "newest level of the station's own gauge, up to 6 h ahead, compared with the flood level",
		Unit:   "ft",
		Source: "as flooding_predicted",
		words:  "watch within 1.0 ft, action at the level",
		cells:  alike(limits{}, CoastalLiving),
	},
	{
		Code: "flooding_residual",
		What: "observed minus predicted, up to 6 h ahead, " +
			"compared with the margin between prediction and flood level",
		Unit:   "ft",
		Source: ours,
		words:  "watch if less than 1.0 ft of the margin remains, action if none",
		cells:  alike(limits{}, CoastalLiving),
	},
}

func alike(l limits, of ...Activity) map[Activity]limits {
	cells := map[Activity]limits{}
	for _, a := range of {
		cells[a] = l
	}
	return cells
}

func merge(parts ...map[Activity]limits) map[Activity]limits {
	all := map[Activity]limits{}
	for _, part := range parts {
		for a, l := range part {
			all[a] = l
		}
	}
	return all
}

// WeatherCode returns the code of the row about a kind of weather and its intensity, in the words
// of the grid, for Weather; "" if no row is.
func WeatherCode(kind, intensity string) string {
	for _, t := range thresholds {
		if t.weather != "" && (t.weather == kind || t.weather == intensity+" "+kind) {
			return t.Code
		}
	}
	return ""
}

// threshold returns the row with the code.
func threshold(code string) *Threshold {
	for i := range thresholds {
		if thresholds[i].Code == code {
			return &thresholds[i]
		}
	}
	panic("decide: no threshold " + code) // the codes are ours
}
