package tools

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/tide"
)

// KingTide is a group of the highest high waters of a year.
type KingTide struct {
	Rank            int          `json:"rank" doc:"Among the king tides of the year."`
	From            time.Time    `json:"from" doc:"The first high water."`
	To              time.Time    `json:"to" doc:"The last high water."`
	Days            int          `json:"days" doc:"From the first to the last, both included."`
	Highs           int          `json:"highs" doc:"High waters of the group."`
	Highest         TideMinute   `json:"highest"`
	AboveMHHW       *float64     `json:"aboveMHHW" doc:"Of the highest; null where the station has no MHHW."`
	Of19Years       float64      `json:"of19Years" doc:"Percentage of the high waters of 19 years that are lower."`
	PerigeeHours    float64      `json:"perigeeHours" doc:"Hours from the moon's nearest perigee to the highest."`
	Phase           string       `json:"phase" doc:"The moon's nearest principal phase."`
	BelowMinorFlood []FloodBelow `json:"belowMinorFlood" doc:"How far the highest is below each minor flood level."`
}

// FloodBelow is the distance of a tide from a flood level.
type FloodBelow struct {
	Authority string  `json:"authority" enum:"NOS NWS"`
	Basis     string  `json:"basis" enum:"published derived"`
	Height    float64 `json:"height" doc:"Negative if the tide is above the level."`
}

// year returns the calendar year of king tides at the station: by default this one, and
// from October on the next.
func (r ranking) year(now time.Time) facts.Interval {
	zone := local(r.st)
	year := r.in.Year
	if today := now.In(zone); year == 0 {
		year = today.Year()
		if today.Month() >= time.October {
			year++
		}
	}
	first := facts.DayStart(time.Date(year, 1, 1, 12, 0, 0, 0, zone))
	next := facts.DayStart(time.Date(year+1, 1, 1, 12, 0, 0, 0, zone))
	return facts.Interval{
		From: first.In(r.zone.Location), To: next.Add(-time.Minute).In(r.zone.Location),
	}
}

// kings lists the king tides of the year by height.
func (r ranking) kings(ctx context.Context, fs facts.Set) {
	// Nineteen years around the year hold all of the moon's cycle of 18.6 years.
	const before = 9
	from := r.span.From.AddDate(-before, 0, 0)
	cycle := r.tides.Extremes(from, r.span.To.AddDate(before, 0, 0))
	floods := r.floods(ctx, fs)
	kings := tide.KingTides(within(r.tides.Extremes(r.span.From, r.span.To), r.span))
	slices.SortFunc(kings, func(a, b tide.KingTide) int { return a.Rank - b.Rank })
	r.out.KingTides = []KingTide{}
	for _, k := range kings[:min(len(kings), r.in.Limit)] {
		r.out.KingTides = append(r.out.KingTides, r.king(k, cycle, floods))
	}
	r.out.Summary = fmt.Sprintf("%s in %d.", plural(len(kings), "king tide"),
		r.span.From.In(local(r.st)).Year())
	if len(kings) > 0 {
		highest := r.out.KingTides[0].Highest
		r.out.Summary += fmt.Sprintf(" The highest is %s %s at %s.", render.Number(highest.Height, 2),
			r.unit.Name, longClock(highest.Time))
	}
	r.out.Sources = append(r.out.Sources, fs.Calculated("king-tides",
		"King tides: the highest 2 % of a year's high waters", facts.StationPage(r.st.ID)))
	r.out.Notes = append(r.out.Notes, "King tide has no official definition. Here it is a group of "+
		"the highest 2 % of a calendar year's high waters. Whether it floods depends on the weather.")
}

// king returns the row of a king tide.
func (r ranking) king(k tide.KingTide, cycle []tide.Extreme, floods []FloodLevel) KingTide {
	first, last := k.Highs[0].Time, k.Highs[len(k.Highs)-1].Time
	row := KingTide{
		Rank: k.Rank, From: first.In(r.zone.Location), To: last.In(r.zone.Location),
		Days: days(first.In(local(r.st)), last.In(local(r.st))), Highs: len(k.Highs),
		Highest: TideMinute{
			k.Highest.Time.In(r.zone.Location), r.unit.Of(k.Highest.Height),
		},
		Of19Years:    math.Round(tide.Percentile(cycle, k.Highest.Height)*100) / 100,
		PerigeeHours: math.Round(k.Highest.Time.Sub(nearestPerigee(k.Highest.Time)).Hours()),
		Phase:        nearestPhase(k.Highest.Time), BelowMinorFlood: []FloodBelow{},
	}
	mhhw, ok := facts.LevelOf(r.st, "MHHW")
	if zero, found := facts.LevelOf(r.st, r.in.Datum); ok && found {
		above := r.unit.Of(k.Highest.Height - (mhhw - zero))
		row.AboveMHHW = &above
	}
	for _, f := range floods {
		row.BelowMinorFlood = append(row.BelowMinorFlood, FloodBelow{f.Authority, f.Basis,
			math.Round((f.Height-row.Highest.Height)*r.unit.Steps)/r.unit.Steps + 0})
	}
	return row
}

// days returns the number of civil days from one time to another, both included.
func days(from, to time.Time) int {
	n := 1
	for day := facts.NextDay(from); !day.After(to); day = facts.NextDay(day) {
		n++
	}
	return n
}

// floods returns the levels of minor flooding at the station, none if there are none. What
// the provider did not answer is missing.
func (r ranking) floods(ctx context.Context, fs facts.Set) []FloodLevel {
	if r.st.Subordinate() {
		return nil
	}
	ctx, cancel := withAdditionTimeout(ctx)
	defer cancel()
	levels, err := stationFloodLevels(ctx, fs, StationFloodLevelsInput{
		AtStation: AtStation{r.st.ID}, OnDatum: r.in.OnDatum, InUnits: r.in.InUnits,
	})
	if err != nil {
		if e, known := coast.AsError(err); !known || e.Code != coast.ProductUnavailable {
			r.out.Missing = append(r.out.Missing, coast.Missing{
				Input: "belowMinorFlood", Reason: "NOAA has not answered with its flood levels",
			})
		}
		return nil
	}
	facts.Merge(&r.out.Provenance, levels.Provenance)
	return slices.DeleteFunc(levels.Levels, func(l FloodLevel) bool { return l.Level != "minor" })
}

// nearestPerigee returns the perigee of the moon that is nearest to a time.
func nearestPerigee(t time.Time) time.Time {
	nearest := t.AddDate(-1, 0, 0)
	const months = 3 // of the moon, of at most 28.6 days from perigee to perigee
	at := t.AddDate(0, 0, -30)
	for range months {
		for _, e := range sky.NextApsides(at) {
			if e.Name == "perigee" {
				at = e.Time
			}
		}
		if t.Sub(at).Abs() < t.Sub(nearest).Abs() {
			nearest = at
		}
	}
	return nearest
}

// nearestPhase returns the principal phase of the moon that is nearest to a time.
func nearestPhase(t time.Time) string {
	nearest := sky.MoonEvent{}
	for _, e := range sky.NextPhases(t.AddDate(0, 0, -9)) {
		if nearest.Name == "" || t.Sub(e.Time).Abs() < t.Sub(nearest.Time).Abs() {
			nearest = e
		}
	}
	return nearest.Name
}
