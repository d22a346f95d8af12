package nws

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// interval reads the service's way of saying from when to when: a time, a
// slash and a duration, as in 2026-01-20T00:00:00+00:00/P8DT1H. Both ends are
// UTC, to is after from.
func interval(text string) (from, to time.Time, err error) {
	start, length, ok := strings.Cut(text, "/")
	if !ok {
		return from, to, fmt.Errorf("interval %q without a slash", text)
	}
	if from, err = instant(start); err != nil {
		return from, to, err
	}
	d, err := duration(length)
	if err != nil {
		return from, to, err
	}
	return from, from.Add(d), nil
}

// longest bounds a duration: forecasts run a week or two.
const longest = 366 * 24 * time.Hour

// duration reads an ISO 8601 duration of days, hours, minutes and seconds in
// this order: P1DT19H, PT30M. Years, months and weeks are not known (a
// month has no length), nor is a duration of nothing.
func duration(text string) (time.Duration, error) {
	rest, ok := strings.CutPrefix(text, "P")
	days, clock, timed := strings.Cut(rest, "T")
	var total time.Duration
	if ok && days != "" {
		ok = part(&days, 'D', 24*time.Hour, &total) && days == ""
	}
	if ok && timed {
		some := part(&clock, 'H', time.Hour, &total)
		some = part(&clock, 'M', time.Minute, &total) || some
		some = part(&clock, 'S', time.Second, &total) || some
		ok = some && clock == ""
	}
	if !ok || total <= 0 || total > longest {
		return 0, fmt.Errorf("duration %q is not known", text)
	}
	return total, nil
}

// part cuts a count of one unit off the text and adds it to total. It
// reports whether there was one.
func part(text *string, letter byte, unit time.Duration, total *time.Duration) bool {
	i := 0
	for i < len(*text) && digit((*text)[i]) {
		i++
	}
	if i == 0 || i > 6 || i == len(*text) || (*text)[i] != letter { // six digits of days do not overflow
		return false
	}
	n, _ := strconv.Atoi((*text)[:i]) // digits, few
	*total += time.Duration(n) * unit
	*text = (*text)[i+1:]
	return true
}
