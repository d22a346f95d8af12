package facts

import (
	"slices"
	"time"

	"leadline/internal/coast"
)

// Lifetime holds the ages up to which the facts of a product are fresh and aging. Older facts are
// stale.
type Lifetime struct{ fresh, aging time.Duration }

// Day is 24 hours.
const Day = 24 * time.Hour

// The lifetimes. Gauges send every 6 minutes with some minutes of delay: 18 minutes are three
// rows. Temperatures change slowly. The grid and the text are issued every 6 hours. All are ours
// except the one for gauges, which NOAA itself uses for its newest reading.
var (
	// QuickLifetime applies to levels, wind, pressure, air gap, visibility and
	// currents. It begins at the newest row.
	QuickLifetime = Lifetime{18 * time.Minute, time.Hour}
	// SettledLifetime applies to verified rows and to past spans, from retrieval.
	SettledLifetime = Lifetime{Day, 30 * Day}

	// temperatures, salinity, conductivity, humidity: from the newest row
	SlowLifetime = Lifetime{time.Hour, 3 * time.Hour}
	// the weather service's grid: from its update
	GridLifetime = Lifetime{7 * time.Hour, 13 * time.Hour}
	// a text: from its issue; its own expiry comes first
	bulletinLifetime = Lifetime{7 * time.Hour, 24 * time.Hour}
	// a surf zone forecast, issued once or twice a day; its own expiry comes first
	SurfLifetime = Lifetime{13 * time.Hour, 25 * time.Hour}
	// alerts: from the response's Date
	alertLifetime = Lifetime{5 * time.Minute, 15 * time.Minute}
	// metadata and derived products: from retrieval
	metadataLifetime = Lifetime{30 * Day, 180 * Day}
)

// maxClockSkew limits how far a provider's clock may be ahead of ours (ours). Data with a later
// date has an unknown age.
const maxClockSkew = 10 * time.Minute

// freshness marks an observation or another fact by its age: fresh, aging or stale.
func (l Lifetime) freshness(age time.Duration) coast.Freshness {
	switch {
	case age < -maxClockSkew:
		return coast.Unknown
	case age <= l.fresh:
		return coast.Fresh
	case age <= l.aging:
		return coast.Aging
	}
	return coast.Stale
}

// Origin names a group of facts and its provider.
type Origin struct {
	ID, Label string
	Provider  coast.Provider
	Kind      coast.Kind
	Page      string
}

// COOPS returns an origin at NOAA CO-OPS.
func COOPS(id, label string, kind coast.Kind, page string) Origin {
	return Origin{id, label, coast.COOPS, kind, page}
}

// StationPage returns the address of NOAA's page about a station.
func StationPage(id string) string {
	return "https://tidesandcurrents.noaa.gov/stationhome.html?id=" + id
}

// Clock is one reading of the clock, in UTC to the second.
type Clock struct{ Now time.Time }

// Minute returns the present minute.
func (c Clock) Minute() time.Time { return c.Now.Truncate(time.Minute) }

// Obtained returns the source of facts from a provider. at is the data's own time, nil if there
// is none; age counts from dated.
func (c Clock) Obtained(
	o Origin, l Lifetime, at *time.Time, dated, received time.Time,
) coast.Source {
	age := c.Now.Sub(dated)
	if dated.Equal(received) { // by our own clock, which is not skewed
		age = max(age, 0)
	}
	minutes := max(0, int(age/time.Minute))
	source := coast.Source{
		ID: o.ID, Label: o.Label, Provider: o.Provider, Kind: o.Kind, Required: true, Available: true,
		Freshness: l.freshness(age), SourceAt: at, ReceivedAt: received.UTC().Truncate(time.Second),
		AgeMinutes: &minutes, AttributionURL: o.Page,
	}
	if source.Freshness == coast.Unknown {
		source.AgeMinutes = nil
	}
	return source
}

// Document returns the source of facts that the provider does not date, such as metadata. They have
// the time at which they were obtained.
func (c Clock) Document(o Origin, received time.Time) coast.Source {
	at := received.UTC().Truncate(time.Second)
	return c.Obtained(o, metadataLifetime, &at, received, received)
}

// Calculated returns the source of facts that this server computes from the clock or knows
// itself. Its time is the minute, so that equal requests within it have equal results.
func (c Clock) Calculated(id, label, page string) coast.Source {
	now, none := c.Minute(), 0
	return coast.Source{
		ID: id, Label: label, Provider: coast.Leadline, Kind: coast.Calculation, Required: true,
		Available: true,
		Freshness: coast.Fresh, SourceAt: &now, ReceivedAt: now, AgeMinutes: &none, AttributionURL: page,
	}
}

// Unavailable returns the source of facts that could not be obtained.
func (c Clock) Unavailable(o Origin) coast.Source {
	return coast.Source{
		ID: o.ID, Label: o.Label, Provider: o.Provider, Kind: o.Kind, Required: true,
		Freshness: coast.Unknown, ReceivedAt: c.Minute(), AttributionURL: o.Page,
	}
}

// Missing adds to p that a group of facts could not be obtained, and why.
func (c Clock) Missing(p *coast.Provenance, o Origin, input string, err error) {
	p.Sources = append(p.Sources, c.Unavailable(o))
	p.Missing = append(p.Missing, coast.Unobtained(input, err))
}

// Part is one of the parts that make up a result.
type Part struct {
	Origin Origin
	Input  string // its name in missing
	Source *coast.Source
	Err    error
}

// AddTo adds the part's source, or records that the part is missing.
func (p Part) AddTo(to *coast.Provenance, c Clock) {
	switch {
	case p.Err != nil:
		c.Missing(to, p.Origin, p.Input, p.Err)
	case p.Source != nil:
		to.Sources = append(to.Sources, *p.Source)
	}
}

// Merge adds the provenance of another part to p, without duplicate sources and notes.
func Merge(p *coast.Provenance, other coast.Provenance) {
	for _, s := range other.Sources {
		if !slices.ContainsFunc(p.Sources, func(have coast.Source) bool { return have.ID == s.ID }) {
			p.Sources = append(p.Sources, s)
		}
	}
	for _, n := range other.Notes {
		if !slices.Contains(p.Notes, n) {
			p.Notes = append(p.Notes, n)
		}
	}
	p.Missing = append(p.Missing, other.Missing...)
}
