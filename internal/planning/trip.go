package planning

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tides"
)

// TripInput asks how the hours of a span suit an activity. Until and Hours end the span; without
// either it ends with the light of its day.
type TripInput struct {
	place.StationOrPlace
	Activity decide.Activity `json:"activity" default:"boating" doc:"What is planned." example:"boating"`
	Date     string          `json:"date,omitempty" doc:"Day or phrase: today, saturday, weekend, tonight or 2026-11-28; default: tomorrow." example:"saturday"`
	From     string          `json:"from,omitempty" pattern:"^([01]\\d|2[0-3]):[0-5]\\d$" form:"a time of 24 hours, HH:MM" doc:"Begin, HH:MM; default: with daylight, today not before this hour." example:"09:00"`
	Until    string          `json:"until,omitempty" doc:"End, HH:MM or 2026-11-29T17:00; default: end of daylight." example:"17:00"`
	Hours    int             `json:"hours,omitempty" min:"1" max:"168" doc:"Length in hours, in place of until; over 48 with an account." example:"10"`
}

// Validate reads the activity, and refuses a span that is given twice.
func (in *TripInput) Validate() (err error) {
	if err = in.StationOrPlace.Validate(); err != nil {
		return err
	}
	if in.Activity, err = activityOf(string(in.Activity)); err != nil {
		return err
	}
	if in.Until != "" && in.Hours != 0 {
		return facts.InvalidSpan("hours", `give until or hours, not both. Example: "hours": 10.`)
	}
	return nil
}

// TripHours has the hours of a span for an activity: facts are gathered once, and each hour is
// evaluated as a decision evaluates its span. Of a past day and beyond the forecasts it has no
// verdict: no hours, and the state unknown.
type TripHours struct {
	coast.Frame `always:"station datum units timeZone" never:"quoted"`
	Place       *place.NamedPlace    `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
	Activity    decide.Activity      `json:"activity" doc:"The planned activity."`
	EvaluatedAt time.Time            `json:"evaluatedAt" doc:"Time at which the hours were evaluated."`
	From        time.Time            `json:"from" doc:"Begin of the first hour."`
	To          time.Time            `json:"to" doc:"End of the last hour, which may be shorter than others."`
	Sentence    string               `json:"sentence" doc:"The answer in at most 90 characters."`
	State       decide.State         `json:"state" doc:"The worst of the hours. Normal means only that no limit was reached."`
	Confidence  decide.Confidence    `json:"confidence" doc:"The lowest of the hours."`
	Hours       []decide.Run         `json:"hours" doc:"Runs of hours of one state; empty for a past day and beyond the forecasts."`
	Best        *decide.Best         `json:"best" doc:"Longest run of the best state in daylight; null if that is action-needed or unknown, or of low confidence."`
	Reasons     []decide.HoursReason `json:"reasons" doc:"What decided the states, worst first, each with its hours."`
	Highlights  []string             `json:"highlights" doc:"What is favorable in the best run, apart from the reasons."`
	Disclaimer  string               `json:"disclaimer" doc:"Limit of what a decision is fit for."`

	sure string // the reason of the confidence
}

// Sure returns the confidence with its reason and the age of stale forecasts, for people; ""
// without a verdict.
func (t TripHours) Sure() string {
	if t.sure == "" {
		return ""
	}
	text := fmt.Sprintf("Confidence %s: %s.", t.Confidence, t.sure)
	for _, s := range t.Sources {
		if s.Kind == coast.Forecast && s.Freshness == coast.Stale && s.AgeMinutes != nil {
			text += fmt.Sprintf(" %s: %s.", s.Label, render.Age(*s.AgeMinutes))
		}
	}
	return text
}

// The longest spans of hours: for everybody, and for callers with an account.
const (
	publicHours = 48 * time.Hour
	tripHours   = decide.LongestHours
)

// Trip evaluates the hours of a span. On the Great Lakes, which have no tide, the other facts
// decide. Errors: StationNotFound, ProductUnavailable at other stations without a predicted
// tide, InvalidRequest for a span that is none, RangeTooLong over 168 hours, and
// CredentialRequired over 48 hours without an account. A provider that does not answer is not an
// error: what is missing is listed.
func (s Decisions) Trip(ctx context.Context, in TripInput) (TripHours, error) {
	inputs, at, err := s.inputsAt(ctx, in.StationOrPlace, in.Activity)
	if err != nil {
		return TripHours{}, err
	}
	span, err := in.span(inputs)
	if err == nil {
		err = mayAsk(ctx, span.To.Sub(span.From), in.shorter(span))
	}
	if err != nil {
		return TripHours{}, err
	}
	if inputs.noVerdict(span) == "" {
		inputs.Gather(ctx)
	}
	return inputs.evaluate(span, at), nil
}

// inputsAt returns the inputs of a station or a place, and where that is. Errors: those of Trip.
func (s Decisions) inputsAt(
	ctx context.Context, where place.StationOrPlace, a decide.Activity,
) (*Inputs, place.Resolved, error) {
	fs, water := s.facts.Set(), where
	at, err := tides.New(s.facts).Resolve(&water, operation.OnDatum{})
	if err == nil && !stations.GreatLakes(water.Station) {
		d, err := NewInputs(fs, water.Station, string(a), at.Position())
		return d, at, err
	}
	// Only NOAA knows the gauges of the lakes: a silent one must not hold up the refusal of a name.
	ctx, cancel := context.WithTimeout(ctx, factTimeout)
	defer cancel()
	lake, _ := directory.ResolvePlace(ctx, fs, &where, "waterlevels", "measures water levels",
		place.OfWater)
	if !stations.GreatLakes(where.Station) {
		return nil, at, err
	}
	st, err := fs.Gauge(ctx, where.Station)
	if err != nil {
		return nil, lake, err
	}
	d, err := newLakeInputs(fs, st, a, lake.Position())
	return d, lake, err
}

// NamesDay reports whether a text is a day or a phrase for days, as the date of a trip may be.
func NamesDay(text string) bool { return facts.NamesDay(text) }

// shorter returns the argument with which the span has 48 hours.
func (in TripInput) shorter(span facts.Interval) string {
	if in.Until == "" {
		return `"hours": 48`
	}
	return fmt.Sprintf("%q: %q", "until", span.From.Add(publicHours).Format("2006-01-02T15:04"))
}

// mayAsk reports whether the caller may ask for hours of a length. Example is an argument that
// everybody may give.
func mayAsk(ctx context.Context, length time.Duration, example string) error {
	caller, known := access.CallerFrom(ctx)
	if length <= publicHours || !known || caller.Tier == access.Local ||
		caller.Account != "" {
		return nil
	}
	return coast.Errorf(coast.CredentialRequired, "More than 48 hours need an account: send its key, "+
		"as Authorization: Bearer KEY, or ask for at most 48 hours. Example: %s.", example)
}

// span returns the span of the request, which is half-open.
func (in TripInput) span(d *Inputs) (span facts.Interval, err error) {
	date := in.Date
	if date == "" {
		date = "tomorrow"
	}
	day, err := d.When("date", date, d.Zone)
	if err != nil {
		return span, err
	}
	local := func(t time.Time) string { return t.In(d.Zone.Location).Format("2006-01-02T15:04") }
	span.Notes = day.Notes
	light := d.lightOf(day)
	if !day.From.Equal(facts.DayStart(day.From)) { // a part of a day is the span itself
		light = []sky.Interval{{From: day.From, To: day.To}}
	}
	if len(light) == 0 && (in.From == "" || in.Until == "" && in.Hours == 0) {
		span.Notes = append(span.Notes, "It does not get light on that day: the whole day counts.")
		light = []sky.Interval{{From: day.From, To: day.To}}
	}
	if span.From, err = in.begin(d, day, light, &span.Notes); err != nil {
		return span, err
	}
	if span.To, err = in.end(d, span.From, day, light, &span.Notes); err != nil {
		return span, err
	}
	switch length := span.To.Sub(span.From); {
	case length <= 0 && in.Until == "": // today, after the end of daylight
		span.To = day.To
	case length <= 0:
		return span, facts.InvalidSpan("until", "until %s is not after the begin, %s. Example: "+
			"\"until\": %q.", coast.Quote(in.Until), local(span.From), local(span.From.Add(8*time.Hour)))
	case length > tripHours:
		return span, coast.Errorf(coast.RangeTooLong, "The span has %.0f hours; at most 168 are "+
			"evaluated. Give an earlier until, or hours of at most 168.", length.Hours())
	}
	return span, nil
}

// lightOf returns the civil daylight of a day.
func (d *Inputs) lightOf(day facts.Interval) []sky.Interval {
	return sky.When(d.place().Place, day.From, day.To, sky.Civil)
}

// begin returns the begin of the span: the time of the request, or else the first whole hour in
// daylight, and today not before the present hour.
func (in TripInput) begin(
	d *Inputs, day facts.Interval, light []sky.Interval, notes *[]string,
) (time.Time, error) {
	if in.From != "" {
		return d.clock("from", day.From, in.From, notes)
	}
	from := light[0].From.Add(time.Hour - time.Nanosecond).Truncate(time.Hour)
	if light[0].From.Equal(day.From) {
		from = day.From
	}
	if now := d.Now.Truncate(time.Hour); now.After(from) && now.Before(day.To) {
		from = now
	}
	return from, nil
}

// end returns the end of the span: that of the request, or else the minute at which daylight ends.
func (in TripInput) end(
	d *Inputs, from time.Time, day facts.Interval, light []sky.Interval, notes *[]string,
) (time.Time, error) {
	switch {
	case in.Hours > 0:
		return from.Add(time.Duration(in.Hours) * time.Hour), nil
	case in.Until == "":
		end := light[len(light)-1].To.Truncate(time.Minute)
		if !from.Before(end) {
			end = day.To
		}
		return end, nil
	case hourMinute().MatchString(in.Until):
		end, err := d.clock("until", day.From, in.Until, notes)
		if err == nil && !from.Before(end) { // from 9 PM until 1 AM
			end, err = d.clock("until", facts.NextDay(day.From), in.Until, notes)
		}
		return end, err
	}
	wall, err := time.Parse("2006-01-02T15:04", strings.Replace(in.Until, " ", "T", 1))
	if err != nil {
		return from, facts.Invalid("until", "date", `until must be a local time, such as "17:00" or `+
			`"2026-11-29T17:00", not %s.`, coast.Quote(in.Until))
	}
	return d.civil("until", wall, notes)
}

// clock returns the time of a day at which the station's clock shows HH:MM.
func (d *Inputs) clock(
	name string, day time.Time, clock string, notes *[]string,
) (time.Time, error) {
	wall, err := time.Parse("2006-01-02 15:04", day.In(d.Zone.Location).Format("2006-01-02 ")+clock)
	if err != nil {
		return day, facts.Invalid(name, "format", `%s must be a 24-hour time, such as "09:00", not %s.`,
			name, coast.Quote(clock))
	}
	return d.civil(name, wall, notes)
}

// ClockOf returns a time of day as operations take it, HH:MM, if it is written as people do: 9 AM,
// 9:30 pm, 17. It returns other texts unchanged.
func ClockOf(text string) string {
	plain := strings.ToUpper(strings.NewReplacer(" ", "", ".", "", "\u00a0", "").Replace(text))
	for _, form := range []string{"3PM", "3:04PM", "15", "15:04"} {
		if t, err := time.Parse(form, plain); err == nil {
			return t.Format("15:04")
		}
	}
	switch plain {
	case "NOON":
		return "12:00"
	case "MIDNIGHT":
		return "00:00"
	}
	return text
}

// civil returns a time by the station's clock, with a note if it comes twice.
func (d *Inputs) civil(name string, wall time.Time, notes *[]string) (time.Time, error) {
	at, repeated, err := facts.Civil(name, wall, d.Zone)
	if repeated {
		*notes = append(*notes, fmt.Sprintf("%s %s comes twice that day: the first is taken, %s.", name,
			wall.Format("15:04"), at.Format(time.RFC3339)))
	}
	return at, err
}

// evaluate evaluates the hours of a span from the gathered facts.
func (d *Inputs) evaluate(span facts.Interval, at place.Resolved) TripHours {
	_, out := d.evaluated(span, at)
	return out
}

// evaluated evaluates the hours of a span, and returns them also as the result of a trip. Without a
// verdict the hours are empty.
func (d *Inputs) evaluated(span facts.Interval, at place.Resolved) (h decide.Hours, out TripHours) {
	zone := d.Zone.Location
	out = TripHours{
		Frame: tides.Frame(d.Set, d.station, d.datum, coast.English, d.Zone),
		Place: at.Place.Place, Activity: d.Activity, EvaluatedAt: d.Now.In(zone),
		From: span.From.In(zone), To: span.To.In(zone), Disclaimer: decide.Disclaimer,
		State: decide.Unknown, Confidence: decide.Low, Hours: []decide.Run{},
		Reasons: []decide.HoursReason{}, Highlights: []string{},
	}
	notes := slices.Concat(at.ItselfNote("Light, wind, waves and alerts are"), span.Notes)
	if out.Sentence = d.noVerdict(span); out.Sentence != "" {
		out.Notes = append(out.Notes, notes...)
		at.Explain(&out.Provenance)
		return h, out
	}
	if now := d.Now.Truncate(time.Hour); span.From.Before(now) { // hours before now have no state
		notes = append(notes, "Hours before now are left out.")
		out.From = out.From.Add(now.Sub(span.From).Truncate(time.Hour))
	}
	h = decide.EvaluateHours(decide.HoursRequest{Activity: d.Activity, From: out.From, To: out.To,
		Now: d.Now}, d.Hours(out.From, out.To, notes))
	out.Sentence, out.State, out.Confidence, out.sure = h.Sentence, h.State, h.Confidence, h.Sure
	out.Hours, out.Best, out.Reasons, out.Highlights = h.Runs, h.Best, h.Reasons, h.Highlights
	out.Sources, out.Missing, out.Notes = h.Sources, h.Missing, h.Notes
	at.Explain(&out.Provenance)
	return h, out
}

// noVerdict returns the sentence about a span that is past, or that no forecast reaches; "" if its
// hours can be evaluated.
func (d *Inputs) noVerdict(span facts.Interval) string {
	day := span.From.In(d.Zone.Location)
	switch {
	case !span.To.After(d.Now):
		return "That is past: no verdict."
	case span.From.Sub(d.Now) > tripHours && day.Year() == d.Now.In(d.Zone.Location).Year():
		return "No forecast reaches " + day.Format("2 Jan") + "."
	case span.From.Sub(d.Now) > tripHours:
		return "No forecast reaches " + day.Format("2 Jan 2006") + "."
	}
	return ""
}

// Away returns the station's distance from the place of the request, for texts.
func (t TripHours) Away() string { return place.ForPlace{Place: t.Place}.Away() }

// Describe writes the sentence, the runs of hours and the reasons.
func (t TripHours) Describe(text *render.Answer) {
	text.Line("%s%s, %s: %s", operation.StationName(t.Station), t.Away(), t.Activity,
		render.Escape(t.Sentence))
	if len(t.Hours) > 0 {
		text.Line("State %s, confidence %s, from %s to %s.", decide.Verdict(t.State, t.Confidence),
			t.Confidence, render.Clock(t.From, t.EvaluatedAt), render.Clock(t.To, t.EvaluatedAt))
	}
	if t.Best != nil {
		text.Line("Longest run with least against it: %s, %s.", t.Best.Text, t.Best.State)
	}
	text.Gap()
	for _, r := range t.Hours {
		text.Line("- %s to %s: %s", render.Clock(r.From, t.EvaluatedAt),
			render.Clock(r.To, t.EvaluatedAt), decide.Verdict(r.State, r.Confidence))
	}
	for _, r := range t.Reasons {
		text.Line("- %s: %s", r.Severity, operation.LocalTimes(render.Escape(r.Text)))
	}
	for _, h := range t.Highlights {
		text.Line("- highlight: %s", operation.LocalTimes(render.Escape(h)))
	}
	f := t.Frame
	f.Notes = append(slices.Clip(f.Notes), t.Disclaimer)
	operation.Footer(text, f)
}
