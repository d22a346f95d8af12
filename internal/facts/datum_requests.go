package facts

import (
	"context"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// DatumsOrigin is the origin of a station's datums. The station's id completes the page's
// address.
var DatumsOrigin = Origin{ID: "station-datums", Label: "Accepted datums",
	Page: "https://tidesandcurrents.noaa.gov/datums.html?id="}

// Datums holds the levels of a station and the data of NOAA's metadata service about them.
type Datums struct {
	Station  stations.Station // a snapshot
	Document noaa.Datums
	Received time.Time
	Err      error // why the service's document could not be obtained
}

// Datums returns the datums of a station that LevelStation found. They are the datums in force
// or, if those are not known, the datums of the metadata service, which are added to the station.
func (g *Gatherer) Datums(ctx context.Context, st stations.Station) (Datums, error) {
	live, err := g.Water.Datums(ctx, st.ID)
	if len(st.Datums()) == 0 {
		if err != nil {
			return Datums{}, err
		}
		if err := g.Stations.Apply(st.ID, overlay.Datums(live.Data, live.ReceivedAt)); err != nil {
			return Datums{}, coast.Errorf(coast.ProviderUnavailable,
				"NOAA's datums of %s are invalid: %v. No data is invented.", st.ID, err)
		}
	}
	return Datums{st.Snapshot(), live.Data, live.ReceivedAt, err}, nil
}

// Zero returns a datum's height above station datum, and a snapshot of the station with
// that datum. Unknown datums of a gauge are requested.
func (g *Gatherer) Zero(
	ctx context.Context, st stations.Station, datum string,
) (stations.Station, float64, error) {
	if len(st.Datums()) == 0 && datum != "STND" {
		levels, err := g.LevelStation(ctx, st.ID)
		if err == nil {
			_, err = g.Datums(ctx, levels)
		}
		if err != nil {
			return st, 0, err
		}
		st, _ = g.Stations.Station(st.ID)
	}
	st = st.Snapshot()
	if datum == "STND" {
		return st, 0, nil
	}
	zero, ok := st.Level(datumKey(datum))
	if !ok {
		return st, 0, g.DatumError(st, datum, coast.Errorf(coast.DatumUnavailable,
			"%s (%s) has no datum %s.", st.ID, st.Name, datum))
	}
	return st, zero, nil
}
