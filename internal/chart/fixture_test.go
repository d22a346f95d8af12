package chart

import (
	"math"
	"testing"
	"time"

	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

func openDirectory(t testing.TB) *stations.Directory {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func load(t testing.TB, zone string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// station returns a station of the directory.
func station(t testing.TB, d *stations.Directory, id string) stations.Station {
	t.Helper()
	s, ok := d.Station(id)
	if !ok {
		t.Fatalf("no station %s", id)
	}
	return s
}

// civil returns the instant of a civil time.
func civil(t testing.TB, zone *time.Location, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// tideAt returns the predicted tide of a station over hours from a civil time on, in feet.
func tideAt(t testing.TB, d *stations.Directory, id, from string, hours int) Tide {
	t.Helper()
	s := station(t, d, id)
	c := Tide{
		Station: s.Name + ", " + s.State + " (" + s.ID + ")", Unit: "ft", Datum: "MLLW",
		Epoch: "1983-2001", Clock: Clock{Zone: load(t, s.Zone)},
		Source: "Predicted by Leadline from NOAA CO-OPS constants. " +
			"Planning aid only. Not for navigation.",
	}
	fill(t, &c, d, s, civil(t, c.Clock.Zone, from), hours)
	return c
}

// fill computes heights, events and light of a chart.
func fill(
	t testing.TB, c *Tide, d *stations.Directory, s stations.Station, from time.Time, hours int,
) {
	t.Helper()
	p, ok := d.Tides(s, "MLLW")
	if !ok {
		t.Fatalf("%s has no predictions above MLLW", s.ID)
	}
	unit := 1 / 0.3048
	if c.Unit == "m" {
		unit = 1
	}
	to := from.Add(time.Duration(hours) * time.Hour)
	c.Predicted = Series{Start: from, Step: 6 * time.Minute, Values: make([]float64, hours*10+1)}
	p.Heights(from, c.Predicted.Step, c.Predicted.Values)
	for i := range c.Predicted.Values {
		c.Predicted.Values[i] *= unit
	}
	for _, e := range p.Extremes(from, to) {
		c.Events = append(c.Events, Event{e.Time, e.High, e.Height * unit})
	}
	c.Daylight = daylight(s, from, to)
}

// daylight returns the light from one time to another.
func daylight(s stations.Station, from, to time.Time) (d Daylight) {
	place := sky.Place{Latitude: s.Latitude, Longitude: s.Longitude}
	for _, i := range sky.When(place, from, to, sky.Civil) {
		d.Twilights = append(d.Twilights, Span(i))
	}
	for _, i := range sky.When(place, from, to, sky.Daylight) {
		d.Days = append(d.Days, Span(i))
	}
	return d
}

// currentAt returns the predicted current of a station.
func currentAt(t testing.TB, d *stations.Directory, id, from string, hours int) Current {
	t.Helper()
	s := station(t, d, id)
	p, ok := d.Currents(s)
	if !ok {
		t.Fatalf("%s has no predictions", id)
	}
	c := Current{
		Station: s.Name + ", " + s.State + " (" + s.ID + ")", Unit: "kn",
		Clock: Clock{Zone: load(t, s.Zone)},
		Source: "Predicted by Leadline from NOAA CO-OPS constants. " +
			"Planning aid only. Not for navigation.",
	}
	begin := civil(t, c.Clock.Zone, from)
	to := begin.Add(time.Duration(hours) * time.Hour)
	c.Series = Series{Start: begin, Step: 6 * time.Minute, Values: make([]float64, hours*10+1)}
	p.Velocities(begin, c.Series.Step, c.Series.Values)
	for _, e := range p.Events(begin, to) {
		kind := map[tide.Phase]TurnKind{tide.Flood: MaxFlood, tide.Ebb: MaxEbb,
			tide.Slack: Slack}[e.Phase]
		c.Turns = append(c.Turns, Turn{e.Time, kind, math.Abs(e.Velocity)})
	}
	for _, w := range p.AtMost(begin, to, 0.5) {
		c.Weak = append(c.Weak, Span(w))
	}
	c.Daylight = daylight(s, begin, to)
	return c
}

// observe adds measured heights of the first hours that are off by a slow difference, with a
// gap.
func (t Tide) observe(hours int) Tide {
	t.Observed = Series{Start: t.Predicted.Start, Step: t.Predicted.Step}
	for i := range hours * 10 {
		v := t.Predicted.Values[i] + 0.4*math.Sin(float64(i)/60)
		if i > 40 && i < 50 {
			v = math.NaN()
		}
		t.Observed.Values = append(t.Observed.Values, v)
	}
	return t
}

// at sets the line of now to a number of hours after the beginning.
func (t Tide) at(hours int) Tide {
	i := hours * 10
	v := t.Predicted.Values
	trend := Falling
	if v[i+1] > v[i] {
		trend = Rising
	}
	t.Now = &Moment{t.Predicted.at(i), v[i], trend}
	return t
}
