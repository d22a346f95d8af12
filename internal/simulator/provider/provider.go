// Package provider simulates NOAA CO-OPS and the weather service: one
// handler that responds as they would, to the byte where that is known, with
// values computed for the moment.
//
// It reproduces their faults. Errors come with status 200,
// messages have stray blanks, missing readings are rows of empty strings, a
// local day loses an hour in autumn, and every response can be made to hang,
// break or be wrong. Nothing here is shared with the clients that it tests but
// the directory of stations, the tide engine and the table of derived products,
// whose paths and columns tests compare with recordings: predictions are the engine's,
// observations are predictions with a smooth disturbance that depends on
// station and time alone, so that two runs with one clock agree byte for byte.
//
// Settings replace built-in values: SetGrid, SetText, SetSurf, SetWater,
// SetAlerts, SetEpoch and Revise put one under the name of a point, cell, zone or
// station, Restore removes them all. Fail makes paths fail, Heal ends that.
//
// Paths under /-/ are the simulator's own and do the same for other programs;
// control.go documents them.
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

// Config says how the simulated providers differ from the real ones.
type Config struct {
	// Now is the providers' clock, nil for the real one. Nothing measured is
	// newer than it. A fixed clock freezes every response.
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

// New returns the simulated providers. An error is that of the embedded directory.
func New(c Config) (*Provider, error) {
	directory, err := stations.Open()
	if err != nil {
		return nil, fmt.Errorf("open the directory: %w", err)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	now, set := func() time.Time { return c.Now().UTC() }, &settings{}
	return &Provider{
		coopsService: newCOOPS(now, directory, set),
		nws:          newWeatherService(now, directory, set),
		faults:       map[string]fault{},
		requests:     map[string]int{},
	}, nil
}

// ServeHTTP counts the request, then serves it or fails.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPath) {
		p.control(w, r)
		return
	}
	p.mu.Lock()
	p.requests[r.URL.Path]++
	failing := faultOf(p.faults, r.URL.Path)
	p.mu.Unlock()
	failing.serve(w, r, http.HandlerFunc(p.serve))
}

// serve hands a request to the service of its path.
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
