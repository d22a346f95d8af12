package sky

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"leadline/internal/trials"
)

// events returns all lists of times of a span, by name.
func events(p Place, from, to time.Time) map[string][]time.Time {
	day, moon := Sun(p, from, to), MoonTimes(p, from, to)
	list := map[string][]time.Time{"noon": day.Noon, "transit": moon.Transit}
	for name, c := range crossings(day, moon) {
		list[name+" rise"], list[name+" set"] = c.Rise, c.Set
	}
	return list
}

func crossings(day SunDay, moon MoonDay) map[string]Crossing {
	return map[string]Crossing{
		"sun": day.Sun, "civil": day.Civil, "nautical": day.Nautical, "astronomical": day.Astronomical,
		"golden upper": day.GoldenUpper, "golden lower": day.GoldenLower, "moon": moon.Moon,
	}
}

// TestPartition checks that the events of 365 consecutive days, of 23, 24 and 25 hours,
// are exactly those of one long span, to the nanosecond. No event may be missing or
// duplicated. A run of few cases checks 90 days, in another season at each place.
func TestPartition(t *testing.T) {
	days := 365
	if !trials.Thorough() {
		days = 90
	}
	for i, p := range []Place{
		{40.7, -74}, {71.29, -156.79}, {64.13, -21.9}, {0, -78.5},
		{-54.8, -68.3}, {-16.8, 180}, {90, 0}, {-90, -180}, {89.9, 13},
	} {
		start := time.Date(2026, 1, 1+40*i, 5, 0, 0, 0, time.UTC)
		got, to := map[string][]time.Time{}, start
		for n := range days {
			from := to
			to = from.Add(time.Duration(24+(n*7%11%3)-1) * time.Hour)
			for name, list := range events(p, from, to) {
				got[name] = append(got[name], list...)
			}
		}
		for name, want := range events(p, start, to) {
			if !slices.Equal(got[name], want) {
				t.Errorf("%v, %s: %d events in single days, %d in one span", p, name, len(got[name]), len(want))
			}
		}
	}
}

// TestWithin checks that the days of a long span are those that are computed one by one, with
// the states of days on which the sun does not pass an altitude.
func TestWithin(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	states := 0
	for range trials.Cases() / 10 {
		p := Place{somewhere(random, 90), somewhere(random, 180)}
		from := time.Unix(random.Int64N(200*365*86400)-70*365*86400, 0)
		span := Sun(p, from, from.Add(32*24*time.Hour))
		for day := range 32 {
			begin := from.Add(time.Duration(day) * 24 * time.Hour)
			end := begin.Add(24 * time.Hour)
			got, want := span.Within(begin, end), Sun(p, begin, end)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v from %v: %+v, want %+v", p, begin.UTC(), got, want)
			}
			if want.Civil.State != "" {
				states++
			}
		}
	}
	if states == 0 {
		t.Error("the sun passes -6 degrees on every day")
	}
}

// TestBorder moves the border of two spans to an event, to the millisecond: it belongs to
// the span that begins there.
func TestBorder(t *testing.T) {
	p, noon := Place{40.7, -74}, time.Date(2026, 6, 21, 16, 0, 0, 0, time.UTC)
	rise := MoonTimes(p, noon, noon.Add(48*time.Hour)).NextRise
	for shift := -2; shift <= 2; shift++ {
		border := rise.Add(time.Duration(shift) * time.Millisecond)
		before, after := MoonTimes(p, noon, border).Moon.Rise,
			MoonTimes(p, border, noon.Add(48*time.Hour)).Moon.Rise
		if in := slices.Contains(before, rise); in != (shift > 0) {
			t.Errorf("border %d ms from moonrise: in the span before = %v", shift, in)
		}
		if in := slices.Contains(after, rise); in != (shift <= 0) {
			t.Errorf("border %d ms from moonrise: in the span after = %v", shift, in)
		}
	}
}

// TestBorderOnTheHour moves a sunrise across a border on the hour in tenths of a
// millisecond: the root may lie before its rounded time.
func TestBorderOnTheHour(t *testing.T) {
	border := time.Date(2026, 3, 20, 11, 0, 0, 0, time.UTC)
	from, to := border.Add(-12*time.Hour), border.Add(12*time.Hour)
	longitude := -74.0
	for range 20 {
		late := Sun(Place{40.7, longitude}, from, to).Sun.Rise[0].Sub(border)
		longitude += late.Seconds() / 240 // the earth turns a degree in 240 s
	}
	for step := -20; step <= 20; step++ {
		p := Place{40.7, longitude + float64(step)*1e-4/240}
		before, after := Sun(p, from, border).Sun.Rise, Sun(p, border, to).Sun.Rise
		if len(before)+len(after) != 1 {
			t.Errorf("%d tenths of a millisecond: sunrises %v and %v, want one", step, before, after)
		}
	}
}

// TestAnywhere checks the invariants at random places and dates.
func TestAnywhere(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range trials.Cases() {
		p := Place{somewhere(random, 90), somewhere(random, 180)}
		from := time.Unix(random.Int64N(200*365*86400)-70*365*86400, random.Int64N(1e9))
		to := from.Add(time.Duration(random.Int64N(int64(50 * time.Hour))))
		holds(t, p, from, to)
	}
}

// somewhere returns a random place, often an extreme one: poles, date line, equator.
func somewhere(random *rand.Rand, bound float64) float64 {
	switch random.IntN(8) {
	case 0:
		return bound
	case 1:
		return -bound
	case 2:
		return 0
	}
	return bound * (2*random.Float64() - 1)
}

func holds(t *testing.T, p Place, from, to time.Time) {
	t.Helper()
	what := fmt.Sprintf("%v from %v to %v", p, from.UTC(), to.UTC())
	day, moon := Sun(p, from, to), MoonTimes(p, from, to)
	for name, list := range events(p, from, to) {
		if list == nil || !slices.IsSortedFunc(list, time.Time.Compare) {
			t.Errorf("%s: %s is nil or not sorted: %v", what, name, list)
		}
		for _, at := range list {
			if at.Before(from) || !at.Before(to) || at.Location() != time.UTC {
				t.Errorf("%s: %s at %v", what, name, at)
			}
		}
	}
	for name, c := range crossings(day, moon) {
		if (c.State == "") != (len(c.Rise)+len(c.Set) > 0) || !alternate(c) {
			t.Errorf("%s: %s is %v", what, name, c)
		}
	}
	if day.DayLength < 0 || day.DayLength > to.Sub(from) {
		t.Errorf("%s: day length %v", what, day.DayLength)
	}
	numbers(t, what, SunPosition(p, from))
	numbers(t, what, MoonPosition(p, from))
	numbers(t, what, Moon(from))
}

// alternate reports whether rises and sets alternate.
func alternate(c Crossing) bool {
	all := slices.SortedFunc(slices.Values(slices.Concat(c.Rise, c.Set)), time.Time.Compare)
	for n := 2; n < len(all); n++ {
		if slices.Contains(c.Rise, all[n]) == slices.Contains(c.Rise, all[n-1]) {
			return false
		}
	}
	return true
}

// numbers checks that every float of a struct is finite.
func numbers(t *testing.T, what string, value any) {
	t.Helper()
	for v, n := reflect.ValueOf(value), 0; n < v.NumField(); n++ {
		if f := v.Field(n); f.CanFloat() && (math.IsNaN(f.Float()) || math.IsInf(f.Float(), 0)) {
			t.Errorf("%s: %+v", what, value)
		}
	}
}

// TestFarDates checks dates far outside the supported period, where no accuracy is
// promised.
func TestFarDates(t *testing.T) {
	for _, from := range []time.Time{
		{}, time.Date(-3000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(1600, 5, 6, 0, 0, 0, 0, time.UTC), time.Date(2500, 5, 6, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	} {
		holds(t, Place{40.7, -74}, from, from.Add(24*time.Hour))
		if phases, apsides := NextPhases(from), NextApsides(from); len(phases) != 4 || len(apsides) != 2 {
			t.Errorf("%v: %v and %v", from, phases, apsides)
		}
	}
}

// TestDisc checks that the upper limb is on the horizon at sunrise and moonrise. The
// positions use the series, not the fits.
func TestDisc(t *testing.T) {
	for _, p := range []Place{{40.7, -74}, {-33.86, 151.21}, {57.05, -135.33}, {0, 0}} {
		for month := range 240 {
			from := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 10*month, month)
			to := from.AddDate(0, 0, 1)
			day, moon := Sun(p, from, to), MoonTimes(p, from, to)
			for _, at := range slices.Concat(day.Sun.Rise, day.Sun.Set) {
				near(t, fmt.Sprint("altitude of the sun's limb at ", at), limb(SunPosition(p, at), sunRadius),
					-34.0/60, 2e-5)
			}
			for _, at := range slices.Concat(moon.Moon.Rise, moon.Moon.Set) {
				near(t, fmt.Sprint("altitude of the moon's limb at ", at),
					limb(MoonPosition(p, at), moonRadius), -34.0/60, 2e-5)
			}
			for _, at := range day.Noon {
				near(t, fmt.Sprint("hour angle of the sun at ", at), SunPosition(p, at).HourAngle, 0, 2e-5)
			}
			for _, at := range moon.Transit {
				near(t, fmt.Sprint("hour angle of the moon at ", at), MoonPosition(p, at).HourAngle, 0, 2e-5)
			}
			for _, at := range moon.Lower {
				near(t, fmt.Sprint("hour angle of the moon underfoot at ", at),
					math.Abs(MoonPosition(p, at).HourAngle), 180, 2e-5)
			}
			if n := len(moon.Transit) + len(moon.Lower); n < 1 || n > 2 {
				t.Errorf("%v from %v: %d passages of the moon over and under, want 1 or 2", p, from, n)
			}
		}
	}
}

func limb(p Position, radius float64) float64 {
	return p.Altitude + degrees(math.Asin(radius/p.Distance))
}

// TestTrack compares the fits with the series that they replace, over two centuries, in
// seconds of arc.
func TestTrack(t *testing.T) {
	for _, c := range []struct {
		name   string
		body   body
		degree int
		want   float64
	}{{"sun", sun, sunDegree, 0.01}, {"moon", moon, moonDegree, 0.01}} {
		worst := 0.0
		for start := instant(-36525); start < 36525; start += 37 {
			track := follow(c.body, c.degree, endAt(c.body, start), endAt(c.body, start+1))
			for part := instant(0); part <= 1; part += 1.0 / 16 {
				i := start + part
				worst = max(worst, apart(track.at(i), c.body(i, frameAt(i)))/arcSecond)
			}
		}
		t.Logf("%s: %.5f seconds of arc", c.name, worst)
		if worst > c.want {
			t.Errorf("%s: the fit departs by %.5f seconds of arc, want at most %v", c.name, worst, c.want)
		}
	}
}

// apart returns the angle between two vectors that nearly coincide, in radians.
func apart(a, b vector) float64 {
	x, y, z := a.x-b.x, a.y-b.y, a.z-b.z
	return math.Sqrt((x*x + y*y + z*z) / (b.x*b.x + b.y*b.y + b.z*b.z))
}

// TestNextMoon checks that NextRise and NextSet are the first of the following days.
func TestNextMoon(t *testing.T) {
	for _, p := range []Place{{40.7, -74}, {64.84, -147.72}, {78, 15}, {90, 0}, {-90, 0}} {
		for n := range 30 {
			from := time.Date(2026, 5, 1+n, 4, 0, 0, 0, time.UTC)
			got, long := MoonTimes(p, from, from.Add(24*time.Hour)),
				MoonTimes(p, from, from.Add(40*24*time.Hour)).Moon
			if got.NextRise != first(long.Rise) || got.NextSet != first(long.Set) {
				t.Errorf("%v, %v: next %v and %v, want %v and %v", p, from, got.NextRise, got.NextSet,
					first(long.Rise), first(long.Set))
			}
			if got.NextRise.IsZero() || got.NextSet.IsZero() {
				t.Errorf("%v, %v: next %v and %v, want both", p, from, got.NextRise, got.NextSet)
			}
		}
	}
}

// TestCycle checks the phases of two centuries: their order, elongation, name, age and
// illumination.
func TestCycle(t *testing.T) {
	at := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	for at.Year() < 2100 {
		phases := NextPhases(at)
		for n, e := range phases {
			if len(phases) != 4 || !e.Time.After(at) || n > 0 && !e.Time.After(phases[n-1].Time) {
				t.Fatalf("phases after %v: %v", at, phases)
			}
			quarter := slices.IndexFunc(quarters[:], func(q struct {
				name string
				near func(float64) float64
			}) bool {
				return q.name == e.Name
			})
			m := Moon(e.Time)
			near(t, fmt.Sprint("elongation at ", e), math.Remainder(m.Elongation-90*float64(quarter), 360),
				0, 0.008)
			near(t, fmt.Sprint("light at ", e), m.Illumination, []float64{0, 0.5, 1, 0.5}[quarter], 0.004)
			near(t, fmt.Sprint("age at ", e), m.Age, 7.4*float64(quarter), 1.3)
			if got := NextPhases(e.Time.Add(-time.Minute))[0]; got != e {
				t.Errorf("a minute before %v comes %v", e, got)
			}
			if m.Phase != e.Name {
				t.Errorf("phase at %v is %s", e, m.Phase)
			}
		}
		at = phases[3].Time
	}
}

func TestApsidesInOrder(t *testing.T) {
	at := time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	name := NextApsides(at)[0].Name
	for at.Year() < 2100 {
		list := NextApsides(at)
		e := list[0]
		if e.Name != name || list[1].Name == name || !e.Time.After(at) ||
			e.Time.Sub(at) > 17*24*time.Hour {
			t.Fatalf("apsides after %v: %v", at, list)
		}
		near(t, fmt.Sprint("distance at ", e), Moon(e.Time).Distance, e.Distance, 20)
		if got := NextApsides(e.Time.Add(-time.Minute))[0]; got != e {
			t.Errorf("a minute before %v comes %v", e, got)
		}
		name, at = list[1].Name, e.Time
	}
}

func TestPhaseName(t *testing.T) {
	for elongation, want := range map[float64]string{
		0: "new_moon", 6: "new_moon", 6.2: "waxing_crescent", 83: "waxing_crescent", 84: "first_quarter",
		96: "first_quarter", 97: "waxing_gibbous", 180: "full_moon", 187: "waning_gibbous",
		270: "last_quarter", 277: "waning_crescent", 354: "new_moon", 359.9999: "new_moon",
	} {
		if got := phaseName(elongation); got != want {
			t.Errorf("phaseName(%v) = %q, want %q", elongation, got, want)
		}
	}
}

// TestRefraction checks 34' at an apparent altitude of zero (29' at true altitude zero),
// zero at the zenith, and continuity.
func TestRefraction(t *testing.T) {
	near(t, "refraction at true altitude -34'", 60*refraction(-34.0/60), 34, 0.6)
	near(t, "refraction at true altitude 0", 60*refraction(0), 29, 0.6)
	near(t, "refraction at the zenith", refraction(90), 0, 1e-9)
	near(t, "refraction at the nadir", refraction(-90), 0, 1e-9)
	for h := -90.0; h < 90; h += 0.01 {
		near(t, fmt.Sprint("step of refraction at ", h), refraction(h+0.01)-refraction(h), 0, 0.003)
	}
}

// TestEmptySpan checks that an empty span has no events.
func TestEmptySpan(t *testing.T) {
	p, noon := Place{40.7, -74}, time.Date(2026, 6, 21, 17, 0, 0, 0, time.UTC)
	for _, to := range []time.Time{noon, noon.Add(-time.Hour), noon.Add(-72 * time.Hour)} {
		d := Sun(p, noon, to)
		if d.DayLength != 0 || len(d.Noon)+len(d.Sun.Rise)+len(d.Sun.Set) != 0 {
			t.Errorf("Sun to %v = %+v, want nothing", to, d)
		}
	}
	if got := Sun(p, noon, noon).Sun.State; got != AlwaysUp {
		t.Errorf("state at noon = %q, want %q", got, AlwaysUp)
	}
}
