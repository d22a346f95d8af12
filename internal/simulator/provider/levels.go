package provider

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
)

// settled is how old a reading is when the service calls it verified.
const settled = 2 * day

// published is how old the newest reading is at least.
const published = 6 * time.Minute

// staff is the observed level at one gauge on one datum.
type staff struct {
	gauge    *gauge
	datum    float64 // meters above the staff (on a lake, above IGLD)
	residual swing
}

// water finds the gauge of a water-level product and the datum asked for.
func (c *coopsService) water(q *query) (*staff, error) {
	g := c.gaugeOf(q.station)
	if g == nil || !g.level {
		return nil, noRows(noData)
	}
	zero, err := g.datum(q.datum)
	if err != nil {
		return nil, err
	}
	return &staff{g, zero, newSwing(g.seed, "water")}, nil
}

// datum is the height of a datum above the staff, meters.
func (g *gauge) datum(token string) (float64, error) {
	if g.lake != nil {
		return g.lakeDatum(token)
	}
	if err := checkDatum(token, g.station); err != nil {
		return 0, err
	}
	name := token
	if token == "NAVD" {
		name = "NAVD88"
	}
	for _, d := range g.heights() {
		if d.Name == name {
			return d.Value, nil
		}
	}
	if token == "CRD" {
		return 0, refuse(" There is no CRD Offset for the station: " + g.id)
	}
	return 0, refuse(" There is no " + token + " for the station: " + g.id)
}

func (g *gauge) lakeDatum(token string) (float64, error) {
	switch token {
	case "IGLD", "STND":
		return 0, nil
	case "LWD":
		return g.lake.low, nil
	}
	if err := checkDatum(token, stations.Station{}); err != nil {
		return 0, refuse(" The supported Datum values are: IGLD, LWD")
	}
	return 0, refuse(" There is no " + token + " for the station: " + g.id)
}

// newestReading is the time of the newest reading, in steps of six minutes.
func newestReading(now time.Time) time.Time { return now.Add(-published).Truncate(6 * time.Minute) }

// levels are the levels at some instants, meters above the datum.
// What cannot be predicted moves by less than a foot.
func (c *coopsService) levels(w *staff, at steps) []float64 {
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

// offset is the level without the tide, meters above the datum.
func (w *staff) offset(t time.Time) float64 {
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

// sigma is the scatter of the samples in one reading, meters.
func (w *staff) sigma(t time.Time) float64 { return 0.004 + 0.03*fraction(w.gauge.seed, t.Unix()) }

// about begins a response about a gauge.
func (g *gauge) about(q *query) *rows { return q.rowsAbout(g.id, g.name, g.latitude, g.longitude) }

// series writes the levels of a gauge up to the newest, a row each.
func (c *coopsService) series(q *query, every time.Duration, newest time.Time, row func(r *rows, w *staff, t time.Time, level float64, lost bool)) ([]byte, error) {
	w, err := c.water(q)
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

// withFlags adds a level, its scatter and its flags, each of them 0; one that is
// lost is empty, and its flags are 1.
func (r *rows) withFlags(w *staff, t time.Time, level float64, lost bool, flags string) *rows {
	if lost {
		return r.text("v", "").text("s", "").text("f", strings.ReplaceAll(flags, "0", "1"))
	}
	return r.height("v", level).fixed("s", r.length(w.sigma(t)), 3).text("f", flags)
}

// waterLevel serves product=water_level. It ignores the interval.
func (c *coopsService) waterLevel(q *query) ([]byte, error) {
	verified := q.now.Add(-settled)
	return c.series(q, 6*time.Minute, newestReading(q.now), func(r *rows, w *staff, t time.Time, level float64, lost bool) {
		quality := "p"
		if t.Before(verified) {
			quality = "v"
		}
		r.withFlags(w, t, level, lost, "0,0,0,0").text("q", quality)
	})
}

// oneMinute serves product=one_minute_water_level.
func (c *coopsService) oneMinute(q *query) ([]byte, error) {
	return c.series(q, time.Minute, q.now.Add(-published), func(r *rows, w *staff, t time.Time, level float64, lost bool) {
		if lost {
			r.text("v", "")
		} else {
			r.height("v", level)
		}
	})
}

// hourlyHeight serves product=hourly_height: verified readings alone.
func (c *coopsService) hourlyHeight(q *query) ([]byte, error) {
	return c.series(q, time.Hour, q.now.Add(-settled), func(r *rows, w *staff, t time.Time, level float64, lost bool) {
		r.withFlags(w, t, level, lost, "0,0")
	})
}

// highLow serves product=high_low: verified extremes alone, in steps of six
// minutes. The higher of two high waters that follow each other is called HH, the
// lower H; likewise with low waters.
func (c *coopsService) highLow(q *query) ([]byte, error) {
	w, err := c.water(q)
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

// dailyMean serves product=daily_mean, on the Great Lakes alone. Its days
// are those of the zone asked for: only lst gives the service's own.
func (c *coopsService) dailyMean(q *query) ([]byte, error) {
	if g := c.gaugeOf(q.station); g != nil && g.lake == nil {
		return nil, refuse(lakesOnly)
	}
	w, err := c.water(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.steps(time.Hour, 0), q.now.Add(-settled))
	r := w.gauge.about(q)
	for _, d := range q.days(at, c.levels(w, at)) {
		if d.count < 24 {
			continue
		}
		r.next(",")
		r.body = append(d.wall.AppendFormat(append(r.body, `{"t":"`...), time.DateOnly), '"')
		r.height("v", d.sum/float64(d.count)).text("f", "0,0").done()
	}
	return r.finish(dataClose, noData)
}

// tally is a day of wall time in a series.
type tally struct {
	wall            time.Time // its beginning
	count           int
	sum             float64
	least, most     float64
	leastAt, mostAt time.Time // wall time
}

// days tallies a series by days of wall time.
func (q *query) days(at steps, values []float64) []tally {
	var all []tally
	for i, v := range values {
		t := at.at(i)
		if q.zone.dropped(t) {
			continue
		}
		wall := q.zone.wall(t)
		if today := wall.Truncate(day); len(all) == 0 || all[len(all)-1].wall != today {
			all = append(all, tally{wall: today, least: math.Inf(1), most: math.Inf(-1)})
		}
		d := &all[len(all)-1]
		d.count, d.sum = d.count+1, d.sum+v
		if v < d.least {
			d.least, d.leastAt = v, wall
		}
		if v > d.most {
			d.most, d.mostAt = v, wall
		}
	}
	return all
}

// dailyMaxMin serves product=daily_max_min: from six-minute readings, from
// hourly ones, or without an interval from both.
func (c *coopsService) dailyMaxMin(q *query) ([]byte, error) {
	w, err := c.water(q)
	if err != nil {
		return nil, err
	}
	if _, err := q.every("6", "h"); err != nil {
		return nil, err
	}
	r := w.gauge.about(q)
	for _, of := range []struct {
		interval, name string
		step           time.Duration
	}{{"6", "6Min", 6 * time.Minute}, {"h", "Hourly", time.Hour}} {
		if q.interval != "" && q.interval != of.interval {
			continue
		}
		at := w.gauge.span(q.steps(of.step, 0), q.now.Add(-settled))
		if days := q.days(at, c.levels(w, at)); len(days) > 0 {
			r.addDays("dailyMax"+of.name, of.name, days, int(day/of.step), func(d tally) (float64, time.Time) { return d.most, d.mostAt })
			r.addDays("dailyMin"+of.name, of.name, days, int(day/of.step), func(d tally) (float64, time.Time) { return d.least, d.leastAt })
		}
	}
	return r.finish(dataClose, noData)
}

// addDays adds an extreme of each day under the name of a list.
func (r *rows) addDays(list, name string, days []tally, whole int, extreme func(tally) (float64, time.Time)) {
	r.next(",")
	r.body = append(r.body, `{"`+list+`":[`...)
	for i, d := range days {
		level, at := extreme(d)
		if i > 0 {
			r.body = append(r.body, ',')
		}
		r.body = append(r.body, `{"date`+name+`":"`+at.Format(time.DateOnly)+`"`...)
		r.text("time"+name, at.Format("15:04")).height("value"+name, level)
		r.text("pcComplete"+name, strconv.Itoa(100*d.count/whole)).text("flag"+name, "0").done()
	}
	r.body = append(r.body, "]}"...)
}

// monthlyNames are the monthly levels in the order of their columns.
var monthlyNames = []string{"MHHW", "MHW", "MSL", "MTL", "MLW", "MLLW", "DTL", "GT", "MN", "DHQ", "DLQ", "HWI", "LWI"}

// monthlyMean serves product=monthly_mean. A month's levels are those of
// the datum epoch, moved by the season and by a slow rise of the sea.
func (c *coopsService) monthlyMean(q *query) ([]byte, error) {
	w, err := c.water(q)
	if err != nil {
		return nil, err
	}
	r := w.gauge.about(q)
	begin, end := q.begin, q.end
	if first := time.Date(w.gauge.since, 1, 1, 0, 0, 0, 0, time.UTC); begin.Before(first) {
		begin = first
	}
	if last := q.now.Add(-settled); end.After(last) {
		end = last
	}
	for m := begin.AddDate(0, 0, 1-begin.Day()).Truncate(day); !m.AddDate(0, 1, 0).After(end.Add(time.Minute)); m = m.AddDate(0, 1, 0) {
		r.addMonth(w, m)
	}
	return r.finish(dataClose, noData)
}

// addMonth adds the row of one month.
func (r *rows) addMonth(w *staff, m time.Time) {
	rise := 0.003*float64(m.Year()-1992) + 0.08*season(m) + 0.05*(fraction(w.gauge.seed, m.Unix())-0.5)
	add := func(column, name string) {
		value, above, ok := w.gauge.mean(name)
		if above {
			value += rise - w.datum
		}
		switch {
		case !ok:
			r.text(column, "")
		case strings.HasSuffix(name, "WI"):
			r.fixed(column, value, 2) // hours
		default:
			r.height(column, value)
		}
	}
	r.next(",")
	r.body = append(r.body, `{"year":"`+strconv.Itoa(m.Year())+`"`...)
	r.text("month", strconv.Itoa(int(m.Month())))
	add("highest", "HAT")
	for _, name := range monthlyNames {
		add(name, name)
	}
	add("lowest", "LAT")
	r.text("inferred", "0").done()
}
