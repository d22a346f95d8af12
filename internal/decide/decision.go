package decide

import (
	"slices"
	"time"

	"leadline/internal/coast"
)

// Contract is the version of what is answered, of decisions as of all else.
const Contract = "2026-07-09"

// Disclaimer stands in every decision.
const Disclaimer = "A planning aid from public data. It is not a navigation or safety clearance: look at the water, and ask those who know it."

// Activity is what is planned.
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

// Activities are all of them, in the order of tables.
func Activities() []Activity {
	return []Activity{Fishing, Boating, SurfPaddle, Beachcombing, Photography, CoastalLiving}
}

// Values returns the names of all activities.
func (Activity) Values() []string { return names(Activities()) }

// Span is how long a time is assessed for an activity.
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

// State is the whole of a reading.
type State string

// The states.
const (
	Normal       State = "normal"
	WatchState   State = "watch"
	ActionNeeded State = "action-needed"
	Unknown      State = "unknown"
)

// Values returns all states.
func (State) Values() []string { return names([]State{Normal, WatchState, ActionNeeded, Unknown}) }

// rank orders states: what is not known is no better than what needs action.
func (s State) rank() int {
	switch s {
	case Normal:
		return 0
	case WatchState:
		return 1
	}
	return 2
}

// Confidence is how much the facts bear.
type Confidence string

// The confidences.
const (
	High     Confidence = "high"
	Moderate Confidence = "moderate"
	Low      Confidence = "low"
)

// Values returns all confidences.
func (Confidence) Values() []string { return names([]Confidence{High, Moderate, Low}) }

// rank orders confidences, the highest first.
func (c Confidence) rank() int {
	return slices.Index([]Confidence{High, Moderate, Low}, c)
}

// Severity is what a reason does to the state.
type Severity string

// The severities.
const (
	Info   Severity = "info"
	Watch  Severity = "watch"
	Action Severity = "action"
)

// Values returns all severities.
func (Severity) Values() []string { return names([]Severity{Info, Watch, Action}) }

// rank orders severities, none being 0.
func (s Severity) rank() int {
	return slices.Index([]Severity{"", Info, Watch, Action}, s)
}

func names[S ~string](values []S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// Reason is why a state is what it is. Numbers are null where there is none to
// tell, as in an alert.
type Reason struct {
	Code       string     `json:"code" doc:"What it is about, for a program."`
	Severity   Severity   `json:"severity" doc:"What it does to the state."`
	Message    string     `json:"message" doc:"The same for a person."`
	SourceID   string     `json:"sourceId" doc:"The source of the value."`
	StationID  string     `json:"stationId" doc:"The station that the value is of."`
	Datum      string     `json:"datum,omitempty" doc:"Level that a height is measured from."`
	DatumEpoch string     `json:"datumEpoch,omitempty" doc:"Epoch of that level, as in the decision."`
	Value      *float64   `json:"value" doc:"The worst value of the assessed span."`
	Unit       *string    `json:"unit" doc:"Of value, threshold and margin."`
	Threshold  *float64   `json:"threshold" doc:"The limit that the value has reached."`
	Margin     *float64   `json:"margin" doc:"How far beyond the threshold the value lies, 0 at it."`
	At         *time.Time `json:"at" doc:"When the value holds, or was observed."`
}

// Stretch is a stretch of time.
type Stretch struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Decision is a planning read. Its sources are the facts in order, each as far
// as it was had; those that do not apply are named in the notes.
type Decision struct {
	ContractVersion string         `json:"contractVersion" doc:"Version of this form."`
	Kind            string         `json:"kind" enum:"trip-health"`
	DecisionID      string         `json:"decisionId" format:"uuid" doc:"Of this answer alone."`
	EvaluatedAt     time.Time      `json:"evaluatedAt" doc:"The clock that all ages count to."`
	RequestedFor    time.Time      `json:"requestedFor" doc:"The time asked for."`
	Activity        Activity       `json:"activity"`
	Station         coast.Station  `json:"station" doc:"The station asked about."`
	TimeZone        string         `json:"timeZone" doc:"Zone that times are written in; every time carries its offset."`
	DatumEpoch      string         `json:"datumEpoch,omitempty" doc:"Epoch of the tidal datums that heights here rest on, such as 1983-2001; unknown where NOAA names none."`
	State           State          `json:"state" doc:"Normal says that nothing of the table was reached, no more."`
	Confidence      Confidence     `json:"confidence" doc:"How much the facts bear."`
	Headline        string         `json:"headline" doc:"The state and what decided it."`
	Summary         string         `json:"summary" doc:"The reading in a few sentences."`
	Assessed        Stretch        `json:"assessed" doc:"The span whose worst values count."`
	Window          *Stretch       `json:"window" doc:"Times asked for, around this one, that would have the same state; looked for 24 hours to both sides. Null where the state is unknown."`
	Reasons         []Reason       `json:"reasons" doc:"What decided the state, worst first, and what is good to know."`
	Highlights      []string       `json:"highlights" doc:"What is good, apart from the reasons."`
	MissingInputs   []string       `json:"missingInputs" doc:"Ids of the facts that apply and could not be had, are stale, or do not say all of the span."`
	Sources         []coast.Source `json:"sources" doc:"The facts, and where they come from."`
	Notes           []string       `json:"notes" doc:"What a reader must know, such as which facts do not apply here."`
	Disclaimer      string         `json:"disclaimer"`
}

// Request is what is asked, and the clock.
type Request struct {
	ID       string // of the decision
	Activity Activity
	At       time.Time // the time asked for
	Now      time.Time
}

// How far ahead a decision can be of high confidence, and from when on it is
// of low; beyond the last, forecasts are missing by nature.
const (
	nearAhead     = 24 * time.Hour
	farAhead      = 72 * time.Hour
	forecastReach = 7 * 24 * time.Hour
	gaugeReach    = 6 * time.Hour // an observed level says something so long
)
