package tide

import (
	"math"
	"time"
)

// Extreme is a high or a low water.
type Extreme struct {
	Time   time.Time // UTC, rounded to the minute as published
	Height float64   // meters above the datum at the unrounded time, not rounded
	High   bool
}

// longest is the longest span of events, in seconds: 400 Gregorian years.
const longest = 146097 * 86400

// request is a period of events: published minutes from one to another, both included, in
// whole Unix seconds.
type request struct{ from, to int64 }

func requestOf(from, to time.Time) request {
	if from.Nanosecond() > 0 {
		from = from.Add(time.Second) // the next whole one
	}
	s := request{wholeSecond(from), wholeSecond(to)}
	s.to = min(s.to, s.from+longest)
	return s
}

// wholeSecond returns the Unix time of the second that contains t, limited to the
// supported range.
func wholeSecond(t time.Time) int64 { return min(max(t.Unix(), earliest), latest-1) }

// first and last return the bounds of the true times that round to a minute of the span.
func (s request) first() float64 { return float64(s.from) - 30 }

func (s request) last() float64 { return float64(s.to) + 30 }

// holds reports whether a published minute lies in the span.
func (s request) holds(minute int64) bool { return minute >= s.from && minute <= s.to }

// usual returns a number of high and low waters that a span seldom exceeds.
func (s request) usual() int { return int(max(s.to-s.from, 0)/21600) + 2 }

// toMinute rounds a Unix time to the nearest minute, rounding half a minute up.
func toMinute(at float64) int64 { return int64(math.Floor(at/60+0.5)) * 60 }

// instant returns the time of a published minute.
func instant(minute int64) time.Time { return time.Unix(minute, 0).UTC() }
