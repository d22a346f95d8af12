package decide

import (
	"encoding/json"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Excerpt holds the parts of a decision that an event reports.
type Excerpt struct {
	DecisionID    string          `json:"decisionId" format:"uuid" doc:"Unique to this result."`
	State         State           `json:"state" doc:"Overall result. Normal means only that no limit was reached."`
	Confidence    Confidence      `json:"confidence" doc:"How well the facts support the state."`
	Headline      string          `json:"headline" doc:"The state and what decided it."`
	EvaluatedAt   time.Time       `json:"evaluatedAt" doc:"When the decision was made."`
	RequestedFor  time.Time       `json:"requestedFor" doc:"Time that the decision is about."`
	Reasons       []ExcerptReason `json:"reasons" doc:"Worst first. Information has a code and a severity only; so have others if the event would be too long."`
	MissingInputs []string        `json:"missingInputs" doc:"Ids of the facts that apply and are unavailable, stale, or do not cover the whole span."`
}

// ExcerptReason is a reason in full, or only its code and severity. Values that a reason does
// not have are left out.
type ExcerptReason struct {
	Code       string      `json:"code" doc:"What the reason is about, such as wind, for a program. New codes may appear."`
	Severity   Severity    `json:"severity" doc:"Effect of the reason on the state."`
	Message    string      `json:"message,omitempty" doc:"The reason as a sentence, for a person; left out of reasons of severity info, and if the event would be too long."`
	SourceID   string      `json:"sourceId,omitempty" doc:"Id of the source of the value; left out of reasons of severity info, and if the event would be too long."`
	StationID  string      `json:"stationId,omitempty" doc:"Id of the station of the value; left out of reasons of severity info, and if the event would be too long."`
	Datum      coast.Datum `json:"datum,omitempty" doc:"Level that the value, or predictedLow, is measured from; left out if neither is a height."`
	DatumEpoch string      `json:"datumEpoch,omitempty" doc:"Epoch of that level; left out of values without a datum epoch."`
	Value      *float64    `json:"value,omitempty" doc:"Worst value of the assessed span; left out of a reason without a value, or if message is left out."`
	Unit       *string     `json:"unit,omitempty" doc:"Unit of value, threshold and margin; left out if value is left out."`
	Threshold  *float64    `json:"threshold,omitempty" doc:"Limit that the value has reached; left out of a reason without a limit, or if message is left out."`
	Margin     *float64    `json:"margin,omitempty" doc:"How far the value is beyond the threshold, 0 at it; left out if threshold is left out."`
	At         *time.Time  `json:"at,omitempty" doc:"Time at which the value applies, or was observed; left out of a reason without a time, or if message is left out."`

	PredictedLow       *float64 `json:"predictedLow,omitempty" doc:"Lowest predicted level of the assessed span, feet above the datum; left out of all reasons but low_water_observed."`
	Residual           *float64 `json:"residual,omitempty" doc:"Observed minus predicted level at the gauge, feet; left out of all reasons but low_water_observed."`
	ResidualAgeMinutes *int     `json:"residualAgeMinutes,omitempty" doc:"Age of the residual when the decision was made; left out of all reasons but low_water_observed."`
}

// leastExcerpt is a length in bytes of JSON to which every excerpt can be shortened (ours).
const leastExcerpt = 3000

// longestHeadline limits a headline that makes an excerpt too long. The names of alerts come
// from outside.
const longestHeadline = 120 // characters

// excerpt returns the parts of a decision for an event, in at most a given number of bytes of
// JSON, which must not be less than leastExcerpt. Reasons at watch and action are given in
// full and information by its code. If that is too long, further reasons are reduced to
// their codes, the least severe first and alerts last, and then the headline is cut.
func (d *Decision) excerpt(most int) Excerpt {
	x := Excerpt{
		DecisionID:    d.DecisionID,
		State:         d.State,
		Confidence:    d.Confidence,
		Headline:      d.Headline,
		EvaluatedAt:   instant(d.EvaluatedAt),
		RequestedFor:  instant(d.RequestedFor),
		Reasons:       []ExcerptReason{},
		MissingInputs: d.MissingInputs,
	}
	for _, r := range d.Reasons {
		x.Reasons = append(x.Reasons, excerptOf(r))
	}
	x.reduce(most, func(code string) bool { return !strings.HasPrefix(code, "alert") })
	x.reduce(most, func(string) bool { return true })
	if headline := []rune(x.Headline); x.size() > most && len(headline) > longestHeadline {
		x.Headline = string(headline[:longestHeadline-3]) + "..."
	}
	return x
}

// excerptOf returns a reason at watch or action in full, and any other by its code.
func excerptOf(r Reason) ExcerptReason {
	if !r.Severity.weighs() {
		return ExcerptReason{Code: r.Code, Severity: r.Severity}
	}
	x := ExcerptReason(r)
	if r.At != nil {
		x.At = new(instant(*r.At))
	}
	return x
}

// reduce reduces reasons to their codes, the last first, while the excerpt is too long.
func (x *Excerpt) reduce(most int, reducible func(code string) bool) {
	for i := len(x.Reasons) - 1; i >= 0 && x.size() > most; i-- {
		if r := x.Reasons[i]; reducible(r.Code) {
			x.Reasons[i] = ExcerptReason{Code: r.Code, Severity: r.Severity}
		}
	}
}

func (x *Excerpt) size() int { return size(x) }

// size returns the length of a value as JSON.
func size(v any) int {
	b, _ := json.Marshal(v) // plain values always encode
	return len(b)
}
