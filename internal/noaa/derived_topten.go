package noaa

import (
	"context"
	"strconv"
	"strings"
	"time"

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
	q := derived("product.json", station, "top ten water levels")
	q.query.Set("name", "toptenwaterlevels")
	q.query.Set("units", "metric")
	if datum != "" {
		q.query.Set("datum", datum)
	}
	return consult(ctx, c, q, func(body []byte) ([]TopLevel, error) { return readTopTen(body, station) })
}

func readTopTen(body []byte, station string) ([]TopLevel, error) {
	r := openRecord(body)
	r.need("topTenWaterLevels")
	unit := r.factor(lengths, 1, "units")
	var list []TopLevel
	r.each("topTenWaterLevels", func(row *record) {
		row.need("height")
		if row.of(station) {
			list = append(list, row.topLevel(len(list)+1, unit))
		}
		if n := len(list); n > 1 && list[n-1].Datum != list[0].Datum {
			row.unknown("heights above %s and %s", list[0].Datum, list[n-1].Datum)
		}
	})
	return some(list, r.err)
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
	q := derived("product.json", "", "peak water events")
	q.query.Set("name", "peakwaterlevels")
	if year > 0 {
		q.query.Set("year", strconv.Itoa(year))
	}
	return consult(ctx, c, q, readPeaks)
}

func readPeaks(body []byte) ([]Peak, error) {
	r := openRecord(body)
	r.need("peakWaterLevels")
	var list []Peak
	r.each("peakWaterLevels", func(row *record) {
		start := row.moment("startDate")
		if start == nil {
			row.unknown("no startDate")
			start = new(time.Time)
		}
		list = append(list, Peak{
			ID: row.certainText("eventId"), Name: row.text("name"), Type: row.text("eventType"), Start: *start,
			GreatLake: row.flag("greatLake"), StormTrack: row.flag("stormTrack"), Released: row.flag("dissemination"),
		})
	})
	return some(list, r.err)
}
