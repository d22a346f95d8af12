package facts

import (
	"context"
	"errors"
	"fmt"
	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"strings"
	"time"
)

// DatumsOrigin is that of a station's datums; the station's id ends the page.
var DatumsOrigin = Origin{ID: "station-datums", Label: "Accepted datums", Page: "https://tidesandcurrents.noaa.gov/datums.html?id="}

// LevelOf returns the height of a datum above station datum.
func LevelOf(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Datums() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}

// RangeOf returns a difference between datums, such as GT.
func RangeOf(st stations.Station, name string) (float64, bool) {
	for _, d := range st.Differences() {
		if d.Name == name {
			return d.Value, true
		}
	}
	return 0, false
}

// datumKey returns the name of a datum argument in the data.
func datumKey(datum string) string {
	if datum == "NAVD" {
		return "NAVD88"
	}
	return datum
}

// Datums are the levels of a station, and what NOAA's metadata service has of them.
type Datums struct {
	Station  stations.Station // a snapshot
	Document noaa.Datums
	Received time.Time
	Err      error // why the service's document could not be obtained
}

// Datums returns the datums of a station that LevelStation found: those in force, or if
// the directory has none those of the metadata service, which are added to it.
func (g *Gatherer) Datums(ctx context.Context, st stations.Station) (Datums, error) {
	live, err := g.Water.Datums(ctx, st.ID)
	if len(st.Datums()) == 0 {
		if err != nil {
			return Datums{}, err
		}
		if err := g.Stations.Apply(st.ID, overlay.Datums(live.Data, live.ReceivedAt)); err != nil {
			return Datums{}, coast.Errorf(coast.ProviderUnavailable, "NOAA's datums of %s cannot be: %v. No data is invented.", st.ID, err)
		}
	}
	return Datums{st.Snapshot(), live.Data, live.ReceivedAt, err}, nil
}

// Zero returns a datum's height above station datum, and a snapshot of the station with
// that datum. The datums of a gauge that has none are requested.
func (g *Gatherer) Zero(ctx context.Context, st stations.Station, datum string) (stations.Station, float64, error) {
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
	zero, ok := LevelOf(st, datumKey(datum))
	if !ok {
		return st, 0, g.DatumError(st, datum, coast.Errorf(coast.DatumUnavailable, "%s (%s) has no datum %s.", st.ID, st.Name, datum))
	}
	return st, zero, nil
}

// DatumError adds the datums that a station has to a datum_unavailable error.
func (f Finder) DatumError(st stations.Station, datum string, err error) error {
	var e *coast.Error
	if !errors.As(err, &e) || e.Code != coast.DatumUnavailable {
		return err
	}
	has := f.Stations.TideDatums(st)
	if stations.GreatLakes(st.ID) {
		has = []string{"IGLD", "LWD", "STND"}
	}
	out := *e
	if len(has) > 0 {
		out.Message = fmt.Sprintf("%s (%s) has no datum %s. It has %s. Example: \"datum\": %q.", st.ID, st.Name, datum, strings.Join(has, ", "), has[0])
	}
	out.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: out.Message}}
	return &out
}

// UsualDatum returns the datum of the charts of a station's water.
func UsualDatum(st stations.Station) string {
	if stations.GreatLakes(st.ID) {
		return "IGLD"
	}
	return "MLLW"
}
