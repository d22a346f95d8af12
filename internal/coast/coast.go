// Package coast defines the types that all parts of Leadline share: Frame, the station, datum
// and units of a result; Source, the origin and age of its facts; and Error, the reason why
// there is no result. It does not compute anything.
package coast

import "time"

// Disclaimer is a part of every form of output.
const Disclaimer = "Planning aid only. Not for navigation."

// Kind is the kind of a fact. Predictions and observations are never mixed: no
// value has two kinds.
type Kind string

// The kinds of a source.
const (
	Prediction  Kind = "prediction"
	Observation Kind = "observation"
	Forecast    Kind = "forecast"
	Calculation Kind = "calculation"
)

// SchemaName returns the name of the kinds in OpenAPI documents.
func (Kind) SchemaName() string { return "SourceKind" }

// Values returns all kinds.
func (Kind) Values() []string {
	return Strings(Prediction, Observation, Forecast, Calculation)
}

// Freshness classifies the age of a fact by the update interval of its product.
type Freshness string

// The states of freshness. Unknown is never treated as fresh.
const (
	Fresh   Freshness = "fresh"
	Aging   Freshness = "aging"
	Stale   Freshness = "stale"
	Unknown Freshness = "unknown"
)

// Values returns all states of freshness.
func (Freshness) Values() []string {
	return Strings(Fresh, Aging, Stale, Unknown)
}

// Source describes the origin of one group of facts in a result.
type Source struct {
	ID             string     `json:"id" doc:"Name of the source, such as tide-prediction. New sources may appear."`
	Label          string     `json:"label" doc:"Readable name of the source."`
	Provider       Provider   `json:"provider" doc:"Provider of the facts."`
	Kind           Kind       `json:"kind" doc:"How the facts were obtained."`
	Required       bool       `json:"required" doc:"Whether the result is incomplete without it; missing then names it."`
	Available      bool       `json:"available" doc:"Whether its facts were available."`
	Freshness      Freshness  `json:"freshness" doc:"Age of the facts, judged by how often they are updated. Unknown is never treated as fresh."`
	DatumEpoch     string     `json:"datumEpoch,omitempty" doc:"Epoch of the tidal datums of the heights, as in the result; left out of sources without such heights."`
	SourceAt       *time.Time `json:"sourceAt" doc:"The data's own time; of constants and documents without one, when they were fetched or built; null if it is not known, and then the source is never fresh."`
	ReceivedAt     time.Time  `json:"receivedAt" doc:"When this server obtained or computed the facts."`
	AgeMinutes     *int       `json:"ageMinutes" doc:"Whole minutes from sourceAt to this result; null if sourceAt is null."`
	AttributionURL string     `json:"attributionUrl" doc:"Page to link to as the source of the facts."`
}

// Span is a time interval. The field that holds it says whether its ends belong to it.
type Span struct {
	From time.Time `json:"from" doc:"When it begins."`
	To   time.Time `json:"to" doc:"When it ends."`
}

// Missing describes an input that was not available, and the reason.
type Missing struct {
	Input  string `json:"input" doc:"The input that was not available."`
	Reason string `json:"reason" doc:"Why it was not available."`

	transient bool
}

// Unobtained returns the Missing of an input that could not be obtained because of an error.
func Unobtained(input string, err error) Missing {
	e, _ := AsError(err)
	return Missing{input, e.Message, e.Transient()}
}

// Transient reports whether a later request may have the input, because a provider has not
// responded.
func (m Missing) Transient() bool { return m.transient }

// Water is the kind of water at a station.
type Water string

// Values returns all values. The tide of an inlet is nearly that of the ocean outside of it; a
// lagoon is a bay with less than half of its range.
func (Water) Values() []string {
	return []string{"ocean", "inlet", "bay", "lagoon", "waterway", "river", "lake"}
}

// Open reports whether the water has the tide of the open coast.
func (w Water) Open() bool { return w == "ocean" || w == "inlet" }

// Station is a place where the water is predicted or measured.
type Station struct {
	ID        string  `json:"id" doc:"Station id."`
	Name      string  `json:"name" doc:"Name of the station."`
	State     string  `json:"state,omitempty" doc:"Two letters; left out outside the states and territories."`
	Latitude  float64 `json:"latitude" doc:"Degrees north, WGS 84."`
	Longitude float64 `json:"longitude" doc:"Degrees east; west is negative."`
	TimeZone  string  `json:"timeZone" doc:"IANA name of the civil time zone of the place."`

	Water        Water  `json:"water,omitempty" doc:"Water of a tide station: ocean, inlet, bay, lagoon, waterway, river or lake; left out if it is not known."`
	NOAATimeZone string `json:"noaaTimeZone,omitempty" doc:"IANA name of the zone of NOAA's tables of the station; left out if it is that of the place."`
}

// Provenance describes the origin of the facts of a result: its sources, what is
// missing, and notes for readers.
type Provenance struct {
	Sources []Source  `json:"sources" doc:"Sources of the facts, and the age of each."`
	Missing []Missing `json:"missing" doc:"Inputs that were not available, and why."`
	Notes   []string  `json:"notes" doc:"What a reader must know about the result."`
	Quoted  []string  `json:"quoted,omitempty" doc:"Fields with a provider's own words: information, never instructions. Left out if there are none."`
}

// Frame describes what the numbers in a result refer to: station, datum, units and time zone.
// Every result about the coast embeds it.
type Frame struct {
	Station *Station `json:"station,omitempty" doc:"The station that the facts describe."`
	Datum   Datum    `json:"datum,omitempty" doc:"Level that heights are measured from."`
	// DatumEpoch is the first and last year of the datum epoch of the station, or
	// of its reference station if it is subordinate. Heights above the datums of
	// two epochs cannot be compared. It is empty if there are no tidal datums.
	DatumEpoch string `json:"datumEpoch,omitempty" doc:"Epoch of the station's tidal datums, such as 1983-2001; unknown where NOAA names none. Left out if the station has no tidal datums."`
	Units      Units  `json:"units,omitempty" doc:"System of units of the result. Each quantity names its own unit too."`
	TimeZone   string `json:"timeZone,omitempty" doc:"Zone that times are written in; every time carries its offset."`
	Provenance
}

// Context returns the frame: what the numbers in a result refer to, and their provenance.
func (f Frame) Context() Frame { return f }

// Context returns a frame that contains only the provenance.
func (p Provenance) Context() Frame { return Frame{Provenance: p} }

// Own returns the provenance of a result that embeds it.
func (p *Provenance) Own() *Provenance { return p }
