package directory

import (
	"context"

	"leadline/internal/facts"
	"leadline/internal/place"
	"leadline/internal/stations"
)

// Near returns a finder of stations of a type. Does describes them in refusals.
func (s Operations) Near(kind, does string, within place.Reach) place.Finder {
	return func(ctx context.Context, in *place.StationOrPlace) (place.Resolved, error) {
		return ResolvePlace(ctx, s.facts.Set(), in, kind, does, within)
	}
}

// Subordinate finds subordinate tide stations.
func (s Operations) Subordinate(
	_ context.Context, in *place.StationOrPlace,
) (place.Resolved, error) {
	if in.Place == "" {
		return place.Resolved{}, nil
	}
	can := func(st stations.Station) bool {
		return facts.Predicts(st) == "tides" && st.Subordinate()
	}
	at, err := in.Resolver(s.facts.Set(), can, "is subordinate", place.OfWater).Resolve()
	in.Station, in.Place = at.ID, ""
	return at, err
}

// ResolvePlace replaces the place in a request with its station of a type. Does describes such
// stations, and within limits their distance.
func ResolvePlace(
	ctx context.Context, fs facts.Set, in *place.StationOrPlace, kind, does string, within place.Reach,
) (place.Resolved, error) {
	if in.Place == "" {
		return place.Resolved{}, nil
	}
	can, err := typeFilter(ctx, fs, OfType{StationType(kind)})
	if err != nil {
		return place.Resolved{}, err
	}
	at, err := in.Resolver(fs, can, does, within).Resolve()
	in.Station, in.Place = at.ID, ""
	return at, err
}
