// Package provider simulates NOAA CO-OPS and the weather service: one
// handler that answers what they would, to the byte where that is known, with
// values computed for the moment.
//
// It exists to be wrong in the ways they are. Errors come with status 200,
// messages carry stray blanks, missing readings are rows of empty strings, a
// local day loses an hour in autumn, and every answer can be made to hang,
// break or lie by order. Nothing here is shared with the clients it tests but
// the directory of stations, the tide engine and the table of derived products,
// whose paths and columns tests compare with recordings: predictions are the engine's,
// observations are predictions with a smooth disturbance that depends on
// station and time alone, so that two runs with one clock agree byte for byte.
//
// Wind, sea, sky, texts, levels, sensors, flood levels and alerts come to
// order too, where a test or a trial needs them: SetGrid, SetText, SetWater and
// SetAlerts put an order under a point, cell, zone or station, Restore takes
// orders back, and whatever no order names stays as it was.
//
// Paths under /-/ are the simulator's own. POST /-/fail makes paths fail and
// /-/heal ends that, /-/revise changes a constant, /-/restore takes orders back
// (?name= those of one place; /-/heal leaves them), GET /-/requests counts.
// These put orders, with the parameters that control_orders.go names; the
// last order for a place replaces the ones before it, without parameters all of its
// kind end, and wrong ones answer 400 with the known ones:
//
//	/-/weather?latitude=42.3548&longitude=-71.0534&wind=22&gust=30&from=270&seas=5&period=6&thunder=likely&hours=6
//	/-/water?station=8443970&residual=1.2ft&temperature=55F&age=1h&nws-minor=14.5ft
//	/-/alert?zone=ANZ230&event=Gale+Warning&code=GL.W&hours=12
//	/-/epoch?station=8443970&epoch=2002-2020&raise=0.06m&mean=0.08m
package provider

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"leadline/internal/stations"
)

// The four services, as names of halves for Fail and Requests and, but for
// the weather service's, as the prefixes of their paths. What begins with
// none of the three belongs to the weather service.
const (
	Data     = "/api/prod/"
	Metadata = "/mdapi/prod/webapi/"
	Derived  = "/dpapi/prod/webapi/"
	Weather  = "weather"
)

const controlPath = "/-/"

// Config says how the simulated providers differ from the real ones.
type Config struct {
	// Now is the providers' clock, nil for the real one. Nothing measured is
	// newer than it. A fixed clock freezes every answer.
	Now func() time.Time
}

// Provider is both providers behind one handler. It is safe for concurrent use.
type Provider struct {
	clock    func() time.Time
	stations *stations.Directory
	zones    map[string]local
	gauges   []*gauge          // in order of id
	gauge    map[string]*gauge // the same by id
	nws      *weatherService

	mu       sync.Mutex
	faults   map[string]fault
	requests map[string]int     // by path
	revised  map[string]float64 // metres added to M2, by station
	epochs   map[string]Epoch   // in place of those of the directory, by station
	ordered  map[string]*gauge  // in place of those of the catalogue; nil where there is none by order
}

// New returns the simulated providers. An error is that of the embedded directory.
func New(c Config) (*Provider, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("opening the directory: %w", err)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Provider{
		clock:    c.Now,
		stations: directory,
		faults:   map[string]fault{},
		requests: map[string]int{},
		revised:  map[string]float64{},
	}
	p.zones = locals(directory)
	p.gauges, p.gauge = catalogue(directory, p.zones)
	p.nws = p.weather()
	return p, nil
}

// now is the providers' time in UTC.
func (p *Provider) now() time.Time { return p.clock().UTC() }

// ServeHTTP counts the request, then answers or fails as ordered.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPath) {
		p.control(w, r)
		return
	}
	p.count(r.URL.Path)
	p.fault(r.URL.Path).serve(w, r, http.HandlerFunc(p.answer))
}

// answer answers as the service that owns the path.
func (p *Provider) answer(w http.ResponseWriter, r *http.Request) {
	switch service(r.URL.Path) {
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

// service names the service that owns a path.
func service(path string) string {
	for _, s := range []string{Data, Metadata, Derived} {
		if strings.HasPrefix(path, s) {
			return s
		}
	}
	return Weather
}

// within reports whether a path belongs to a half's name or begins with a prefix.
func within(path, prefix string) bool {
	if prefix == Weather {
		return service(path) == Weather
	}
	return strings.HasPrefix(path, prefix)
}

func (p *Provider) count(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests[path]++
}

// Requests is how many requests have come for the paths that begin with
// prefix ("" for all, Weather for the weather service's), those that were
// made to fail included.
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

// Revise makes the metadata service newer than the embedded directory: the
// amplitude of M2 of the station grows by so many metres. Predictions follow
// the embedded constants all the same. Zero takes a revision back.
func (p *Provider) Revise(station string, metres float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revised[station] = metres
}

func (p *Provider) revision(station string) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.revised[station]
}
