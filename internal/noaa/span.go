package noaa

import (
	"net/url"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Period is a closed time interval. The zero Period requests the newest value.
type Period struct {
	From, To time.Time
}

func (p Period) newest() bool { return p.From.IsZero() && p.To.IsZero() }

func (p Period) contains(t time.Time) bool {
	return p.newest() || !t.Before(p.From) && !t.After(p.To)
}

// settlingDays is the number of days before today for which rows still arrive (ours).
const settlingDays = 2

// maxParts limits the requests for one period (ours).
const maxParts = 10

// dataQuery is a query for one product of one station.
type dataQuery struct {
	product string
	query   url.Values     // all parameters but the days
	limit   int            // days that one request may span
	class   upstream.Class // of days whose rows may still change
	ahead   bool           // predictions, which do not end today
	unit    unit           // time that one row covers
}

// unit is the unit of time that one row covers.
type unit byte

const (
	instants unit = iota
	days
	months
)

// floor returns the beginning of the unit of t, which is the time of its row.
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

// ceil returns the last day of the unit of t.
func (u unit) ceil(t time.Time) int {
	if u == months {
		t = u.floor(t).AddDate(0, 1, -1)
	}
	return dayOf(t)
}

// part is the content of one request: whole days in UTC, counted from 1970-01-01, or the newest
// value.
type part struct {
	first, last int
	newest      bool
}

// dayOf returns the days since 1970-01-01 UTC. A duration would overflow after 292 years.
func dayOf(t time.Time) int {
	seconds := t.Unix()
	d := seconds / 86400
	if seconds%86400 < 0 {
		d--
	}
	return int(d)
}

func midnight(d int) time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// split returns the requests for a period. They have whole days, so that the same query a minute
// later has the same URL. A period within the limit takes one request. A longer one is split at
// boundaries that do not depend on it, every limit days since 1970, into full parts up to today. So
// all but the last part are in the cache when it is requested again the next day.
func (q dataQuery) split(p Period, now time.Time) ([]part, error) {
	if p.newest() {
		return []part{{newest: true}}, nil
	}
	if p.To.Before(p.From) {
		return nil, coast.Errorf(coast.InvalidRequest,
			"The period ends at %s, before it begins at %s: give the earlier time first.",
			p.To.UTC().Format(time.RFC3339), p.From.UTC().Format(time.RFC3339))
	}
	end := q.unit.ceil(p.To)
	if !q.ahead {
		if p.From.After(now) {
			return nil, coast.Errorf(coast.ProductUnavailable,
				"Observations end now, and the period begins later, at %s: ask for one that has begun, or "+
					"for predictions.",
				p.From.UTC().Format(time.RFC3339))
		}
		end = min(end, dayOf(now))
	}
	first := dayOf(q.unit.floor(p.From))
	if count := end - first + 1; count <= q.limit {
		return []part{{first: first, last: end}}, nil
	} else if count > maxParts*q.limit {
		return nil, coast.Errorf(coast.RangeTooLong,
			"The period touches %d days in UTC; at most %d days of %s can be asked for at once: ask for a "+
				"shorter period, or for several.",
			count, maxParts*q.limit, productName(q.product))
	}
	parts := q.pieces(first-mod(first, q.limit), end, now)
	if len(parts) > maxParts { // because of the boundaries
		parts = q.pieces(first, end, now)
	}
	return parts, nil
}

// pieces splits the days from first on into parts of limit days, the last of which contains end.
// Parts of observations end today at the latest.
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

// mod returns the remainder of a division that rounds down.
func mod(n, by int) int { return ((n % by) + by) % by }

// productName returns the name of a product for messages.
func productName(product string) string { return strings.ReplaceAll(product, "_", " ") }

// days sets the days of a part in a query.
func (p part) days(query url.Values) {
	if p.newest {
		query.Set("date", "latest")
		return
	}
	query.Set("begin_date", midnight(p.first).Format("20060102"))
	query.Set("end_date", midnight(p.last).Format("20060102"))
}

// dayEarlier returns the parts that overlap p and begin or end one day earlier: the parts for the
// same span of hours, requested some hours ago. A part that ends earlier is used only if p ends
// today and its response was received before today, when it was complete.
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

// classOf returns the caching class of a part: old values do not change any more, and the newest
// value changes for all products.
func (q dataQuery) classOf(p part, now time.Time) upstream.Class {
	switch {
	case p.newest && q.class == settled:
		return live
	case !p.newest && dayOf(now)-p.last > settlingDays:
		return settled
	}
	return q.class
}

// within returns the intersection of a part and a period, to the minute.
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
