package planning

import (
	"context"
	"time"

	"leadline/internal/facts"
)

// TripWeek is a trip with what pages show around it.
type TripWeek struct {
	// Asked has the hours of the request.
	Asked TripHours `json:"asked"`
	// Around has 48 hours that begin half a day before the day of the request, or now.
	Around TripHours `json:"around"`
	// Days has seven days from today, each from 5 AM to 7 PM, today not before now.
	Days []TripHours `json:"days"`
}

// The hours at which the days of a week begin and end.
const (
	FirstHour = 5
	LastHour  = 19
)

// Week evaluates the hours of a trip and those around it from facts that are gathered once. It is
// for pages, which limit their readers themselves. Errors: those of Trip, but no account is needed.
func (s Decisions) Week(ctx context.Context, in TripInput) (TripWeek, error) {
	inputs, at, err := s.inputsAt(ctx, in.StationOrPlace, in.Activity)
	if err != nil {
		return TripWeek{}, err
	}
	span, err := in.span(inputs)
	if err != nil {
		return TripWeek{}, err
	}
	inputs.Gather(ctx)
	week := TripWeek{Asked: inputs.evaluate(span, at)}
	week.Around = inputs.evaluate(inputs.around(span.From), at)
	today := facts.DayStart(inputs.Now.In(inputs.Zone.Location))
	for n := 0; len(week.Days) < 7; n++ {
		day := today.AddDate(0, 0, n)
		hour := func(hour int) time.Time {
			return time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, day.Location())
		}
		span := facts.Interval{From: hour(FirstHour), To: hour(LastHour)}
		if span.To.After(inputs.Now) {
			week.Days = append(week.Days, inputs.evaluate(span, at))
		}
	}
	return week, nil
}

// around returns 48 hours that begin half a day before the day of a time, and not before now.
func (d *Inputs) around(at time.Time) facts.Interval {
	from := facts.DayStart(at.In(d.Zone.Location)).Add(-12 * time.Hour)
	if now := d.Now.Truncate(time.Hour); now.After(from) {
		from = now
	}
	return facts.Interval{From: from, To: from.Add(publicHours)}
}
