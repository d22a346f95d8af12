package place

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/stations"
)

// Finder replaces the place in a request with a station that can answer.
type Finder func(context.Context, *StationOrPlace) (Resolved, error)

// Placed returns an operation about a station as one that takes a place, too. Its result has the
// place, and how it was resolved. Front ends that name stations alone call the operation itself.
func Placed[In, Out any, I interface {
	*In
	Where() *StationOrPlace
}, O interface {
	*Out
	About() *ForPlace
	Own() *coast.Provenance
}](find Finder, run func(context.Context, In) (Out, error),
) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		at, err := find(ctx, I(&in).Where())
		if err != nil {
			return out, err
		}
		if out, err = run(ctx, in); err == nil {
			*O(&out).About() = at.Place
			at.Explain(O(&out).Own())
		}
		return out, err
	}
}

// MatchNames lists the names that results use for matches.
var MatchNames = map[stations.Match]string{
	stations.ByID: "id", stations.ByName: "exact", stations.ByWords: "exact",
	stations.ByAlias: "alias", stations.Fuzzy: "fuzzy",
}
