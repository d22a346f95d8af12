package station

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/ical"
	"leadline/internal/operation"
	"leadline/internal/web/predicted"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// forPictures sets the headers of pictures, which pages elsewhere may show. A picture that is
// opened as a page may have its own style and nothing else.
func forPictures(h http.Header) {
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src "+chart.FileStyleHash()+"; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// tideSVG serves the tide chart of a station as an SVG file.
func (s *Pages) tideSVG(w http.ResponseWriter, r *http.Request, id string) {
	s.picture(w, r, id, "svg", func(c chart.Tide, _ url.Values) (site.Rendered, error) {
		return site.File("image/svg+xml", c.Draw(chart.Picture).File(), time.Minute,
			forPictures), nil
	})
}

// tidePNG serves the tide chart of a station as a PNG: scale=2 for fine screens, theme=dark.
func (s *Pages) tidePNG(w http.ResponseWriter, r *http.Request, id string) {
	s.picture(w, r, id, "png", func(c chart.Tide, q url.Values) (site.Rendered, error) {
		theme, scale := chart.LightTheme, 1
		if q.Get("theme") == "dark" {
			theme = chart.DarkTheme
		}
		if q.Get("scale") == "2" {
			scale = 2
		}
		body, err := c.Draw(chart.Picture).PNG(theme, scale)
		return site.File("image/png", body, time.Minute, forPictures), err
	})
}

// picture serves a tide chart in a format. A picture has predictions alone, so that it never
// waits for a provider.
func (s *Pages) picture(
	w http.ResponseWriter, r *http.Request, id, format string,
	draw func(chart.Tide, url.Values) (site.Rendered, error),
) {
	if s.elsewhere(w, r, id, "tide."+format) {
		return
	}
	q := r.URL.Query()
	p := view.ReadPrefs(q, s.Minute())
	p.Notices = nil
	key := fmt.Sprint(p.Key("/stations/"+id+"/tide."+format),
		q.Get("theme") == "dark", q.Get("scale") == "2")
	over := func() site.Response {
		e := coast.Errorf(coast.RateLimited, "At most %d pictures are drawn in a minute for one "+
			"address: retry in a minute.", drawnPictures)
		e.RetryAfterSeconds = 60
		return s.Failed(e)
	}
	s.Limited(w, r, key, s.pictures, over, func(ctx context.Context, now time.Time) site.Response {
		p.Now = now
		b, err := predicted.Find(ctx, s.Set, id, &p)
		if err != nil {
			return s.Failed(err)
		}
		c, err := b.TideChart(ctx, s.Set)
		if err != nil {
			return s.Failed(err)
		}
		made, err := draw(c, q)
		if err != nil {
			return s.Failed(fmt.Errorf("draw %s of %s: %w", format, id, err))
		}
		return made
	})
}

// elsewhere responds to a request for a file of a station whose id is written in another way, by
// a redirection, or is not in the directory, by an error. It reports whether it did.
func (s *Pages) elsewhere(w http.ResponseWriter, r *http.Request, id, name string) bool {
	switch known, ok := s.StationID(id); {
	case !ok:
		coast.WriteError(w, coast.Errorf(coast.StationNotFound,
			"No station %q in the directory, so there is no predicted tide.", coast.Clip(id)))
	case known != id:
		site.Redirect(w, r, "/stations/"+known+"/"+name)
	default:
		return false
	}
	return true
}

// calendarDays is the span of the calendar of a station.
const calendarDays = 90

// tideCalendar serves the high and low waters of 90 days as a calendar to subscribe to.
func (s *Pages) tideCalendar(w http.ResponseWriter, r *http.Request, id string) {
	if s.elsewhere(w, r, id, "tide.ics") {
		return
	}
	p := view.ReadPrefs(r.URL.Query(), s.Minute())
	p.Notices = nil
	s.Once(w, r, p.Key("/stations/"+id+"/tide.ics"),
		func(ctx context.Context, now time.Time) site.Response {
			p.Now = now
			c, err := s.calendar(ctx, id, p)
			if err != nil {
				return s.Failed(err)
			}
			return site.File("text/calendar; charset=utf-8", c.Bytes(), 12*time.Hour,
				func(h http.Header) {
					h.Set("Content-Disposition", `inline; filename="tide-`+id+`.ics"`)
				})
		})
}

// calendar returns the calendar of a station. It begins at midnight of today, so that its bytes
// stay the same for a day.
func (s *Pages) calendar(ctx context.Context, id string, p view.Prefs) (ical.Calendar, error) {
	b, err := predicted.Find(ctx, s.Set, id, &p)
	if err != nil {
		return ical.Calendar{}, err
	}
	zone := view.ZoneOfStation(b.Info.Station)
	inZone := p
	inZone.Location = zone // days begin at the station's midnight, in any zone texts have
	from := inZone.Midnight()
	tide, err := operation.Run(ctx, s.Set.Tides.TidePredictions,
		b.TideInput("hilo", from, from.AddDate(0, 0, calendarDays).Add(-time.Minute)))
	if err != nil {
		return ical.Calendar{}, err
	}
	st := b.Info.Station
	title := words.WithState(st.Name, st.State)
	made, _ := time.Parse(time.DateOnly, s.Site.DataBuilt)
	c := ical.Calendar{
		Name: "Tide at " + title, Product: "Leadline//Tide", Refresh: 24 * time.Hour, Made: made,
		Color:  "steelblue",
		Source: s.Base + "/stations/" + st.ID + "/tide.ics" + string(p.Query("datum", p.Datum)),
		Description: "Predicted high and low water at " + title + ", NOAA station " + st.ID +
			", above " + string(tide.Datum) + view.EpochText(tide.DatumEpoch) + ". " + coast.Disclaimer,
	}
	address := s.Base + "/stations/" + st.ID
	count := map[string]int{}
	for _, e := range tide.Extremes {
		day := e.Time.In(zone).Format("20060102") + "-" + string(e.Type)
		count[day]++
		height := chart.Quantity(e.Height, string(tide.HeightUnit))
		c.Events = append(c.Events, ical.Event{
			UID:     fmt.Sprintf("%s-%s-%d@%s", st.ID, day, count[day], view.HostOf(s.Base)),
			Start:   e.Time,
			Summary: view.Capital(string(e.Type)) + " water " + height + ", " + title,
			Description: "Predicted for " + e.Time.In(p.Location).Format("Mon 2 Jan 2006 3:04 PM MST") +
				", " +
				height + " above " + string(tide.Datum) + view.EpochText(tide.DatumEpoch) +
				". Source: harmonic " +
				"constants of NOAA CO-OPS. No weather is in it. " + coast.Disclaimer,
			Location: title, URL: address,
			Position: &ical.Position{Latitude: st.Latitude, Longitude: st.Longitude},
		})
	}
	return c, nil
}
