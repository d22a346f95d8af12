package directory

import (
	"context"
	"errors"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// OfType holds the argument that limits a list of stations to one type.
type OfType struct {
	Type StationType `json:"type,omitempty" doc:"Only stations with this product or sensor."`
}

// typeFilter returns the filter of a type, or nil if the type is empty. It requests lists
// that only NOAA has, and adds their stations to the directory.
func typeFilter(ctx context.Context, fs facts.Set, t OfType) (stations.Filter, error) {
	switch t.Type {
	case "":
		return nil, nil
	case "tidepredictions":
		return func(st stations.Station) bool { return facts.Predicts(st) == "tides" }, nil
	case "currentpredictions":
		return func(st stations.Station) bool { return facts.Predicts(st) == "currents" }, nil
	case "harcon":
		return func(st stations.Station) bool { return st.HasConstants() }, nil
	case "datums":
		return func(st stations.Station) bool { return len(st.Datums()) > 0 }, nil
	}
	has, at, known := fs.Stations.Observing(string(t.Type))
	if !known || fs.Now.Sub(at) > overlay.ListInterval {
		ctx, cancel := operation.WithProviderTimeout(ctx)
		defer cancel()
		if err := fs.Overlay.UpdateList(ctx, string(t.Type)); err != nil && !known {
			e, _ := coast.AsError(errors.Unwrap(err))
			out := *e
			out.Message += " Of the types, tidepredictions, currentpredictions, harcon and datums " +
				"need no provider."
			return nil, &out
		}
		has, _, _ = fs.Stations.Observing(string(t.Type))
	}
	return func(st stations.Station) bool {
		_, bin := st.Bin() // other bins do not count as other stations
		return bin == 0 && has(st.ID)
	}, nil
}

// listProvenance returns the provenance of lists of stations.
func listProvenance(fs facts.Set) coast.Provenance {
	p := fs.From(fs.Directory())
	at, known := fs.Overlay.ListsReceived()
	if !known {
		p.Missing = append(p.Missing, coast.Missing{Input: "observes",
			Reason: "NOAA's metadata service, which knows what a station measures, has not responded; " +
				"gauges of the Great Lakes and weather stations are not in the embedded directory"})
		return p
	}
	origin := facts.COOPS("observing-stations", "Stations that observe, from NOAA's metadata service",
		coast.Calculation, "https://tidesandcurrents.noaa.gov/stations.html")
	p.Sources = append(p.Sources, fs.Document(origin, at))
	return p
}
