package tools

import (
	"time"

	"leadline/internal/coast"
)

// shelf is how long the facts of a product count as fresh, and then as
// aging; what is older is stale.
type shelf struct{ fresh, aging time.Duration }

const day = 24 * time.Hour

// The shelves. Gauges send every 6 minutes and are some minutes late: 18
// minutes are three rows. Temperatures change slowly. The grid and the text
// are made anew every 6 hours. All are ours but the gauges', which NOAA
// itself uses for its newest reading.
var (
	quickShelf    = shelf{18 * time.Minute, time.Hour}       // levels, wind, pressure, air gap, visibility, currents: from the newest row
	slowShelf     = shelf{time.Hour, 3 * time.Hour}          // temperatures, salinity, conductivity, humidity: from the newest row
	settledShelf  = shelf{day, 30 * day}                     // verified and past spans: from retrieval
	gridShelf     = shelf{7 * time.Hour, 13 * time.Hour}     // the weather service's grid: from its update
	bulletinShelf = shelf{7 * time.Hour, 24 * time.Hour}     // a text, from its issue; its own expiry comes first
	surfShelf     = shelf{13 * time.Hour, 25 * time.Hour}    // a surf zone forecast, issued once or twice a day; its own expiry comes first
	alertShelf    = shelf{5 * time.Minute, 15 * time.Minute} // alerts: from the answer's Date
	metadataShelf = shelf{30 * day, 180 * day}               // metadata and derived products: from retrieval
)

// astray is how far ahead of ours a provider's clock may be (ours). What is
// dated later is of no known age.
const astray = 10 * time.Minute

func (s shelf) freshness(age time.Duration) coast.Freshness {
	switch {
	case age < -astray:
		return coast.Unknown
	case age <= s.fresh:
		return coast.Fresh
	case age <= s.aging:
		return coast.Aging
	}
	return coast.Stale
}

// origin names a group of facts and who has them.
type origin struct {
	id, label, provider string
	kind                coast.Kind
	page                string
}

// had is the source of facts that a provider gave. at is the data's own time,
// nil where it has none; clock is what their age counts from.
func (m moment) had(o origin, s shelf, at *time.Time, clock, received time.Time) coast.Source {
	age := m.now.Sub(clock)
	if clock.Equal(received) { // our own clock, which is not astray
		age = max(age, 0)
	}
	minutes := max(0, int(age/time.Minute))
	source := coast.Source{
		ID: o.id, Label: o.label, Provider: o.provider, Kind: o.kind, Required: true, Available: true,
		Freshness: s.freshness(age), SourceAt: at, ReceivedAt: received.UTC().Truncate(time.Second), AgeMinutes: &minutes, AttributionURL: o.page,
	}
	if source.Freshness == coast.Unknown {
		source.AgeMinutes = nil
	}
	return source
}

// document is the source of facts that carry no time of their own, such as
// metadata: they age from when they were obtained.
func (m moment) document(o origin, received time.Time) coast.Source {
	return m.had(o, metadataShelf, nil, received, received)
}

// lacking is the source of facts that could not be had.
func (m moment) lacking(o origin) coast.Source {
	return coast.Source{
		ID: o.id, Label: o.label, Provider: o.provider, Kind: o.kind, Required: true,
		Freshness: coast.Unknown, ReceivedAt: m.now, AttributionURL: o.page,
	}
}

// lack adds to p that a group of facts could not be had, and why.
func (m moment) lack(p *coast.Provenance, o origin, input string, err error) {
	e, _ := coast.AsError(err)
	p.Sources = append(p.Sources, m.lacking(o))
	p.Missing = append(p.Missing, coast.Missing{Input: input, Reason: e.Message})
}
