package provider

import (
	"time"

	"leadline/internal/stations"
)

// Times of the data service are wall times without a zone. The code represents them by a time.Time
// in UTC with the date and time of the wall clock.

const day = 24 * time.Hour

// civil is the civil time of a place.
type civil struct {
	zone   *time.Location
	offset time.Duration // of standard time from UTC
}

// civilOf returns the civil time of a zone. Standard time is the lesser of the offsets in winter
// and summer. An unknown zone is UTC.
func civilOf(name string) civil {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return civil{time.UTC, 0}
	}
	_, january := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Zone()
	_, july := time.Date(2026, 7, 1, 0, 0, 0, 0, loc).Zone()
	return civil{loc, time.Duration(min(january, july)) * time.Second}
}

// civilTimes returns the zones of the directory by name. They are cached because loading a zone
// takes longer than writing a station's row.
func civilTimes(d *stations.Directory) map[string]civil {
	all := map[string]civil{}
	for _, s := range d.All("") {
		if _, ok := all[s.Zone]; !ok {
			all[s.Zone] = civilOf(s.Zone)
		}
	}
	return all
}

// utcHours returns the offset of standard time in whole hours.
func (c civil) utcHours() int { return int(c.offset / time.Hour) }

// meridian returns the meridian of standard time, degrees east.
func (c civil) meridian() int { return int(c.offset.Hours() * 15) }

// saves reports whether the place has daylight saving time.
func (c civil) saves() bool {
	summer := func(m time.Month) bool { return time.Date(2026, m, 1, 0, 0, 0, 0, c.zone).IsDST() }
	return summer(time.January) || summer(time.July)
}

// steps are equidistant instants.
type steps struct {
	first, last time.Time
	every       time.Duration
}

// until returns the steps up to an instant.
func (s steps) until(last time.Time) steps {
	if last.Before(s.last) {
		s.last = last
	}
	return s
}

// since returns the steps from an instant on.
func (s steps) since(first time.Time) steps {
	if behind := first.Sub(s.first); behind > 0 {
		s.first = s.first.Add((behind + s.every - 1) / s.every * s.every)
	}
	return s
}

// size returns the number of instants.
func (s steps) size() int {
	if s.last.Before(s.first) {
		return 0
	}
	return int(s.last.Sub(s.first)/s.every) + 1
}

// at returns instant i.
func (s steps) at(i int) time.Time { return s.first.Add(time.Duration(i) * s.every) }
