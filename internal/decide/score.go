package decide

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Candidate is one of the times to rank. The caller sets the local date and time.
type Candidate struct {
	Rank      int         `json:"rank" doc:"1 comes first."`
	LocalDate string      `json:"localDate" format:"date" doc:"Requested day in the station's zone."`
	LocalTime string      `json:"localTime" doc:"Requested time in the station's zone, 24 hours."`
	Score     float64     `json:"score" doc:"0 to 100: how well the time suits the activity, among those of one state and confidence."`
	Parts     []ScorePart `json:"parts" doc:"What the score is made of."`
	Decision  Decision    `json:"decision" doc:"The decision about this time."`
}

// ScorePart is one part of a score. A part that does not apply is left out of the sum and of the
// weights; a part that is missing counts as 0.
type ScorePart struct {
	Name    string   `json:"name" doc:"Name of the part, such as calm_wind. New parts may appear."`
	Weight  float64  `json:"weight" doc:"Weight of the part in the score."`
	Applies bool     `json:"applies" doc:"Whether the part counts."`
	Score   *float64 `json:"score" doc:"0 to 1; null where the part does not apply."`
	Message string   `json:"message" doc:"What was judged, with its numbers."`
}

// Weigh makes the decision for a time and scores it.
func Weigh(r Request, f *Facts) Candidate {
	c := newCheck(r, f).read()
	parts := scorer{c}.parts()
	return Candidate{Score: total(parts), Parts: parts, Decision: c.decide(r)}
}

// Rank orders candidates by state, confidence and score, ties by time, and numbers them. Normal
// below moderate confidence is no better than a watch: nothing is known against it yet, and what is
// not known must not come first. Rank recommends the first, unless no state is normal or watch, or
// its confidence is low.
func Rank(list []Candidate) (recommended *int) {
	slices.SortStableFunc(list, func(a, b Candidate) int {
		return cmp.Or(
			cmp.Compare(a.Decision.standing(), b.Decision.standing()),
			cmp.Compare(a.Decision.Confidence.rank(), b.Decision.Confidence.rank()),
			cmp.Compare(a.Decision.State.rank(), b.Decision.State.rank()),
			cmp.Compare(b.Score, a.Score),
			a.Decision.RequestedFor.Compare(b.Decision.RequestedFor),
		)
	})
	for i := range list {
		list[i].Rank = i + 1
	}
	if len(list) == 0 || list[0].Decision.standing() > WatchState.rank() ||
		list[0].Decision.Confidence == Low {
		return nil
	}
	return &list[0].Rank
}

// standing returns the rank of the state, or that of a watch for normal of low confidence.
func (d *Decision) standing() int {
	if d.Confidence == Low {
		return max(d.State.rank(), WatchState.rank())
	}
	return d.State.rank()
}

// total returns 100 times the weighted mean of the parts that apply, or 0 if none applies.
func total(parts []ScorePart) float64 {
	var sum, weights float64
	for _, p := range parts {
		if p.Applies {
			sum, weights = sum+p.Weight**p.Score, weights+p.Weight
		}
	}
	if weights == 0 {
		return 0
	}
	return round(100*sum/weights, 10)
}

// scorer scores a check.
type scorer struct{ *check }

// A judge computes the score of a part, from 0 to 1, and describes its basis. has is false
// if the fact that it needs is missing.
type judge func(c scorer) (score float64, has bool, about string)

// aspect is a row of the table of scores.
type aspect struct {
	name   string
	weight float64
	fact   string // the fact that it needs; if that does not apply, the part does not either
	about  string
	judge  judge
}

// calm returns the row for calm wind. Several activities have this row and the next three.
func calm(weight float64) aspect {
	return aspect{"calm_wind", weight, WindForecast,
		"1 - wind / its action limit (otherwise its watch limit)", scorer.calm}
}

func daylightAspect(weight float64) aspect {
	return aspect{"daylight", weight, Daylight,
		"share of the span in civil daylight", scorer.inDaylight}
}

func calmSeas(weight float64) aspect {
	return aspect{"seas", weight, SeaState, "1 - seas / their action limit", scorer.calmSeas}
}

func slowCurrent(weight float64) aspect {
	return aspect{"current", weight, CurrentPrediction, "1 - current / 4 kn", scorer.slowCurrent}
}

// aspects lists the parts of the score of each activity.
var aspects = map[Activity][]aspect{
	Fishing: {
		{"moving_water", 40, "",
			"speed of the current divided by the maximum of its run; without a current " +
				"station, rate of change of the level divided by the maximum of its tide, " +
				"with the name level_change", nil},
		{"twilight", 30, Daylight, "1 within 1 h of sunrise or sunset, 0 beyond 2 h", scorer.twilight},
		calm(30),
	},
	Boating:    {calm(40), calmSeas(25), slowCurrent(15), daylightAspect(20)},
	SurfPaddle: {calm(40), calmSeas(20), slowCurrent(20), daylightAspect(20)},
	Beachcombing: {
		{"lowness", 40, TidePrediction, "0 at mid-tide, 1 at MLLW - 1 ft", scorer.lowness},
		{"time_to_low", 30, TidePrediction,
			"1 from 2 h before low water to low water, 0 from 1 h after it and " +
				"until 3 h before it", scorer.timeToLow},
		daylightAspect(20), calm(10),
	},
	Photography: {
		{"sun", 60, Daylight, "1 from -6 to +6 degrees, 0 beyond -12 and +15", scorer.lowSun},
		calm(20),
		{"turn", 20, TidePrediction, "1 within 1 h of high or low water", scorer.nearTurn},
	},
	CoastalLiving: {
		{"flood_margin", 70, FloodThresholds,
			"0 at the level of minor flooding, 1 from 3 ft below", scorer.floodMargin},
		calm(30),
	},
}

// parts returns the parts of the activity's score.
func (c scorer) parts() []ScorePart {
	list := []ScorePart{}
	for _, a := range aspects[c.activity] {
		if a.judge == nil {
			a = c.movement(a)
		}
		list = append(list, c.part(a))
	}
	return list
}

// movement returns the row for moving water: by the current, or by the change of level if no
// current station is near.
func (c scorer) movement(a aspect) aspect {
	if c.fact(CurrentPrediction).Waived != "" {
		return aspect{"level_change", a.weight, TidePrediction, a.about, scorer.changing}
	}
	return aspect{a.name, a.weight, CurrentPrediction, a.about, scorer.running}
}

func (c scorer) part(a aspect) ScorePart {
	p := ScorePart{Name: a.name, Weight: a.weight, Applies: true}
	if f := c.fact(a.fact); f.Waived != "" {
		p.Applies, p.Message = false, fmt.Sprintf("Does not apply: %s.", f.Waived)
		return p
	}
	score, has, about := 0.0, false, ""
	if c.holds(a.fact) {
		score, has, about = a.judge(c)
	}
	if !has {
		score, about = 0, "missing: "+inputOf(a.fact).name
	}
	score = round(min(1, max(0, score)), 1000)
	p.Score, p.Message = &score, title(about)+"."
	return p
}

// below returns 1 minus the measured quantity divided by its limit.
func (c scorer) below(code string) (float64, bool, string) {
	f, t := c.found(code), threshold(code)
	if f == nil {
		return 0, false, ""
	}
	l := t.limits(c.activity, c.facts.Floor)
	limit := l.watch.value
	if l.action.set {
		limit = l.action.value
	}
	return 1 - f.value/limit, true, fmt.Sprintf("%s at most %s of %s %s", code, number(f.value),
		number(limit), t.Unit)
}

func (c scorer) calm() (float64, bool, string)     { return c.below("wind") }
func (c scorer) calmSeas() (float64, bool, string) { return c.below("seas") }

// slowest is the current in knots at which its part scores 0 (NSPN Level 4).
const slowest = 4.0

func (c scorer) slowCurrent() (float64, bool, string) {
	most := 0.0
	c.during(c.facts.Current.Velocities,
		func(_ time.Time, v float64) { most = max(most, math.Abs(v)) })
	return 1 - most/slowest, true, fmt.Sprintf("current at most %s kn", number(most))
}

func (c scorer) inDaylight() (float64, bool, string) {
	share, ok := c.mean(c.facts.Sun.Altitudes, func(v float64) float64 {
		if v < -6 {
			return 0
		}
		return 1
	})
	return share, ok, fmt.Sprintf("%.0f percent of the span is in civil daylight", share*100)
}

// mean returns the mean of a function of a series over the span.
func (c scorer) mean(s Series, of func(v float64) float64) (mean float64, ok bool) {
	n := 0.0
	c.during(s, func(_ time.Time, v float64) { mean, n = mean+of(v), n+1 })
	return mean / max(1, n), n > 0
}

// running scores the speed of the current relative to the greatest speed of its run.
func (c scorer) running() (float64, bool, string) {
	share, ok := c.share(c.facts.Current.Velocities)
	return share, ok, fmt.Sprintf("the current runs at %.0f percent of its greatest speed", share*100)
}

// changing scores the rate of change of the level relative to the greatest rate of its tide.
func (c scorer) changing() (float64, bool, string) {
	h := c.facts.Tide.Heights
	rates := Series{Start: h.Start, Step: h.Step}
	for i := 1; i < len(h.Values); i++ {
		rates.Values = append(rates.Values, h.Values[i]-h.Values[i-1])
	}
	share, ok := c.share(rates)
	return share, ok, fmt.Sprintf(
		"no current station is near: the level changes at %.0f percent of its greatest rate",
		share*100,
	)
}

// share returns the mean over the span of each value divided by the greatest value of its
// run. A run is a sequence of neighboring values with the same sign.
func (c scorer) share(s Series) (mean float64, ok bool) {
	shares := Series{Start: s.Start, Step: s.Step, Values: make([]float64, len(s.Values))}
	for i := 0; i < len(s.Values); {
		end, most := i, 0.0
		for end < len(s.Values) && (s.Values[end] < 0) == (s.Values[i] < 0) {
			most = max(most, math.Abs(s.Values[end]))
			end++
		}
		for ; i < end; i++ {
			if most > 0 {
				shares.Values[i] = math.Abs(s.Values[i]) / most
			}
		}
	}
	return c.mean(shares, func(v float64) float64 { return v })
}

func (c scorer) twilight() (float64, bool, string) {
	away, ok := c.away(slices.Concat(c.facts.Sun.Rise, c.facts.Sun.Set))
	if !ok {
		return 0, true, "the sun neither rises nor sets near"
	}
	return 2 - away.Hours(), true, fmt.Sprintf("the nearest sunrise or sunset is %s away",
		length(away))
}

// away returns the distance of the span from the nearest of some times, or 0 if the span
// contains one.
func (c scorer) away(times []time.Time) (least time.Duration, ok bool) {
	for _, t := range times {
		d := max(0, c.from.Sub(t), t.Sub(c.to))
		if !ok || d < least {
			least, ok = d, true
		}
	}
	return least, ok
}

func (c scorer) lowness() (float64, bool, string) {
	lowest, _, ok := water(c).extreme(false, c.to)
	mid, has := c.midTide()
	if !ok || !has || mid <= -1 || c.facts.Tide.Datum != ChartDatum {
		return 0, false, ""
	}
	return (mid - lowest) / (mid + 1), true, fmt.Sprintf("lowest level %s ft, mid-tide %s ft",
		number(round(lowest, 10)), number(round(mid, 10)))
}

// midTide returns the level halfway between the mean high and the mean low water of the day
// around the span. Half a day and an hour on both sides contain two of each, unless the tide
// is diurnal.
func (c scorer) midTide() (float64, bool) {
	const near = 13 * time.Hour
	var sums, counts [2]float64
	for _, e := range c.facts.Tide.Turns {
		if e.Time.Before(c.from.Add(-near)) || e.Time.After(c.to.Add(near)) {
			continue
		}
		i := 0
		if e.High {
			i = 1
		}
		sums[i], counts[i] = sums[i]+e.Height, counts[i]+1
	}
	if counts[0] == 0 || counts[1] == 0 {
		return 0, false
	}
	return (sums[0]/counts[0] + sums[1]/counts[1]) / 2, true
}

func (c scorer) timeToLow() (score float64, has bool, about string) {
	about = "no low water is near"
	for _, e := range c.facts.Tide.Turns {
		if e.High {
			continue
		}
		after := c.from.Sub(e.Time).Hours()
		x := min(1, 1-after, after+3)
		if x > score || !has {
			score, about = x, fmt.Sprintf("low water at %s", c.clock(e.Time))
		}
		has = true
	}
	return score, true, about
}

func (c scorer) lowSun() (float64, bool, string) {
	score, ok := c.mean(c.facts.Sun.Altitudes, func(v float64) float64 {
		return min(1, max(0, min((v+12)/6, (15-v)/9)))
	})
	highest := -90.0
	c.during(c.facts.Sun.Altitudes, func(_ time.Time, v float64) { highest = max(highest, v) })
	return score, ok, fmt.Sprintf("the sun is at most %s degrees high", number(round(highest, 10)))
}

func (c scorer) nearTurn() (float64, bool, string) {
	var times []time.Time
	for _, e := range c.facts.Tide.Turns {
		times = append(times, e.Time)
	}
	away, ok := c.away(times)
	if !ok || away > time.Hour {
		return 0, true, "no high or low water within an hour"
	}
	return 1, true, "a high or low water within an hour"
}

func (c scorer) floodMargin() (float64, bool, string) {
	highest, _, ok := water(c).extreme(true, c.to)
	if !ok || c.facts.Flood.Level == nil || !c.holds(TidePrediction) {
		return 0, false, ""
	}
	left := *c.facts.Flood.Level - highest
	return left / 3, true, fmt.Sprintf("the highest predicted level leaves %s ft",
		number(round(left, 100)))
}
