package planning

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/tides"
)

// Contract is the version of the contract that decisions carry.
const Contract = decide.Contract

// TripHealthInput requests a rating of how suitable a time is for an activity at a station.
type TripHealthInput struct {
	StationID string `json:"stationId" pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" doc:"A tide station's id." example:"8443970"`
	Trip
}

// Trip holds what is planned, and when.
type Trip struct {
	Activity  decide.Activity `json:"activity" doc:"What is planned." example:"fishing"`
	LocalDate string          `json:"localDate" format:"date" doc:"Day in the station's zone." example:"2026-11-21"`
	LocalTime string          `json:"localTime" pattern:"^([01]\\d|2[0-3]):[0-5]\\d$" form:"a time of 24 hours, HH:MM" doc:"Time in the station's zone, 24 hours." example:"09:00"`
}

// TripHealth is the decision about one time.
type TripHealth struct {
	Decision decide.Decision `json:"decision" doc:"The decision."`

	place place.ForPlace // of the request
}

// TripHealth decides how suitable a time is for an activity. Errors: StationNotFound,
// ProductUnavailable if NOAA predicts no tide there, and InvalidRequest for a time that does
// not exist, is more than 15 minutes in the past or more than 366 days ahead. A provider that
// does not answer is not an error: the decision lists what is missing.
func (s Decisions) TripHealth(ctx context.Context, in TripHealthInput) (TripHealth, error) {
	return s.tripHealthAt(ctx, in, place.Resolved{})
}

// tripHealthAt is TripHealth for a place, whose light, wind, waves and alerts count. The water is
// that of the station.
func (s Decisions) tripHealthAt(
	ctx context.Context, in TripHealthInput, at place.Resolved,
) (TripHealth, error) {
	d, err := s.decision(ctx, in, at, nil)
	d.Fit(LongestDecision)
	return TripHealth{d, at.Place}, err
}

// TripAtInput is TripHealthInput for a station or a place.
type TripAtInput struct {
	StationID string `json:"stationId,omitempty" pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" doc:"A tide station's id; or give place." example:"8443970"`
	place.InPlace
	Trip
	Until string `json:"until,omitempty" doc:"End, HH:MM or 2026-11-22T17:00: returns each hour until then." example:"17:00"`
}

// TripAnswer is the decision about one time, or the hours until a time.
type TripAnswer struct {
	Decision *decide.Decision `json:"decision,omitempty" doc:"The decision; left out if the request has an end."`
	Hours    *TripHours       `json:"hours,omitempty" doc:"The hours until the end of the request; left out without one."`

	place place.ForPlace // of the request
}

// Describe writes the decision or the hours.
func (t TripAnswer) Describe(text *render.Answer) {
	if t.Hours != nil {
		t.Hours.Describe(text)
		return
	}
	TripHealth{*t.Decision, t.place}.Describe(text)
}

// Validate requires either a station or a place.
func (in *TripAtInput) Validate() error {
	if (in.StationID == "") == (in.Place == "") {
		return facts.Invalid("stationId", "required",
			`give stationId or place, one of them. Example: "stationId": "8443970".`)
	}
	return nil
}

// TripHealthByTool is TripHealth for MCP callers, or Trip if the request has an end.
func (s Decisions) TripHealthByTool(ctx context.Context, in TripAtInput) (TripAnswer, error) {
	if err := mayDecide(ctx); err != nil {
		return TripAnswer{}, err
	}
	where := place.StationOrPlace{Station: in.StationID, InPlace: in.InPlace}
	if in.Until != "" {
		hours, err := s.Trip(ctx, TripInput{StationOrPlace: where, Activity: in.Activity,
			Date: in.LocalDate, From: in.LocalTime, Until: in.Until})
		return TripAnswer{Hours: &hours}, err
	}
	at, err := tides.New(s.facts).Resolve(&where, operation.OnDatum{})
	if err != nil {
		return TripAnswer{}, err
	}
	health, err := s.tripHealthAt(ctx, TripHealthInput{where.Station, in.Trip}, at)
	return TripAnswer{Decision: &health.Decision, place: health.place}, err
}

// mayDecide reports whether the caller may have a decision by a tool. As on REST, a key needs the
// scope for data or the scope for decisions. Access tokens need no scope beyond the one that MCP
// requires.
func mayDecide(ctx context.Context) error {
	if caller, _ := access.CallerFrom(ctx); caller.Grant != "" {
		return nil
	}
	return access.Authorize(ctx, access.PublicDecision)
}

// LongestDecision limits the length of a decision, so that clients do not truncate it.
const LongestDecision = 7900 // bytes, which leaves room for the rest of the response

// decision makes the decision of a request, with all its reasons. If the rest of the request has
// issues, it returns them together with its own, so that the caller gets all issues at once.
func (s Decisions) decision(
	ctx context.Context, in TripHealthInput, place place.Resolved, issues []coast.Issue,
) (decide.Decision, error) {
	fs := s.facts.Set()
	inputs, err := NewInputs(fs, in.StationID, string(in.Activity), place.Position())
	if err != nil {
		return decide.Decision{}, cmp.Or(coast.Invalid(issues), err)
	}
	at, notes, fault := requestedTime(fs, in.LocalDate, in.LocalTime, inputs.Zone)
	if fault != nil {
		issues = append(fault.below(""), issues...)
	}
	if issues != nil {
		return decide.Decision{}, coast.Invalid(issues)
	}
	inputs.Gather(ctx)
	notes = slices.Concat(place.From.Notes, place.ItselfNote("Light, wind, waves and alerts are"),
		notes)
	return decide.Decide(s.request(inputs, at), inputs.At(at, notes)), nil
}

func (s Decisions) request(d *Inputs, at time.Time) decide.Request {
	return decide.Request{ID: s.newID(d.Now), Activity: d.Activity, At: at, Now: d.Now}
}

// These are the bounds of the requested time. People still ask about a time that has just
// begun, and the constants are accurate for the next year.
const (
	justPast = 15 * time.Minute
	farthest = 366 * facts.Day
)

// timeFault is a fault in a local date or time.
type timeFault struct{ field, code, message string }

// below returns the fault as an issue whose pointer is below another.
func (f timeFault) below(pointer string) []coast.Issue {
	return []coast.Issue{{Path: pointer + "/" + f.field, Code: f.code, Message: f.message}}
}

// requestedTime parses a local date and time. If a clock change repeats the time, it returns
// the first occurrence, or the second once the first is past, and a note.
func requestedTime(
	fs facts.Set, date, clock string, z facts.Zone,
) (at time.Time, notes []string, fault *timeFault) {
	wall, err := time.Parse("2006-01-02 15:04", date+" "+clock)
	if err != nil {
		return at, nil, &timeFault{"localTime", "format", fmt.Sprintf(
			`localDate and localTime must be a date and a 24-hour time, such as "2026-11-21" and "09:00", `+
				`not %s and %s.`, coast.Quote(date), coast.Quote(clock),
		)}
	}
	at, repeated, err := facts.Civil("localTime", wall, z)
	if err != nil {
		return at, nil, &timeFault{"localTime", "skipped", err.Error()}
	}
	which := "first"
	if repeated && fs.Now.Sub(at) > justPast {
		at, which = facts.Again(at), "second"
	}
	switch now := fs.Now.In(z.Location); {
	case fs.Now.Sub(at) > justPast:
		return at, nil, &timeFault{"localTime", "past", fmt.Sprintf(
			"%s %s is past: it is %s in %s. Give a future time.", date, clock,
			now.Format("2006-01-02 15:04"), z.Label,
		)}
	case at.Sub(fs.Now) > farthest:
		return at, nil, &timeFault{"localDate", "far", fmt.Sprintf(
			"%s %s lies more than 366 days ahead. Ask for a time up to %s.", date, clock,
			now.Add(farthest).Format("2006-01-02 15:04"),
		)}
	}
	if repeated {
		notes = []string{fmt.Sprintf(
			"%s comes twice in %s on %s: the %s is taken, %s.", clock, z.Label, date, which,
			at.Format(time.RFC3339),
		)}
	}
	return at, notes, nil
}

// BestWindowInput requests a ranking of times for an activity. The operation checks what the
// schema of the request body cannot express.
type BestWindowInput struct {
	StationID  string       `json:"stationId" doc:"A tide station's id." example:"8443970"`
	Activity   string       `json:"activity" doc:"fishing, boating, surf-paddle, beachcombing, photography or coastal-living." example:"fishing"`
	Candidates []WindowTime `json:"candidates" minItems:"2" maxItems:"12" open:"true" doc:"The times to rank." example:"[{\"localDate\":\"2026-11-21\",\"localTime\":\"09:00\"},{\"localDate\":\"2026-11-22\",\"localTime\":\"15:00\"}]"`
}

// WindowTime is a time to rank.
type WindowTime struct {
	LocalDate string `json:"localDate" format:"date" doc:"Day in the station's zone." example:"2026-11-21"`
	LocalTime string `json:"localTime" doc:"Time in the station's zone, 24 hours." example:"09:00"`
}

// malformed returns a fault if the time is not a 24-hour time, which the schema of the body
// does not check.
func (t WindowTime) malformed() *timeFault {
	if hourMinute().MatchString(t.LocalTime) {
		return nil
	}
	return &timeFault{"localTime", "pattern", fmt.Sprintf(
		`localTime must be a 24-hour time, such as "09:00", not %s.`, coast.Quote(t.LocalTime),
	)}
}

var hourMinute = coast.Pattern(`^([01]\d|2[0-3]):[0-5]\d$`)

// Issues returns the faults that can be found without looking up a station.
func (in *BestWindowInput) Issues() []coast.Issue {
	issues := in.unknownActivity()
	for i, c := range in.Candidates {
		if fault := c.malformed(); fault != nil {
			issues = append(issues, fault.below(pointer(i))...)
		}
	}
	return issues
}

// unknownActivity returns the issue of an unknown activity.
func (in *BestWindowInput) unknownActivity() []coast.Issue {
	if slices.Contains(decide.Activities(), decide.Activity(in.Activity)) {
		return nil
	}
	return []coast.Issue{{
		Path: "/activity", Code: "enum",
		Message: fmt.Sprintf(
			"activity must be one of %s, not %s. Example: \"activity\": \"fishing\".", in.activities(),
			coast.Quote(in.Activity),
		),
	}}
}

func (in *BestWindowInput) activities() string {
	return strings.Join(decide.Activity("").Values(), ", ")
}

func pointer(candidate int) string { return fmt.Sprintf("/candidates/%d", candidate) }

// BestWindow holds the ranked times, best first.
type BestWindow struct {
	Recommended *int               `json:"recommended" doc:"Rank of the recommended time; null where none is normal or watch with at least moderate confidence."`
	Candidates  []decide.Candidate `json:"candidates" doc:"By state, confidence, score and time; a normal time of low confidence ranks with the watches."`
	Disclaimer  string             `json:"disclaimer" doc:"Limit of what a decision is fit for."`
	operation.Page
}

// Len returns the number of rows.
func (b BestWindow) Len() int { return len(b.Candidates) }

// First returns the result with the n best times. The next call can name the others alone.
func (b BestWindow) First(n int) any {
	b.Page = operation.Page{Truncated: true, Total: len(b.Candidates)}
	b.Candidates = b.Candidates[:n]
	return b
}

// BestWindow ranks times. It returns the errors of TripHealth and names each candidate
// that cannot be decided.
func (s Decisions) BestWindow(ctx context.Context, in BestWindowInput) (BestWindow, error) {
	fs := s.facts.Set()
	inputs, err := NewInputs(fs, in.StationID, in.Activity, nil)
	times, notes := make([]time.Time, len(in.Candidates)), make([][]string, len(in.Candidates))
	issues := in.unknownActivity()
	for i, c := range in.Candidates {
		fault := c.malformed()
		if fault == nil && err == nil {
			times[i], notes[i], fault = requestedTime(fs, c.LocalDate, c.LocalTime, inputs.Zone)
		}
		if fault != nil {
			fault.message = fmt.Sprintf("Candidate %d: %s", i+1, fault.message)
			issues = append(issues, fault.below(pointer(i))...)
		}
	}
	if err = cmp.Or(coast.Invalid(issues), err); err != nil {
		return BestWindow{}, err
	}
	inputs.Gather(ctx)
	out := BestWindow{Candidates: make([]decide.Candidate, len(times)), Disclaimer: decide.Disclaimer}
	for i, at := range times {
		c := decide.Weigh(s.request(inputs, at), inputs.At(at, notes[i]))
		if err := context.Cause(ctx); err != nil {
			return BestWindow{}, err
		}
		c.LocalDate, c.LocalTime = in.Candidates[i].LocalDate, in.Candidates[i].LocalTime
		out.Candidates[i] = c
	}
	out.Recommended = decide.Rank(out.Candidates)
	return out, nil
}

// EvaluateRulesInput requests a decision and its evaluation against rules.
type EvaluateRulesInput struct {
	TripHealthInput
	Rules []decide.Rule `json:"rules" minItems:"1" maxItems:"20" doc:"The rules, each of one kind."`
}

// EvaluateRules is a decision and its evaluation.
type EvaluateRules struct {
	Decision   decide.Decision   `json:"decision" doc:"The new decision."`
	Evaluation decide.Evaluation `json:"evaluation" doc:"Results of the rules."`
}

// EvaluateRules evaluates a new decision against rules. It returns the errors of TripHealth.
func (s Decisions) EvaluateRules(
	ctx context.Context, in EvaluateRulesInput,
) (EvaluateRules, error) {
	d, err := s.decision(ctx, in.TripHealthInput, place.Resolved{}, nil)
	if err != nil {
		return EvaluateRules{}, err
	}
	d.Fit(LongestDecision)
	return EvaluateRules{d, decide.Evaluate(&d, in.Rules)}, nil
}

// Baseline is an earlier decision or its summary, as the caller has it.
type Baseline json.RawMessage

// Shape returns a value of the struct that describes the content.
func (Baseline) Shape() any { return decide.PriorDecision{} }

// MaterialChangeInput requests a decision and what has changed since an earlier one.
type MaterialChangeInput struct {
	TripHealthInput
	Baseline Baseline `json:"baseline" doc:"An earlier decision, or its summary: any of state, confidence, reasons, missingInputs, sources." example:"{\"state\":\"normal\",\"confidence\":\"high\"}"`
}

// MaterialChange is a new decision, and what has changed.
type MaterialChange struct {
	Decision decide.Decision   `json:"decision" doc:"The new decision."`
	Change   decide.Comparison `json:"change" doc:"What differs from the baseline."`
	Summary  decide.Summary    `json:"summary" doc:"The new decision in short, which can be the next baseline."`
}

// Issues returns the faults in the baseline.
func (in *MaterialChangeInput) Issues() []coast.Issue {
	_, err := decide.ReadBaseline(in.Baseline)
	return IssuesOf(err)
}

// IssuesOf returns the issues listed in an error, if any.
func IssuesOf(err error) []coast.Issue {
	var e *coast.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Issues
}

// MaterialChange compares a new decision with an earlier one. It returns the errors of
// TripHealth, and InvalidRequest for a baseline that contains nothing to compare.
func (s Decisions) MaterialChange(
	ctx context.Context, in MaterialChangeInput,
) (MaterialChange, error) {
	then, err := decide.ReadBaseline(in.Baseline)
	d, err := s.decision(ctx, in.TripHealthInput, place.Resolved{}, IssuesOf(err))
	if err != nil {
		return MaterialChange{}, err
	}
	whole := d
	d.Fit(LongestDecision)
	change := decide.Compare(&d, then)
	if change.Material {
		s.announce(ctx, in.TripHealthInput, then, &whole, &d)
	}
	return MaterialChange{d, change, decide.Summarize(&d)}, nil
}

// announcePatience limits how long a response waits until its event is stored.
const announcePatience = 250 * time.Millisecond

// announce posts a material change as an event of the caller's account. The event is made from
// the whole decision, because the response may leave reasons out.
func (s Decisions) announce(
	ctx context.Context, in TripHealthInput, then decide.Baseline, whole, shown *decide.Decision,
) {
	caller, _ := access.CallerFrom(ctx)
	if s.outbox == nil || caller.Account == "" {
		return
	}
	s.outbox.MaterialChange(ctx, caller.Account, TripRequest(in), then, whole, shown,
		announcePatience)
}
