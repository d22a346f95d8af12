package tide

import (
	"math"
	"time"
)

// longest is the longest span of events, in seconds: 400 Gregorian years.
const longest = 146097 * 86400

// span is what a caller asks for: published minutes from one to another, both
// included, in whole Unix seconds.
type span struct{ from, to int64 }

func spanOf(from, to time.Time) span {
	if from.Nanosecond() > 0 {
		from = from.Add(time.Second) // the next whole one
	}
	s := span{wholeSecond(from), wholeSecond(to)}
	s.to = min(s.to, s.from+longest)
	return s
}

// wholeSecond is the Unix time of the second that t lies in, moved into the
// range that can be predicted.
func wholeSecond(t time.Time) int64 { return min(max(t.Unix(), earliest), latest-1) }

// first and last are the bounds of the true times that round to a minute of the span.
func (s span) first() float64 { return float64(s.from) - 30 }
func (s span) last() float64  { return float64(s.to) + 30 }

// holds reports whether a published minute lies in the span.
func (s span) holds(minute int64) bool { return minute >= s.from && minute <= s.to }

// publish appends the turns whose minute lies in the span to events.
func (s span) publish(turns []turn, events []Extreme) []Extreme {
	for _, t := range turns {
		if minute := toMinute(t.at); s.holds(minute) {
			events = append(events, Extreme{Time: instant(minute), Height: t.height, High: t.high})
		}
	}
	return events
}

// usual is the number of high and low waters that a span usually has at most.
func (s span) usual() int { return int(max(s.to-s.from, 0)/21600) + 2 }

// toMinute rounds a Unix time to the nearest minute, halves upwards.
func toMinute(at float64) int64 { return int64(math.Floor(at/60+0.5)) * 60 }

// instant is the time of a published minute.
func instant(minute int64) time.Time { return time.Unix(minute, 0).UTC() }
