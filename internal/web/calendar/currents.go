package calendar

import (
	"context"
	"fmt"
	"math"
	"strings"

	"leadline/internal/chart"
	"leadline/internal/currents"
	"leadline/internal/ical"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// currentsCalendarQuery holds the parameters of the calendar of current windows.
type currentsCalendarQuery struct {
	currents.CurrentWindowsInput
	alarm
}

// currentsCalendar makes the calendar of the windows in which a current is within a limit.
func currentsCalendar(
	s *site.Shared, ctx context.Context, q currentsCalendarQuery,
) (calendarFile, error) {
	out, err := operation.Run(ctx, s.Set.Currents.CurrentWindows, q.CurrentWindowsInput.OfCalendar())
	if err != nil {
		return calendarFile{}, err
	}
	c := out.Condition
	b := newBuilder(s, "currents", out.Frame, q.Span, q.alarm, c.Side, thousandths(c.Speed, out),
		c.Phase, c.Light, q.Weekdays, q.Clock, q.MinMinutes, out.Bin != nil && q.Bin != nil)
	d := currentWords{out}
	for _, w := range out.Windows {
		if b.window(w.From, w.To, w.Open, d.event(w)) {
			b.say("always", b.today, "All the time: "+d.name(), d.about()+" It is so in the whole span. "+
				strings.Join(out.Notes, " "))
		}
	}
	return b.finish(view.Capital(d.name()), d.about()), nil
}

// thousandths returns a speed in a unit that does not depend on the request.
func thousandths(speed float64, out currents.CurrentWindows) int {
	if out.SpeedUnit != "kn" { // centimeters a second
		speed *= 3600.0 / 185200
	}
	return int(math.Round(speed * 1000))
}

// currentWords describes windows of a current.
type currentWords struct{ out currents.CurrentWindows }

// of writes a speed with its unit.
func (d currentWords) of(v float64) string { return chart.Quantity(v, string(d.out.SpeedUnit)) }

// name describes the condition: current at most 0.5 kn in daylight.
func (d currentWords) name() string {
	c := d.out.Condition
	text := "current " + view.Spaced(string(c.Side)) + " " +
		view.LevelText(c.Speed, string(d.out.SpeedUnit))
	if c.Phase != "any" {
		text = string(c.Phase) + " " + text
	}
	if light := lightWords[string(c.Light)]; light != "" {
		text += " " + light
	}
	return text
}

// about describes the condition in a sentence.
func (d currentWords) about() string {
	text := "The predicted " + strings.Replace(d.name(), "current ", "current is ", 1) + "."
	if d.out.PredictionKind == "subordinate" {
		text += " Speeds between the events are interpolated."
	}
	return text
}

// event returns the event of a window.
func (d currentWords) event(w currents.CurrentWindow) ical.Event {
	what, more := view.Capital(d.name()), ""
	if w.Kind == "slack" && w.Turn != "" {
		more = ", " + view.Spaced(string(w.Turn))
	}
	text := d.about()
	if w.SlackAt != nil {
		text += " Slack at " + w.SlackAt.Format("15:04 MST") + "."
	}
	if w.Before != nil && w.After != nil {
		text += fmt.Sprintf(" The run before has %s, the run after %s.", d.of(*w.Before), d.of(*w.After))
	}
	if p := w.Peak; p != nil {
		more = ", fastest " + d.of(p.Speed)
		text += " Fastest at " + p.Time.Format("15:04 MST")
		if p.Direction != nil {
			text += fmt.Sprintf(", toward %.0f° true", *p.Direction)
		}
		text += "."
	}
	return ical.Event{
		Start: w.From, End: w.To,
		Summary: what + ", " + clockSpan(w.From, w.To) + more,
		Description: text + strings.ReplaceAll(" It begins "+causeWords(string(w.BeginsBecause))+
			" and ends "+causeWords(string(w.EndsBecause))+".", "the level", "the limit"),
	}
}
