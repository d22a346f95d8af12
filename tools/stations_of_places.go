package tools

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/stations"
)

// stationFinder replaces the place in a request with a station that can answer.
type stationFinder func(context.Context, *StationOrPlace) (resolved, error)

// near returns a finder of stations of a type. Does describes them in refusals.
func (s stationTools) near(kind, does string, within reach) stationFinder {
	return func(ctx context.Context, in *StationOrPlace) (resolved, error) {
		return gaugePlace(ctx, s.facts.Set(), in, kind, does, within)
	}
}

// subordinate finds subordinate tide stations.
func (s stationTools) subordinate(_ context.Context, in *StationOrPlace) (resolved, error) {
	if in.Place == "" {
		return resolved{}, nil
	}
	can := func(st stations.Station) bool {
		return facts.Predicts(st) == "tides" && st.Subordinate()
	}
	at, err := in.resolver(s.facts.Set(), can, "is subordinate", ofWater).resolve()
	in.Station, in.Place = at.id, ""
	return at, err
}

// placed returns an operation about a station as one that takes a place, too. Its result has the
// place, and how it was resolved. Front ends that name stations alone call the operation itself.
func placed[In, Out any, I interface {
	*In
	where() *StationOrPlace
}, O interface {
	*Out
	about() *ForPlace
	Own() *coast.Provenance
}](find stationFinder, run func(context.Context, In) (Out, error),
) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		at, err := find(ctx, I(&in).where())
		if err != nil {
			return out, err
		}
		if out, err = run(ctx, in); err == nil {
			*O(&out).about() = at.place
			at.explain(O(&out).Own())
		}
		return out, err
	}
}

// where returns the arguments that name the station.
func (p *StationOrPlace) where() *StationOrPlace { return p }

// about returns the place of a result.
func (p *ForPlace) about() *ForPlace { return p }
