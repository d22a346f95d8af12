package facts

import (
	"slices"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
)

// Retrieval describes the rows of a provider response.
type Retrieval struct {
	Newest   *time.Time
	Received time.Time
	Gaps     []noaa.Gap
}

// Retrieved returns the Retrieval of records. at returns the time of a row and whether it has a
// value. A broken sensor continues to send rows without values, which do not make data fresh.
func Retrieved[R any](r noaa.Records[R], at func(R) (time.Time, bool)) Retrieval {
	got := Retrieval{Received: r.ReceivedAt, Gaps: r.Gaps}
	for _, row := range slices.Backward(r.Rows) {
		if t, has := at(row); has {
			t = t.UTC()
			got.Newest = &t
			break
		}
	}
	return got
}

// Observation returns the source of the rows of a span. If the span reaches the present, age
// counts from the newest row. Past and verified rows have SettledLifetime.
func (c Clock) Observation(
	o Origin, live Lifetime, newest *time.Time, span Interval, verified bool, received time.Time,
) coast.Source {
	past := span.To.Before(c.Now.Add(-live.aging))
	switch {
	case newest == nil:
		s := c.Obtained(o, live, nil, received, received)
		s.Freshness, s.AgeMinutes = coast.Unknown, nil
		return s
	case verified || past:
		return c.Obtained(o, SettledLifetime, newest, received, received)
	}
	return c.Obtained(o, live, newest, *newest, received)
}

// Gaps returns the parts of a span that could not be obtained.
func Gaps(list []noaa.Gap, z Zone) []coast.Missing {
	var missing []coast.Missing
	for _, g := range list {
		missing = append(missing, coast.Unobtained(
			g.From.In(z.Location).Format(time.RFC3339)+" to "+g.To.In(z.Location).Format(time.RFC3339),
			g.Err,
		))
	}
	return missing
}

// Column is a column of equal steps into which rows are written.
type Column struct {
	Start time.Time
	Step  int // minutes
	Count int
	Over  int // rows between the steps
}

// NewColumn returns the column of n rows in order of time. It begins with the first row, or at
// the span's first step if rows are missing before the first row, and ends with the last row.
func NewColumn(n int, at func(int) time.Time, minutes int, span Interval) Column {
	if n == 0 {
		return Column{Start: span.From, Step: minutes}
	}
	if span.From.Equal(span.To) { // for an instant: the newest row
		return Column{Start: at(n - 1), Step: minutes, Count: 1}
	}
	width := time.Duration(minutes) * time.Minute
	c := Column{Start: at(0), Step: minutes}
	if before := at(0).Sub(span.From); before > 0 {
		c.Start = at(0).Add(-before.Truncate(width))
	}
	c.Count = 1 + int(at(n-1).Sub(c.Start)/width)
	for i := range n {
		if _, ok := c.Index(at(i)); !ok {
			c.Over++
		}
	}
	return c
}

// Index returns the index of a time in the column.
func (c Column) Index(t time.Time) (int, bool) {
	width := time.Duration(c.Step) * time.Minute
	after := t.Sub(c.Start)
	i := int(after / width)
	return i, after >= 0 && after%width == 0 && i < c.Count
}

// Concurrently runs the parts concurrently and returns when all are done. A panic in one of them
// is raised again in the caller.
func Concurrently(parts ...func()) {
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

// AllFailed returns the error of parts that all failed, nil if one did not. It prefers an error
// that a retry can resolve.
func AllFailed(errs []error) error {
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
