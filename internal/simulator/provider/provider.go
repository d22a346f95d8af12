// Package provider simulates NOAA CO-OPS and NWS: one handler that serves their endpoints in their
// response formats, with values computed for the current time. Responses have the members that
// clients read; tests compare them with recordings. The package does not serve other endpoints.
//
// It reproduces the faults of the services: errors with status 200, messages with stray spaces, and
// rows of empty strings for missing readings. In addition every response can be made to hang, break
// or be wrong.
//
// With the clients that it tests it shares only the directory of stations, the tide engine and
// the table of derived products, whose paths and columns tests compare with recordings.
// Predictions come from the engine. Observations are predictions plus a smooth disturbance that
// depends on station and time only. Two runs with the same clock therefore agree byte for byte.
//
// Settings replace built-in values: SetGrid, SetText, SetSurf, SetWater, SetAlerts, SetEpoch and
// Revise set one for a point, cell, zone or station; Restore removes them all. Fail makes paths
// fail; Heal removes all faults.
//
// Paths under /-/ are the simulator's own and do the same for other programs; control.go documents
// them.
package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Config configures the simulated providers.
type Config struct {
	// Now is the providers' clock, nil for the real one. No measurement is newer than it. With a
	// fixed clock every response is constant.
	Now func() time.Time
}

// Provider is both providers behind one handler. It is safe for concurrent use.
type Provider struct {
	*coopsService
	nws *weatherService

	mu       sync.Mutex
	faults   map[string]fault
	requests map[string]int // by path
}

// New returns the simulated providers. It fails if the embedded directory cannot be opened.
func New(c Config) (*Provider, error) {
	set := &settings{}
	n, err := newNetwork(set)
	if err != nil {
		return nil, err
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	now := func() time.Time { return c.Now().UTC() }
	return &Provider{
		coopsService: &coopsService{now, n},
		nws:          newWeatherService(now, n.stations, set),
		faults:       map[string]fault{},
		requests:     map[string]int{},
	}, nil
}

// serve calls the service of the path.
func (p *Provider) serve(w http.ResponseWriter, r *http.Request) {
	switch serviceOf(r.URL.Path) {
	case Data:
		p.serveData(w, r)
	case Metadata:
		p.serveMetadata(w, r)
	case Derived:
		p.serveDerived(w, r)
	default:
		p.nws.ServeHTTP(w, r)
	}
}

// Requests returns the number of requests for paths that begin with prefix ("" for all, Weather
// for the weather service), including those that were made to fail.
func (p *Provider) Requests(prefix string) int {
	n := 0
	for path, count := range p.counts() {
		if within(path, prefix) {
			n += count
		}
	}
	return n
}

func (p *Provider) counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.requests)
}

// Fail makes the paths that begin with prefix fail; the longest matching prefix wins. The names of
// services (Data, Metadata, Derived, Weather) are prefixes too. A second call for the same prefix
// replaces the first.
func (p *Provider) Fail(prefix string, f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[prefix] = fault{f, time.Now()}
}

// Heal removes all faults, but not the settings.
func (p *Provider) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.faults)
}

// Restore removes all settings, but not the faults.
func (p *Provider) Restore() { p.settings.clearAll() }

// SetGrid sets the grid of a place: of a cell (BOX/71,90), of the cell of a point
// (42.3548,-71.0534), or of those cells of a forecast zone (ANZ230, MAZ015) that do not have a
// setting of their own. The text of the zone does not change. Any other name is an error.
func (p *Provider) SetGrid(place string, g Grid) error {
	name, ok := p.nws.gridName(place)
	if !ok {
		return fmt.Errorf("invalid place %q: must be a point with a grid, a cell or a zone", place)
	}
	setIn(p.settings, &p.settings.grids, name, g)
	return nil
}

// gridName returns the name of a place in settings: of a cell, or of a forecast zone.
func (a *atlas) gridName(place string) (string, bool) {
	if office, rest, ok := strings.Cut(place, "/"); ok {
		var x, y int
		fmt.Sscanf(rest, "%d,%d", &x, &y) // the comparison of names below detects errors
		c, ok := a.cellAt(officeOf(office), x, y)
		return place, ok && c.name() == place
	}
	if latitude, longitude, ok := readPoint(place); ok {
		c, ok := a.locate(latitude, longitude)
		if !ok {
			return "", false
		}
		return c.name(), true
	}
	return place, slices.ContainsFunc(zoneList, func(z nwsZone) bool {
		return z.id == place && z.kind != "county" && z.kind != "fire"
	})
}

// SetText sets the segment of a marine zone (ANZ230) in the texts. Any other name is an error.
func (p *Provider) SetText(zone string, t Text) error {
	if !slices.ContainsFunc(zoneList, func(z nwsZone) bool { return z.id == zone && z.water != nil }) {
		return fmt.Errorf("invalid zone %q: must be a marine zone", zone)
	}
	setIn(p.settings, &p.settings.texts, zone, t)
	p.settings.newText()
	return nil
}

// SetSurf sets the surf zone forecast of a land zone (MAZ015). Any other name
// is an error.
func (p *Provider) SetSurf(zone string, s Surf) error {
	if !slices.ContainsFunc(offices, func(o *office) bool { return o.Land == zone }) {
		return fmt.Errorf("invalid zone %q: must be the land zone of an office", zone)
	}
	setIn(p.settings, &p.settings.surfs, zone, s)
	p.settings.newText()
	return nil
}

// SetAlerts replaces the alerts of a zone (a UGC code: ANZ230, MAZ015), including the built-in
// ones. Without alerts the list of the zone is empty. An alert given twice is listed twice under
// one id, as the service sometimes does.
func (p *Provider) SetAlerts(zone string, alerts ...Alert) {
	setIn(p.settings, &p.settings.alerts, zone, slices.Clone(alerts))
}

// SetWater sets what a station measures. Without Sensors it must be a gauge. With them a station of
// tide predictions can become one; it needs datums to measure the water level. Anything else is an
// error.
func (p *Provider) SetWater(station string, w Water) error {
	if _, err := p.gaugeWith(station, w); err != nil {
		return err
	}
	setIn(p.settings, &p.settings.waters, station, w)
	return nil
}

// SetEpoch revises the datums of a tide station with datums of its own. Any other station is an
// error.
func (p *Provider) SetEpoch(station string, e Epoch) error {
	s, ok := p.predictedStation(station)
	if !ok || len(s.Datums()) == 0 || e.First <= 0 || e.Last < e.First {
		return fmt.Errorf("invalid epoch %d-%d of %q: must be two years of a station with datums",
			e.First, e.Last, station)
	}
	setIn(p.settings, &p.settings.epochs, station, e)
	return nil
}

// Revise makes the metadata service newer than the embedded directory: it adds meters to the
// station's amplitude of M2. Predictions still use the embedded constants. Zero removes the
// revision.
func (p *Provider) Revise(station string, meters float64) {
	setIn(p.settings, &p.settings.amplitude, station, meters)
}
