// Package coast holds the few words that every part of Leadline shares: the
// Frame that carries where, on what datum and in which unit a result was
// made; the Source that says where a fact comes from and how old it is; and
// the Error that says why there is no answer. It computes nothing.
package coast

import "time"

// Providers, spelled as answers spell them.
const (
	COOPS    = "NOAA CO-OPS"
	NWS      = "NWS"
	Leadline = "Leadline"
)

// Kind says how a fact came about. Predictions and observations are never
// mixed: no value has two kinds.
type Kind string

// The kinds of a source.
const (
	Prediction  Kind = "prediction"
	Observation Kind = "observation"
	Forecast    Kind = "forecast"
	Calculation Kind = "calculation"
)

// Freshness says how old a fact is by the measure of its own product.
type Freshness string

// The states of freshness. Unknown is never treated as fresh.
const (
	Fresh   Freshness = "fresh"
	Aging   Freshness = "aging"
	Stale   Freshness = "stale"
	Unknown Freshness = "unknown"
)

// Source is where one group of facts in a result comes from.
type Source struct {
	ID       string `json:"id"`       // stable name, such as tide-prediction
	Label    string `json:"label"`    // for a person
	Provider string `json:"provider"` // COOPS, NWS or Leadline
	Kind     Kind   `json:"kind"`
	// Required and Available: a required source that is not available
	// narrows the answer, and the answer says so.
	Required  bool      `json:"required"`
	Available bool      `json:"available"`
	Freshness Freshness `json:"freshness"`
	// SourceAt is the data's own time in UTC (never the time of the fetch),
	// nil where the source has none.
	SourceAt *time.Time `json:"sourceAt"`
	// ReceivedAt is when this server obtained or evaluated the facts, in UTC.
	ReceivedAt time.Time `json:"receivedAt"`
	// AgeMinutes counts whole minutes from SourceAt to the evaluation.
	AgeMinutes     *int   `json:"ageMinutes"`
	AttributionURL string `json:"attributionUrl"`
}

// Missing is an input that could not be had, and why.
type Missing struct {
	Input  string `json:"input"`
	Reason string `json:"reason"`
}

// Station is a place where water is predicted or measured.
type Station struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	State     string  `json:"state,omitempty"` // two letters, empty outside the states and territories
	Latitude  float64 `json:"latitude"`        // degrees north, WGS 84
	Longitude float64 `json:"longitude"`       // degrees east
	TimeZone  string  `json:"timeZone"`        // IANA name
}

// Provenance says where the facts of a result come from, what could not be
// had, and what a reader must know.
type Provenance struct {
	Sources []Source  `json:"sources"`
	Missing []Missing `json:"missing"`
	Notes   []string  `json:"notes"` // interpolated, preliminary, superseded
}

// Frame is what every result about the coast stands in: without it a number
// means nothing.
type Frame struct {
	Station  *Station `json:"station,omitempty"`
	Datum    string   `json:"datum,omitempty"`    // level that heights are measured from
	Units    string   `json:"units,omitempty"`    // english or metric; each quantity names its own unit too
	TimeZone string   `json:"timeZone,omitempty"` // zone that times are written in; every time carries its offset
	Provenance
}
