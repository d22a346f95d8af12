package decide

import (
	"slices"
	"time"

	"leadline/internal/coast"
)

// Contract is the version of all response formats, including decisions.
const Contract = "2026-07-09"

// Disclaimer is part of every decision.
const Disclaimer = coast.Disclaimer + " It is made from public data: look at the water, and ask " +
	"those who know it."

// Activity names a planned activity.
type Activity string

// The activities.
const (
	Fishing       Activity = "fishing"
	Boating       Activity = "boating"
	SurfPaddle    Activity = "surf-paddle"
	Beachcombing  Activity = "beachcombing"
	Photography   Activity = "photography"
	CoastalLiving Activity = "coastal-living"
)

// Activities returns all activities, in the order of the table columns.
func Activities() []Activity {
	return []Activity{Fishing, Boating, SurfPaddle, Beachcombing, Photography, CoastalLiving}
}

// Values returns the names of all activities.
func (Activity) Values() []string { return coast.Strings(Activities()...) }

// Span returns the length of the assessed span for an activity.
func (a Activity) Span() time.Duration {
	switch a {
	case Photography:
		return time.Hour
	case SurfPaddle, Beachcombing:
		return 2 * time.Hour
	case CoastalLiving:
		return 6 * time.Hour
	}
	return 4 * time.Hour
}

// State is the overall result of a decision.
type State string

// The states.
const (
	Normal       State = "normal"
	WatchState   State = "watch"
	ActionNeeded State = "action-needed"
	Unknown      State = "unknown"
)

// SchemaName returns the name of the states in OpenAPI documents.
func (State) SchemaName() string { return "DecisionState" }

// Values returns all states.
func (State) Values() []string { return coast.Strings(Normal, WatchState, ActionNeeded, Unknown) }

// rank orders states, the best first. Unknown ranks the same as action-needed.
func (s State) rank() int {
	switch s {
	case Normal:
		return 0
	case WatchState:
		return 1
	}
	return 2
}

// Confidence grades how well the facts support the state.
type Confidence string

// The confidences.
const (
	High     Confidence = "high"
	Moderate Confidence = "moderate"
	Low      Confidence = "low"
)

// Values returns all confidences.
func (Confidence) Values() []string { return coast.Strings(High, Moderate, Low) }

// rank orders confidences, the highest first.
func (c Confidence) rank() int {
	return slices.Index([]Confidence{High, Moderate, Low}, c)
}

// Severity grades the effect of a reason on the state.
type Severity string

// The severities.
const (
	Info   Severity = "info"
	Watch  Severity = "watch"
	Action Severity = "action"
)

// Values returns all severities.
func (Severity) Values() []string { return coast.Strings(Info, Watch, Action) }

// rank orders severities, the mildest first. It returns 0 for the empty severity and -1 for
// an unknown one.
func (s Severity) rank() int {
	return slices.Index([]Severity{"", Info, Watch, Action}, s)
}

// Reason explains a part of the state. Numbers are null if there are none, as for an
// alert.
type Reason struct {
	Code       string      `json:"code" doc:"What the reason is about, such as wind, for a program. New codes may appear."`
	Severity   Severity    `json:"severity" doc:"Effect of the reason on the state."`
	Message    string      `json:"message" doc:"The reason as a sentence, for a person."`
	SourceID   string      `json:"sourceId" doc:"Id of the source of the value."`
	StationID  string      `json:"stationId" doc:"Id of the station of the value."`
	Datum      coast.Datum `json:"datum,omitempty" doc:"Level that the value, or predictedLow, is measured from; left out if neither is a height."`
	DatumEpoch string      `json:"datumEpoch,omitempty" doc:"Epoch of that level, as in the decision; left out of values without a datum epoch."`
	Value      *float64    `json:"value" doc:"Worst value of the assessed span; null for a reason without a value, such as an alert."`
	Unit       *string     `json:"unit" doc:"Unit of value, threshold and margin; null if there is no value. New quantities may have other units."`
	Threshold  *float64    `json:"threshold" doc:"Limit that the value has reached; null for a reason without a limit."`
	Margin     *float64    `json:"margin" doc:"How far the value is beyond the threshold, 0 at it; null if there is no threshold."`
	At         *time.Time  `json:"at" doc:"Time at which the value applies, or was observed; null for a reason without a time."`

	PredictedLow       *float64 `json:"predictedLow,omitempty" doc:"Lowest predicted level of the assessed span, feet above the datum; left out of all reasons but low_water_observed."`
	Residual           *float64 `json:"residual,omitempty" doc:"Observed minus predicted level at the gauge, feet, never added to a prediction; left out of all reasons but low_water_observed."`
	ResidualAgeMinutes *int     `json:"residualAgeMinutes,omitempty" doc:"Age of the residual when the decision was made; left out of all reasons but low_water_observed."`
}

// Decision is a planning decision. Its sources are listed in the order of the facts; the
// notes name those that do not apply.
type Decision struct {
	ContractVersion string         `json:"contractVersion" doc:"Version of this format."`
	Kind            string         `json:"kind" enum:"trip-health" doc:"Kind of the decision."`
	DecisionID      string         `json:"decisionId" format:"uuid" doc:"Unique to this result."`
	EvaluatedAt     time.Time      `json:"evaluatedAt" doc:"Time at which the decision was made."`
	RequestedFor    time.Time      `json:"requestedFor" doc:"Time that the decision is about."`
	Activity        Activity       `json:"activity" doc:"The planned activity."`
	Station         coast.Station  `json:"station" doc:"The requested station."`
	TimeZone        string         `json:"timeZone" doc:"Zone that times are written in; every time carries its offset."`
	DatumEpoch      string         `json:"datumEpoch,omitempty" doc:"Epoch of the tidal datums that heights here refer to, such as 1983-2001; unknown where NOAA names none. Left out if no height refers to one."`
	State           State          `json:"state" doc:"Overall result. Normal means only that no limit was reached."`
	Confidence      Confidence     `json:"confidence" doc:"How well the facts support the state."`
	Headline        string         `json:"headline" doc:"The state and what decided it."`
	Summary         string         `json:"summary" doc:"The facts and the state in a few sentences."`
	Assessed        coast.Span     `json:"assessed" doc:"The span whose worst values count."`
	Window          *coast.Span    `json:"window" doc:"Requested times around this one that would have the same state, searched for 24 hours each way. Null if the state is unknown."`
	Reasons         []Reason       `json:"reasons" doc:"What decided the state, worst first, and what is good to know."`
	Highlights      []string       `json:"highlights" doc:"What is good, apart from the reasons."`
	MissingInputs   []string       `json:"missingInputs" doc:"Ids of the facts that apply and are unavailable, stale, or do not cover the whole span."`
	Sources         []coast.Source `json:"sources" doc:"The facts, and where they come from."`
	Notes           []string       `json:"notes" doc:"What a reader must know, such as which facts do not apply here."`
	Disclaimer      string         `json:"disclaimer" doc:"Limit of what a decision is fit for."`
}

// Request holds what the caller asks for and the current time.
type Request struct {
	ID       string // of the decision
	Activity Activity
	At       time.Time // the requested time
	Now      time.Time
}

// Limits on how far ahead the requested time lies. Up to nearAhead the confidence can be
// high; beyond farAhead it is low. Beyond forecastReach no provider has forecasts.
const (
	nearAhead     = 24 * time.Hour
	farAhead      = 72 * time.Hour
	forecastReach = 7 * 24 * time.Hour
	gaugeReach    = 6 * time.Hour // an observed level is used up to this far ahead
)
