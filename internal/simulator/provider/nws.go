package provider

import (
	"net/http"
	"time"

	"leadline/internal/stations"
)

// newWeatherService returns the weather service with its routes.
func newWeatherService(now func() time.Time, d *stations.Directory, set *settings) *weatherService {
	s := &weatherService{
		now: now, settings: set, atlas: &atlas{d, set}, bulletinWriter: &bulletinWriter{now, set},
	}
	for pattern, find := range map[string]func(*http.Request) (reply, *problem){
		"GET /points/{point}":                             s.point,
		"GET /gridpoints/{office}/{cell}":                 s.gridpoint,
		"GET /gridpoints/{office}/{cell}/forecast":        s.halfDays,
		"GET /gridpoints/{office}/{cell}/forecast/hourly": s.hourly,
		"GET /gridpoints/{office}/{cell}/stations":        s.observers,
		"GET /alerts/active":                              s.activeAlerts,
		"GET /zones":                                      s.listZones,
		"GET /zones/{type}/{zone}":                        s.oneZone,
		"GET /products/types/{type}/locations/{office}":   s.listProducts,
		"GET /products/{id}":                              s.product,
		"GET /stations/{station}/observations/latest":     s.observation,
		"/": func(*http.Request) (reply, *problem) { return reply{}, noSuchPage() },
	} {
		s.routes.Handle(pattern, s.respond(find))
	}
	return s
}

// ServeHTTP responds to clients that send their name.
func (s *weatherService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.UserAgent() == "" {
		deny(w, r)
		return
	}
	s.routes.ServeHTTP(w, r)
}
