package decide

import (
	"time"

	"leadline/internal/coast"
)

// This file defines a quiet day, on which every fact is available and no limit is reached.
// Tests change it.

// noon is the requested time; the clock is an hour earlier.
var noon = time.Date(2026, 7, 9, 12, 0, 0, 0, time.UTC)

func asked(a Activity) Request {
	return Request{
		ID:       "018f0000-0000-7000-8000-000000000000",
		Activity: a,
		At:       noon,
		Now:      noon.Add(-time.Hour),
	}
}

func fresh(id string, kind coast.Kind) Fact {
	return Fact{
		Source: coast.Source{
			ID:             id,
			Label:          "The fact " + id,
			Provider:       coast.COOPS,
			Kind:           kind,
			Available:      true,
			Freshness:      coast.Fresh,
			ReceivedAt:     noon,
			AttributionURL: "https://www.noaa.gov/",
		},
	}
}

// steady returns a series of one value, from a day before noon to a day after.
func steady(v float64) Series {
	s := Series{
		Start:  noon.Add(-24 * time.Hour),
		Step:   15 * time.Minute,
		Values: make([]float64, 2*96+1),
	}
	for i := range s.Values {
		s.Values[i] = v
	}
	return s
}

// quiet returns the facts of the quiet day: the water level is 3 ft, falls to 2 ft at 16:00
// and rises to 4 ft at 22:00, after the span of beachcombing.
func quiet() *Facts {
	f := &Facts{
		Zone:    time.UTC,
		Floor:   floors[0].Floor,
		Station: coast.Station{ID: "8443970", Name: "Boston", TimeZone: "UTC"},
	}
	f.Tide = Tide{Fact: fresh(TidePrediction, coast.Prediction), Datum: "MLLW", Heights: steady(3),
		Turns: []Turn{
			{noon.Add(-2 * time.Hour), true, 4},
			{noon.Add(4 * time.Hour), false, 2},
			{noon.Add(10 * time.Hour), true, 4},
		}}
	f.Sun = Sun{
		Fact:      fresh(Daylight, coast.Calculation),
		Altitudes: steady(40),
		Rise:      []time.Time{noon.Add(-7 * time.Hour)},
		Set:       []time.Time{noon.Add(9 * time.Hour)},
	}
	f.Moon = Moon{fresh(MoonPhase, coast.Calculation), "full_moon", 1}
	f.Alerts = Alerts{Fact: fresh(MarineAlerts, coast.Forecast)}
	f.Grid = Grid{Fact: fresh(WindForecast, coast.Forecast), Waves: true}
	for h := range 24 + 12 {
		from := noon.Add(time.Duration(h-24) * time.Hour)
		f.Grid.Hours = append(f.Grid.Hours, Hour{
			From: from, To: from.Add(time.Hour),
			Wind: pointer(3), Gust: pointer(5), Direction: pointer(180),
			Visibility: pointer(8), Thunder: pointer(0), Fog: pointer(0),
			Height: pointer(1), Period: pointer(20), WavesFrom: pointer(180),
			Swells: []Swell{{pointer(1), pointer(8)}},
		})
	}
	f.Text = Text{
		Fact: fresh(MarineText, coast.Forecast),
		Periods: []Period{
			{From: noon.Add(-24 * time.Hour), To: noon.Add(48 * time.Hour), Wind: pointer(3),
				Gust: pointer(5), Seas: pointer(1), Swells: []Swell{{pointer(1), pointer(8)}}},
		},
	}
	f.Current = Current{
		Fact:       fresh(CurrentPrediction, coast.Prediction),
		StationID:  "BOS1111",
		Kilometers: 1,
		Velocities: steady(0.2),
		Flood:      pointer(270),
		Ebb:        pointer(90),
	}
	f.Flood = Flood{fresh(FloodThresholds, coast.Calculation), "NWS minor", pointer(10), false}
	f.Level = Level{
		fresh(ObservedLevel, coast.Observation),
		noon.Add(-time.Hour),
		pointer(3),
		pointer(0),
	}
	f.Water = Water{fresh(WaterTemperature, coast.Observation), "", noon.Add(-time.Hour), pointer(75)}
	f.Surf = Surf{
		fresh(SurfForecast, coast.Forecast),
		[]RipRisk{{noon.Add(-24 * time.Hour), noon.Add(48 * time.Hour), RipLow}},
	}
	return f
}

// during returns the hour of the quiet grid that begins at noon.
func (f *Facts) during() *Hour { return &f.Grid.Hours[24] }

// atNoon sets the value of a quiet series at noon.
func (s *Series) atNoon(v float64) { s.Values[96] = v }
