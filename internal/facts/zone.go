package facts

import (
	"leadline/internal/coast"
	"regexp"
	"sync"
	"time"
)

// Zone is the zone in which a caller's dates are read and times written.
type Zone struct {
	*time.Location
	Label string // as results name it
}

// zones caches time zones: loading one takes as long as predicting a day. There are some
// 600 names.
type zones struct{ known sync.Map }

func (z *zones) load(name string) (*time.Location, error) {
	if l, ok := z.known.Load(name); ok {
		return l.(*time.Location), nil
	}
	l, err := time.LoadLocation(name)
	if err == nil {
		z.known.Store(name, l)
	}
	return l, err
}

// at is Set.Zone in the year of at.
func (z *zones) at(place, timeZone string, at time.Time) (Zone, error) {
	local, err := z.load(place)
	if err != nil {
		return Zone{}, err
	}
	switch timeZone {
	case "gmt":
		return Zone{time.UTC, "UTC"}, nil
	case "lst":
		offset := standardOffset(local, at)
		label := "UTC" + time.Unix(0, 0).In(time.FixedZone("", offset)).Format("-07:00") + " (standard time of " + place + ")"
		return Zone{time.FixedZone("LST", offset), label}, nil
	}
	return Zone{local, place}, nil
}

// Zone returns the zone that time_zone asks for at a place: gmt, the place's standard
// time all year (lst), or its civil time (lst_ldt).
func (s Set) Zone(place, timeZone string) (Zone, error) { return s.zones.at(place, timeZone, s.Now) }

// zoneName matches names of zones; other files of a machine's zone database, such as
// localtime, are not the same everywhere.
var zoneName = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*)+)$`)

// named returns the zone that a caller names, or the place's.
func (z *zones) named(asked, place string, now time.Time) (Zone, error) {
	switch asked {
	case "", "lst_ldt":
		return z.at(place, "lst_ldt", now)
	case "gmt", "lst":
		return z.at(place, asked, now)
	}
	named, err := z.at(asked, "lst_ldt", now)
	if err != nil || !zoneName.MatchString(asked) {
		return named, Invalid("time_zone", "zone", `time_zone must be an IANA name or gmt, not %s. Example: "time_zone": "America/New_York".`, coast.Quote(asked))
	}
	return named, nil
}

// standardOffset returns the offset in seconds of a zone's standard time in the year of
// at.
func standardOffset(local *time.Location, at time.Time) int {
	for month := time.January; month <= time.December; month++ {
		t := time.Date(at.Year(), month, 1, 12, 0, 0, 0, local)
		if !t.IsDST() {
			_, offset := t.Zone()
			return offset
		}
	}
	_, offset := at.In(local).Zone()
	return offset
}
