package operation

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
)

// The limits on spans equal the limits of NOAA's own service, so that results can be compared
// with it.
const (
	LongestExtremes = 10*366*24*time.Hour + time.Hour
	LongestSeries   = 367*24*time.Hour + time.Hour
)

// Bounded returns RangeTooLong if a span is longer than the limit for its interval.
func Bounded(span facts.Interval, longest time.Duration, interval string) error {
	if length := span.To.Sub(span.From); length > longest {
		e := coast.Errorf(
			coast.RangeTooLong,
			"The span is %.0f days long; at interval %s it may be at most %.0f. Ask for it in parts.",
			length.Hours()/24, interval, longest.Hours()/24,
		)
		e.Issues = []coast.Issue{{Path: "range", Code: "range_too_long", Message: e.Message}}
		return e
	}
	return nil
}

// Steps returns the steps on the clock inside a span, both ends included: the first instant,
// the step in minutes, and a slice for the values.
func Steps(span facts.Interval, name string) (start time.Time, minutes int, values []float64) {
	minutes, err := strconv.Atoi(name)
	if err != nil {
		minutes = 60 // h
	}
	start = span.From.Truncate(time.Minute)
	if start.Before(span.From) {
		start = start.Add(time.Minute)
	}
	if over := start.Minute() % minutes; over > 0 {
		start = start.Add(time.Duration(minutes-over) * time.Minute)
	}
	if start.After(span.To) && span.From.Equal(span.To) {
		start = start.Add(-time.Duration(minutes) * time.Minute) // a single instant: the step before it
		return start, minutes, make([]float64, 1)
	}
	if start.After(span.To) {
		return start, minutes, []float64{}
	}
	return start, minutes, make(
		[]float64, 1+int(span.To.Sub(start)/(time.Duration(minutes)*time.Minute)),
	)
}

// longestFill is the number of values that are computed between two looks at the context: those of
// 69 days at steps of a minute. Ours.
const longestFill = 100_000

// FillSeries fills values with those of fill at even steps, or returns the cause of the end of ctx.
func FillSeries(
	ctx context.Context, start time.Time, step time.Duration, values []float64,
	fill func(time.Time, time.Duration, []float64),
) error {
	for part := range slices.Chunk(values, longestFill) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		fill(start, step, part)
		start = start.Add(time.Duration(len(part)) * step)
	}
	return nil
}

// LaterStart returns a note if a series begins after its span does, at the next full step.
func LaterStart(span facts.Interval, start time.Time, minutes int) []string {
	if !start.After(span.From.Truncate(time.Minute)) {
		return nil
	}
	return []string{fmt.Sprintf("The series begins at %s, the first full step of %d minutes after %s.",
		start.Format("15:04"), minutes, span.From.In(start.Location()).Format("15:04"))}
}

// SpanFrom returns the span from an instant to the end of a span.
func SpanFrom(next time.Time, span coast.Span) Span {
	return Span{Begin: next.Format(time.RFC3339), End: span.To.Format(time.RFC3339)}
}
