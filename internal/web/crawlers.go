package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"leadline/internal/web/plan"
	"leadline/internal/web/site"
	"leadline/internal/web/trip"
)

// crawling lets crawlers keep their files for a day.
const crawling = 24 * time.Hour

const plainText = "text/plain; charset=utf-8"

// robots serves robots.txt: pages without a query may be read, and the documents by which programs
// and models find the service; everything else is for programs. The longer rule wins (RFC 9309).
func (s *Server) robots(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, "/robots.txt", func(context.Context, time.Time) site.Response {
		return site.File(plainText, []byte("User-agent: *\nDisallow: /*?\nDisallow: /account\n"+
			"Disallow: /oauth\nDisallow: /api\nDisallow: /mcp\nDisallow: /pro\n"+
			"Allow: /mcp/server-card\nAllow: /api/planning/openapi.json\n"+
			"Allow: /api/developer/openapi.json\n\n"+
			"Sitemap: "+s.Base+"/sitemap.xml\n"), crawling)
	})
}

// sitemap serves the list of pages. One file may list 50,000.
func (s *Server) sitemap(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, "/sitemap.xml", func(context.Context, time.Time) site.Response {
		var b strings.Builder
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
		add := func(path string) { b.WriteString("<url><loc>" + s.Base + path + "</loc></url>\n") }
		for _, path := range []string{
			"/", "/stations", "/stations/near", "/status", "/verification", "/privacy", "/terms",
			"/support",
		} {
			add(path)
		}
		add(plan.Path)
		add(trip.Path)
		for _, p := range plan.All {
			add(p.Path())
		}
		for _, p := range s.manual().Pages() {
			add(p.Path)
		}
		for _, st := range s.Stations() {
			add("/stations/" + st.ID)
		}
		b.WriteString("</urlset>\n")
		return site.File("application/xml; charset=utf-8", []byte(b.String()), crawling)
	})
}

// llms serves llms.txt: what the server answers, for models that read the site.
func (s *Server) llms(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, "/llms.txt", func(context.Context, time.Time) site.Response {
		var b strings.Builder
		b.WriteString(llmsText)
		for _, p := range s.manual().Pages() {
			b.WriteString("- [" + p.Title + "]({base}" + p.Path + ".md): " + p.About + "\n")
		}
		text := strings.ReplaceAll(b.String(), "{base}", s.Base)
		return site.File(plainText, []byte(text), crawling)
	})
}

const llmsText = `# Leadline

> Tides, tidal currents, observed water levels, weather, sun and moon for the coasts of the
> United States, with the source and the age of every fact. Planning aid only. Not for
> navigation.

Predictions are computed here from NOAA's harmonic constants and equal NOAA's. Observations
come from NOAA CO-OPS, forecasts and alerts from the National Weather Service. Missing data is
reported as missing. Predicted and observed values are never mixed. Flood, ebb and slack do not
follow from high and low water.

## For AI clients

- [MCP endpoint]({base}/mcp): 26 tools over streamable HTTP, no account needed; for example
  noaa_get_tide_predictions with {"place": "Half Moon Bay, CA"}
- [Planning tools]({base}/mcp?toolsets=core,planning): the same with trip decisions and places

## For programs

- [OpenAPI]({base}/openapi.json): the REST contract; for example
  GET {base}/api/v1/stations/8443970/predictions
- [Planning]({base}/api/planning/openapi.json): tide windows, highest and lowest tides, places

## Pages

- [Stations]({base}/stations): search by town, harbor, ZIP code or station id
- [A station]({base}/stations/8443970): tide, observations, wind, alerts, sun and moon; also as
  {base}/stations/8443970/tide.svg, tide.png and tide.ics
- [Planning]({base}/planning): when the tide or the current is where one needs it; forms such as
  {base}/planning/low-tide, with calendars to subscribe to and tables
- [A year to print]({base}/stations/8443970/year/2027)
- [Stations near a position]({base}/stations/near)
- [Status]({base}/status): whether everything answers, incidents, 90 days
- [Verification]({base}/verification): how far predictions are from NOAA's own
- [Privacy]({base}/privacy), [terms]({base}/terms), [support]({base}/support)

## Documentation

Each page as Markdown. [Search]({base}/docs/search?q=slack+water) finds pages by their words.

`

// icon serves the icon of the site.
func (s *Server) icon(w http.ResponseWriter, r *http.Request) {
	s.Once(w, r, "/favicon", func(context.Context, time.Time) site.Response {
		return site.File("image/svg+xml", []byte(iconSVG), crawling)
	})
}

const iconSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" ` +
	`stroke="#fff" stroke-width="2.5" stroke-linecap="round">` +
	`<rect width="32" height="32" rx="7" fill="#0b5874" stroke="none"/><path d="M16 3v6"/>` +
	`<path d="M14 8h4l2.3 9.2a2.2 2.2 0 0 1-1.5 2.6 9 9 0 0 1-5.6 0 2.2 2.2 0 0 1-1.5-2.6z" ` +
	`fill="#fff" stroke="none"/><path d="M4 26c2-2 4-2 6 0s4 2 6 0 4-2 6 0 4 2 6 0"/></svg>` + "\n"
