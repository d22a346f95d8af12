package provider

import (
	"time"

	"leadline/internal/stations"
)

// Times of the data service are wall times without a zone. Inside they are
// a time.Time in UTC with the wall's date and time.

const day = 24 * time.Hour

// civil is the civil time of a place.
type civil struct {
	zone   *time.Location
	offset time.Duration // of standard time from UTC
}

// civilOf loads a zone and finds its standard time: the lesser of the offsets
// in winter and summer. An unknown zone is UTC.
func civilOf(name string) civil {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return civil{time.UTC, 0}
	}
	_, january := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Zone()
	_, july := time.Date(2026, 7, 1, 0, 0, 0, 0, loc).Zone()
	return civil{loc, time.Duration(min(january, july)) * time.Second}
}

// civilTimes are the zones of the directory by name: loading one takes longer
// than writing a station's row.
func civilTimes(d *stations.Directory) map[string]civil {
	all := map[string]civil{}
	for _, s := range d.All("") {
		if _, ok := all[s.Zone]; !ok {
			all[s.Zone] = civilOf(s.Zone)
		}
	}
	return all
}

// utcHours is the offset of standard time in whole hours.
func (c civil) utcHours() int { return int(c.offset / time.Hour) }

// meridian is the one of standard time.
func (c civil) meridian() int { return int(c.offset.Hours() * 15) }

// saves reports whether the place has daylight saving time.
func (c civil) saves() bool {
	summer := func(m time.Month) bool { return time.Date(2026, m, 1, 0, 0, 0, 0, c.zone).IsDST() }
	return summer(time.January) || summer(time.July)
}

// steps are instants at even distances.
type steps struct {
	first, last time.Time
	every       time.Duration
}

// until cuts the steps off after an instant.
func (s steps) until(last time.Time) steps {
	if last.Before(s.last) {
		s.last = last
	}
	return s
}

// since cuts the steps off before an instant.
func (s steps) since(first time.Time) steps {
	if behind := first.Sub(s.first); behind > 0 {
		s.first = s.first.Add((behind + s.every - 1) / s.every * s.every)
	}
	return s
}

// size counts the instants, those included that series leave out.
func (s steps) size() int {
	if s.last.Before(s.first) {
		return 0
	}
	return int(s.last.Sub(s.first)/s.every) + 1
}

// at is the i-th instant.
func (s steps) at(i int) time.Time { return s.first.Add(time.Duration(i) * s.every) }
