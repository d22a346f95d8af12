package provider

import (
	"slices"
	"strings"
	"time"

	"leadline/internal/stations"
)

// settled is the age from which on readings are verified.
const settled = 2 * day

// readingDelay is the minimum age of the newest reading.
const readingDelay = 6 * time.Minute

// tideStaff is the observed level at one gauge above one datum.
type tideStaff struct {
	gauge    *gauge
	datum    float64 // meters above station datum (on a lake, above IGLD)
	residual swing
}

// staffOf returns the gauge of a water-level product with the requested datum.
func (c *coopsService) staffOf(q *query) (*tideStaff, error) {
	g := c.gaugeOf(q.station)
	if g == nil || !g.level {
		return nil, noRows(noData)
	}
	zero, err := g.datum(q.datum)
	if err != nil {
		return nil, err
	}
	return &tideStaff{g, zero, newSwing(g.seed, "water")}, nil
}

// datum returns the height of a datum, meters above station datum.
func (g *gauge) datum(token string) (float64, error) {
	name := token
	if token == "NAVD" {
		name = "NAVD88"
	}
	err := checkDatum(token, g.station)
	switch value, ok := g.datumValue(name); {
	case err != nil && g.lake != nil:
		return 0, badRequest(" The supported Datum values are: IGLD, LWD")
	case err != nil:
		return 0, err
	case ok:
		return value, nil
	case token == "CRD":
		return 0, badRequest(" There is no CRD Offset for the station: " + g.id)
	}
	return 0, badRequest(" There is no " + token + " for the station: " + g.id)
}

// Datum parameters of levels and of scalars.
var (
	levelTokens   = strings.Fields("MHHW MHW MTL MSL MLW MLLW NAVD STND CRD IGLD LWD")
	derivedTokens = strings.Fields("DTL GT MN DHQ DLQ HWI LWI")
)

// checkDatum refuses unknown datums, and scalars, which are not heights. The message lists the
// levels of the station, except STND and CRD, which are accepted nevertheless.
func checkDatum(token string, s stations.Station) error {
	switch {
	case slices.Contains(levelTokens, token):
		return nil
	case slices.Contains(derivedTokens, token):
		return badRequest(derivedDatum)
	}
	message := " The supported Datum values are: MHHW, MHW, MTL, MSL, MLW, MLLW"
	for _, d := range s.Datums() {
		if d.Name == "NAVD88" {
			message += ", NAVD"
		}
	}
	return badRequest(message + ", LWI, HWI")
}

// newestReading returns the time of the newest reading, a multiple of six minutes.
func newestReading(now time.Time) time.Time {
	return now.Add(-readingDelay).Truncate(6 * time.Minute)
}

// levels returns the levels at some instants, meters above the datum. The residual is less than a
// foot.
func (c *coopsService) levels(w *tideStaff, at steps) []float64 {
	out := make([]float64, at.size())
	if w.gauge.tidal {
		tides, _ := c.stations.Tides(w.gauge.station, "STND") // a tidal gauge has them
		tides.Heights(at.first, at.every, out)
	}
	for i := range out {
		out[i] += w.offset(at.at(i))
	}
	return out
}

// offset returns the level without the tide, meters above the datum.
func (w *tideStaff) offset(t time.Time) float64 {
	residual := 0.28 * w.residual.at(t)
	if set := w.gauge.set.Residual; set != nil {
		residual = set(t)
	}
	h := residual - w.datum
	if w.gauge.lake != nil {
		h += w.gauge.lake.mean + 0.15*season(t)
	}
	return h
}

// sigma returns the standard deviation of the samples of one reading, meters.
func (w *tideStaff) sigma(t time.Time) float64 {
	return 0.004 + 0.03*fraction(w.gauge.seed, t.Unix())
}

// about begins a response about a gauge.
func (g *gauge) about(q *query) *rows { return q.rowsAbout(g.id, g.name, g.latitude, g.longitude) }

// levelWriter adds the fields of a row.
type levelWriter func(r *rows, w *tideStaff, t time.Time, level float64, lost bool)

// series writes a row for each level of a gauge up to newest.
func (c *coopsService) series(
	q *query, every time.Duration, newest time.Time, row levelWriter,
) ([]byte, error) {
	w, err := c.staffOf(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.steps(every, 0), newest)
	r := w.gauge.about(q)
	r.body = slices.Grow(r.body, 80*at.size())
	q.readings(w.gauge, at, c.levels(w, at), func(t time.Time, level float64, lost bool) {
		row(r.row(t), w, t, level, lost)
		r.done()
	})
	return r.finish(dataClose, noData)
}

// withFlags adds a level, its standard deviation and its flags, which are usually 0. A lost level
// is empty, and its flags are 1.
func (r *rows) withFlags(w *tideStaff, t time.Time, level float64, lost bool, flags string) *rows {
	if lost {
		return r.text("v", "").text("s", "").text("f", strings.ReplaceAll(flags, "0", "1"))
	}
	r.height("v", level).fixed("s", r.length(w.sigma(t)), 3)
	return r.text("f", w.gauge.flags(r.product, t, flags))
}

// waterLevel serves product=water_level. It ignores the interval.
func (c *coopsService) waterLevel(q *query) ([]byte, error) {
	verified := q.now.Add(-settled)
	row := func(r *rows, w *tideStaff, t time.Time, level float64, lost bool) {
		quality := "p"
		if t.Before(verified) {
			quality = "v"
		}
		r.withFlags(w, t, level, lost, "0,0,0,0").text("q", quality)
	}
	return c.series(q, 6*time.Minute, newestReading(q.now), row)
}

// oneMinute serves product=one_minute_water_level.
func (c *coopsService) oneMinute(q *query) ([]byte, error) {
	row := func(r *rows, _ *tideStaff, _ time.Time, level float64, lost bool) {
		if lost {
			r.text("v", "")
		} else {
			r.height("v", level)
		}
	}
	return c.series(q, time.Minute, q.now.Add(-readingDelay), row)
}

// hourlyHeight serves product=hourly_height: verified readings only.
func (c *coopsService) hourlyHeight(q *query) ([]byte, error) {
	row := func(r *rows, w *tideStaff, t time.Time, level float64, lost bool) {
		r.withFlags(w, t, level, lost, "0,0")
	}
	return c.series(q, time.Hour, q.now.Add(-settled), row)
}

// highLow serves product=high_low: verified extremes only, in steps of six minutes. The type of the
// higher of two successive high waters is HH, of the lower H; likewise LL and L for low waters.
func (c *coopsService) highLow(q *query) ([]byte, error) {
	w, err := c.staffOf(q)
	if err != nil {
		return nil, err
	}
	if !w.gauge.tidal {
		return nil, noRows(noData)
	}
	r := w.gauge.about(q)
	at := w.gauge.span(q.steps(6*time.Minute, 0), q.now.Add(-settled))
	if at.size() == 0 {
		return nil, noRows(noData)
	}
	tides, _ := c.stations.Tides(w.gauge.station, "STND")
	extremes := tides.Extremes(at.first.Add(-2*day), at.last.Add(2*day)) // neighbors decide the kind
	for i, e := range extremes {
		kind := "L "
		if e.High {
			kind = "H "
		}
		if i >= 2 && i+2 < len(extremes) {
			near := (extremes[i-2].Height + extremes[i+2].Height) / 2
			if e.High && e.Height >= near {
				kind = "HH"
			} else if !e.High && e.Height < near {
				kind = "LL"
			}
		}
		if t := e.Time.Round(6 * time.Minute); !t.Before(at.first) && !t.After(at.last) {
			r.row(t).height("v", e.Height+w.offset(e.Time)).text("ty", kind).text("f", "0,0").done()
		}
	}
	return r.finish(dataClose, noData)
}
