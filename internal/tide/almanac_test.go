package tide_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"leadline/internal/tide"
	"leadline/internal/trials"
)

// equalBits reports whether two events are the same, to the last bit of the height.
func equalBits(a, b tide.Extreme) bool {
	return a.Time == b.Time && a.High == b.High &&
		math.Float64bits(a.Height) == math.Float64bits(b.Height)
}

// TestAlmanacAlike checks at every station that stored events equal computed ones to the
// last bit, in spans that begin and end anywhere around a New Year. A run of few cases checks every
// seventh station.
func TestAlmanacAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 1))
	spans := max(1, trials.Cases()/1000)
	for i, computed := range allTides(t) {
		if unsampled(i, 7) {
			continue
		}
		kept := computed
		kept.Almanac = tide.NewAlmanac()
		for range spans {
			from, to := randomSpan(random)
			want := computed.Extremes(from, to)
			for request := range 3 { // computed, kept, from the almanac
				if got := kept.Extremes(from, to); !slices.EqualFunc(got, want, equalBits) {
					t.Errorf("station %d, request %d, %v to %v: %v, want %v", i, request, from, to, got, want)
				}
			}
		}
	}
}

// TestAlmanacSpans checks spans of every length at a few stations with one almanac:
// years, months, seconds, empty spans, and spans that it does not store.
func TestAlmanacSpans(t *testing.T) {
	random := rand.New(rand.NewPCG(52, 1))
	almanac := tide.NewAlmanac()
	var stations []tide.Tides
	for _, id := range []string{"8443970", "9455920", "8729840", "9447265", "8658163"} {
		stations = append(stations, predictor(t, id, "MLLW"))
	}
	for range trials.Cases() {
		computed := stations[random.IntN(len(stations))]
		kept := computed
		kept.Almanac = almanac
		from := winter.Add(time.Duration(random.Int64N(90 * 86400e9)))
		length := time.Duration(math.Pow(10, 8+9*random.Float64()))
		to := from.Add(length - time.Hour)
		got, want := kept.Extremes(from, to), computed.Extremes(from, to)
		if got == nil || !slices.EqualFunc(got, want, equalBits) {
			t.Fatalf("%v to %v: %v, want %v", from, to, got, want)
		}
	}
	far := stations[0]
	kept := far
	kept.Almanac = almanac
	for _, from := range []time.Time{{}, time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC)} {
		want := far.Extremes(from, from.AddDate(0, 0, 9))
		for range 3 {
			if got := kept.Extremes(from, from.AddDate(0, 0, 9)); !slices.EqualFunc(got, want, equalBits) {
				t.Errorf("from %v: %v, want %v", from, got, want)
			}
		}
	}
}

// TestAlmanacConstants checks that other constants, levels and offsets never get the events
// of another predictor from a shared almanac.
func TestAlmanacConstants(t *testing.T) {
	almanac := tide.NewAlmanac()
	m2, _ := tide.Lookup("M2")
	curve := func(amplitude float64) *tide.Curve {
		return tide.NewCurve([]tide.Harmonic{{Constituent: m2, Amplitude: amplitude, Phase: 30}})
	}
	first := curve(1)
	var predictors []tide.Tides
	for _, p := range []tide.Tides{
		{Curve: first}, {Curve: first, Level: 1}, {Curve: curve(1.5)},
		{Curve: first, Offsets: &tide.Offsets{}},
		{Curve: first, Offsets: &tide.Offsets{High: 1, Low: 1}},
		{Curve: first, Offsets: &tide.Offsets{High: 1, Low: 1, Fixed: true}},
		{Curve: first, Offsets: &tide.Offsets{High: 1, Low: 1, LowMinutes: 10}},
	} {
		p.Almanac = almanac
		predictors = append(predictors, p)
	}
	to := winter.AddDate(0, 0, 3)
	for range 3 {
		for i, p := range predictors {
			computed := p
			computed.Almanac = nil
			got, want := p.Extremes(winter, to), computed.Extremes(winter, to)
			if !slices.EqualFunc(got, want, equalBits) {
				t.Errorf("predictor %d: %v, want %v", i, got, want)
			}
		}
	}
}

// TestAlmanacIsBounded checks that far more months than fit take no more memory than
// promised, while several goroutines request them. The tides are of the moon alone, which has as
// many events as those of most stations and takes less time.
func TestAlmanacIsBounded(t *testing.T) {
	m2, _ := tide.Lookup("M2")
	all := make([]tide.Tides, 3000)
	for i := range all {
		all[i].Curve = tide.NewCurve([]tide.Harmonic{{Constituent: m2, Amplitude: 1 + float64(i)/1e4}})
	}
	almanac := tide.NewAlmanac()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var group sync.WaitGroup
	for part := range 4 {
		group.Go(func() {
			for i := part; i < len(all); i += 4 {
				p := all[i]
				p.Almanac = almanac
				for month := range 4 {
					from := winter.AddDate(0, month, 0)
					for range 2 {
						p.Extremes(from, from.AddDate(0, 0, 1))
					}
				}
			}
		})
	}
	group.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := float64(after.HeapAlloc) - float64(before.HeapAlloc)
	t.Logf("%.1f MB", grown/1e6)
	if grown > 16e6 || grown < 4e6 {
		t.Errorf("the almanac takes %.1f MB, want at most 16 and not nothing", grown/1e6)
	}
	runtime.KeepAlive(almanac)
}
