package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
)

// Day returns the date of a time and its zone: Sun 2026-11-22 EST.
func Day(at time.Time) string { return at.Format("Mon 2006-01-02 ") + Zone(at) }

// Minute returns a time with its date and zone: Sun 2026-11-22 08:36 EST.
func Minute(at time.Time) string { return at.Format("Mon 2006-01-02 15:04 ") + Zone(at) }

// Zone returns the abbreviation of a time's zone, or its offset from UTC: EST, UTC+01.
func Zone(at time.Time) string {
	name, _ := at.Zone()
	if name == "" {
		name = at.Format("MST")
	}
	if strings.HasPrefix(name, "+") || strings.HasPrefix(name, "-") {
		return "UTC" + name
	}
	return name
}

// Clock returns the time of day for a sentence, to the nearest minute, with the abbreviation
// of its zone, and the date unless it is the current date: 8:36 AM EST, 9:22 AM EST on Mon 23
// Nov, 9:22 AM EST on Sat 23 Jan 2027.
func Clock(at, now time.Time) string {
	at = at.Round(time.Minute)
	clock, today := append(at.AppendFormat(nil, "3:04 PM "), Zone(at)...), now.In(at.Location())
	switch {
	case at.Year() != today.Year():
		clock = at.AppendFormat(clock, " on Mon 2 Jan 2006")
	case at.YearDay() != today.YearDay():
		clock = at.AppendFormat(clock, " on Mon 2 Jan")
	}
	return string(clock)
}

// Age returns a number of minutes as an age: 45 minutes old, 3 hours old, 2 days old.
func Age(minutes int) string {
	switch {
	case minutes < 90:
		return counted(minutes, "minute") + " old"
	case minutes < 36*60:
		return counted((minutes+30)/60, "hour") + " old"
	}
	return counted((minutes+12*60)/(24*60), "day") + " old"
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Number returns a number with the given number of decimals, as in columns.
func Number(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if s[0] == '-' && strings.Trim(s, "-0.") == "" {
		return s[1:] // no minus zero
	}
	return s
}

// Short returns a number with at most the given number of decimals: 9, 9.5.
func Short(v float64, decimals int) string {
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(math.Round(v*scale)/scale+0, 'f', -1, 64) // + 0: no minus zero
}

// Known returns the number as Short does, or "-" if there is none.
func Known(v *float64, decimals int) string {
	if v == nil {
		return "-"
	}
	return Short(*v, decimals)
}

// Quote returns a provider's words in quotation marks that the words cannot close.
func Quote(s string) string {
	return "“" + Escape(strings.NewReplacer("“", `"`, "”", `"`).Replace(s)) + "”"
}

// Name returns a provider's name in quotation marks, cut at 60 bytes.
func Name(s string) string { return Quote(coast.Clip(s)) }

// Escape returns a provider's text as plain text on one line.
func Escape(s string) string {
	if !strings.ContainsAny(s, active+"\n") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c == '\n' {
			c = ' '
		} else if strings.IndexByte(active, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// active lists the characters that have a special meaning within a line of Markdown.
const active = "|`*[]<>\\"
