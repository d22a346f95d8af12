package noaa

import (
	"strconv"
	"time"
)

// decimal reads a decimal number exactly: what strconv reads, without its
// words (inf, nan), its hexadecimal numbers and its underscores.
func decimal(b []byte) (float64, bool) {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(b), 64)
	return x, err == nil // beyond the largest number: an error
}

// instant reads yyyy-mm-dd hh:mm.
func instant(b []byte) (time.Time, bool) {
	if len(b) != len("yyyy-mm-dd hh:mm") || b[10] != ' ' {
		return time.Time{}, false
	}
	t, ok := date(b[:10])
	at, fine := clock(b[11:])
	return t.Add(at), ok && fine
}

// date reads yyyy-mm-dd or yyyymmdd.
func date(b []byte) (time.Time, bool) {
	switch {
	case len(b) == 10 && b[4] == '-' && b[7] == '-':
		return civil(b[:4], b[5:7], b[8:])
	case len(b) == 8:
		return civil(b[:4], b[4:6], b[6:])
	}
	return time.Time{}, false
}

// civil is the day of a calendar date, which must be one.
func civil(yyyy, mm, dd []byte) (time.Time, bool) {
	y, m, d := digits(yyyy), digits(mm), digits(dd)
	if y < 0 || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d
}

// clock reads hh:mm.
func clock(b []byte) (time.Duration, bool) {
	if len(b) != 5 || b[2] != ':' {
		return 0, false
	}
	h, m := digits(b[:2]), digits(b[3:])
	ok := 0 <= h && h < 24 && 0 <= m && m < 60
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute, ok
}

// digits is the number that some digits write, -1 if there is another byte.
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

// feet is the length of the international foot in metres.
const feet = 0.3048

// lengths are the units of length that bodies name, in metres.
var lengths = map[string]float64{
	"meters": 1, "meter": 1, "m": 1, "metric": 1,
	"feet": feet, "foot": feet, "ft": feet, "english": feet,
}

// scaled multiplies what is there.
func scaled(x *float64, factor float64) *float64 {
	if x == nil {
		return nil
	}
	y := *x * factor
	return &y
}
