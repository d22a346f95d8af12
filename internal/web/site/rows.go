package site

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
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// Farthest is the distance in km from which no station is shown as near.
const Farthest = 200.0

// HalfEarth is a distance in km within which every station lies.
const HalfEarth = 20_040.0

// mostQuery is the length in characters from which a query is cut.
const mostQuery = 100

// Rows returns the rows of a list.
func (s *Shared) Rows(ctx context.Context, list directory.StationList, now time.Time) []view.Row {
	rows := make([]view.Row, len(list.Stations))
	for i, st := range list.Stations {
		rows[i] = s.Row(ctx, st.StationRow, now)
		if st.DistanceKm != nil {
			rows[i].Distance = view.Distance(*st.DistanceKm, "english") + " away"
		}
	}
	return rows
}

// Row returns a station as a row, with its next event.
func (s *Shared) Row(ctx context.Context, st directory.StationRow, now time.Time) view.Row {
	return view.Row{
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
		Span: view.During(now, now.Add(25*time.Hour)), InUnits: operation.InUnits{Units: "english"},
		InZone: operation.InZone{TimeZone: "lst_ldt"},
	})
	if err != nil || len(p.Extremes) == 0 {
		return ""
	}
	e := p.Extremes[0]
	day := ""
	if !view.SameDay(e.Time, now.In(e.Time.Location())) {
		day = e.Time.Format("Mon ")
	}
	at := day + e.Time.Format("3:04"+view.Nbsp+"PM")
	return string(e.Type) + " " + at + ", " + chart.Quantity(e.Height, string(p.HeightUnit))
}

// IsComplete reports whether a result has all that a later request would have.
func (s *Shared) IsComplete(p coast.Provenance) bool { return s.Offline || len(p.Missing) == 0 }

// Clip cuts a query of a person to a length that a station's name can have.
func Clip(text string) string {
	if runes := []rune(strings.ToValidUTF8(text, "")); len(runes) > mostQuery {
		return string(runes[:mostQuery])
	}
	return strings.ToValidUTF8(text, "")
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
