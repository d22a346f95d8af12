package providers

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/planning"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// daysAhead are the days whose mornings TestLaterIsNoBetter compares. Each is a limit of the
// confidence or beyond what a forecast reaches.
var daysAhead = []int{1, 2, 3, 4, 5, 6, 7, 8, 20}

// TestLaterIsNoBetter checks that a later time never has more confidence, never lacks fewer facts
// and so never passes a rule maximum_missing_inputs that an earlier time fails: for all
// activities at stations from all over the simulator, whose hourly grid is the same at all hours.
// A state that missing facts have caused does not become normal. Weather, tide and light differ
// by the hour; the law over equal facts is that of package decide.
func TestLaterIsNoBetter(t *testing.T) {
	simulator, root := product.Simulate(t, product.Noon)
	p := product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t)
	all := p.Tools().Stations.All(stations.Tide)
	step := len(all) / 12
	if trials.Thorough() {
		step = len(all) / 120
	}
	compared := 0
	for i := 0; i < len(all); i += step {
		steady(simulator, all[i])
		for _, a := range decide.Activities() {
			compared += laterIsNoBetter(t, p, all[i], string(a))
		}
	}
	boston, _ := p.Tools().Stations.Station("8443970")
	steady(simulator, boston)
	for _, a := range decide.Activities() {
		compared += laterIsNoBetter(t, p, boston, string(a))
	}
	if compared < 300 {
		t.Errorf("%d pairs of times were compared, want at least 300", compared)
	}
}

// steady makes all hours of a station's grid equal. The weather service has no grid at stations
// abroad, whose forecasts are missing at all times.
func steady(p *provider.Provider, st stations.Station) {
	number := func(v float64) *float64 { return &v }
	_ = p.SetGrid(fmt.Sprintf("%.4f,%.4f", st.Latitude, st.Longitude), provider.Grid{
		Hour: func(h provider.Hour) provider.Hour {
			h.Wind, h.Gust, h.From, h.Weather = number(5), number(8), number(270), []provider.Condition{}
			if h.Seas != nil {
				h.Seas, h.Period = number(2), number(6)
			}
			return h
		},
	})
}

// laterIsNoBetter compares the mornings at one station and returns how many pairs it compared.
func laterIsNoBetter(t *testing.T, p *product.Product, st stations.Station, activity string) int {
	t.Helper()
	times := ""
	for _, days := range daysAhead {
		times += fmt.Sprintf(`{"localDate":%q,"localTime":"09:00"},`, product.Days(days))
	}
	body := fmt.Sprintf(`{"stationId":%q,"activity":%q,"candidates":[%s]}`, st.ID, activity,
		times[:len(times)-1])
	var out planning.BestWindow
	product.Decode(t, string(p.Pro(t).Want(t, http.StatusOK, "best-window", body)), &out)
	slices.SortFunc(out.Candidates, func(a, b decide.Candidate) int {
		return a.Decision.RequestedFor.Compare(b.Decision.RequestedFor)
	})
	for i := 1; i < len(out.Candidates); i++ {
		was, got := out.Candidates[i-1].Decision, out.Candidates[i].Decision
		about := fmt.Sprintf("%s at %s, %s", activity, st.ID, got.RequestedFor.Format(time.DateTime))
		for _, id := range was.MissingInputs {
			if !slices.Contains(got.MissingInputs, id) {
				t.Errorf("%s: missing %q, before %q", about, got.MissingInputs, was.MissingInputs)
			}
		}
		sure := []decide.Confidence{decide.High, decide.Moderate, decide.Low}
		if slices.Index(sure, got.Confidence) < slices.Index(sure, was.Confidence) {
			t.Errorf("%s: %s confidence, before %s", about, got.Confidence, was.Confidence)
		}
		if got.State == decide.Normal && len(was.MissingInputs) > 0 {
			t.Errorf("%s: normal, before %s without %q", about, was.State, was.MissingInputs)
		}
	}
	return len(out.Candidates) - 1
}
