package calendar

import (
	"context"
	"fmt"

	"leadline/internal/chart"
	"leadline/internal/currents"
	"leadline/internal/ical"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// transitsCalendarQuery holds the parameters of the calendar of departures through a pass.
type transitsCalendarQuery struct {
	currents.TransitsInput
	operation.InUnits // accepted as by all routes of data; the events have knots and nautical miles
	alarm
}

// transitsCalendar makes the calendar of the departures at which a vessel can go through a pass.
func transitsCalendar(
	s *site.Shared, ctx context.Context, q transitsCalendarQuery,
) (calendarFile, error) {
	out, err := operation.Run(ctx, s.Set.Currents.Transits, q.TransitsInput.OfCalendar())
	if err != nil {
		return calendarFile{}, err
	}
	number := func(v *float64) float64 {
		if v == nil {
			return -1
		}
		return *v
	}
	b := newBuilder(s, "transits", out.Frame, q.Span, q.alarm, out.Distance, out.Speed, q.Direction,
		number(q.Course), out.Limits.MaxCurrent, number(out.Limits.MaxAgainst), out.Light, q.Clock)
	d := transitWords{out}
	for _, w := range out.Windows {
		if b.window(w.DepartFrom, w.DepartTo, w.Open, d.event(w)) {
			b.say("always", b.today, "All the time: "+d.name(), d.about()+" It is so in the whole span.")
		}
	}
	return b.finish(view.Capital(d.name()), d.about()), nil
}

// transitWords describes departures through a pass.
type transitWords struct{ out currents.Transits }

// name describes the passage: departures for 1.5 nmi at 6 kn with the flood.
func (d transitWords) name() string {
	text := fmt.Sprintf("departures for %g nmi at %g kn", d.out.Distance, d.out.Speed)
	switch {
	case d.out.Distance == 0:
		text = "times at a pass"
	case d.out.Direction != nil && *d.out.Direction == "with_flood":
		text += " with the flood"
	case d.out.Direction != nil:
		text += " with the ebb"
	case d.out.Course != nil:
		text += fmt.Sprintf(" on %.0f° true", *d.out.Course)
	}
	if light := lightWords[string(d.out.Light)]; light != "" {
		text += " " + light
	}
	return text
}

// about describes the limits in sentences.
func (d transitWords) about() string {
	text := view.Capital(d.name()) + ". The predicted current is at most " +
		view.LevelText(d.out.Limits.MaxCurrent, "kn")
	if most := d.out.Limits.MaxAgainst; most != nil {
		text += " all the way, and at most " + view.LevelText(*most, "kn") + " against the vessel"
	}
	text += ". The whole pass has the current of one station. It answers when, not where: wind, " +
		"traffic and depth are not in it, and it does not say that a passage is possible."
	if d.out.PredictionKind == "subordinate" {
		text += " Speeds between the events are interpolated."
	}
	return text
}

// event returns the event of a window of departure.
func (d transitWords) event(w currents.Transit) ical.Event {
	span, best := clockSpan(w.DepartFrom, w.DepartTo), w.Best
	e := ical.Event{
		Start: w.DepartFrom,
		Summary: fmt.Sprintf("Depart %s, shortest %s, %d min", span, best.Depart.Format("15:04"),
			best.Minutes),
		Description: fmt.Sprintf("%s Current in the window: %s. Shortest trip %s, %d min, %s.",
			d.about(), RangeText(w.Current), clockSpan(best.Depart, best.Arrive), best.Minutes,
			TripCurrent(best)),
	}
	if d.out.Distance == 0 {
		e.Summary = fmt.Sprintf("Pass %s, least current %s", span, best.Depart.Format("15:04"))
		e.Description = fmt.Sprintf("%s Current in the window: %s. Least current at %s, at most %s.",
			d.about(), RangeText(w.Current), best.Depart.Format("15:04 MST"),
			chart.Quantity(best.MaxCurrent, "kn"))
	}
	if w.DepartTo.After(w.DepartFrom) {
		e.End = w.DepartTo // an end must be later than its start (RFC 5545, 3.8.2.2)
	}
	return e
}

// TripCurrent describes the current of a trip.
func TripCurrent(t currents.TransitTrip) string {
	knots := func(v float64) string { return chart.Quantity(v, "kn") }
	switch {
	case t.MaxAgainst == 0:
		return "current with the vessel, at most " + knots(t.MaxWith)
	case t.MaxWith == 0:
		return "current against the vessel, at most " + knots(t.MaxAgainst)
	}
	return "current with the vessel, at most " + knots(t.MaxWith) + ", and against it, at most " +
		knots(t.MaxAgainst)
}

// RangeText describes the current over a window of departure.
func RangeText(r currents.CurrentRange) string {
	return r.Words(func(v float64) string { return chart.Quantity(v, "kn") })
}

// LimitsText describes the limits of a pass.
func LimitsText(l currents.TransitLimits) string {
	text := "current at most " + view.LevelText(l.MaxCurrent, "kn")
	if l.MaxAgainst != nil {
		text += ", against at most " + view.LevelText(*l.MaxAgainst, "kn")
	}
	return text
}
