package noaa

import (
	"context"
	"strings"
	"time"

	"leadline/internal/derived"
	"leadline/internal/upstream"
)

// TopLevel is one of the highest waters on record at a station.
type TopLevel struct {
	Rank            int        // 1 is the highest
	Date            string     // yyyy-mm-dd, in UTC
	Time            *time.Time // UTC; nil where the hour is not told
	Height          *float64   // m above Datum
	Datum           string     // as the service says; empty where it does not
	Event, Category string     // "Hurricane Sandy", "Tropical"
	Source          string     // "Observed Peak Water Level"
}

// TopTen returns the highest waters at a station, highest first, above a
// datum, MHHW if it is empty.
func (c *Client) TopTen(ctx context.Context, station, datum string) (upstream.Value[[]TopLevel], error) {
	q := aboutProduct(derived.TopTenWaterLevels, station, "datum", datum)
	return consult(ctx, c, q, func(body []byte) ([]TopLevel, error) { return readTopTen(body, station) })
}

func readTopTen(body []byte, station string) ([]TopLevel, error) {
	r := openRecord(body)
	unit := r.factor(lengths, 1, "units")
	place := 0
	list, err := productRows(r, derived.TopTenWaterLevels, station, func(row *record) TopLevel {
		place++
		return row.topLevel(place, unit)
	})
	for _, t := range list {
		if t.Datum != list[0].Datum {
			r.unknown("heights above %s and %s", list[0].Datum, t.Datum)
			return nil, r.err
		}
	}
	return list, err
}

func (r *record) topLevel(place int, unit float64) TopLevel {
	date, timed := r.peak()
	t := TopLevel{
		Rank: place, Date: date.Format(time.DateOnly), Height: scaled(r.number("height"), unit), Datum: r.text("datum"),
		Event: r.text("event", "eventName"), Category: r.text("category", "eventCategory"), Source: r.text("source", "dataSource"),
	}
	if rank := r.whole("rank"); rank != nil {
		t.Rank = *rank
	}
	if timed {
		t.Time = &date
	}
	if at := r.text("peakTime"); at != "" && !timed {
		d, ok := clock([]byte(at))
		if !ok {
			r.unknown("peakTime is %.20q, no time of day", at)
		}
		date = date.Add(d)
		t.Time = &date
	}
	return t
}

// peak is when the water stood highest: a day, or in one member with it the
// time of day, which timed tells.
func (r *record) peak() (at time.Time, timed bool) {
	if !strings.Contains(r.text("peakDate"), ":") {
		return r.certainDay("peakDate"), false
	}
	t := r.moment("peakDate")
	if t == nil {
		return time.Time{}, false
	}
	return *t, true
}

// Peak is an event, most of them storms, of which the service has the peaks
// of water at many stations.
type Peak struct {
	ID, Name             string
	Type                 string    // Tropical, Extra Tropical, Sub-Tropical (offshore), Other, TBD
	Start                time.Time // the day it began; its zone is not told
	GreatLake            *bool
	StormTrack, Released *bool // whether there is a track, and whether it is published ("dissemination")
}

// Peaks lists the events of a year, 0 for all. They are those of the whole
// country: the service does not tell them by station.
func (c *Client) Peaks(ctx context.Context, year int) (upstream.Value[[]Peak], error) {
	return consult(ctx, c, aboutProduct(derived.PeakWaterLevels, "", "year", since(year)), readPeaks)
}

func readPeaks(body []byte) ([]Peak, error) {
	return productRows(openRecord(body), derived.PeakWaterLevels, "", func(row *record) Peak {
		start := row.moment("startDate")
		if start == nil {
			row.unknown("no startDate")
			start = new(time.Time)
		}
		return Peak{
			ID: row.certainText("eventId"), Name: row.text("name"), Type: row.text("eventType"), Start: *start,
			GreatLake: row.flag("greatLake"), StormTrack: row.flag("stormTrack"), Released: row.flag("dissemination"),
		}
	})
}
