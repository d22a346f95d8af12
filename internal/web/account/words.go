package account

import (
	"html/template"
	"time"
)

// The formats of days and times. Times of accounts are in UTC, as quotas are.
const (
	dayFormat    = "2 Jan 2006"
	momentFormat = "2 Jan 2006, 15:04 UTC"
)

// day writes the UTC day of a time, or "today".
func (v *visit) day(t time.Time) template.HTML {
	t = t.UTC()
	if now := v.c.Now().UTC(); t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return element(t.Format(time.DateOnly), "today")
	}
	return element(t.Format(time.DateOnly), t.Format(dayFormat))
}

// moment writes a time.
func moment(t time.Time) template.HTML {
	t = t.UTC()
	return element(t.Format(time.RFC3339), t.Format(momentFormat))
}

// element returns an element with a text about a time, and the time for programs.
func element(time, text string) template.HTML {
	return template.HTML(`<time datetime="` + time + `">` + text + `</time>`)
}
