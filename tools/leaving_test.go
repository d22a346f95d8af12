package tools

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"leadline/internal/currents"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/trials"
)

// watched is a context that ends at a look at it, and counts and times the looks.
type watched struct {
	context.Context
	ends int // the look at which it ends; 0 for never

	mu      sync.Mutex
	looks   int
	watch   trials.Stopwatch
	last    time.Duration // of the last look
	longest time.Duration // between two looks
}

func watch(ctx context.Context, ends int) *watched {
	return &watched{Context: ctx, ends: ends, watch: trials.Start()}
}

// Err implements context.Context.
func (w *watched) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	w.measure()
	if w.ends > 0 && w.looks >= w.ends {
		return context.Canceled
	}
	return w.Context.Err()
}

func (w *watched) measure() {
	now := w.watch.Elapsed()
	w.longest, w.last = max(w.longest, now-w.last), now
}

// dear is an operation with an input that is dear to compute.
type dear struct {
	name string
	run  func(context.Context) error
}

// dearTools has the dearest arguments of each tool that needs no provider, by its name.
var dearTools = map[string][]string{
	"noaa_get_tide_predictions": {
		`{"station":"9455920","begin_date":"2020-01-01","end_date":"2029-12-31"}`,
		`{"station":"9455920","interval":"1","begin_date":"2027-01-01","end_date":"2027-12-31"}`,
		`{"station":"9455920","below":5,"light":"moonlit","begin_date":"2027-01-01",` +
			`"end_date":"2027-12-31"}`,
		`{"station":"9455920","below":50,"begin_date":"2027-01-01","end_date":"2027-12-31"}`,
		`{"station":"9455920","type":"low","top":60,"light":"moonlit","begin_date":"2027-01-01",` +
			`"end_date":"2027-12-31"}`,
		`{"station":"9455920","type":"low","top":60,"light":"dark","begin_date":"2027-01-01",` +
			`"end_date":"2027-12-31"}`,
	},
	"noaa_get_current_predictions": {
		`{"station":"ACT0091","begin_date":"2027-01-01","end_date":"2027-12-31"}`,
		`{"station":"ACT0091","interval":"1","begin_date":"2027-01-01","end_date":"2027-12-31"}`,
		`{"station":"ACT0091","at_most":0.5,"light":"moonlit","begin_date":"2027-01-01",` +
			`"end_date":"2027-12-31"}`,
		`{"station":"ACT0091","at_least":0.5,"light":"dark","begin_date":"2027-01-01",` +
			`"end_date":"2027-12-31"}`,
	},
	"noaa_get_station_info": {`{"station":"8443970",` +
		`"expand":["details","datums","floodlevels","nearby","sensors"]}`},
	"noaa_get_station_flood_levels":    {`{"station":"8443970","datum":"MHHW"}`},
	"noaa_search_stations":             {`{"limit":100,"offset":3000}`, `{"query":"san","limit":100}`},
	"noaa_find_nearest_stations":       {`{"latitude":42,"longitude":-71,"limit":50}`},
	"noaa_get_station_datums":          {`{"station":"8443970"}`},
	"noaa_get_harmonic_constituents":   {`{"station":"9455920"}`},
	"noaa_get_tide_prediction_offsets": {`{"station":"8557863"}`},
	"noaa_get_current_station_bins":    {`{"station":"EPT0003"}`},
	"astro_get_moon_phase": {`{"latitude":42,"longitude":-71,"begin_date":"2027-01-01",` +
		`"end_date":"2027-01-31"}`},
	"astro_get_sun_times": {`{"latitude":42,"longitude":-71,"date":"2027-01-01","days":31,` +
		`"fields":["sunrise","sunset","civil","nautical","astronomical","golden_hour"]}`},
	"astro_get_sun_position":   {`{"station":"8443970","time":"2026-11-20 12:00"}`},
	"noaa_get_reference_guide": {`{"topic":"datums"}`},
	"leadline_whoami":          {`{}`},
	"leadline_plan_transit": {`{"station":"PUG1701","distance":20,"speed":0.6,` +
		`"direction":"with_flood","light":"moonlit","range":744,"max_current":20,"limit":200}`},
	"leadline_plan_route": {`{"speed":0.6,"range":744,"limit":200,"light":"moonlit","gates":[` +
		dearGate + `,` + dearGate + `,` + dearGate + `,` + dearGate + `,` + dearGate + `,` +
		dearGate + `]}`},
	"leadline_find_places":   {`{"query":"boston"}`},
	"leadline_tide_telegram": {`{"station":"9414290","days":2}`},
}

const dearGate = `{"station":"ACT0091","leg":100,"distance":20,"direction":"with_flood",` +
	`"max_current":20}`

// dearOperations returns the dearest calls of all operations that need no provider.
func dearOperations(t testing.TB, s *Set) []dear {
	t.Helper()
	var list []dear
	for _, tool := range everyTool(s) {
		if tool.Live {
			continue // it waits for providers, and computes little
		}
		if dearTools[tool.Name] == nil {
			t.Errorf("dearTools has no call of %s", tool.Name)
		}
		for _, args := range dearTools[tool.Name] {
			list = append(list, dear{tool.Name + " " + args, func(ctx context.Context) error {
				_, err := tool.Call(ctx, []byte(args))
				return err
			}})
		}
	}
	year := operation.Span{Begin: "2027-01-01", End: "2027-12-31"}
	anchorage := place.StationOrPlace{Station: "9455920"}
	limit, moonlit := 0.5, intervals.InLight{Light: "moonlit"}
	add := func(name string, run func(context.Context) error) {
		list = append(list, dear{name, run})
	}
	for _, what := range []tides.TideRanking{"lowest", "springs"} {
		in := tides.TideRanksInput{StationOrPlace: place.StationOrPlace{Station: "8735180"}, What: what,
			Span: year, Limit: 100}
		add("ranks "+string(what), func(ctx context.Context) error {
			_, err := operation.Run(ctx, s.Tides.TideRanks, in)
			return err
		})
	}
	add("king tides", func(ctx context.Context) error {
		_, err := operation.Run(ctx, s.Tides.TideRanks,
			tides.TideRanksInput{StationOrPlace: anchorage, What: "king",
				Year: 2027, Limit: 100})
		return err
	})
	add("tide windows", func(ctx context.Context) error {
		_, err := operation.Run(ctx, s.Tides.TideWindows,
			tides.TideWindowsInput{StationOrPlace: anchorage, Above: &limit,
				InLight: moonlit, Span: year, Limit: 400})
		return err
	})
	for _, most := range []float64{limit, 500} {
		add("current windows", func(ctx context.Context) error {
			at := currents.AtCurrentStation{StationOrPlace: place.StationOrPlace{Station: "ACT0091"}}
			_, err := operation.Run(ctx, s.Currents.CurrentWindows,
				currents.CurrentWindowsInput{AtCurrentStation: at, AtMost: &most,
					Phase: "flood", InLight: moonlit, Span: year, Limit: 400})
			return err
		})
	}
	add("a series as JSON", func(ctx context.Context) error {
		_, _, err := operation.Encode(ctx, s.Tides.TidePredictions, tides.TidePredictionsInput{
			StationOrPlace: anchorage, Interval: "1", Span: year},
			operation.EncoderOf[tides.TidePredictions]())
		return err
	})
	return list
}

// TestLeavingCallers checks that every operation ends soon after its caller has left, in two ways:
// at whichever look at its context it learns that, it returns the context's error without another
// look; and no operation computes for long without a look.
func TestLeavingCallers(t *testing.T) {
	s, ctx := newSet(t), pro(t)
	list := dearOperations(t, s)
	dearest := time.Duration(0)
	measure := func(o dear) *watched {
		w := watch(ctx, 0)
		if err := o.run(w); err != nil {
			t.Fatalf("%s: %v", o.name, err)
		}
		w.measure()
		dearest = max(dearest, w.last)
		return w
	}
	var longest []time.Duration
	for _, o := range list {
		w := measure(o)
		looks := w.looks
		longest = append(longest, w.longest)
		for _, ends := range slices.Compact([]int{min(1, looks), (looks + 1) / 2, looks}) {
			if ends == 0 {
				continue
			}
			w := watch(ctx, ends)
			if err := o.run(w); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v after the context has ended at look %d", o.name, err, ends)
			}
			if w.looks > ends+2 {
				t.Errorf("%s: %d more looks after the context has ended", o.name, w.looks-ends)
			}
		}
		t.Logf("%4.0f ms, at most %4.1f ms in a step, %d looks: %s", ms(w.last), ms(w.longest), looks,
			o.name)
	}
	for i, gap := range longest {
		for range 9 { // the least of several runs: other processes may run meanwhile
			if gap > dearest/4 {
				gap = min(gap, measure(list[i]).longest)
			}
		}
		if gap > dearest/4 {
			t.Errorf("%s: %.1f ms without a look at the context; the dearest operation takes %.1f ms",
				list[i].name, ms(gap), ms(dearest))
		}
	}
}

// BenchmarkDearest measures the dearest calls of all operations that need no provider, as many as
// docs/speed.md lists.
func BenchmarkDearest(b *testing.B) {
	s, ctx := newSet(b), pro(b)
	for _, o := range dearOperations(b, s) {
		b.Run(o.name, func(b *testing.B) {
			for b.Loop() {
				if err := o.run(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }
