package passage_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"leadline/internal/passage"
	"leadline/internal/trials"
)

// flow is a current along a course in knots, at minutes.
type flow func(minute float64) float64

// tidal returns a random current: a semidiurnal and a diurnal part, an overtide and a mean flow.
func tidal(random *rand.Rand) flow {
	strength := 6 * random.Float64()
	phases := [3]float64{random.Float64() * 7, random.Float64() * 7, random.Float64() * 7}
	mean := 0.5 * random.NormFloat64()
	return func(minute float64) float64 {
		wave := func(period, phase float64) float64 { return math.Cos(2*math.Pi*minute/period + phase) }
		return mean + strength*(wave(745.2, phases[0])+0.3*wave(1490.4, phases[1])+
			0.1*wave(372.6, phases[2]))
	}
}

func (f flow) stream(minutes int) passage.Stream {
	s := passage.Stream{Along: make([]float64, minutes), Speeds: make([]float64, minutes)}
	for i := range minutes {
		s.Along[i] = f(float64(i))
		s.Speeds[i] = math.Abs(s.Along[i])
	}
	return s
}

// voyage is a random search: a vessel, gates and their currents.
type voyage struct {
	speed  float64
	gates  []passage.Gate
	flows  []flow
	starts int
}

func (v voyage) windows() []passage.Window {
	return passage.Windows(v.speed, v.gates, []passage.Range{{First: 0, Last: v.starts - 1}})
}

func newVoyage(random *rand.Rand, gates int) voyage {
	v := voyage{speed: 1 + 9*random.Float64(), starts: 2 * 1440}
	for i := range gates {
		g := passage.Gate{
			Distance: 4 * random.Float64(), Current: 1 + 5*random.Float64(), Against: 4 * random.Float64(),
		}
		if random.IntN(5) == 0 {
			g.Distance = 0
		}
		if i > 0 || random.IntN(2) == 0 {
			g.Leg = 8 * random.Float64()
		}
		f := tidal(random)
		g.Stream = f.stream(v.starts + 6000)
		v.gates, v.flows = append(v.gates, g), append(v.flows, f)
	}
	return v
}

// departures returns the minutes in windows.
func departures(list []passage.Window) map[int]bool {
	good := map[int]bool{}
	for _, w := range list {
		for at := w.First; at <= w.Last; at++ {
			good[at] = true
		}
	}
	return good
}

// follow goes through the gates in steps of a fraction of a minute, with the continuous current.
// It returns the arrival, and by how much each kind of limit is broken, at most.
func (v voyage) follow(depart int, steps float64) (arrive, excess float64) {
	at := float64(depart)
	excess = math.Inf(-1)
	for i, g := range v.gates {
		at += 60 * g.Leg / v.speed
		for gone := 0.0; ; {
			along := v.flows[i](at)
			excess = max(excess, math.Abs(along)-g.Current)
			if g.Distance == 0 {
				break
			}
			excess = max(excess, -along-g.Against, passage.Slowest-v.speed-along)
			stuck := at > float64(len(g.Stream.Along)) // by a current that no limit allows
			if gone >= g.Distance-1e-9 || excess > 1 || stuck {
				break
			}
			middle := v.speed + v.flows[i](at+0.5/steps)
			part := min(1/steps, 60*(g.Distance-gone)/max(middle, 1e-3))
			gone += part * middle / 60
			at += part
		}
	}
	return at, excess
}

// TestWindows compares departures and arrivals with a simulation at 10 s: the limits are kept at
// departures in windows and broken at others, to 0.02 kn and the minutes around a trip.
func TestWindows(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 1))
	found, refused := 0, 0
	for range trials.Cases() {
		v := newVoyage(random, 1+random.IntN(3))
		list := v.windows()
		good := departures(list)
		for range 40 {
			depart := random.IntN(v.starts)
			_, excess := v.follow(depart, 6)
			switch {
			case good[depart] && excess > 0.02:
				t.Errorf("departure %d of %+v breaks a limit by %v", depart, v.speed, excess)
			case !good[depart] && excess < -0.1:
				t.Errorf("departure %d of %+v keeps all limits by %v and is left out", depart, v.speed,
					-excess)
			}
			if good[depart] {
				found++
			} else {
				refused++
			}
		}
		for _, w := range list {
			arrive, excess := v.follow(w.Best.Depart, 6)
			if excess > 0.02 || math.Abs(arrive-float64(w.Best.Arrive)) > 1.05 {
				t.Errorf("best %+v, replayed: arrival %v, limits broken by %v", w.Best, arrive, excess)
			}
		}
	}
	if found == 0 || refused == 0 {
		t.Errorf("%d departures in windows and %d outside", found, refused)
	}
}

// TestBest checks that no departure of a window is better than the best, that its passings have
// the extremes of the current, and that windows are disjoint and as long as possible.
func TestBest(t *testing.T) {
	random := rand.New(rand.NewPCG(62, 1))
	for range trials.Cases() {
		v := newVoyage(random, 1+random.IntN(3))
		list := v.windows()
		end := -2
		for _, w := range list {
			if w.First <= end+1 || w.Last < w.First || w.Best.Depart < w.First || w.Best.Depart > w.Last {
				t.Errorf("window %+v follows minute %d", w, end)
			}
			end = w.Last
			other := w.First + random.IntN(w.Last-w.First+1)
			single := passage.Windows(v.speed, v.gates, []passage.Range{{First: other, Last: other}})
			if len(single) != 1 {
				t.Fatalf("departure %d is in a window but not alone", other)
			}
			if got, best := single[0].Best, w.Best; got.Minutes() < best.Minutes() ||
				got.Minutes() == best.Minutes() && v.opposed(got) < v.opposed(best) {
				t.Errorf("departure %+v is better than the best %+v", got, best)
			}
			for i, p := range w.Best.Gates {
				for at := math.Ceil(p.Enter); at <= p.Leave; at++ {
					along := v.flows[i](at)
					if along > p.With+1e-9 || -along > p.Against+1e-9 {
						t.Errorf("gate %d of %+v has %v at %v", i, w.Best, along, at)
					}
				}
			}
		}
	}
}

// opposed returns the highest current against a trip, in any direction at gates without length.
func (v voyage) opposed(t passage.Trip) float64 {
	most := 0.0
	for i, p := range t.Gates {
		if v.gates[i].Distance == 0 {
			most = max(most, p.Current)
		} else {
			most = max(most, p.Against)
		}
	}
	return most
}

// TestFasterVessels checks that, if the current is the only limit, each departure of a slow vessel
// is one of a faster vessel.
func TestFasterVessels(t *testing.T) {
	random := rand.New(rand.NewPCG(63, 1))
	for range trials.Cases() {
		v := newVoyage(random, 1)
		v.gates[0].Leg, v.gates[0].Against = 0, v.gates[0].Current
		slow := departures(v.windows())
		v.speed += 5 * random.Float64()
		fast := departures(v.windows())
		for at := range slow {
			if !fast[at] {
				t.Fatalf("a vessel of %v kn cannot depart at %d, and a slower one can", v.speed, at)
			}
		}
	}
}

// TestStillWater checks that trips without a current take distance / speed, to the minute, at
// every departure.
func TestStillWater(t *testing.T) {
	random := rand.New(rand.NewPCG(65, 1))
	still := flow(func(float64) float64 { return 0 })
	for n := range trials.Cases() / 10 {
		const starts = 31 * 1440
		v := voyage{speed: float64(2+random.IntN(76)) / 2, starts: 1440}
		miles, want := 0.0, 0.0
		for range 1 + random.IntN(6) {
			leg, distance := float64(random.IntN(20)), float64(random.IntN(10))
			miles += leg + distance
			v.gates = append(v.gates, passage.Gate{Leg: leg, Distance: distance,
				Stream: still.stream(starts + 40000)})
		}
		want = math.Ceil(60*miles/v.speed - 1e-9)
		first := 0
		if n%2 == 1 {
			first = starts - v.starts
		}
		list := passage.Windows(v.speed, v.gates, []passage.Range{{first, first + v.starts - 1}})
		if len(list) != 1 || list[0].First != first || list[0].Last != first+v.starts-1 ||
			float64(list[0].Best.Minutes()) != want {
			t.Errorf("%v nmi at %v kn: %+v, want %v minutes", miles, v.speed, list, want)
		}
	}
}

// TestLimits checks passes without length, departures at the end of a stream, currents stronger
// than the vessel, and separate ranges.
func TestLimits(t *testing.T) {
	steady := func(along float64, minutes int) passage.Stream {
		return flow(func(float64) float64 { return along }).stream(minutes)
	}
	for _, test := range []struct {
		name  string
		speed float64
		gate  passage.Gate
		want  string // windows
	}{
		{"a point needs the current alone", 5, passage.Gate{Current: 3, Stream: steady(-3, 100)},
			"[0-49 60-99]"},
		{"a point with too much current", 5, passage.Gate{Current: 2.9, Stream: steady(-3, 100)}, "[]"},
		{"a pass against the current", 5, passage.Gate{Distance: 1, Current: 3, Against: 3,
			Stream: steady(-3, 100)}, "[0-49 60-69]"},
		{"against more than allowed", 5, passage.Gate{Distance: 1, Current: 3, Against: 2.9,
			Stream: steady(-3, 100)}, "[]"},
		{"with more than the limit against", 5, passage.Gate{Distance: 1, Current: 3,
			Stream: steady(3, 100)}, "[0-49 60-91]"},
		{"slower than the current", 3, passage.Gate{Distance: 1, Current: 4, Against: 4,
			Stream: steady(-4, 100)}, "[]"},
		{"half a knot over ground", 3.5, passage.Gate{Distance: 0.1, Current: 4, Against: 4,
			Stream: steady(-3, 100)}, "[]"},
		{"after the end of the stream", 5, passage.Gate{Leg: 20, Current: 4,
			Stream: steady(0, 100)}, "[]"},
	} {
		ranges := []passage.Range{{First: 0, Last: 49}, {First: 60, Last: 99}}
		got := []string{}
		for _, w := range passage.Windows(test.speed, []passage.Gate{test.gate}, ranges) {
			got = append(got, fmt.Sprintf("%d-%d", w.First, w.Last))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
}

// BenchmarkWindows measures a pass of 3 nmi at 6 kn over a week and a month, and six gates over a
// month. The aims are 0.2 to 0.7 ms, 1.2 to 4.1 ms, and 100 ms for 172,800 legs, currents included.
func BenchmarkWindows(b *testing.B) {
	random := rand.New(rand.NewPCG(66, 1))
	for _, c := range []struct {
		name        string
		gates, days int
	}{{"Week", 1, 7}, {"Month", 1, 31}, {"FourGates", 4, 30}, {"SixGates", 6, 30}} {
		v := newVoyage(random, c.gates)
		v.speed, v.starts = 6, c.days*1440
		for i := range v.gates {
			g := &v.gates[i]
			g.Distance, g.Current, g.Against = 3, 4, 3
			g.Stream = tidal(random).stream(v.starts + 3000)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				v.windows()
			}
		})
	}
}
