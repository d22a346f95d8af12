package provider

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// cmPerKnot is a knot in centimeters per second.
const cmPerKnot = 185200.0 / 3600

// currents serves product=currents.
func (c *coopsService) currents(q *query) ([]byte, error) {
	m, ok := meterOf(q.station)
	if !ok {
		return nil, noRows(noData)
	}
	every, err := q.every("6", "h")
	if err != nil {
		return nil, err
	}
	first, last, err := m.asked(q.bin)
	if err != nil {
		return nil, err
	}
	at := q.steps(every, time.Duration(m.minute)*time.Minute).until(q.now.Add(-readingDelay))
	at = at.since(time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC))
	velocities, flood := c.flow(m, at)
	r := q.rowsAbout(m.id, m.name, m.latitude, m.longitude)
	sensor := &gauge{id: m.id, seed: hash(m.id)}
	q.readings(sensor, at, velocities, func(t time.Time, v float64, lost bool) {
		for bin := first; bin <= last; bin++ {
			r.row(t).flow(v*(0.6+0.4*float64(bin)/float64(m.bins)), flood, lost)
			r.body = fmt.Appendf(r.body, `,  "b":"%d"`, bin) // two spaces, as NOAA writes them
			r.done()
		}
	})
	return r.finish(dataClose, noData)
}

// asked returns the bins of a request: the default bin without a number, all bins for 0.
func (m meter) asked(bin string) (first, last int, err error) {
	if bin == "" {
		return m.bin, m.bin, nil
	}
	n, err := strconv.Atoi(bin)
	switch {
	case err != nil || n < 0 || n > m.bins:
		return 0, 0, badRequest(wrongBin)
	case n == 0:
		return 1, m.bins, nil
	}
	return n, n, nil
}

// flow returns the velocities at a meter, knots along the axis of the nearest predicted current
// plus a disturbance, and the direction of the flood there.
func (c *coopsService) flow(m meter, at steps) (velocities []float64, flood float64) {
	velocities = make([]float64, at.size())
	near := c.stations.Nearest(m.latitude, m.longitude, 1, func(s stations.Station) bool {
		return s.Kind == stations.Current && !s.Subordinate()
	})
	if currents, ok := c.stations.Currents(near[0].Station); ok {
		currents.Velocities(at.first, at.every, velocities)
	}
	s := newSwing(hash(m.id), "current")
	for i := range velocities {
		velocities[i] += 0.15 * s.at(at.at(i))
	}
	flood, _, _ = near[0].Station.Directions()
	return velocities, flood
}

// flow adds a measured current.
func (r *rows) flow(velocity, flood float64, lost bool) *rows {
	if lost {
		return r.text("s", "").text("d", "")
	}
	if r.metric {
		r.fixed("s", math.Abs(velocity)*cmPerKnot, 1)
	} else {
		r.fixed("s", math.Abs(velocity), 2)
	}
	if velocity < 0 {
		flood += 180
	}
	return r.text("d", strconv.Itoa(int(math.Round(flood))%360))
}

// currentsPredictions serves product=currents_predictions.
func (c *coopsService) currentsPredictions(q *query) ([]byte, error) {
	begin := `{"current_predictions": {"units": "feet, knots","cp": `
	if q.metric {
		begin = `{"current_predictions": {"units": "meters, cm/s","cp": `
	}
	if _, ok := weakOf(q.station); ok {
		return []byte(begin + `"Currents are weak and variable"}}` + "\n"), nil
	}
	s, ok := c.predictedStation(q.station)
	currents, predicted := c.stations.Currents(s)
	if !ok || !predicted {
		return nil, noRows(noCurrents)
	}
	bins := c.bins(s)
	b, ok := binNamed(bins, q.bin)
	if !ok {
		var list strings.Builder
		for _, b := range bins {
			fmt.Fprintf(&list, "%d, ", b.number)
		}
		return nil, badRequest("Available bin number of " + s.ID + ": " + list.String())
	}
	if b.row.ID != s.ID {
		currents, _ = c.stations.Currents(b.row) // a reference, which has constants
	}
	r := &rows{query: q, body: []byte(begin + "[\n")}
	if err := r.addFlows(currents, b, s.Subordinate()); err != nil {
		return nil, err
	}
	return append(r.body, "\n]}}\n"...), nil
}

// addFlows adds events or a series. Stations without constants of their own have only events, for
// every interval.
func (r *rows) addFlows(currents tide.Currents, b currentBin, subordinate bool) error {
	every, err := r.query.every("h", "1", "6", "10", "30", "60", "max_slack")
	if err != nil {
		return err
	}
	flood, ebb, _ := b.row.Directions()
	write := flowWriter{r, b, wholeDegrees(flood), wholeDegrees(ebb)}
	if subordinate || r.interval == "max_slack" {
		for _, e := range currents.Events(r.instant(r.begin), r.instant(r.end)) {
			r.next(",\n")
			write.velocityRow(fmt.Sprintf(`{"Type": "%v",`, e.Phase), e.Time, e.Velocity*b.part)
		}
		return nil
	}
	at := r.steps(every, 0)
	out := make([]float64, at.size())
	currents.Velocities(at.first, at.every, out)
	for i, v := range out {
		r.next(",\n")
		write.velocityRow("{", at.at(i), v*b.part)
	}
	return nil
}

// wholeDegrees returns a direction in JSON: whole degrees, or null.
func wholeDegrees(d float64) string {
	if math.IsNaN(d) {
		return "null"
	}
	return strconv.Itoa(int(math.Round(d)) % 360)
}

// flowWriter adds predicted currents of one station.
type flowWriter struct {
	*rows
	bin        currentBin
	flood, ebb string // directions
}

// velocityRow adds a row with a velocity along the axis, a number.
func (f flowWriter) velocityRow(begin string, t time.Time, v float64) {
	b := fmt.Appendf(f.body, `%s"meanFloodDir": %s,"Bin": "%d","meanEbbDir": %s,"Time": "`,
		begin, f.flood, f.bin.number, f.ebb)
	b = append(f.appendTime(b, t), `","Depth": `+f.bin.depth(f.metric)+`,"Velocity_Major": `...)
	if f.metric {
		b = appendTrimmed(b, v*cmPerKnot, 1)
	} else {
		b = appendTrimmed(b, v, 2)
	}
	f.body = append(b, '}')
}
