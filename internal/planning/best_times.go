package planning

import (
	"context"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
)

// BestTimesInput asks when an activity suits best.
type BestTimesInput struct {
	place.StationOrPlace
	Activity string `json:"activity" doc:"What is planned: fishing, boating, surf-paddle, beachcombing, photography, coastal-living, or a word such as walk, clams, kayak, sail, swim." example:"kayak"`
	Date     string `json:"date,omitempty" doc:"First day, or a phrase such as weekend; default: from now." example:"weekend"`
	Days     int    `json:"days,omitempty" min:"1" max:"7" doc:"Days from date; default 2; more with an account."`
}

// BestTimes has the best runs of the hours of a span for an activity. Its hours are those of Trip,
// and it has no rules of its own.
type BestTimes struct {
	coast.Frame `always:"station datum units timeZone" never:"quoted"`
	Place       *place.NamedPlace    `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	Activity    decide.Activity      `json:"activity" doc:"The planned activity."`
	EvaluatedAt time.Time            `json:"evaluatedAt" doc:"Time at which the hours were evaluated."`
	From        time.Time            `json:"from" doc:"Begin of the first hour."`
	To          time.Time            `json:"to" doc:"End of the last hour."`
	Sentence    string               `json:"sentence" doc:"The hours in at most 90 characters."`
	Windows     []BestTime           `json:"windows" doc:"Runs in daylight of one state, normal or watch: the best state first, then the longest; at most five."`
	Against     []decide.HoursReason `json:"against" doc:"What is against the other hours, or missing, worst first."`
	Unranked    []coast.Span         `json:"unranked" doc:"Hours of which too little is known: they are not among the windows."`
	Disclaimer  string               `json:"disclaimer" doc:"Limit of what a decision is fit for."`
}

// BestTime is one of the best runs.
type BestTime struct {
	decide.Best
	Care       []string `json:"care" doc:"Reasons for care in its hours."`
	Highlights []string `json:"highlights" doc:"What is favorable in it."`
}

// BestTimes ranks the hours of a span. Errors: those of Trip, and InvalidRequest for a word that
// names no activity. A provider that does not answer is not an error: its hours are not ranked.
func (s Decisions) BestTimes(ctx context.Context, in BestTimesInput) (BestTimes, error) {
	if err := mayDecide(ctx); err != nil {
		return BestTimes{}, err
	}
	activity, err := activityOf(in.Activity)
	if err != nil {
		return BestTimes{}, err
	}
	inputs, at, err := s.inputsAt(ctx, in.StationOrPlace, activity)
	if err != nil {
		return BestTimes{}, err
	}
	span, err := in.span(inputs)
	if err == nil {
		err = mayAsk(ctx, byClock(span, inputs.Zone.Location), `"days": 2`)
	}
	if err != nil {
		return BestTimes{}, err
	}
	if inputs.noVerdict(span) == "" {
		inputs.Gather(ctx)
	}
	hours, trip := inputs.evaluated(span, at)
	return bestTimes(hours, trip), nil
}

// activityOf reads an activity by its name or a word for it.
func activityOf(text string) (decide.Activity, error) {
	a, ok := decide.ActivityOf(text)
	if !ok {
		return a, facts.Invalid("activity", "enum", `%s is not an activity: give fishing, boating, `+
			`surf-paddle, beachcombing, photography or coastal-living, or a word such as walk or kayak. `+
			`Example: "activity": "kayak".`, coast.Quote(text))
	}
	return a, nil
}

// span returns the hours to rank, without those of the days that are past.
func (in BestTimesInput) span(d *Inputs) (facts.Interval, error) {
	now := d.Now.Truncate(time.Hour)
	if in.Date == "" {
		length := publicHours
		if in.Days > 0 {
			length = time.Duration(in.Days) * facts.Day
		}
		return facts.Interval{From: now, To: now.Add(length)}, nil
	}
	span, err := d.When("date", in.Date, d.Zone)
	if err != nil {
		return span, err
	}
	if in.Days > 0 {
		span.To = facts.DayStart(span.From).AddDate(0, 0, in.Days)
	}
	if span.From.Before(now) && now.Before(span.To) {
		span.From = now
	}
	if latest := span.From.Add(tripHours); span.To.After(latest) { // a week in which clocks go back
		span.To = latest
	}
	return span, nil
}

// byClock returns the length of a span by a clock on the wall: a weekend has 48 hours, even if the
// clocks go back.
func byClock(span facts.Interval, zone *time.Location) time.Duration {
	_, from := span.From.In(zone).Zone()
	_, to := span.To.In(zone).Zone()
	return span.To.Sub(span.From) + time.Duration(to-from)*time.Second
}

// bestTimes returns the windows of evaluated hours.
func bestTimes(h decide.Hours, t TripHours) BestTimes {
	b := BestTimes{
		Frame: t.Frame, Place: t.Place, Activity: t.Activity, EvaluatedAt: t.EvaluatedAt, From: t.From,
		To: t.To, Sentence: t.Sentence, Windows: []BestTime{}, Against: []decide.HoursReason{},
		Unranked: []coast.Span{}, Disclaimer: t.Disclaimer,
	}
	for _, w := range h.Windows {
		b.Windows = append(b.Windows, BestTime{w.Best, w.Care, w.Highlights})
	}
	for _, r := range h.Reasons {
		if r.Severity == decide.Action || r.Missing() {
			b.Against = append(b.Against, r)
		}
	}
	b.Unranked = append(b.Unranked, h.Unranked...)
	return b
}

// Describe writes the windows, the best first, what is against other hours, and the hours that are
// not ranked.
func (b BestTimes) Describe(text *render.Answer) {
	intro := "no time in daylight to name. " + render.Escape(b.Sentence)
	if len(b.Windows) > 0 {
		intro = "best times in daylight, the best first:"
	}
	text.Line("%s%s, %s, %s: %s", operation.StationName(b.Station),
		place.ForPlace{Place: b.Place}.Away(), b.Activity, dated(b.From, b.To), intro)
	text.Gap()
	for i, w := range b.Windows {
		text.Line("%d. %s, %s: %s", i+1, dated(w.From, w.To), w.Lasts(),
			strings.Join(append([]string{w.verdict()}, w.remarks()...), " "))
	}
	for _, r := range b.Against {
		text.Line("- %s: %s", r.Severity, operation.LocalTimes(render.Escape(r.Text)))
	}
	for _, s := range b.Unranked {
		text.Line("- not ranked, too little is known: %s", dated(s.From, s.To))
	}
	text.Line("%s", b.Disclaimer)
}

// dated returns a span with its days, such as Sat 2026-11-28 06:20 to 16:44 EST.
func dated(from, to time.Time) string {
	text := from.Format("Mon 2006-01-02 15:04") + " to "
	if to.Sub(from) < facts.Day && from.Day() == to.Day() {
		return text + to.Format("15:04 ") + render.Zone(to)
	}
	return text + render.Minute(to)
}

// verdict returns the state in words.
func (w BestTime) verdict() string {
	text := "nothing found against it"
	if w.State == decide.WatchState {
		text = "take care"
	}
	if w.Short {
		text += ", shorter than usual"
	}
	return text + "."
}

// remarks returns the reasons for care, or else what is favorable.
func (w BestTime) remarks() []string {
	list := w.Care
	if len(list) == 0 {
		list = w.Highlights
	}
	remarks := []string{}
	for _, r := range list[:min(len(list), 2)] {
		remarks = append(remarks, operation.LocalTimes(render.Escape(r)))
	}
	return remarks
}
