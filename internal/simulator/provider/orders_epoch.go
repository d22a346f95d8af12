package provider

import (
	"fmt"
	"net/http"

	"leadline/internal/stations"
)

// Epoch is a revision of a station's tidal datums: NOAA lists them over another
// epoch, and what it gives above them is above the revised ones from then on.
// Station datum (STND), geodetic datums and the water stay where they are.
type Epoch struct {
	First, Last int     // years
	Raise       float64 // of the tidal datums above station datum, meters
	Mean        float64 // of mean sea level, meters
}

// SetEpoch orders a revision of the datums of a station: a tide station with
// datums of its own.
func (p *Provider) SetEpoch(station string, e Epoch) error {
	s, ok := p.predicted(station)
	if !ok || len(s.Datums()) == 0 || e.First <= 0 || e.Last < e.First {
		return fmt.Errorf("the datums of %q cannot be revised to the epoch %d-%d: name a tide station with datums, such as 8443970, and two years", station, e.First, e.Last)
	}
	put(&p.mu, &p.epochs, station, e)
	return nil
}

// epoch is the revision of a station's datums, nil where there is none.
func (p *Provider) epoch(station string) *Epoch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e, ok := p.epochs[station]; ok {
		return &e
	}
	return nil
}

// raised is how much a datum has been raised, meters. A nil Epoch raises none.
func (e *Epoch) raised(name string) float64 {
	if e == nil {
		return 0
	}
	switch name {
	case "MSL":
		return e.Mean
	case "MHHW", "MHW", "DTL", "MTL", "MLW", "MLLW", "LAT", "HAT":
		return e.Raise
	}
	return 0
}

// heights are the station's levels, revised.
func (g *gauge) heights() []stations.Datum {
	list := g.station.Datums()
	for i := range list {
		list[i].Value += g.epoch.raised(list[i].Name)
	}
	return list
}

// orderEpoch reads station, epoch (2002-2020), raise of the tidal datums and of
// mean sea level (raise=0.06m, mean=0.08m). Without parameters the orders for all
// stations end.
func (p *Provider) orderEpoch(r *http.Request) error {
	f := readForm(r, "station", "epoch", "raise", "mean")
	if f.err == nil && len(f.values) == 0 {
		forget(&p.mu, &p.epochs, func(string) bool { return true })
		return nil
	}
	var e Epoch
	if n, err := fmt.Sscanf(f.text("epoch"), "%d-%d", &e.First, &e.Last); n != 2 || err != nil {
		f.refuse("epoch=%s is not two years, as 2002-2020", f.text("epoch"))
	}
	for name, at := range map[string]*float64{"raise": &e.Raise, "mean": &e.Mean} {
		if v := f.quantity(name, lengths); v != nil {
			*at = *v
		}
	}
	if f.err != nil {
		return f.err
	}
	return p.SetEpoch(f.text("station"), e)
}
