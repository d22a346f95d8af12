package tide

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync/atomic"
	"time"
)

// Almanac stores the high and low waters of stations by UTC month, so that repeated
// requests do not compute them again. A Tides value uses the Almanac that it refers to. A
// month is computed and stored when it is requested for the second time, because a single
// request for a few days is faster without the Almanac. The number of months is bounded:
// a new month replaces another one.
//
// The events equal those computed without an Almanac, to the last bit. Months are keyed by
// the constants from which they were computed, so new constants never get events of old
// ones.
//
// An Almanac is safe for concurrent use and takes no locks.
type Almanac struct {
	seed  maphash.Seed
	pages [pages]atomic.Pointer[page]
}

// pages is the maximum number of months in an Almanac, and mostEvents the maximum number
// of events in a month. An Almanac takes less than 16 MB: 5,000 pages, each with 16
// bytes per event and 120 more. No station has more than 130 events in a month.
const (
	pages      = 5000
	mostEvents = 192
)

// NewAlmanac returns an empty Almanac.
func NewAlmanac() *Almanac { return &Almanac{seed: maphash.MakeSeed()} }

// page is a month of one station. It does not change once it is in the almanac.
type page struct {
	pageKey
	events []entry // nil if the month was requested only once
}

// pageKey identifies a month of a station.
type pageKey struct {
	predictor
	month int // since January of year 0
}

// predictor holds everything that determines the events of a station.
type predictor struct {
	curve       *Curve
	level       float64
	subordinate bool
	offsets     Offsets
}

// entry is an event. A published minute is an even number of seconds, so its lowest bit
// is free: it is set for a high water.
type entry struct {
	minute int64
	height float64
}

func (e entry) extreme() Extreme {
	return Extreme{Time: instant(e.minute &^ 1), Height: e.height, High: e.minute&1 == 1}
}

// mostMonths is the number of months in the longest request that the almanac serves: a
// year that begins in the middle of a month.
const mostMonths = 13

// extremes returns the events of a request. ok is false if they must be computed. settled
// computes the events of a month.
func (a *Almanac) extremes(
	of predictor, r request, settled func(request) []turn,
) (events []Extreme, ok bool) {
	first, last := monthOf(r.from), monthOf(r.to)
	if r.to < r.from || last-first >= mostMonths {
		return nil, false
	}
	var months [mostMonths][]entry
	count := 0
	for i := range last - first + 1 {
		kept, ok := a.month(pageKey{of, first + i}, settled)
		if !ok {
			return nil, false
		}
		months[i] = r.cut(kept)
		count += len(months[i])
	}
	events = make([]Extreme, 0, count)
	for _, entries := range months {
		for _, e := range entries {
			events = append(events, e.extreme())
		}
	}
	return events, true
}

// cut returns the entries that lie in the request.
func (r request) cut(entries []entry) []entry {
	at := func(second int64) int {
		i, _ := slices.BinarySearchFunc(entries, second, func(e entry, second int64) int {
			return cmp.Compare(e.minute&^1, second)
		})
		return i
	}
	return entries[at(r.from):at(r.to+1)]
}

// month returns the events of a month. ok is false if this is the first request for it.
func (a *Almanac) month(
	key pageKey, settled func(request) []turn,
) (events []entry, ok bool) {
	place := &a.pages[maphash.Comparable(a.seed, key)%pages]
	p := place.Load()
	switch {
	case p == nil || p.pageKey != key:
		place.Store(&page{pageKey: key})
		return nil, false
	case p.events == nil:
		r := request{monthStart(key.month), monthStart(key.month+1) - 1}
		events = r.entries(settled(r))
		if len(events) <= mostEvents {
			place.Store(&page{key, events})
		}
		return events, true
	}
	return p.events, true
}

// entries returns the turns whose minute lies in the request.
func (r request) entries(turns []turn) []entry {
	entries := make([]entry, 0, len(turns))
	for _, u := range turns {
		minute := toMinute(u.at)
		if !r.holds(minute) {
			continue
		}
		if u.high {
			minute |= 1
		}
		entries = append(entries, entry{minute, u.height})
	}
	return entries
}

// monthOf returns the number of the UTC month that contains a Unix time, counted from
// January of year 0.
func monthOf(second int64) int {
	year, month, _ := instant(second).Date()
	return 12*year + int(month-time.January)
}

func monthStart(month int) int64 {
	return time.Date(month/12, time.January+time.Month(month%12), 1, 0, 0, 0, 0, time.UTC).Unix()
}
