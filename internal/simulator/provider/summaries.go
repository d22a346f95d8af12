package provider

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// dailyMean serves product=daily_mean, on the Great Lakes only. Its days are in the requested
// time zone; NOAA's days are in lst.
func (c *coopsService) dailyMean(q *query) ([]byte, error) {
	if g := c.gaugeOf(q.station); g != nil && g.lake == nil {
		return nil, badRequest(lakesOnly)
	}
	w, err := c.staffOf(q)
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

// tally summarizes a day of wall time in a series.
type tally struct {
	wall            time.Time // its beginning
	count           int
	sum             float64
	least, most     float64
	leastAt, mostAt time.Time // wall time
}

// days summarizes a series by days of wall time.
func (q *query) days(at steps, values []float64) []tally {
	var all []tally
	for i, v := range values {
		t := at.at(i)
		wall := q.wall(t)
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

// dailyMaxMin serves product=daily_max_min: from six-minute readings, from hourly ones, or from
// both if the request has no interval.
func (c *coopsService) dailyMaxMin(q *query) ([]byte, error) {
	w, err := c.staffOf(q)
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
			r.addDays("Max", of.name, days, int(day/of.step))
			r.addDays("Min", of.name, days, int(day/of.step))
		}
	}
	return r.finish(dataClose, noData)
}

// addDays adds an extreme of each day, Max or Min.
func (r *rows) addDays(extreme, name string, days []tally, whole int) {
	r.next(",")
	r.body = append(r.body, `{"daily`+extreme+name+`":[`...)
	for i, d := range days {
		level, at := d.most, d.mostAt
		if extreme == "Min" {
			level, at = d.least, d.leastAt
		}
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
var monthlyNames = strings.Fields("MHHW MHW MSL MTL MLW MLLW DTL GT MN DHQ DLQ HWI LWI")

// monthlyMean serves product=monthly_mean. The levels of a month are the levels of the datum
// epoch plus a seasonal variation and a slow rise of the sea.
func (c *coopsService) monthlyMean(q *query) ([]byte, error) {
	w, err := c.staffOf(q)
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
	m := begin.AddDate(0, 0, 1-begin.Day()).Truncate(day)
	for next := m; ; m = next {
		if next = m.AddDate(0, 1, 0); next.After(end.Add(time.Minute)) {
			return r.finish(dataClose, noData)
		}
		r.addMonth(w, m)
	}
}

// addMonth adds the row of one month.
func (r *rows) addMonth(w *tideStaff, m time.Time) {
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
