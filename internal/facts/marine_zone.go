package facts

import (
	"context"
	"math"

	"leadline/internal/nws"
	"leadline/internal/sky"
)

// The rings on which a marine zone is searched around a point on land, and the bearings of
// each in order (ours: a harbor's water is within the first, a river town's within the
// last).
var (
	ringKilometers = []float64{2, 5, 10}
	ringBearings   = []float64{0, 90, 180, 270}
)

// marineZone returns the zone of the water at a point: its own, or the nearest one on the
// rings; nil if there is none within the last ring.
func (s Set) marineZone(ctx context.Context, at sky.Place, p nws.Point) (*MarineZone, error) {
	if p.Marine && p.Zone != "" {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	own, err := s.Weather.CoastalZone(ctx, at.Latitude, at.Longitude)
	if err != nil {
		return nil, err
	}
	if own.Data != nil {
		return &MarineZone{ID: own.Data.ID, Name: own.Data.Name, Office: own.Data.Office}, nil
	}
	return onRings(at, func(latitude, longitude float64) (*nws.Zone, error) {
		v, err := s.Weather.CoastalZone(ctx, latitude, longitude)
		return v.Data, err
	})
}

// zoneRequest requests the zone of a kind at a coordinate.
type zoneRequest func(latitude, longitude float64) (*nws.Zone, error)

// onRings returns the nearest zone of a kind on the rings, nil if there is none.
func onRings(at sky.Place, ask zoneRequest) (*MarineZone, error) {
	for _, km := range ringKilometers {
		zone, err := ring(at, km, ask)
		if zone != nil || err != nil {
			return zone, err
		}
	}
	return nil, nil
}

// ring requests the zones at the points of one ring together and returns the first in the
// order of bearings.
func ring(at sky.Place, km float64, ask zoneRequest) (*MarineZone, error) {
	zones, errs := make([]*nws.Zone, len(ringBearings)), make([]error, len(ringBearings))
	parts := make([]func(), len(ringBearings))
	for i, bearing := range ringBearings {
		latitude, longitude := displaced(at, km, bearing)
		parts[i] = func() {
			zones[i], errs[i] = ask(latitude, longitude)
		}
	}
	Concurrently(parts...)
	for i, zone := range zones {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if zone != nil {
			return &MarineZone{zone.ID, zone.Name, zone.Office, km}, nil
		}
	}
	return nil, nil
}

// displaced returns the point some kilometres away on a bearing, on a sphere of 111.2 km a
// degree: within 10 km the error is metres.
func displaced(at sky.Place, km, bearing float64) (latitude, longitude float64) {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	const perDegree = 111.2
	latitude = min(90, max(-90, at.Latitude+km*cos/perDegree))
	longitude = at.Longitude + km*sin/perDegree/math.Max(0.01, math.Cos(at.Latitude*math.Pi/180))
	return degrees4(latitude), degrees4(math.Mod(longitude+540, 360) - 180)
}

func degrees4(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// waterAt returns the marine zone of a place: a station's from the cache, or as the search
// finds it before ctx ends.
func (s Set) waterAt(ctx context.Context, at Place, p nws.Point) (*MarineZone, error) {
	if at.Station == nil {
		return s.marineZone(ctx, at.Place, p)
	}
	return s.marine.zone(ctx, at.Station.ID, s.Now, func(ctx context.Context) (*MarineZone, error) {
		return s.marineZone(ctx, at.Place, p)
	})
}

// landAt returns the public forecast zone of a station: the point's own, or for a point on
// water the nearest on the rings; nil if there is none.
func (s Set) landAt(ctx context.Context, at Place, p nws.Point) (*MarineZone, error) {
	if !p.Marine {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	return s.land.zone(ctx, at.Station.ID, s.Now, func(ctx context.Context) (*MarineZone, error) {
		return onRings(at.Place, func(latitude, longitude float64) (*nws.Zone, error) {
			v, err := s.Weather.LandZone(ctx, latitude, longitude)
			return v.Data, err
		})
	})
}
