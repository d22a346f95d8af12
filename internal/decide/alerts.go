package decide

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
)

// events is the table of alerts. It maps the name of an event to what it raises; the CAP
// severity alone never decides. An event is an action for the listed activities and a watch
// for the others. Plain events are information for all.
var events = []struct {
	names  []string
	action []Activity // the others watch
	plain  bool       // information for all
}{
	{names: []string{"Tsunami Warning", "Tsunami Advisory", "Hurricane Warning", "Typhoon Warning",
		"Tropical Storm Warning", "Storm Surge Warning", "Extreme Wind Warning", "Tornado Warning",
		"Severe Thunderstorm Warning", "High Wind Warning", "High Surf Warning", "Coastal Flood Warning",
		"Evacuation - Immediate", "Shelter In Place Warning", "Civil Danger Warning",
		"Hazardous Materials Warning"}, action: Activities()},
	{names: []string{"Special Marine Warning", "Gale Warning", "Storm Warning",
		"Hurricane Force Wind Warning", "Hazardous Seas Warning", "Heavy Freezing Spray Warning",
		smallCraft, "Brisk Wind Advisory",
		// Ours: boats go to harbor before the wind, so a watch is the time to act.
		"Hurricane Watch", "Typhoon Watch"}, action: []Activity{Fishing, Boating, SurfPaddle}},
	{names: []string{"Rip Current Statement"}, action: []Activity{SurfPaddle}},
	{names: []string{"Beach Hazards Statement", "High Surf Advisory"},
		action: []Activity{SurfPaddle, Beachcombing}},
	{names: []string{"Coastal Flood Advisory", "Coastal Flood Statement", "Flood Warning"},
		action: []Activity{CoastalLiving}},
	{names: []string{"Dense Fog Advisory", "Dense Smoke Advisory", "Low Water Advisory",
		"Freezing Spray Advisory", "Wind Advisory", "Marine Weather Statement",
		// Ours: a statement about a flood that is there or near is no mere information.
		"Flood Statement", "Flash Flood Statement", "Lakeshore Flood Statement"}},
	{names: []string{"Freeze Warning", "Freeze Watch", "Hard Freeze Warning", "Hard Freeze Watch",
		"Flash Freeze Warning", "Heat Advisory", "Excessive Heat Warning", "Excessive Heat Watch",
		"Extreme Heat Warning", "Extreme Heat Watch", "Red Flag Warning", "Air Quality Alert"}},
	// Ours: the rules for names would make these information although a cyclone or an emergency
	// is near, and would make an abducted child an action at sea.
	{names: []string{"Hurricane Local Statement", "Typhoon Local Statement",
		"Tropical Storm Local Statement", "Tropical Depression Local Statement",
		"Tropical Cyclone Local Statement", "Tropical Cyclone Statement", "Civil Emergency Message",
		"911 Telephone Outage", "911 Telephone Outage Emergency"}},
	{names: []string{"Child Abduction Emergency"}, plain: true},
}

// smallCraft has further forms: For Hazardous Seas, For Rough Bar, For Winds.
const smallCraft = "Small Craft Advisory"

// alertSeverity returns what an alert raises for an activity, by its name. An event that is
// not in the table is an action if it ends in Warning or Emergency, a watch if it ends in
// Watch or Advisory, else information. A CAP severity of Severe or Extreme raises
// information to watch; no severity lowers anything.
func alertSeverity(event, severity string, a Activity) Severity {
	raised := eventSeverity(event, a)
	if raised == Info && graveSeverity(severity) != "" {
		return Watch
	}
	return raised
}

// graveSeverity returns the CAP severity if it raises information to watch, else "".
func graveSeverity(severity string) string {
	for _, grave := range []string{"Severe", "Extreme"} {
		if strings.EqualFold(severity, grave) {
			return grave
		}
	}
	return ""
}

// eventSeverity returns what an event raises by its name alone.
func eventSeverity(event string, a Activity) Severity {
	event = plainName(event)
	for i, names := range plainEvents() {
		e := events[i]
		switch {
		case !slices.ContainsFunc(names, func(name string) bool { return named(event, name) }):
		case e.plain:
			return Info
		case slices.Contains(e.action, a):
			return Action
		default:
			return Watch
		}
	}
	words := strings.Fields(event)
	if len(words) == 0 {
		return Info
	}
	switch words[len(words)-1] {
	case "warning", "emergency":
		return Action
	case "watch", "advisory":
		return Watch
	}
	return Info
}

// plainEvents returns the plain names of each row of events.
var plainEvents = sync.OnceValue(func() [][]string {
	rows := make([][]string, len(events))
	for i, e := range events {
		for _, name := range e.names {
			rows[i] = append(rows[i], plainName(name))
		}
	}
	return rows
})

// named reports whether an event has the given name of the table, both plain.
func named(event, name string) bool {
	rest, found := strings.CutPrefix(event, name)
	return found && (rest == "" || rest[0] == ' ' && name == plainName(smallCraft))
}

// plainName returns a name in lower case with words separated by single spaces: the service
// writes both Evacuation - Immediate and Evacuation Immediate.
func plainName(event string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(event), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ")
}

// grave lists prefixes of events that suppress all highlights: tropical cyclones, tsunamis, and
// orders to evacuate or to shelter.
var grave = []string{"hurricane", "typhoon", "tropical", "storm surge", "extreme wind",
	"tsunami", "evacuation", "shelter in place", "civil danger", "hazardous materials"}

// isGrave reports whether an event has one of the prefixes in grave.
func isGrave(event string) bool {
	event = plainName(event)
	begins := func(name string) bool { return strings.HasPrefix(event, name) }
	return slices.ContainsFunc(grave, begins)
}

// subject is a set of quantities that an alert is about.
type subject int

const (
	aboutWind subject = 1 << iota
	aboutSeas
	aboutCurrent
	aboutLevel // of the water
	aboutLight // of the sun; no alert is
	aboutAll   = aboutWind | aboutSeas | aboutCurrent | aboutLevel
	aboutNone  = subject(0)
)

// subjects maps words in names of events to what these events are about (ours). Wind raises
// waves, so alerts of wind are about the seas as well.
var subjects = []struct {
	words string
	about subject
}{
	{"hurricane typhoon tropical tsunami surge marine", aboutAll},
	{"flood hydrologic", aboutLevel | aboutCurrent},
	{"water", aboutLevel},
	{"rip beach", aboutSeas | aboutCurrent},
	{"craft bar", aboutWind | aboutSeas | aboutCurrent},
	{"seas surf swell", aboutSeas},
	{"wind gale storm spray brisk thunderstorm tornado squall blizzard dust snow flag winter",
		aboutWind | aboutSeas},
	{"fog smoke ash ashfall air stagnation heat hot freeze frost cold chill ice freezing rain fire " +
		"avalanche earthquake volcano nuclear radiological materials law enforcement " +
		"telephone child abduction blue administrative test", aboutNone},
}

// subjectsOf returns what an event is about. An event without a known word may be about
// anything.
func subjectsOf(event string) subject {
	about, known := aboutNone, false
	for _, word := range strings.Fields(plainName(event)) {
		for _, s := range subjects {
			if slices.Contains(strings.Fields(s.words), word) {
				about, known = about|s.about, true
			}
		}
	}
	if !known {
		return aboutAll
	}
	return about
}

// reasonSubjects maps codes of reasons to what these are about (ours). What is not read of the text
// may be about anything that the text forecasts.
var reasonSubjects = map[string]subject{
	"wind": aboutWind, "gust": aboutWind,
	"seas": aboutSeas, "steep_seas": aboutSeas, "long_swell": aboutSeas,
	waveRunup:              aboutSeas | aboutLevel,
	"wind_against_current": aboutWind | aboutSeas | aboutCurrent,
	"seas_against_current": aboutSeas | aboutCurrent,
	ripCurrent:             aboutSeas | aboutCurrent,
	"current":              aboutCurrent,
	"thunderstorms":        aboutWind | aboutSeas,
	"freezing_spray":       aboutWind | aboutSeas,
	"waterspouts":          aboutWind | aboutSeas,
	"severe_weather":       aboutWind | aboutSeas,
	unreadText:             aboutWind | aboutSeas,
	"low_water":            aboutLevel,
	lowWaterObserved:       aboutLevel,
	"rising_tide":          aboutLevel,
	"fast_rise":            aboutLevel,
	"flooding_predicted":   aboutLevel,
	"flooding_observed":    aboutLevel,
	"flooding_residual":    aboutLevel,
	"darkness":             aboutLight,
}

// alerts is the code of a reason that merges several alerts. The code of a single alert
// begins with alertPrefix.
const (
	alerts      = "alerts"
	alertPrefix = "alert_"
)

// longestCode limits the length of a code (ours). Names of events come from outside; the
// longest that the weather service uses makes a code of 45 bytes.
const longestCode = 64

// alertCode returns the code of the reason that an alert raises, such as
// alert_small_craft_advisory. The end of a code that is too long is replaced by a hash.
func alertCode(event string) string {
	code := alertPrefix + strings.ReplaceAll(plainName(event), " ", "_")
	if len(code) > longestCode {
		hash := "_" + digest(code)
		code = strings.TrimRight(code[:longestCode-len(hash)], "_") + hash
	}
	return code
}

// digest returns a short hash of a text.
func digest(text string) string {
	h := fnv.New64a()
	h.Write([]byte(text))
	return fmt.Sprintf("%016x", h.Sum64())
}
