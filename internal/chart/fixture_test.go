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

// tideAt returns the predicted tide of a reference station over hours from a civil
// time on, in feet.
func tideAt(t testing.TB, d *stations.Directory, id, from string, hours int) Tide {
	t.Helper()
	s, ok := d.Station(id)
	if !ok {
		t.Fatalf("no station %s", id)
	}
	z := load(t, s.Zone)
	begin, err := time.ParseInLocation("2006-01-02 15:04", from, z)
	if err != nil {
		t.Fatal(err)
	}
	c := Tide{
		Station: s.Name + ", " + s.State + " (" + s.ID + ")", Unit: "ft", Datum: "MLLW",
		Epoch: "1983-2001", Clock: Clock{Zone: z},
		Source: "Predicted by Leadline from NOAA CO-OPS constants. Not for navigation.",
	}
	fill(t, &c, d, s, begin, hours)
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
	const feet = 1 / 0.3048
	to := from.Add(time.Duration(hours) * time.Hour)
	c.Predicted = Series{Start: from, Step: 6 * time.Minute}
	for at := from; !at.After(to); at = at.Add(c.Predicted.Step) {
		c.Predicted.Values = append(c.Predicted.Values, (p.Curve.At(at)+p.Level)*feet)
	}
	for _, e := range p.Extremes(from, to) {
		c.Events = append(c.Events, Event{e.Time, e.High, e.Height * feet})
	}
	c.Daylight = daylight(s, from.In(c.Clock.Zone), to)
}

// daylight returns the light of all days from one time to another.
func daylight(s stations.Station, from, to time.Time) (d Daylight) {
	place := sky.Place{Latitude: s.Latitude, Longitude: s.Longitude}
	y, m, day := from.Date()
	for i := 0; ; i++ {
		begin := time.Date(y, m, day+i, 0, 0, 0, 0, from.Location())
		next := time.Date(y, m, day+i+1, 0, 0, 0, 0, from.Location())
		if begin.After(to) {
			return d
		}
		sun := sky.Sun(place, begin, next)
		d.Twilights = append(d.Twilights, lit(sun.Civil, begin, next)...)
		d.Days = append(d.Days, lit(sun.Sun, begin, next)...)
	}
}

func lit(c sky.Crossing, begin, end time.Time) []Span {
	if c.State == sky.AlwaysUp {
		return []Span{{begin, end}}
	}
	if len(c.Rise) == 0 || len(c.Set) == 0 {
		return nil
	}
	return []Span{{c.Rise[0], c.Set[0]}}
}

// currentAt returns the predicted current of a reference station.
func currentAt(t testing.TB, d *stations.Directory, id, from string, hours int) Current {
	t.Helper()
	s, ok := d.Station(id)
	if !ok {
		t.Fatalf("no station %s", id)
	}
	p, ok := d.Currents(s)
	if !ok {
		t.Fatalf("%s has no predictions", id)
	}
	z := load(t, s.Zone)
	begin, err := time.ParseInLocation("2006-01-02 15:04", from, z)
	if err != nil {
		t.Fatal(err)
	}
	to := begin.Add(time.Duration(hours) * time.Hour)
	c := Current{Station: s.Name + " (" + s.ID + ")", Unit: "kn", Clock: Clock{Zone: z}}
	c.Series = Series{Start: begin, Step: 6 * time.Minute}
	for at := begin; !at.After(to); at = at.Add(c.Series.Step) {
		c.Series.Values = append(c.Series.Values, p.Curve.At(at)+p.Mean)
	}
	for _, e := range p.Events(begin, to) {
		kind := map[tide.Phase]TurnKind{tide.Flood: MaxFlood, tide.Ebb: MaxEbb,
			tide.Slack: Slack}[e.Phase]
		c.Turns = append(c.Turns, Turn{e.Time, kind, math.Abs(e.Velocity)})
	}
	c.Daylight = daylight(s, begin, to)
	return c
}

// observe adds measured heights that are off by a slow difference, with a gap.
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
