package web

import (
	"context"
	"math"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/words"
)

// row is a station in a list.
type row struct {
	ID, Title, Kind string
	Water           string // of a tide station, or ""
	Next            string // the next high or low water, or slack
	Distance        string // from the place that was searched or given
	Latitude        float64
	Longitude       float64
}

// farthest is the distance in km from which no station is shown as near.
const farthest = 200.0

// halfEarth is a distance in km within which every station lies.
const halfEarth = 20_040.0

// mostQuery is the length in characters from which a query is cut.
const mostQuery = 100

// rowsOf returns the rows of a list.
func (s *Shared) rowsOf(ctx context.Context, list directory.StationList, now time.Time) []row {
	rows := make([]row, len(list.Stations))
	for i, st := range list.Stations {
		rows[i] = s.rowOf(ctx, st.StationRow, now)
		if st.DistanceKm != nil {
			rows[i].Distance = distance(*st.DistanceKm, "english") + " away"
		}
	}
	return rows
}

// rowOf returns a station as a row, with its next event.
func (s *Shared) rowOf(ctx context.Context, st directory.StationRow, now time.Time) row {
	return row{
		ID: st.ID, Title: words.WithState(st.Name, st.State), Kind: string(st.Predicts),
		Water: string(st.Water), Next: s.next(ctx, st, now),
		Latitude: st.Latitude, Longitude: st.Longitude,
	}
}

// next returns the next high or low water of a station in words, or "".
func (s *Shared) next(ctx context.Context, st directory.StationRow, now time.Time) string {
	if st.Predicts != "tides" {
		return ""
	}
	p, err := operation.Run(ctx, s.Set.Tides.TidePredictions, tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: st.ID}, Interval: "hilo",
		Span: during(now, now.Add(25*time.Hour)), InUnits: operation.InUnits{Units: "english"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil || len(p.Extremes) == 0 {
		return ""
	}
	e := p.Extremes[0]
	day := ""
	if !sameDay(e.Time, now.In(e.Time.Location())) {
		day = e.Time.Format("Mon ")
	}
	at := day + e.Time.Format("3:04"+nbsp+"PM")
	return string(e.Type) + " " + at + ", " + chart.Quantity(e.Height, string(p.HeightUnit))
}

// whole reports whether a result has all that a later request would have.
func (s *Shared) whole(p coast.Provenance) bool { return s.Offline || len(p.Missing) == 0 }

// clip cuts a query of a person to a length that a station's name can have.
func clip(text string) string {
	if runes := []rune(strings.ToValidUTF8(text, "")); len(runes) > mostQuery {
		return string(runes[:mostQuery])
	}
	return strings.ToValidUTF8(text, "")
}

// distance writes a distance in a straight line.
func distance(km float64, units string) string {
	value, unit := km, "km"
	if units == "english" {
		value, unit = km/1.609344, "mi"
	}
	if value < 10 {
		return chart.Number(value, 1) + nbsp + unit
	}
	return chart.Number(math.Round(value), 0) + nbsp + unit
}

// directory returns all stations of the directory, in order of id. The limit of rows is for front
// ends that print them.
func (s *Shared) directory() []directory.FoundStation {
	list, err := operation.Run(context.Background(), s.Set.Directory.SearchStations,
		directory.SearchStationsInput{Limit: math.MaxInt32})
	if err != nil {
		s.Log.Error("directory of stations", "error", err)
	}
	return list.Stations
}
