package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
)

// Contract is the version of the contract that decisions carry.
const Contract = decide.Contract

// TripHealthInput asks how a time looks for an activity at a station.
type TripHealthInput struct {
	StationID string `json:"stationId" pattern:"^[A-Za-z0-9]{4,16}$" doc:"A tide station's id." example:"8443970"`
	Activity  string `json:"activity" enum:"fishing boating surf-paddle beachcombing photography coastal-living" doc:"What is planned." example:"fishing"`
	LocalDate string `json:"localDate" format:"date" doc:"Day in the station's zone." example:"2026-11-21"`
	LocalTime string `json:"localTime" pattern:"^([01]\\d|2[0-3]):[0-5]\\d$" doc:"Time in the station's zone, 24 hours." example:"09:00"`
}

// TripHealth is one planning read.
type TripHealth struct {
	Decision decide.Decision `json:"decision"`
}

// TripHealth decides how a time looks for an activity. It answers
// StationNotFound, ProductUnavailable where the station predicts no tide, and
// InvalidRequest for a time that does not exist, that is more than 15 minutes
// past or more than 366 days ahead. That a provider does not answer is no
// error: the decision says what it lacks.
func (s decisionTools) TripHealth(ctx context.Context, in TripHealthInput) (TripHealth, error) {
	d, err := s.decision(ctx, in, nil)
	return TripHealth{d}, err
}

// longestDecision is how long a read may be: short enough to be read whole.
const longestDecision = 7900 // bytes, which leaves some for what stands around it

// decision makes the decision that a request asks for, unless there are issues
// with the rest of it: a caller hears of all at once.
func (s decisionTools) decision(ctx context.Context, in TripHealthInput, issues []coast.Issue) (decide.Decision, error) {
	fs := s.facts.Set()
	inputs, err := fs.Decision(in.StationID, in.Activity)
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
	d := decide.Decide(s.request(inputs, at), inputs.At(at, notes))
	d.Fit(longestDecision)
	return d, nil
}

func (s decisionTools) request(d *facts.Decision, at time.Time) decide.Request {
	return decide.Request{ID: s.newID(d.Now), Activity: d.Activity, At: at, Now: d.Now}
}

// How far a decision looks: a time that has just begun is still asked about,
// and constants describe the next year well.
const (
	justPast = 15 * time.Minute
	farthest = 366 * facts.Day
)

// timeFault is a fault of a local date or time.
type timeFault struct{ field, code, message string }

// below is the fault as an issue, its pointer below another.
func (f timeFault) below(pointer string) []coast.Issue {
	return []coast.Issue{{Path: pointer + "/" + f.field, Code: f.code, Message: f.message}}
}

// requested reads a local date and time. A time that the clocks repeat is the
// first, once that is past the second, and noted.
func requestedTime(fs facts.Set, date, clock string, z facts.Zone) (at time.Time, notes []string, fault *timeFault) {
	wall, err := time.Parse("2006-01-02 15:04", date+" "+clock)
	if err != nil {
		return at, nil, &timeFault{"localTime", "format", fmt.Sprintf(`localDate and localTime must be a day and a time of 24 hours, as "2026-11-21" and "09:00", not %s and %s.`, coast.Quote(date), coast.Quote(clock))}
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
		return at, nil, &timeFault{"localTime", "past", fmt.Sprintf("%s %s is past: it is %s in %s. Ask for a time that is yet to come.", date, clock, now.Format("2006-01-02 15:04"), z.Label)}
	case at.Sub(fs.Now) > farthest:
		return at, nil, &timeFault{"localDate", "far", fmt.Sprintf("%s %s lies more than 366 days ahead. Ask for a time up to %s.", date, clock, now.Add(farthest).Format("2006-01-02 15:04"))}
	}
	if repeated {
		notes = []string{fmt.Sprintf("%s comes twice in %s on %s: the %s is taken, %s.", clock, z.Label, date, which, at.Format(time.RFC3339))}
	}
	return at, notes, nil
}

// BestWindowInput asks which of some times suits an activity best. The
// operation checks what the body's own rules leave open.
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

// malformed is the fault of a time that is none of 24 hours: the body's own
// rules leave it open.
func (t WindowTime) malformed() *timeFault {
	if hourMinute.MatchString(t.LocalTime) {
		return nil
	}
	return &timeFault{"localTime", "pattern", fmt.Sprintf(`localTime must be a time of 24 hours, as "09:00", not %s.`, coast.Quote(t.LocalTime))}
}

var hourMinute = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d$`)

// faults are those that need no station to be seen.
func (in *BestWindowInput) Issues() []coast.Issue {
	issues := in.unknownActivity()
	for i, c := range in.Candidates {
		if fault := c.malformed(); fault != nil {
			issues = append(issues, fault.below(pointer(i))...)
		}
	}
	return issues
}

// unknownActivity is the fault of an activity that is none.
func (in *BestWindowInput) unknownActivity() []coast.Issue {
	if slices.Contains(decide.Activities(), decide.Activity(in.Activity)) {
		return nil
	}
	return []coast.Issue{{Path: "/activity", Code: "enum", Message: fmt.Sprintf("activity must be one of %s, not %s. Example: \"activity\": \"fishing\".", in.activities(), coast.Quote(in.Activity))}}
}

func (in *BestWindowInput) activities() string {
	return strings.Join(decide.Activity("").Values(), ", ")
}

func pointer(candidate int) string { return fmt.Sprintf("/candidates/%d", candidate) }

// BestWindow are the times in the order in which they suit.
type BestWindow struct {
	Recommended *int               `json:"recommended" doc:"Rank of the best; null where no state is normal or watch."`
	Candidates  []decide.Candidate `json:"candidates" doc:"Best first: by state, confidence, score, time."`
	Disclaimer  string             `json:"disclaimer"`
}

// BestWindow ranks times. It answers as TripHealth does, and names each
// candidate that cannot be judged.
func (s decisionTools) BestWindow(ctx context.Context, in BestWindowInput) (BestWindow, error) {
	fs := s.facts.Set()
	inputs, err := fs.Decision(in.StationID, in.Activity)
	times, notes, issues := make([]time.Time, len(in.Candidates)), make([][]string, len(in.Candidates)), in.unknownActivity()
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
		out.Candidates[i] = decide.Weigh(s.request(inputs, at), inputs.At(at, notes[i]))
		out.Candidates[i].LocalDate, out.Candidates[i].LocalTime = in.Candidates[i].LocalDate, in.Candidates[i].LocalTime
	}
	out.Recommended = decide.Rank(out.Candidates)
	return out, nil
}

// EvaluateRulesInput asks whether a decision passes rules.
type EvaluateRulesInput struct {
	TripHealthInput
	Rules []decide.Rule `json:"rules" minItems:"1" maxItems:"20" doc:"The rules, each of one kind."`
}

// EvaluateRules is a decision and what the rules say of it.
type EvaluateRules struct {
	Decision   decide.Decision   `json:"decision"`
	Evaluation decide.Evaluation `json:"evaluation"`
}

// EvaluateRules judges a new decision by rules. It answers as TripHealth does.
func (s decisionTools) EvaluateRules(ctx context.Context, in EvaluateRulesInput) (EvaluateRules, error) {
	d, err := s.decision(ctx, in.TripHealthInput, nil)
	if err != nil {
		return EvaluateRules{}, err
	}
	return EvaluateRules{d, decide.Evaluate(&d, in.Rules)}, nil
}

// MaterialChangeInput asks what has changed since an earlier decision.
type MaterialChangeInput struct {
	TripHealthInput
	Baseline json.RawMessage `json:"baseline" doc:"An earlier decision, or its summary: any of state, confidence, reasons, missingInputs, sources." example:"{\"state\":\"normal\",\"confidence\":\"high\"}"`
}

// MaterialChange is a new decision, and what has changed.
type MaterialChange struct {
	Decision decide.Decision   `json:"decision"`
	Change   decide.Comparison `json:"change"`
	Summary  decide.Summary    `json:"summary" doc:"Of the new decision, fit to be the next baseline."`
}

// faults are those of the baseline.
func (in *MaterialChangeInput) Issues() []coast.Issue {
	_, err := decide.ReadBaseline(in.Baseline)
	return issuesOf(err)
}

// issuesOf are the issues of an error, nil of none.
func issuesOf(err error) []coast.Issue {
	var e *coast.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Issues
}

// MaterialChange compares a new decision with an earlier one. It answers as
// TripHealth does, and InvalidRequest for a baseline that holds nothing to
// compare.
func (s decisionTools) MaterialChange(ctx context.Context, in MaterialChangeInput) (MaterialChange, error) {
	then, err := decide.ReadBaseline(in.Baseline)
	d, err := s.decision(ctx, in.TripHealthInput, issuesOf(err))
	if err != nil {
		return MaterialChange{}, err
	}
	return MaterialChange{d, decide.Compare(&d, then), decide.Summarize(&d)}, nil
}
