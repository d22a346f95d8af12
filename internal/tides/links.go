package tides

import (
	"maps"
	"net/url"
	"time"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// Links returns the pages and files that show the tide of the span to people: the month and the
// year to print, the calendar, and in place of the year the chart if the result has a picture.
// Without a picture, a span of at most two days does not have links; windows and ranks never do.
func (p TidePredictions) Links(pictured bool) []operation.Link {
	short := p.Span.To.Sub(p.Span.From) <= 48*time.Hour
	if p.Windows != nil || p.Ranks != nil || short && !pictured {
		return nil
	}
	page := "/stations/" + p.Station.ID
	query := url.Values{}
	if p.Units != coast.English { // the default
		query.Set("units", string(p.Units))
	}
	if p.Datum != "MLLW" {
		query.Set("datum", string(p.Datum))
	}
	with := func(path string, more ...string) string {
		all := maps.Clone(query)
		for i := 0; i < len(more); i += 2 {
			all.Set(more[i], more[i+1])
		}
		if len(all) == 0 {
			return path
		}
		return path + "?" + all.Encode()
	}
	first := p.Span.From.Format(time.DateOnly)
	links := []operation.Link{
		{Title: "month to print", URI: with(page, "date", first, "days", "31"), Type: "text/html"},
		{Title: "calendar", URI: with(page + "/tide.ics"), Type: "text/calendar"},
	}
	if pictured {
		return append(links, operation.Link{Title: "chart",
			URI: with(page+"/tide.svg", "date", first), Type: "image/svg+xml"})
	}
	return append(links, operation.Link{Title: "year to print",
		URI: with(page + "/year/" + first[:4]), Type: "text/html"})
}
