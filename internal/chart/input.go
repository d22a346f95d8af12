package chart

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"time"
)

// Series holds values at equal steps of time. NaN is a missing value.
type Series struct {
	Start  time.Time
	Step   time.Duration
	Values []float64
}

// at returns the time of value i.
func (s Series) at(i int) time.Time { return s.Start.Add(time.Duration(i) * s.Step) }

// end returns the time of the last value.
func (s Series) end() time.Time { return s.at(max(len(s.Values)-1, 0)) }

// Between returns the values from one time to another, both included.
func (s Series) Between(from, to time.Time) Series {
	if s.Step <= 0 || len(s.Values) == 0 {
		return Series{Start: s.Start, Step: s.Step}
	}
	first := int(math.Ceil(float64(from.Sub(s.Start)) / float64(s.Step)))
	last := int(math.Floor(float64(to.Sub(s.Start)) / float64(s.Step)))
	first, last = max(first, 0), min(last, len(s.Values)-1)
	if first > last {
		return Series{Start: s.Start, Step: s.Step}
	}
	return Series{Start: s.at(first), Step: s.Step, Values: s.Values[first : last+1]}
}

// newest returns the last value that is not missing.
func (s Series) newest() (at time.Time, v float64, ok bool) {
	for i := len(s.Values) - 1; i >= 0; i-- {
		if finite(s.Values[i]) {
			return s.at(i), s.Values[i], true
		}
	}
	return time.Time{}, 0, false
}

// drawable reports whether the series has a span to draw, and a value in it.
func (s Series) drawable() bool {
	if len(s.Values) < 2 || s.Step <= 0 {
		return false
	}
	for _, v := range s.Values {
		if finite(v) {
			return true
		}
	}
	return false
}

// runsOf yields the first and the last index of each run of values, so that lines and areas
// have gaps at missing values.
func runsOf(s Series) iter.Seq2[int, int] {
	return func(yield func(first, last int) bool) {
		for i := 0; i < len(s.Values); i++ {
			if !finite(s.Values[i]) {
				continue
			}
			first := i
			for i+1 < len(s.Values) && finite(s.Values[i+1]) {
				i++
			}
			if !yield(first, i) {
				return
			}
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Span is an interval of time.
type Span struct{ From, To time.Time }

// Daylight is the light of the days of a chart: the spans from civil dawn to civil dusk, and
// from sunrise to sunset. All other times are night. A day on which the sun does not set is a
// span of the whole day.
type Daylight struct{ Twilights, Days []Span }

// Clock is the format of times.
type Clock struct {
	Zone   *time.Location
	Twelve bool // 8:19 PM instead of 20:19
}

func (c Clock) appendTime(b []byte, t time.Time) []byte {
	if c.Twelve {
		return t.In(c.Zone).AppendFormat(b, "3:04"+nbsp+"PM")
	}
	return t.In(c.Zone).AppendFormat(b, "15:04")
}

func (c Clock) time(t time.Time) string { return string(c.appendTime(nil, t)) }

func (c Clock) appendHour(b []byte, t time.Time) []byte {
	if c.Twelve {
		return t.In(c.Zone).AppendFormat(b, "3"+nbsp+"PM")
	}
	return t.In(c.Zone).AppendFormat(b, "15:04")
}

// name returns 12 or 24.
func (c Clock) name() string {
	if c.Twelve {
		return "12"
	}
	return "24"
}

// appendMoment appends a time with its day, for descriptions.
func (c Clock) appendMoment(b []byte, t time.Time) []byte {
	if c.Twelve {
		return t.In(c.Zone).AppendFormat(b, "Mon 2 January 3:04"+nbsp+"PM")
	}
	return t.In(c.Zone).AppendFormat(b, "Mon 2 January 15:04")
}

// appendSpan appends "from ... to ..., times in ...".
func (c Clock) appendSpan(b []byte, s Series) []byte {
	b = c.appendMoment(append(b, "from "...), s.Start)
	b = c.appendMoment(append(b, " to "...), s.end())
	return c.appendZones(append(b, ", times in "...), s.Start, s.end())
}

// appendZones appends the zone with its offset: EST (UTC−5). If clocks change between the two
// times, it appends both: EDT (UTC−4), then EST (UTC−5).
func (c Clock) appendZones(b []byte, from, to time.Time) []byte {
	b = c.appendZone(b, from, true)
	if c.changes(from, to) {
		b = c.appendZone(append(b, ", then "...), to, true)
	}
	return b
}

// zones returns the line about times of a framed chart: times in EST (UTC−5). There is room for
// two zones without their offsets: times in EDT, then EST.
func (c Clock) zones(from, to time.Time) string {
	changes := c.changes(from, to)
	b := c.appendZone(append(make([]byte, 0, 32), "times in "...), from, !changes)
	if changes {
		b = c.appendZone(append(b, ", then "...), to, false)
	}
	return string(b)
}

// changes reports whether clocks show another offset at one time than at another.
func (c Clock) changes(from, to time.Time) bool {
	_, before := from.In(c.Zone).Zone()
	_, after := to.In(c.Zone).Zone()
	return before != after
}

// appendZone appends the abbreviation of the zone at a time, with its offset if requested: EST,
// EST (UTC−5). A zone without an abbreviation has its offset instead: UTC−3.
func (c Clock) appendZone(b []byte, at time.Time, offset bool) []byte {
	name, seconds := at.In(c.Zone).Zone()
	switch {
	case name == "UTC" && seconds == 0:
		return append(b, name...)
	case name == "" || strings.ContainsAny(name[:1], "+-"):
		return appendOffset(b, seconds)
	case !offset:
		return append(b, name...)
	}
	b = append(append(b, name...), nbsp+"("...)
	return append(appendOffset(b, seconds), ')')
}

// appendOffset appends an offset from UTC: UTC−5, UTC+5:45.
func appendOffset(b []byte, seconds int) []byte {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "\u2212", -seconds
	}
	b = strconv.AppendInt(append(append(b, "UTC"...), sign...), int64(seconds/3600), 10)
	if minutes := seconds / 60 % 60; minutes != 0 {
		b = append(b, ':', byte('0'+minutes/10), byte('0'+minutes%10))
	}
	return b
}

// capital returns a text with its first letter in upper case.
func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
