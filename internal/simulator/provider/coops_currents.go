package provider

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// cmPerKnot is a knot in centimetres per second.
const cmPerKnot = 185200.0 / 3600

// meter is a station that measures currents, of PORTS.
type meter struct {
	id, name, state     string
	latitude, longitude float64
	zone                string
	bins                int // cells, numbered from 1
	bin                 int // that of the answers without one
	minute              int // of each six, at which it measures
}

var meters = []meter{
	{"cb0102", "Cape Henry LB 2CH", "VA", 36.9594, -76.0128, newYork, 12, 4, 3},
	{"cb1401", "Newport New Shipbuilding", "VA", 36.9838, -76.4436, newYork, 40, 30, 1},
	{"n03020", "The Narrows", "NY", 40.6064, -74.0380, newYork, 20, 14, 0},
}

func meterOf(id string) (meter, bool) {
	for _, m := range meters {
		if m.id == id {
			return m, true
		}
	}
	return meter{}, false
}

// weakStation is a station of which the service only says that its currents
// are weak and variable. The ids are real, names and places stand in.
type weakStation struct {
	id, name            string
	latitude, longitude float64
}

var weak = []weakStation{
	{"ACT0261", "Weak and variable, off Maine", 44.2, -68.3},
	{"PCT0161", "Weak and variable, off California", 33.7, -118.2},
	{"PUG1613", "Weak and variable, Puget Sound", 47.65, -122.55},
}

// currents answers product=currents.
func (p *Provider) currents(q *query) ([]byte, error) {
	m, ok := meterOf(q.station)
	if !ok {
		return nil, none(noData)
	}
	step, err := q.every("6", "h")
	if err != nil {
		return nil, err
	}
	bins, err := m.asked(q.bin)
	if err != nil {
		return nil, err
	}
	at := q.grid(step, time.Duration(m.minute)*time.Minute).until(q.now.Add(-published))
	at = at.since(time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC))
	g := &gauge{id: m.id, seed: hash(m.id)}
	velocities, flood := p.flow(m, at)
	r := rows{body: q.open(m.id, m.name, m.latitude, m.longitude)}
	q.readings(g, at, velocities, func(t time.Time, v float64, lost bool) {
		for _, bin := range bins {
			r.next(",")
			r.body = q.appendFlow(r.body, t, v*(0.6+0.4*float64(bin)/float64(m.bins)), flood, bin, lost)
		}
	})
	return r.close(dataClose, noData)
}

// asked are the bins of a request: the meter's own without a number, all for 0.
func (m meter) asked(bin string) ([]int, error) {
	if bin == "" {
		return []int{m.bin}, nil
	}
	n, err := strconv.Atoi(bin)
	if err != nil || n < 0 || n > m.bins {
		return nil, refuse(wrongBin)
	}
	if n > 0 {
		return []int{n}, nil
	}
	all := make([]int, m.bins)
	for i := range all {
		all[i] = i + 1
	}
	return all, nil
}

// flow is the velocity past a meter, knots along the axis of the nearest
// predicted current and disturbed, and the direction of the flood there.
func (p *Provider) flow(m meter, at grid) (velocities []float64, flood float64) {
	velocities = make([]float64, at.size())
	near := p.stations.Nearest(m.latitude, m.longitude, 1, func(s stations.Station) bool {
		return s.Kind == stations.Current && !s.Subordinate()
	})
	currents, ok := p.stations.Currents(near[0].Station)
	if ok {
		currents.Velocities(at.first, at.step, velocities)
	}
	s := newSwing(hash(m.id), "current")
	for i := range velocities {
		velocities[i] += 0.15 * s.at(at.at(i))
	}
	flood, _, _ = near[0].Station.Directions()
	return velocities, flood
}

// appendFlow appends a measured current. The two blanks before the bin are the service's.
func (q *query) appendFlow(b []byte, t time.Time, velocity, flood float64, bin int, lost bool) []byte {
	b = q.appendTime(append(b, `{"t":"`...), t)
	if lost {
		b = append(b, `", "s":"", "d":"`...)
	} else {
		b = q.appendSpeed(append(b, `", "s":"`...), math.Abs(velocity))
		if velocity < 0 {
			flood += 180
		}
		b = strconv.AppendInt(append(b, `", "d":"`...), int64(math.Round(flood))%360, 10)
	}
	b = strconv.AppendInt(append(b, `",  "b":"`...), int64(bin), 10)
	return append(b, `"}`...)
}

func (q *query) appendSpeed(b []byte, knots float64) []byte {
	if q.metric {
		return appendFixed(b, knots*cmPerKnot, 1)
	}
	return appendFixed(b, knots, 2)
}

// bin is a depth for which a current is predicted.
type bin struct {
	number int
	feet   float64 // below the surface, 0 where the service knows none
	part   float64 // of the velocity in the row
	row    stations.Station
}

// depths of the bins of one well-known station, whose numbers are published.
var estesHead = []bin{{14, 13, 1, stations.Station{}}, {11, 23, 1, stations.Station{}}, {8, 33, 0.9, stations.Station{}}, {4, 46, 0.75, stations.Station{}}}

// depths of the bins of another one, in meters 6.52, 16.52 and 38.53.
var goldenGate = []bin{{17, 21, 1, stations.Station{}}, {12, 54, 1, stations.Station{}}, {1, 126, 0.87, stations.Station{}}}

// bins are the predicted bins of a current station, its own first. The
// directory has few of their numbers and none of their depths: but for two
// stations they are made up, as are the velocities of all but the first.
func (p *Provider) bins(s stations.Station) []bin {
	own := p.stations.Bins(s.ID)
	switch {
	case s.ID == "EPT0003":
		return withRows(estesHead, own)
	case s.ID == "SFB1202":
		return withRows(goldenGate, own)
	case s.Subordinate(), strings.HasPrefix(s.ID, "ACT"), strings.HasPrefix(s.ID, "PCT"):
		return withRows([]bin{{1, 0, 1, s}}, own)
	}
	n := 1 + int(hash(s.ID)%5)
	bins := make([]bin, n)
	for i := range bins {
		bins[i] = bin{number: 3*(n-i) - 1, feet: float64(12 + 13*i), part: 1 - 0.1*float64(i)}
	}
	if number := s.BinNumber(); number > 0 {
		bins = []bin{{number: number, feet: 12, part: 1}}
	}
	return withRows(bins, own)
}

// withRows gives each bin the row that predicts it: one that the directory
// has under the bin's number, else the station's own.
func withRows(bins []bin, own []stations.Station) []bin {
	bins = slices.Clone(bins)
	for i := range bins {
		bins[i].row = own[0]
	}
	for _, row := range own[1:] {
		_, number := row.Bin()
		i := slices.IndexFunc(bins, func(b bin) bool { return b.number == number })
		if i < 0 {
			bins = append(bins, bin{number: number, feet: 50})
			i = len(bins) - 1
		}
		bins[i].row, bins[i].part = row, 1
	}
	return bins
}

// depth is the bin's depth in whole feet or metres, nil where unknown.
func (b bin) depth(metric bool) *int {
	if b.feet == 0 {
		return nil
	}
	n := int(b.feet)
	if metric {
		n = int(math.Round(b.feet * metresPerFoot))
	}
	return &n
}

// currentsPredictions answers product=currents_predictions.
func (p *Provider) currentsPredictions(q *query) ([]byte, error) {
	units := "feet, knots"
	if q.metric {
		units = "meters, cm/s"
	}
	for _, w := range weak {
		if w.id == q.station {
			return fmt.Appendf(nil, `{"current_predictions": {"units": "%s","cp": "Currents are weak and variable"}}`+"\n", units), nil
		}
	}
	s, ok := p.predicted(q.station)
	currents, predicted := p.stations.Currents(s)
	if !ok || !predicted {
		return nil, none(noCurrents)
	}
	b, err := pick(s.ID, p.bins(s), q.bin)
	if err != nil {
		return nil, err
	}
	if b.row.ID != s.ID {
		currents, _ = p.stations.Currents(b.row) // a reference, which has constants
	}
	f := flowWriter{query: q, bin: b, currents: currents, directions: newDirections(b.row)}
	f.body = append(f.body, `{"current_predictions": {"units": "`+units+"\",\"cp\": [\n"...)
	if err := f.write(s.Subordinate()); err != nil {
		return nil, err
	}
	return append(f.body, "\n]}}\n"...), nil
}

// pick finds the bin of a request, the first without one.
func pick(id string, bins []bin, asked string) (bin, error) {
	if asked == "" {
		return bins[0], nil
	}
	list := ""
	for _, b := range bins {
		if strconv.Itoa(b.number) == asked {
			return b, nil
		}
		list += strconv.Itoa(b.number) + ", "
	}
	return bin{}, refuse("Available bin number of " + id + ": " + list)
}

// directions are those of flood and ebb as JSON: whole degrees, or null.
type directions struct{ flood, ebb string }

func newDirections(s stations.Station) directions {
	flood, ebb, _ := s.Directions()
	return directions{degrees(flood), degrees(ebb)}
}

func degrees(d float64) string {
	if math.IsNaN(d) {
		return "null"
	}
	return strconv.Itoa(int(math.Round(d)) % 360)
}

// flowWriter writes one station's predicted currents.
type flowWriter struct {
	*query
	rows
	bin        bin
	currents   tide.Currents
	directions directions
}

// write writes events or a series. Stations without constants of their own
// have events alone, whatever is asked.
func (f *flowWriter) write(subordinate bool) error {
	if f.velocity == "speed_dir" && f.interval == "max_slack" {
		return refuse(wrongVelocity)
	}
	step, err := f.every("h", "1", "6", "10", "30", "60", "max_slack")
	if err != nil {
		return err
	}
	if subordinate || f.interval == "max_slack" {
		f.events()
		return nil
	}
	at := f.grid(step, 0)
	out := make([]float64, at.size())
	f.currents.Velocities(at.first, at.step, out)
	for i, v := range out {
		if t := at.at(i); !f.zone.dropped(t) {
			f.series(t, v*f.bin.part)
		}
	}
	return nil
}

func (f *flowWriter) events() {
	for _, e := range f.currents.Events(f.zone.instant(f.begin), f.zone.instant(f.end)) {
		f.next(",\n")
		f.body = append(append(append(f.body, `{"Type": "`...), e.Phase...), `",`...)
		f.velocityRow(e.Time, e.Velocity*f.bin.part)
	}
}

func (f *flowWriter) series(t time.Time, v float64) {
	f.next(",\n")
	f.body = append(f.body, '{')
	if f.velocity == "speed_dir" {
		f.speedRow(t, v)
		return
	}
	f.velocityRow(t, v)
}

// velocityRow ends a row with a velocity along the axis, a number.
func (f *flowWriter) velocityRow(t time.Time, v float64) {
	b := fmt.Appendf(f.body, `"meanFloodDir": %s,"Bin": "%d","meanEbbDir": %s,"Time": "`, f.directions.flood, f.bin.number, f.directions.ebb)
	b = f.appendTime(b, t)
	b = append(f.appendDepth(append(b, `","Depth": `...)), `,"Velocity_Major": `...)
	if f.metric {
		b = appendTrimmed(b, v*cmPerKnot, 1)
	} else {
		b = appendTrimmed(b, v, 2)
	}
	f.body = append(b, '}')
}

// speedRow ends a row with a speed, which is text, and a direction, which is none.
func (f *flowWriter) speedRow(t time.Time, v float64) {
	unit, direction := 1.0, f.directions.flood
	if f.metric {
		unit = cmPerKnot
	}
	if v < 0 {
		direction = f.directions.ebb
	}
	b := appendFixed(append(f.body, `"Speed": "`...), math.Abs(v)*unit, 3)
	b = fmt.Appendf(b, `","Bin": "%d","Time": "`, f.bin.number)
	b = append(append(f.appendTime(b, t), `","Direction": `...), direction...)
	f.body = append(f.appendDepth(append(b, `,"Depth": `...)), '}')
}

// appendDepth appends the bin's depth: text, or null.
func (f *flowWriter) appendDepth(b []byte) []byte {
	depth := f.bin.depth(f.metric)
	if depth == nil {
		return append(b, "null"...)
	}
	return append(strconv.AppendInt(append(b, '"'), int64(*depth), 10), '"')
}
