package provider

import (
	"net/http"
	"sync/atomic"
	"time"

	"leadline/internal/stations"
)

// nwsRoot begins the URLs in responses of the weather service.
const nwsRoot = "https://api.weather.gov"

// weatherService simulates NWS: points, grids, alerts, zones and texts. Sea, sky and hazards are
// smooth functions of place and hour. Responses have the members that clients read.
type weatherService struct {
	now      func() time.Time
	settings *settings
	*atlas
	*bulletinWriter
	routes   http.ServeMux
	requests atomic.Uint64
}

// atlas finds cells and zones. It has no coastline: whether a point is land, harbor or sea depends
// on its distance from the nearest tide station.
type atlas struct {
	stations *stations.Directory
	settings *settings
}

// bulletinWriter writes texts.
type bulletinWriter struct {
	now      func() time.Time
	settings *settings
}

// newWeatherService returns the weather service with its routes.
func newWeatherService(now func() time.Time, d *stations.Directory, set *settings) *weatherService {
	s := &weatherService{
		now: now, settings: set, atlas: &atlas{d, set}, bulletinWriter: &bulletinWriter{now, set},
	}
	for pattern, find := range map[string]func(*http.Request) (reply, *problem){
		"GET /points/{point}":                           s.point,
		"GET /gridpoints/{office}/{cell}":               s.gridpoint,
		"GET /alerts/active":                            s.activeAlerts,
		"GET /zones":                                    s.listZones,
		"GET /products/types/{type}/locations/{office}": s.listProducts,
		"GET /products/{id}":                            s.product,
		"/":                                             noSuchPage,
	} {
		s.routes.Handle(pattern, s.respond(find))
	}
	return s
}

// ServeHTTP denies clients without a User-Agent, as the service does.
func (s *weatherService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.UserAgent() == "" {
		fault{Fault: Fault{Kind: Blocked}}.page(w)
		return
	}
	s.routes.ServeHTTP(w, r)
}
