package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// sourceView is a row of the table of sources.
type sourceView struct {
	Label, URL, Provider, Kind, Age, Freshness string
	order                                      int
	id                                         string
	at                                         *time.Time // of the data
}

// Sources is the table of the sources of a page.
type Sources []sourceView

// Add adds a source to the table, once.
func (list *Sources) Add(s coast.Source) {
	row := sourceView{
		Label: s.Label, URL: s.AttributionURL, Provider: string(s.Provider), Kind: string(s.Kind),
		id: s.ID, at: s.SourceAt, Age: "unknown",
		order: slices.Index([]string{"prediction", "observation", "forecast", "calculation"},
			string(s.Kind)),
	}
	switch {
	case !s.Available:
		row.Age = "not available"
	case s.AgeMinutes != nil:
		row.Age = Ago(*s.AgeMinutes)
		if s.Freshness != coast.Fresh {
			row.Freshness = string(s.Freshness)
		}
	}
	if !strings.HasPrefix(row.URL, "https://") {
		row.URL = ""
	}
	at := slices.IndexFunc(*list, func(o sourceView) bool { return o.id == s.ID })
	switch {
	case at < 0:
		*list = append(*list, row)
	case newer(s.SourceAt, (*list)[at].at): // of two spans of a fact
		(*list)[at] = row
	}
}

// newer reports whether a time is after another. No time is older than any.
func newer(a, b *time.Time) bool { return a != nil && (b == nil || a.After(*b)) }

// Call is a fact of the page as programs request it.
type Call struct{ Name, Curl, Tool string }

// Sort sorts the table by the kind of the sources.
func (list Sources) Sort() {
	slices.SortStableFunc(list, func(a, b sourceView) int { return cmp.Compare(a.order, b.order) })
}
