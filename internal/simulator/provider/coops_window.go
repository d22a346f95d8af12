package provider

import (
	"net/url"
	"strconv"
	"time"

	"leadline/internal/stations"
)

// Times of the data service are wall times without a zone. Inside they are
// held as a time.Time that calls itself UTC.

// zone is what time_zone of a request means at a station.
type zone struct {
	offset time.Duration  // of standard time from UTC
	saving *time.Location // nil where daylight saving time is not asked for
}

// local is the civil time of a place.
type local struct {
	zone   *time.Location
	offset time.Duration // of standard time from UTC
}

// load loads a zone and finds its standard time: the lesser of the offsets
// in winter and summer. An unknown zone is UTC.
func load(name string) local {
	loc, err := time.LoadLocation(name)
	if err != nil {
		return local{time.UTC, 0}
	}
	_, january := time.Date(2026, 1, 1, 0, 0, 0, 0, loc).Zone()
	_, july := time.Date(2026, 7, 1, 0, 0, 0, 0, loc).Zone()
	return local{loc, time.Duration(min(january, july)) * time.Second}
}

// hours is the offset of standard time in whole hours.
func (l local) hours() int { return int(l.offset / time.Hour) }

// meridian is the one that standard time belongs to.
func (l local) meridian() int { return int(l.offset.Hours() * 15) }

// saves reports whether the place has daylight saving time.
func (l local) saves() bool {
	return time.Date(2026, 7, 1, 0, 0, 0, 0, l.zone).IsDST() || time.Date(2026, 1, 1, 0, 0, 0, 0, l.zone).IsDST()
}

// locals are the zones of the directory by name: loading one takes longer
// than writing a station's row.
func locals(d *stations.Directory) map[string]local {
	all := map[string]local{}
	for _, s := range d.All("") {
		if _, ok := all[s.Zone]; !ok {
			all[s.Zone] = load(s.Zone)
		}
	}
	return all
}

// saved is by how much the clock stands ahead of standard time.
func (z zone) saved(t time.Time) time.Duration {
	if z.saving == nil {
		return 0
	}
	_, seconds := t.In(z.saving).Zone()
	return time.Duration(seconds)*time.Second - z.offset
}

// wall is the wall time of an instant.
func (z zone) wall(t time.Time) time.Time { return t.Add(z.offset + z.saved(t)) }

// instant is the instant of a wall time: where two have it the second, in
// standard time; in the hour that spring leaves out as if that stood still.
func (z zone) instant(wall time.Time) time.Time {
	t := wall.Add(-z.offset)
	if ahead := z.saved(t); ahead != 0 && z.saved(t.Add(-ahead)) == ahead {
		return t.Add(-ahead)
	}
	return t
}

// dropped reports whether the service leaves an instant out of series: in
// autumn one hour of wall time passes twice, and it serves the second.
func (z zone) dropped(t time.Time) bool {
	ahead := z.saved(t)
	return ahead != 0 && z.saved(t.Add(ahead)) == 0
}

// window is a span of wall time, inclusive at both ends.
type window struct {
	begin, end time.Time
	latest     bool // the newest value alone
}

// The texts of bad dates. The blanks are the service's.
const (
	badDate    = " Wrong Date: The requested begin/end date or range are not valid. "
	wrongOrder = badDate + " Wrong Date: The end date should be greater than the begin date "
	tooLong    = badDate + " Range Limit Exceeded: The size limit for data retrieval for this product is "
)

// readWindow reads the one set of dates that a request must have. unit is
// what range counts: hours, but years for daily_max_min.
func readWindow(v url.Values, now time.Time, unit func(time.Time, int) time.Time) (window, error) {
	begin, end, span, date := v.Get("begin_date"), v.Get("end_date"), v.Get("range"), v.Get("date")
	if date != "" {
		if begin != "" || end != "" || span != "" {
			return window{}, refuse(badDate)
		}
		return readDate(date, now)
	}
	n, err := strconv.Atoi(span)
	if span != "" && (err != nil || n <= 0) {
		return window{}, refuse(badDate)
	}
	first, beginOK := readMoment(begin, false)
	last, endOK := readMoment(end, true)
	switch {
	case begin != "" && !beginOK, end != "" && !endOK:
		return window{}, refuse(badDate)
	case beginOK && endOK && span == "":
		if last.Before(first) {
			return window{}, refuse(wrongOrder)
		}
		return window{begin: first, end: last}, nil
	case beginOK && !endOK && span != "":
		return window{begin: first, end: unit(first, n)}, nil
	case endOK && !beginOK && span != "":
		return window{begin: unit(last, -n), end: last}, nil
	case begin == "" && end == "" && span != "":
		return window{begin: unit(now, -n), end: now}, nil
	}
	return window{}, refuse(badDate)
}

func hours(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * time.Hour) }
func years(t time.Time, n int) time.Time { return t.AddDate(n, 0, 0) }

// readDate reads the named spans that end now.
func readDate(name string, now time.Time) (window, error) {
	switch name {
	case "today":
		return window{begin: now.Truncate(day), end: now}, nil
	case "recent":
		return window{begin: hours(now, -72), end: now}, nil
	case "latest":
		return window{begin: now.Add(-18 * time.Minute), end: now, latest: true}, nil
	}
	return window{}, refuse(badDate)
}

const day = 24 * time.Hour

// readMoment reads a date, or a date and time. The end of a date alone is its last minute.
func readMoment(text string, end bool) (time.Time, bool) {
	for _, layout := range []string{"20060102", "01/02/2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			if end {
				t = t.Add(day - time.Minute)
			}
			return t, true
		}
		if t, err := time.Parse(layout+" 15:04", text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// limit is the longest span of a product.
type limit struct {
	days int
	text string
}

// check refuses a longer window. Whole days count: a span of dates ends at
// 23:59, so that 366 days reach from the first of January to the first of
// January of the year after a leap year.
func (l limit) check(w window) error {
	if w.end.Sub(w.begin) >= time.Duration(l.days+1)*day {
		return refuse(tooLong + l.text + " ")
	}
	return nil
}

// grid is the instants of a request's window at even steps of wall time.
type grid struct {
	zone        zone
	first, last time.Time // instants
	step        time.Duration
}

// grid lays steps over the window, at phase after each whole step of the day.
func (q *query) grid(step, phase time.Duration) grid {
	begin := q.begin.Add(-phase).Truncate(step).Add(phase)
	if begin.Before(q.begin) {
		begin = begin.Add(step)
	}
	first := q.zone.instant(begin)
	return grid{q.zone, first, q.zone.instant(q.end), step}
}

// until cuts the grid off after an instant.
func (g grid) until(last time.Time) grid {
	if last.Before(g.last) {
		g.last = last
	}
	return g
}

// since cuts the grid off before an instant.
func (g grid) since(first time.Time) grid {
	if behind := first.Sub(g.first); behind > 0 {
		g.first = g.first.Add((behind + g.step - 1) / g.step * g.step)
	}
	return g
}

// size is how many instants the grid has, those included that series leave out.
func (g grid) size() int {
	if g.last.Before(g.first) {
		return 0
	}
	return int(g.last.Sub(g.first)/g.step) + 1
}

// at is the i-th instant.
func (g grid) at(i int) time.Time { return g.first.Add(time.Duration(i) * g.step) }
