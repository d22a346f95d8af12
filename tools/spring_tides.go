package tools

import (
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// SpringTide is the greatest or the least range of 25 hours near a phase of the moon.
type SpringTide struct {
	Kind      string     `json:"kind" enum:"spring neap tropic equatorial"`
	Phase     string     `json:"phase" doc:"The moon's phase, or its declination at diurnal stations."`
	PhaseTime time.Time  `json:"phaseTime"`
	High      TideMinute `json:"high"`
	Low       TideMinute `json:"low"`
	Range     float64    `json:"range" doc:"Height of the high above the low water."`
	LagHours  float64    `json:"lagHours" doc:"From the phase to the middle of the two waters."`
	Apsis     string     `json:"apsis,omitempty" enum:"perigee apogee" doc:"Where one is within 2 days."`
}

// diurnal reports whether a station's tide follows the moon's declination rather than its
// phase: by a form number of 1.5 or more (Courtier, 1938).
func (r ranking) diurnal(fs facts.Set) bool {
	st := r.st
	if st.Subordinate() {
		reference, err := fs.TideStation(st.Reference)
		if err != nil {
			return false
		}
		st = reference
	}
	form, ok := formNumber(st)
	return ok && form >= 1.5
}

// springs lists the spring and neap tides of the span, or the tropic and equatorial ones.
func (r ranking) springs(fs facts.Set) {
	diurnal := r.diurnal(fs)
	phases := moonPhases(r.span)
	names := map[bool]string{true: "spring", false: "neap"}
	if diurnal {
		phases = declinations(r.span)
		names = map[bool]string{true: "tropic", false: "equatorial"}
		r.out.Notes = append(r.out.Notes, "The tide here is diurnal: its range follows the moon's "+
			"declination, not its phase. The rows are tropic tides (great ranges, greatest declination) "+
			"and equatorial tides.")
	}
	const before, after = 3 * 24 * time.Hour, 6 * 24 * time.Hour
	events := r.tides.Extremes(r.span.From.Add(-before), r.span.To.Add(after))
	motions := make([]tide.MoonPhase, len(phases))
	for i, p := range phases {
		motions[i] = p.MoonPhase
	}
	r.out.Springs = []SpringTide{}
	for _, s := range tide.SpringTides(events, motions) {
		i := slices.Index(motions, s.Moon)
		r.out.Springs = append(r.out.Springs, r.spring(s, phases[i].name, names[s.Moon.Spring]))
	}
	r.out.Summary = fmt.Sprintf("%s and %s tides: %d.", titled(names[true]), names[false],
		len(r.out.Springs))
	if n := r.in.Limit; len(r.out.Springs) > n {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("These are the first %d of %d; limit is at most "+
			"100.", n, len(r.out.Springs)))
		r.out.Springs = r.out.Springs[:n]
	}
	r.out.Sources = append(r.out.Sources, fs.Calculated("spring-tides",
		"Ranges of the predicted tide near the moon's phases", facts.StationPage(r.st.ID)))
}

// spring returns the row of a spring or neap tide.
func (r ranking) spring(s tide.SpringTide, phase, kind string) SpringTide {
	row := SpringTide{
		Kind: kind, Phase: phase, PhaseTime: s.Moon.Time.Round(time.Minute).In(r.zone.Location),
		High:  TideMinute{s.High.Time.In(r.zone.Location), r.unit.Of(s.High.Height)},
		Low:   TideMinute{s.Low.Time.In(r.zone.Location), r.unit.Of(s.Low.Height)},
		Range: r.unit.Of(s.Range()), LagHours: math.Round(s.Lag().Hours()),
	}
	const reach = 2 * 24 * time.Hour
	for _, e := range sky.NextApsides(s.Moon.Time.Add(-reach)) {
		if e.Time.Sub(s.Moon.Time).Abs() <= reach {
			row.Apsis = e.Name
		}
	}
	return row
}

// phaseOfMoon is a motion of the moon with its name.
type phaseOfMoon struct {
	tide.MoonPhase
	name string
}

// moonPhases returns the principal phases in a span: springs follow new and full moon.
func moonPhases(span facts.Interval) []phaseOfMoon {
	list := []phaseOfMoon{}
	for at := span.From.Add(-time.Second); ; {
		for _, e := range sky.NextPhases(at) {
			if e.Time.After(span.To) {
				return list
			}
			spring := e.Name == "new_moon" || e.Name == "full_moon"
			list = append(list, phaseOfMoon{tide.MoonPhase{Time: e.Time, Spring: spring}, e.Name})
			at = e.Time
		}
	}
}

// declinations returns when the moon's declination is greatest, north or south, and when
// it is zero, to the hour: the tide's range changes by days.
func declinations(span facts.Interval) []phaseOfMoon {
	const step = time.Hour
	list := []phaseOfMoon{}
	before, now := declination(span.From.Add(-step)), declination(span.From)
	for t := span.From; !t.After(span.To); t = t.Add(step) {
		next := declination(t.Add(step))
		switch {
		case now >= before && now > next, now <= before && now < next:
			list = append(list, phaseOfMoon{tide.MoonPhase{Time: t, Spring: true}, "greatest_declination"})
		case now > 0 != (next > 0):
			list = append(list, phaseOfMoon{tide.MoonPhase{Time: t}, "over_the_equator"})
		}
		before, now = now, next
	}
	return list
}

// declination returns the moon's declination without the parallax, which a rotating place
// would add: it is opposite at the two poles.
func declination(t time.Time) float64 {
	north := sky.MoonPosition(sky.Place{Latitude: 90}, t).Declination
	south := sky.MoonPosition(sky.Place{Latitude: -90}, t).Declination
	return (north + south) / 2
}
