package provider

import (
	"fmt"
	"math"
	"slices"
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
	datum    float64 // metres above the staff (on a lake, above IGLD)
	residual swing
}

// water finds the gauge of a water-level product and the datum asked for.
func (p *Provider) water(q *query) (*staff, error) {
	g := p.gaugeOf(q.station)
	if g == nil || !g.level {
		return nil, none(noData)
	}
	datum, err := g.datum(q.datum)
	if err != nil {
		return nil, err
	}
	return &staff{g, datum, newSwing(g.seed, "water")}, nil
}

// datum is the height of a datum above the staff, metres.
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

// span cuts a grid to what the gauge has measured by now.
func (g *gauge) span(at grid, newest time.Time) grid {
	if stopped := g.order.Newest; !stopped.IsZero() && stopped.Before(newest) {
		newest = stopped
	}
	return at.since(time.Date(g.since, 1, 1, 0, 0, 0, 0, time.UTC)).until(newest)
}

// newestReading is the time of the newest reading, on the grid of six minutes.
func newestReading(now time.Time) time.Time { return now.Add(-published).Truncate(6 * time.Minute) }

// levels are the levels at the instants of a grid, metres above the datum.
// What cannot be predicted moves by less than a foot.
func (p *Provider) levels(w *staff, at grid) []float64 {
	out := make([]float64, at.size())
	if w.gauge.tidal {
		tides, _ := p.stations.Tides(w.gauge.station, "STND") // tidal says that it has
		tides.Heights(at.first, at.step, out)
	}
	for i := range out {
		out[i] += w.offset(at.at(i))
	}
	return out
}

// offset is the level without the tide, metres above the datum.
func (w *staff) offset(t time.Time) float64 {
	residual := 0.28 * w.residual.at(t)
	if order := w.gauge.order.Residual; order != nil {
		residual = order(t)
	}
	h := residual - w.datum
	if w.gauge.lake != nil {
		h += w.gauge.lake.mean + 0.15*season(t)
	}
	return h
}

// lost reports whether a product has no value at an instant, which is rare.
func (g *gauge) lost(product string, t time.Time) bool {
	if g.order.Empty != nil {
		return g.order.Empty(product, t)
	}
	return mix(g.seed^uint64(t.Unix()))%499 == 0
}

// appendLevel appends a level: with three decimals in feet, without the
// zeros at its end in metres.
func (q *query) appendLevel(b []byte, metres float64) []byte {
	if q.metric {
		return appendTrimmed(b, metres, 3)
	}
	return appendFixed(b, q.length(metres), 3)
}

// open begins an answer about the gauge.
func (g *gauge) open(q *query) rows {
	return rows{body: q.open(g.id, g.name, g.latitude, g.longitude)}
}

const dataClose = "]}\n"

// waterLevel answers product=water_level. It ignores the interval.
func (p *Provider) waterLevel(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.grid(6*time.Minute, 0), newestReading(q.now))
	verified := q.now.Add(-settled)
	r := w.gauge.open(q)
	r.body = slices.Grow(r.body, 80*at.size())
	q.readings(w.gauge, at, p.levels(w, at), func(t time.Time, level float64, lost bool) {
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t)
		r.body = append(r.body, `", "v":"`...)
		if lost {
			r.body = append(r.body, `", "s":"", "f":"1,1,1,1`...)
		} else {
			r.body = q.appendLevel(r.body, level)
			r.body = appendFixed(append(r.body, `", "s":"`...), q.length(w.sigma(t)), 3)
			r.body = append(r.body, `", "f":"0,0,0,0`...)
		}
		if t.Before(verified) {
			r.body = append(r.body, `", "q":"v"}`...)
		} else {
			r.body = append(r.body, `", "q":"p"}`...)
		}
	})
	return r.close(dataClose, noData)
}

// sigma is the scatter of the samples in one reading, metres.
func (w *staff) sigma(t time.Time) float64 { return 0.004 + 0.03*fraction(w.gauge.seed, t.Unix()) }

// readings calls write for each instant that a series of the gauge has: the
// last one with a value alone, if the newest is asked for.
func (q *query) readings(g *gauge, at grid, values []float64, write func(t time.Time, value float64, lost bool)) {
	if q.latest {
		for i := len(values) - 1; i >= 0; i-- {
			if t := at.at(i); !g.lost(q.product, t) {
				write(t, values[i], false)
				return
			}
		}
		return
	}
	for i, v := range values {
		if t := at.at(i); !q.zone.dropped(t) {
			write(t, v, g.lost(q.product, t))
		}
	}
}

// oneMinute answers product=one_minute_water_level.
func (p *Provider) oneMinute(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.grid(time.Minute, 0), q.now.Add(-published))
	r := w.gauge.open(q)
	q.readings(w.gauge, at, p.levels(w, at), func(t time.Time, level float64, lost bool) {
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t)
		r.body = append(r.body, `", "v":"`...)
		if !lost {
			r.body = q.appendLevel(r.body, level)
		}
		r.body = append(r.body, `"}`...)
	})
	return r.close(dataClose, noData)
}

// hourlyHeight answers product=hourly_height: verified readings alone.
func (p *Provider) hourlyHeight(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.grid(time.Hour, 0), q.now.Add(-settled))
	r := w.gauge.open(q)
	q.readings(w.gauge, at, p.levels(w, at), func(t time.Time, level float64, lost bool) {
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t)
		r.body = append(r.body, `", "v":"`...)
		if lost {
			r.body = append(r.body, `", "s":"", "f":"1,1"}`...)
			return
		}
		r.body = q.appendLevel(r.body, level)
		r.body = appendFixed(append(r.body, `", "s":"`...), q.length(w.sigma(t)), 3)
		r.body = append(r.body, `", "f":"0,0"}`...)
	})
	return r.close(dataClose, noData)
}

// turn is an observed high or low water.
type turn struct {
	at    time.Time
	level float64
	kind  string // padded to two letters
}

// highLow answers product=high_low: verified turns alone.
func (p *Provider) highLow(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	if !w.gauge.tidal {
		return nil, none(noData)
	}
	r := w.gauge.open(q)
	at := w.gauge.span(q.grid(6*time.Minute, 0), q.now.Add(-settled))
	for _, t := range p.turns(w, at.first, at.last) {
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t.at)
		r.body = q.appendLevel(append(r.body, `", "v":"`...), t.level)
		r.body = append(append(r.body, `", "ty":"`...), t.kind...)
		r.body = append(r.body, `", "f":"0,0"}`...)
	}
	return r.close(dataClose, noData)
}

// turns are the observed turns in [from, to], on the grid of six minutes.
// The higher of two high waters that follow each other is called HH, the
// lower H; likewise with low waters.
func (p *Provider) turns(w *staff, from, to time.Time) []turn {
	if to.Before(from) {
		return nil
	}
	tides, _ := p.stations.Tides(w.gauge.station, "STND")
	var all []turn
	extremes := tides.Extremes(from.Add(-2*day), to.Add(2*day)) // neighbours decide the kind
	for i, e := range extremes {
		t := turn{at: e.Time.Round(6 * time.Minute), level: e.Height + w.offset(e.Time), kind: "L "}
		if e.High {
			t.kind = "H "
		}
		if i >= 2 && i+2 < len(extremes) {
			beside := (extremes[i-2].Height + extremes[i+2].Height) / 2
			if e.High && e.Height >= beside {
				t.kind = "HH"
			} else if !e.High && e.Height < beside {
				t.kind = "LL"
			}
		}
		if !t.at.Before(from) && !t.at.After(to) {
			all = append(all, t)
		}
	}
	return all
}

// dailyMean answers product=daily_mean, on the Great Lakes alone. Its days
// are those of the zone asked for: only lst gives the service's own.
func (p *Provider) dailyMean(q *query) ([]byte, error) {
	if g := p.gaugeOf(q.station); g != nil && g.lake == nil {
		return nil, refuse(lakesOnly)
	}
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	at := w.gauge.span(q.grid(time.Hour, 0), q.now.Add(-settled))
	r := w.gauge.open(q)
	for _, d := range q.days(at, p.levels(w, at)) {
		if d.count < 24 {
			continue
		}
		r.next(",")
		r.body = d.wall.AppendFormat(append(r.body, `{"t":"`...), time.DateOnly)
		r.body = q.appendLevel(append(r.body, `", "v":"`...), d.sum/float64(d.count))
		r.body = append(r.body, `", "f":"0,0"}`...)
	}
	return r.close(dataClose, noData)
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
func (q *query) days(at grid, values []float64) []tally {
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

// dailyMaxMin answers product=daily_max_min: from six-minute readings, from
// hourly ones, or without an interval from both.
func (p *Provider) dailyMaxMin(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	if _, err := q.every("6", "h"); err != nil {
		return nil, err
	}
	r := w.gauge.open(q)
	for _, of := range []struct {
		interval, name string
		step           time.Duration
	}{{"6", "6Min", 6 * time.Minute}, {"h", "Hourly", time.Hour}} {
		if q.interval != "" && q.interval != of.interval {
			continue
		}
		at := w.gauge.span(q.grid(of.step, 0), q.now.Add(-settled))
		days := q.days(at, p.levels(w, at))
		if len(days) == 0 {
			continue
		}
		q.appendDays(&r, days, of.name, int(day/of.step))
	}
	return r.close(dataClose, noData)
}

// appendDays appends the days' highest levels, then the lowest.
func (q *query) appendDays(r *rows, days []tally, name string, whole int) {
	for _, max := range []bool{true, false} {
		list := "dailyMin"
		if max {
			list = "dailyMax"
		}
		r.next(",")
		r.body = append(r.body, `{"`+list+name+`":[`...)
		for i, d := range days {
			level, at := d.least, d.leastAt
			if max {
				level, at = d.most, d.mostAt
			}
			if i > 0 {
				r.body = append(r.body, ',')
			}
			row := fmt.Sprintf(`{"date%s":"%s", "time%s":"%s", "value%s":"%s", "pcComplete%s":"%d", "flag%s":"0"}`,
				name, at.Format(time.DateOnly), name, at.Format("15:04"), name, q.appendLevel(nil, level), name, 100*d.count/whole, name)
			r.body = append(r.body, row...)
		}
		r.body = append(r.body, "]}"...)
	}
}

// means are the monthly levels in the order of their columns.
var means = []string{"MHHW", "MHW", "MSL", "MTL", "MLW", "MLLW", "DTL", "GT", "MN", "DHQ", "DLQ", "HWI", "LWI"}

// monthlyMean answers product=monthly_mean. A month's levels are those of
// the datum epoch, moved by the season and by a slow rise of the sea.
func (p *Provider) monthlyMean(q *query) ([]byte, error) {
	w, err := p.water(q)
	if err != nil {
		return nil, err
	}
	r := w.gauge.open(q)
	begin := q.begin
	if first := time.Date(w.gauge.since, 1, 1, 0, 0, 0, 0, time.UTC); begin.Before(first) {
		begin = first
	}
	end := q.end
	if last := q.now.Add(-settled); end.After(last) {
		end = last
	}
	for m := begin.AddDate(0, 0, 1-begin.Day()).Truncate(day); !m.AddDate(0, 1, 0).After(end.Add(time.Minute)); m = m.AddDate(0, 1, 0) {
		r.next(",")
		r.body = q.appendMonth(r.body, w, m)
	}
	return r.close(dataClose, noData)
}

// appendMonth appends the row of one month.
func (q *query) appendMonth(b []byte, w *staff, m time.Time) []byte {
	rise := 0.003*float64(m.Year()-1992) + 0.08*season(m) + 0.05*(fraction(w.gauge.seed, m.Unix())-0.5)
	level := func(name string) string {
		value, above, ok := w.gauge.mean(name)
		if !ok {
			return ""
		}
		if above {
			value += rise - w.datum
		}
		if strings.HasSuffix(name, "WI") {
			return string(appendFixed(nil, value, 2)) // hours
		}
		return string(q.appendLevel(nil, value))
	}
	b = fmt.Appendf(b, `{"year":"%d", "month":"%d", "highest":"%s"`, m.Year(), int(m.Month()), level("HAT"))
	for _, name := range means {
		b = fmt.Appendf(b, `, "%s":"%s"`, name, level(name))
	}
	return fmt.Appendf(b, `, "lowest":"%s", "inferred":"0"}`, level("LAT"))
}

// mean is a level of the epoch, metres above the staff, or a scalar that
// is no level (above is false), metres or hours.
func (g *gauge) mean(name string) (value float64, above, ok bool) {
	if g.lake != nil {
		return g.lake.mean, true, name == "MSL"
	}
	for _, d := range g.heights() {
		if d.Name == name {
			return d.Value, true, true
		}
	}
	for _, d := range g.station.Differences() {
		if d.Name == name {
			return d.Value, false, true
		}
	}
	return 0, false, false
}

// stationDatums answers product=datums: feet or metres above the staff.
func (p *Provider) stationDatums(q *query) ([]byte, error) {
	g := p.gaugeOf(q.station)
	if g == nil || !g.level {
		return nil, none(noData)
	}
	r := rows{body: []byte(`{"datums":[`)}
	decimals := 2
	if q.metric {
		decimals = 3
	}
	for _, d := range g.datums() {
		value := d.metres
		if !strings.HasSuffix(d.name, "WI") {
			value = q.length(value)
		}
		r.next(",")
		r.body = append(append(r.body, `{"n":"`...), d.name...)
		r.body = appendFixed(append(r.body, `", "v":"`...), value, decimals)
		r.body = append(r.body, `"}`...)
	}
	return r.close(dataClose, noData)
}
