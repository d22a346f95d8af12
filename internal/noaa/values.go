package noaa

import (
	"strconv"
	"time"
)

// decimal parses a decimal number like strconv.ParseFloat, but rejects inf, nan, hexadecimal
// numbers and underscores.
func decimal(b []byte) (float64, bool) {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(b), 64)
	return x, err == nil // overflow is an error
}

// instant parses yyyy-mm-dd hh:mm.
func instant(b []byte) (time.Time, bool) {
	if len(b) != len("yyyy-mm-dd hh:mm") || b[10] != ' ' {
		return time.Time{}, false
	}
	t, ok := date(b[:10])
	at, fine := clock(b[11:])
	return t.Add(at), ok && fine
}

// date parses yyyy-mm-dd or yyyymmdd.
func date(b []byte) (time.Time, bool) {
	switch {
	case len(b) == 10 && b[4] == '-' && b[7] == '-':
		return civil(b[:4], b[5:7], b[8:])
	case len(b) == 8:
		return civil(b[:4], b[4:6], b[6:])
	}
	return time.Time{}, false
}

// civil returns the day of a calendar date, which must exist.
func civil(yyyy, mm, dd []byte) (time.Time, bool) {
	y, m, d := digits(yyyy), digits(mm), digits(dd)
	if y < 0 || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d
}

// clock parses hh:mm.
func clock(b []byte) (time.Duration, bool) {
	if len(b) != 5 || b[2] != ':' {
		return 0, false
	}
	h, m := digits(b[:2]), digits(b[3:])
	ok := 0 <= h && h < 24 && 0 <= m && m < 60
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute, ok
}

// digits returns the number of a string of digits, -1 if it has another byte.
func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// feet is the length of the international foot in meters.
const feet = 0.3048

// lengths maps the units of length in responses to meters.
var lengths = map[string]float64{
	"meters": 1, "meter": 1, "m": 1, "metric": 1,
	"feet": feet, "foot": feet, "ft": feet, "english": feet,
}

// scaled returns x times factor, nil for nil.
func scaled(x *float64, factor float64) *float64 {
	if x == nil {
		return nil
	}
	y := *x * factor
	return &y
}
