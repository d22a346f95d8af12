package noaa

import (
	"net/url"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Period is a span of time, both ends included. The zero Period asks for the
// newest value that there is.
type Period struct {
	From, To time.Time
}

func (p Period) newest() bool { return p.From.IsZero() && p.To.IsZero() }

func (p Period) contains(t time.Time) bool {
	return p.newest() || !t.Before(p.From) && !t.After(p.To)
}

// unsettled is how many days back from today rows still arrive.
const settlingDays = 2

// maxParts is how many requests a period may take.
const maxParts = 10

// question is what is asked about a period: one product of one station.
type dataQuery struct {
	product string
	query   url.Values     // station and what else the product needs; not the days
	limit   int            // days that one request may span
	class   upstream.Class // of days that are not settled yet
	ahead   bool           // a prediction: it does not end today
	unit    unit           // what one row stands for
}

// unit is the stretch of time that one row stands for.
type unit byte

const (
	instants unit = iota
	days
	months
)

// floor is the beginning of the unit that holds t: the time that its row has.
func (u unit) floor(t time.Time) time.Time {
	t = t.UTC()
	switch u {
	case days:
		return midnight(dayOf(t))
	case months:
		return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	return t
}

// ceil is the last day of the unit that holds t.
func (u unit) ceil(t time.Time) int {
	if u == months {
		t = u.floor(t).AddDate(0, 1, -1)
	}
	return dayOf(t)
}

// part is what one request asks for: whole days in UTC, counted from
// 1970-01-01, or the newest value.
type part struct {
	first, last int
	newest      bool
}

// dayOf counts days from 1970-01-01 UTC. A duration would overflow in 292 years.
func dayOf(t time.Time) int {
	seconds := t.Unix()
	d := seconds / 86400
	if seconds%86400 < 0 {
		d--
	}
	return int(d)
}

func midnight(d int) time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// split lays out the requests that a period takes. Days are whole, so that
// the same question a minute later has the same address. What fits into one
// request is one. Longer periods are cut at boundaries that do not depend on
// them, every limit days since 1970, and taken in whole pieces up to today:
// asked again tomorrow, all but the last are known.
func (q dataQuery) split(p Period, now time.Time) ([]part, error) {
	if p.newest() {
		return []part{{newest: true}}, nil
	}
	if p.To.Before(p.From) {
		return nil, coast.Errorf(coast.InvalidRequest, "The period ends at %s, before it begins at %s: give the earlier time first.",
			p.To.UTC().Format(time.RFC3339), p.From.UTC().Format(time.RFC3339))
	}
	end := q.unit.ceil(p.To)
	if !q.ahead {
		if p.From.After(now) {
			return nil, coast.Errorf(coast.ProductUnavailable, "Observations end now, and the period begins later, at %s: ask for one that has begun, or for predictions.",
				p.From.UTC().Format(time.RFC3339))
		}
		end = min(end, dayOf(now))
	}
	first := dayOf(q.unit.floor(p.From))
	if count := end - first + 1; count <= q.limit {
		return []part{{first: first, last: end}}, nil
	} else if count > maxParts*q.limit {
		return nil, coast.Errorf(coast.RangeTooLong, "The period touches %d days in UTC; at most %d days of %s can be asked for at once: ask for a shorter period, or for several.",
			count, maxParts*q.limit, productName(q.product))
	}
	parts := q.pieces(first-mod(first, q.limit), end, now)
	if len(parts) > maxParts { // the boundaries lie badly
		parts = q.pieces(first, end, now)
	}
	return parts, nil
}

// pieces cuts the days from first on into pieces of the limit's length, the
// last of which holds end. None goes on beyond today.
func (q dataQuery) pieces(first, end int, now time.Time) []part {
	var parts []part
	for ; first <= end; first += q.limit {
		last := first + q.limit - 1
		if !q.ahead {
			last = min(last, max(end, dayOf(now)))
		}
		parts = append(parts, part{first: first, last: last})
	}
	return parts
}

// mod is the remainder of a division that rounds down.
func mod(n, by int) int { return ((n % by) + by) % by }

// words is a product's name as a sentence has it.
func productName(product string) string { return strings.ReplaceAll(product, "_", " ") }

// days writes a part's days into a query.
func (p part) days(query url.Values) {
	if p.newest {
		query.Set("date", "latest")
		return
	}
	query.Set("begin_date", midnight(p.first).Format("20060102"))
	query.Set("end_date", midnight(p.last).Format("20060102"))
}

// dayEarlier lists the parts that overlap p and begin or end one day earlier:
// those that the same span of hours touched some hours ago. A part that ends
// earlier is one only if p ends today, and only if its response was received
// before today: then it had all that there was.
func (p part) dayEarlier(now time.Time) []part {
	if p.newest {
		return nil
	}
	list := []part{{first: p.first - 1, last: p.last}}
	if p.last != dayOf(now) {
		return list
	}
	if p.last > p.first {
		list = append(list, part{first: p.first, last: p.last - 1})
	}
	return append(list, part{first: p.first - 1, last: p.last - 1})
}

// classOf is how long the answer about a part keeps: what is old enough does
// not change any more, and what is newest does, whatever the product.
func (q dataQuery) classOf(p part, now time.Time) upstream.Class {
	switch {
	case p.newest && q.class == settled:
		return live
	case !p.newest && dayOf(now)-p.last > settlingDays:
		return settled
	}
	return q.class
}

// within is the stretch of a period that a part covers, to the minute.
func (p part) within(integer Period) Period {
	if p.newest {
		return integer
	}
	from, to := midnight(p.first), midnight(p.last+1).Add(-time.Minute)
	if from.Before(integer.From) {
		from = integer.From
	}
	if to.After(integer.To) {
		to = integer.To
	}
	return Period{from, to}
}
