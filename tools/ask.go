package tools

import (
	"context"
	"slices"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/stations"
)

// This file holds what the operations that ask providers share: how long they
// wait, for which span they ask, and how what comes back, or does not, stands
// in an answer.

// How long an answer waits for providers: one that is theirs, and one that
// mostly stands here and that they only add to.
const (
	deadline      = 10 * time.Second
	deadlineOfAdd = 3 * time.Second
)

// asking bounds the time that an answer waits for providers.
func asking(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, deadline)
}

// adding bounds the time that an answer waits for what providers add to it.
func adding(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, deadlineOfAdd)
}

// observing finds the station of an observation, its zone, and the span,
// which where it depends on now runs back from it.
func (m moment) observing(ctx context.Context, id string, in Span, timeZone string, usual time.Duration) (st stations.Station, z zone, span interval, err error) {
	if st, err = m.gauge(ctx, id); err != nil {
		return st, z, span, err
	}
	if z, err = m.zones.at(st.Zone, timeZone, m.now); err != nil {
		return st, z, span, err
	}
	span, err = in.resolve(m.now, z, false, usual)
	if err == nil && span.from.After(m.now) {
		err = coast.Errorf(coast.ProductUnavailable, "The span begins at %s, which is yet to come: observations end now. For what is to come use predictions or forecasts.", span.from.Format(time.RFC3339))
	}
	return st, z, span, err
}

// period is a span as the provider is asked for it: an instant is the newest value.
func (i interval) period() noaa.Period {
	if i.from.Equal(i.to) {
		return noaa.Period{}
	}
	return noaa.Period{From: i.from.UTC(), To: i.to.UTC()}
}

// days is a span as the provider is asked for whole days or months of it: by
// their names in the caller's zone.
func (i interval) days() noaa.Period {
	name := func(t time.Time) time.Time {
		y, month, d := t.Date()
		return time.Date(y, month, d, 0, 0, 0, 0, time.UTC)
	}
	return noaa.Period{From: name(i.from), To: name(i.to)}
}

// retrieval is what is known of the rows of an answer beside them.
type retrieval struct {
	newest   *time.Time
	received time.Time
	gaps     []noaa.Gap
}

// retrieved sums up records. at tells the time of a row, and whether it has a
// value: rows without one go on while a sensor is dead, and make nothing fresh.
func retrieved[R any](r noaa.Records[R], at func(R) (time.Time, bool)) retrieval {
	got := retrieval{received: r.ReceivedAt, gaps: r.Gaps}
	for _, row := range slices.Backward(r.Rows) {
		if t, has := at(row); has {
			t = t.UTC()
			got.newest = &t
			break
		}
	}
	return got
}

// observation is the source of rows of a span. Where the span reaches the present
// they age from the newest of them; past and verified ones settle.
func (m moment) observation(o origin, live shelf, newest *time.Time, span interval, verified bool, received time.Time) coast.Source {
	past := span.to.Before(m.now.Add(-live.aging))
	switch {
	case verified || past:
		return m.had(o, settledShelf, newest, received, received)
	case newest == nil:
		s := m.had(o, live, nil, received, received)
		s.Freshness, s.AgeMinutes = coast.Unknown, nil
		return s
	}
	return m.had(o, live, newest, *newest, received)
}

// gaps are the parts of a span that could not be had.
func gaps(list []noaa.Gap, z zone) []coast.Missing {
	var missing []coast.Missing
	for _, g := range list {
		missing = append(missing, coast.Missing{
			Input:  g.From.In(z.Location).Format(time.RFC3339) + " to " + g.To.In(z.Location).Format(time.RFC3339),
			Reason: g.Err.Message,
		})
	}
	return missing
}

// steps is a column of equal steps that rows are written into.
type steps struct {
	start time.Time
	step  int // minutes
	count int
	over  int // rows between the steps
}

// layColumn lays out the column of n rows in order of time: it begins with the
// first row, or at the span's first step where rows are missing before it,
// and ends with the last row.
func layColumn(n int, at func(int) time.Time, minutes int, span interval) steps {
	if n == 0 {
		return steps{start: span.from, step: minutes}
	}
	if span.from.Equal(span.to) { // of an instant: the newest row
		return steps{start: at(n - 1), step: minutes, count: 1}
	}
	width := time.Duration(minutes) * time.Minute
	c := steps{start: at(0), step: minutes}
	if before := at(0).Sub(span.from); before > 0 {
		c.start = at(0).Add(-before.Truncate(width))
	}
	c.count = 1 + int(at(n-1).Sub(c.start)/width)
	for i := range n {
		if _, ok := c.index(at(i)); !ok {
			c.over++
		}
	}
	return c
}

// index is the place of a time in the column.
func (c steps) index(t time.Time) (int, bool) {
	width := time.Duration(c.step) * time.Minute
	after := t.Sub(c.start)
	i := int(after / width)
	return i, after >= 0 && after%width == 0 && i < c.count
}

// part is one of the parts that an answer is made of.
type part struct {
	origin origin
	input  string // as missing names it
	source *coast.Source
	err    error
}

// into adds the part's source, or that it is missing.
func (p part) into(m moment, to *coast.Provenance) {
	switch {
	case p.err != nil:
		m.lack(to, p.origin, p.input, p.err)
	case p.source != nil:
		to.Sources = append(to.Sources, *p.source)
	}
}

// together runs the parts at once and returns when all are done. A panic in
// one of them is the caller's, whose door answers for it.
func together(parts ...func()) {
	var all sync.WaitGroup
	var once sync.Once
	var caught any
	for _, part := range parts {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					once.Do(func() { caught = p })
				}
			}()
			part()
		})
	}
	all.Wait()
	if caught != nil {
		panic(caught)
	}
}

// nothing is the error of parts that all failed: the one that waiting can
// mend, if there is one.
func nothing(errs []error) error {
	if slices.Contains(errs, nil) {
		return nil
	}
	for _, err := range errs {
		if e, _ := coast.AsError(err); e.Code == coast.ProviderUnavailable {
			return err
		}
	}
	return errs[0]
}
