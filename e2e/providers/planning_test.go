package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/planning"
	"leadline/internal/simulator/provider"
)

// keyedOperations are the operations that need a key of a plan with decisions.
var keyedOperations = []string{"best-window", "evaluate-rules", "material-change"}

// calm serves Boston in calm weather, without the alerts in force there. Tests share it.
var calm = product.Share(func(t testing.TB) *product.Product { return calmAt(t, product.Noon()) })

func calmAt(t testing.TB, now time.Time) *product.Product {
	t.Helper()
	base, _ := readCases(t, product.ReadText(t, "testdata/decisions.txt"))
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	asked := now.In(zone)
	w := worked{
		activity: "fishing", station: "8443970", date: asked.Format(time.DateOnly),
		asked: asked.Format("2006-01-02 15:04"), facts: facts{},
	}
	return newTheater(t).set(t, w, base).product
}

// withMembers returns the request of the tests with additional members.
func withMembers(members string) string {
	return strings.TrimSuffix(product.Soon(decide.Fishing), "}") + "," + members + "}"
}

// pointers returns the paths of the issues of an error, with their codes.
func pointers(e coast.Error) (list []string) {
	for _, i := range e.Issues {
		list = append(list, i.Path+" "+i.Code)
	}
	return list
}

// TestKeyedNeedAKey checks that without a key the body is not validated.
func TestKeyedNeedAKey(t *testing.T) {
	nobody := product.Caller{
		Base: product.MountAlone(t).URL,
	} // balancers report connections that close early
	for _, operation := range keyedOperations {
		for _, body := range []string{
			product.Windows("fishing", 2), "", "{", `{"stationId":1}`, strings.Repeat(" ", 1<<20),
		} {
			e := product.Refusal(t, nobody.Want(t, http.StatusUnauthorized, operation, body))
			if e.Code != coast.CredentialRequired || len(e.Issues) != 0 ||
				!strings.Contains(e.Message, "Authorization: Bearer") {
				t.Errorf("%s %.30q: %+v, want credential_required", operation, body, e)
			}
		}
	}
}

// TestBestWindowRanks checks that all candidates are ranked, with the times of the request, in
// order.
func TestBestWindowRanks(t *testing.T) {
	pro := calm(t).Pro(t)
	for _, n := range []int{2, 12} {
		var out planning.BestWindow
		product.Decode(
			t,
			string(pro.Want(t, http.StatusOK, "best-window", product.Windows("fishing", n))),
			&out,
		)
		if len(out.Candidates) != n || out.Recommended == nil || *out.Recommended != 1 ||
			out.Disclaimer != decide.Disclaimer {
			t.Fatalf(
				"%d candidates, recommended %v, want %d and 1",
				len(out.Candidates),
				out.Recommended,
				n,
			)
		}
		times := map[string]bool{}
		for i, c := range out.Candidates {
			times[c.LocalTime] = true
			if c.Rank != i+1 || c.Decision.State != decide.Normal ||
				c.Decision.RequestedFor.Format(
					"15:04",
				) != c.LocalTime || c.Score < 0 || c.Score > 100 {
				t.Errorf("candidate %d: %+v", i, c)
			}
			if i > 0 && c.Score > out.Candidates[i-1].Score {
				t.Errorf("candidate %d has %g, and %g is ranked before it",
					i, c.Score, out.Candidates[i-1].Score)
			}
			if want := weighed(c.Parts); c.Score != want {
				t.Errorf("candidate %d has %g, its parts %g", i, c.Score, want)
			}
		}
		if len(times) != n {
			t.Errorf("%d times are listed, want %d", len(times), n)
		}
	}
	for _, n := range []int{1, 13} {
		e := product.Refusal(
			t,
			pro.Want(t, http.StatusBadRequest, "best-window", product.Windows("fishing", n)),
		)
		if len(e.Issues) != 1 || e.Issues[0].Path != "/candidates" {
			t.Errorf("%d candidates: %+v, want one issue at /candidates", n, e)
		}
	}
}

// weighed returns the score of the parts by the documented sum.
func weighed(parts []decide.ScorePart) float64 {
	var sum, weights float64
	for _, p := range parts {
		if p.Applies {
			sum, weights = sum+p.Weight**p.Score, weights+p.Weight
		}
	}
	var rounded float64
	fmt.Sscanf(fmt.Sprintf("%.1f", 100*sum/weights), "%g", &rounded)
	return rounded
}

// TestBestWindowPrefers checks that a better state ranks before a higher score.
func TestBestWindowPrefers(t *testing.T) {
	pro := calm(t).Pro(t)
	body := `{"stationId":"8443970","activity":"boating","candidates":[{"localDate":"2026-11-20","localTime":"19:00"},{"localDate":"2026-11-21","localTime":"10:00"}]}`
	var out planning.BestWindow
	product.Decode(t, string(pro.Want(t, http.StatusOK, "best-window", body)), &out)
	if got := out.Candidates; got[0].LocalTime != "10:00" ||
		got[0].Decision.State != decide.Normal ||
		got[1].Decision.State != decide.WatchState {
		t.Errorf("first %s %s, then %s %s, want the day before the night",
			got[0].LocalTime, got[0].Decision.State, got[1].LocalTime, got[1].Decision.State)
	}
}

// TestBestWindowRefuses checks that all faults are reported at once, each at its candidate.
func TestBestWindowRefuses(t *testing.T) {
	const form = `{"stationId":%q,"activity":%q,"candidates":[%s]}`
	at := func(times ...string) string {
		var list []string
		for _, text := range times {
			date, clock, _ := strings.Cut(text, " ")
			list = append(list, fmt.Sprintf(`{"localDate":%q,"localTime":%q}`, date, clock))
		}
		return strings.Join(list, ",")
	}
	pro := calmAt(t, time.Date(2026, 3, 20, 16, 0, 0, 0, time.UTC)).Pro(t)
	const good, other = "2026-03-21 09:00", "2026-03-21 10:00"
	for _, test := range []struct {
		station, activity, times string
		status                   int
		code                     coast.Code
		want                     []string
	}{
		{"ZZZZ9999", "fishing", at(good, other), 404, coast.StationNotFound, nil},
		{"9063020", "fishing", at(good, other), 404, coast.ProductUnavailable, nil},
		{"ACT0091", "fishing", at(good, other), 404, coast.ProductUnavailable, nil},
		{"8443970", "sailing", at(good, other), 400, coast.InvalidRequest, []string{"/activity enum"}},
		{
			"8443970", "sailing", at(good, "2026-03-21 9:00", "2026-03-21 24:00"), 400, coast.InvalidRequest,
			[]string{"/activity enum", "/candidates/1/localTime pattern", "/candidates/2/localTime pattern"},
		},
		{
			"ZZZZ9999", "sailing", at(good, "2026-03-21 9:00"), 400, coast.InvalidRequest,
			[]string{"/activity enum", "/candidates/1/localTime pattern"},
		},
		{"8443970", "sailing", at(good, "2027-03-14 02:30", "2026-03-20 11:44", "2027-03-22 12:00",
			"2026-03-21 9:00"), 400, coast.InvalidRequest,
			[]string{
				"/activity enum", "/candidates/1/localTime skipped", "/candidates/2/localTime past",
				"/candidates/3/localDate far", "/candidates/4/localTime pattern",
			}},
		{
			"8443970", "fishing", at(good, "2026-02-30 09:00"), 400, coast.InvalidRequest,
			[]string{"/candidates/1/localDate format"},
		},
	} {
		e := product.Refusal(t, pro.Want(t, test.status, "best-window",
			fmt.Sprintf(form, test.station, test.activity, test.times)))
		if e.Code != test.code || !slices.Equal(pointers(e), test.want) {
			t.Errorf("%s %s %s: %s %q, want %s %q",
				test.station, test.activity, test.times, e.Code, pointers(e), test.code, test.want)
		}
		for _, i := range e.Issues {
			if n, ok := strings.CutPrefix(i.Path, "/candidates/"); ok &&
				!strings.HasPrefix(i.Message, fmt.Sprintf("Candidate %d: ", n[0]-'0'+1)) &&
				!strings.Contains(i.Message, "(/candidates/"+n[:1]+")") {
				t.Errorf("%s does not name its candidate: %s", i.Path, i.Message)
			}
		}
		if e.Code == coast.InvalidRequest && strings.Contains(test.times, "02:30") &&
			(!strings.Contains(e.Message, "01:59") || !strings.Contains(e.Message, "03:00")) {
			t.Errorf("%s: %s, want the nearest times that exist", test.times, e.Message)
		}
	}
}

// TestEvaluateRules checks that rules of each kind pass and fail.
func TestEvaluateRules(t *testing.T) {
	p := calm(t)
	pro := p.Pro(t)
	for _, test := range []struct {
		rule   string
		passed bool
		actual string
	}{
		{`"kind":"state_allowed","allowed":["normal","watch"]`, true, `"normal"`},
		{`"kind":"state_allowed","allowed":["watch","unknown"]`, false, `"normal"`},
		{`"kind":"state_allowed","allowed":[]`, false, `"normal"`},
		{`"kind":"minimum_confidence","minimum":"high"`, true, `"high"`},
		{`"kind":"minimum_confidence","minimum":"low"`, true, `"high"`},
		{`"kind":"maximum_missing_inputs","maximum":0`, true, `0`},
		{`"kind":"required_fresh_sources","sourceIds":["tide-prediction","marine-alerts","seas"]`, true, `{"marine-alerts":"fresh","seas":"fresh","tide-prediction":"fresh"}`},
		{`"kind":"required_fresh_sources","sourceIds":["flood-thresholds"]`, false, `{"flood-thresholds":"no source of this decision"}`},
		{`"kind":"required_fresh_sources","sourceIds":[]`, true, `{}`},
	} {
		checkRule(t, pro, product.Soon(decide.Fishing), test.rule, test.passed, test.actual)
	}
	far := strings.Replace(product.Soon(decide.Fishing), "2026-11-20", "2026-11-28", 1)
	checkRule(t, pro, far, `"kind":"minimum_confidence","minimum":"moderate"`, false, `"low"`)
	checkRule(t, pro, far, `"kind":"maximum_missing_inputs","maximum":2`, false, `4`)
	checkRule(
		t,
		pro,
		far,
		`"kind":"required_fresh_sources","sourceIds":["seas","marine-text"]`,
		false,
		`{"marine-text":"missing","seas":"missing"}`,
	)
	checkRule(t, pro, far, `"kind":"state_allowed","allowed":["unknown"]`, true, `"unknown"`)
}

// checkRule evaluates one rule on a request.
func checkRule(
	t *testing.T,
	pro product.Caller,
	question, rule string,
	passed bool,
	actual string,
) {
	t.Helper()
	body := strings.TrimSuffix(question, "}") + `,"rules":[{"id":"r",` + rule + `}]}`
	var out struct {
		Evaluation struct {
			Passed  bool
			Results []struct {
				ID, Kind, Message string
				Passed            bool
				Expected, Actual  json.RawMessage
			}
		}
	}
	product.Decode(t, string(pro.Want(t, http.StatusOK, "evaluate-rules", body)), &out)
	e := out.Evaluation
	if len(e.Results) != 1 {
		t.Errorf("%s has %d results", rule, len(e.Results))
		return
	}
	r := e.Results[0]
	if e.Passed != passed || r.Passed != passed || string(r.Actual) != actual || r.ID != "r" ||
		len(r.Expected) == 0 || r.Message == "" {
		t.Errorf("%s: passed %v %v, actual %s, %+v, want %v and %s",
			rule, e.Passed, r.Passed, r.Actual, r, passed, actual)
	}
}

// TestEvaluateRulesRefuses checks that an invalid rule is reported with its
// pointer.
func TestEvaluateRulesRefuses(t *testing.T) {
	pro := calm(t).Pro(t)
	rule := `{"id":"r","kind":"state_allowed","allowed":["normal"]}`
	for _, test := range []struct{ rules, want string }{
		{``, "/rules"}, {strings.Repeat(rule+",", 20) + rule, "/rules"},
		{`{"id":"r","kind":"luck"}`, "/rules/0/kind"},
		{rule + `,{"id":"r","kind":"state_allowed","allowed":["fine"]}`, "/rules/1/allowed/0"}, {`{"id":"r","kind":"maximum_missing_inputs","maximum":-1}`, "/rules/0/maximum"},
		{`{"id":"r","kind":"minimum_confidence"}`, "/rules/0/minimum"}, {`{"kind":"state_allowed","allowed":["normal"]}`, "/rules/0/id"},
	} {
		e := product.Refusal(t, pro.Want(t, http.StatusBadRequest, "evaluate-rules",
			withMembers(`"rules":[`+test.rules+`]`)))
		if len(e.Issues) == 0 || !strings.HasPrefix(e.Issues[0].Path, test.want) {
			t.Errorf("%.100s: %q, want %s", test.rules, pointers(e), test.want)
		}
	}
}

// changed returns the material changes since a baseline.
func changed(t *testing.T, pro product.Caller,
	question, baseline string) (out planning.MaterialChange, raw []byte) {
	t.Helper()
	raw = pro.Want(t, http.StatusOK, "material-change",
		strings.TrimSuffix(question, "}")+`,"baseline":`+baseline+"}")
	product.Decode(t, string(raw), &out)
	return out, raw
}

// TestMaterialChange checks that a baseline may be a whole response, its decision,
// its summary or a part of it, and that unchanged weather is not a change.
func TestMaterialChange(t *testing.T) {
	p := calm(t)
	pro := p.Pro(t)
	question := product.Soon(decide.Fishing)
	_, answer, err := send(p.URL+"/api/v1/decisions/trip-health", question)
	if err != nil {
		t.Fatal(err)
	}
	var whole struct{ Decision json.RawMessage }
	product.Decode(t, string(answer), &whole)
	for _, baseline := range []string{
		string(answer), string(whole.Decision), `{"state":"normal","confidence":"high"}`,
		`{"reasons":[]}`, `{"missingInputs":[],"note":1}`,
		`{"sources":[{"id":"moon","freshness":"fresh"}]}`,
	} {
		out, raw := changed(t, pro, question, baseline)
		if out.Change.Material || len(out.Change.Changes) != 0 ||
			!strings.Contains(string(raw), `"changes":[]`) {
			t.Errorf("since %.100s: %+v, want no change", baseline, out.Change)
		}
	}
	out, _ := changed(
		t,
		pro,
		question,
		`{"state":"watch","confidence":"low","reasons":[{"code":"gust","severity":"watch"}],"missingInputs":["seas"],"sources":[{"id":"moon","freshness":"aging"}]}`,
	)
	var fields []string
	for _, c := range out.Change.Changes {
		fields = append(fields, fmt.Sprint(c.Field, " ", c.Material))
	}
	if want := []string{
		"state true", "confidence true", "reasons.gust true", "missingInputs.seas true",
		"sources.moon.freshness false",
	}; !slices.Equal(fields, want) || !out.Change.Material {
		t.Errorf("changes %q, want %q", fields, want)
	}
}

// TestMaterialChangeLoop checks that the summary of a call as the baseline of the
// next is not a change, also in a storm and without providers.
func TestMaterialChangeLoop(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	storm(t, p)
	stormy := product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t).Pro(t)
	for _, a := range decide.Activities() {
		first, _ := changed(t, stormy, product.Soon(a), `{"state":"normal","reasons":[]}`)
		if !first.Change.Material {
			t.Errorf("%s: a storm is not material", a)
		}
		summary, err := json.Marshal(first.Summary)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := changed(t, stormy, product.Soon(a), string(summary)); again.Change.Material ||
			len(again.Change.Changes) != 0 {
			t.Errorf("%s: %+v since its own summary, want no change", a, again.Change)
		}
	}
	far := strings.Replace(product.Soon(decide.Boating), "2026-11-20", "2026-11-28", 1)
	pro := calm(t).Pro(t)
	first, raw := changed(t, pro, far, `{"state":"unknown"}`)
	var kept struct{ Summary json.RawMessage }
	product.Decode(t, string(raw), &kept)
	if again, _ := changed(t, pro, far, string(kept.Summary)); first.Change.Material ||
		len(again.Change.Changes) != 0 {
		t.Errorf("eight days ahead: %+v, then %+v, want no change", first.Change, again.Change)
	}
}

// TestMaterialChangeRefuses checks that a baseline that cannot be compared is refused with
// an example.
func TestMaterialChangeRefuses(t *testing.T) {
	pro := calm(t).Pro(t)
	for _, test := range []struct {
		baseline string
		want     []string
	}{
		{`{}`, []string{"/baseline required"}},
		{`{"decision":{}}`, []string{"/baseline/decision required"}},
		{`{"weather":"fine"}`, []string{"/baseline required"}},
		{`[]`, []string{"/baseline type"}},
		{`"normal"`, []string{"/baseline type"}},
		{`null`, []string{"/baseline type"}},
		{
			`{"state":"fine","confidence":7}`, []string{"/baseline/state type", "/baseline/confidence type"},
		},
		{
			`{"decision":{"reasons":[{"severity":"watch"}],"sources":{}}}`,
			[]string{"/baseline/decision/reasons type", "/baseline/decision/sources type"},
		},
	} {
		e := product.Refusal(t, pro.Want(t, http.StatusBadRequest, "material-change",
			withMembers(`"baseline":`+test.baseline)))
		if e.Code != coast.InvalidRequest || !slices.Equal(pointers(e), test.want) {
			t.Errorf("%s: %s %q, want %q", test.baseline, e.Code, pointers(e), test.want)
		}
	}
	e := product.Refusal(
		t,
		pro.Want(t, http.StatusBadRequest, "material-change", product.Soon(decide.Fishing)),
	)
	if !slices.Equal(pointers(e), []string{"/baseline required"}) {
		t.Errorf("without a baseline: %q", pointers(e))
	}
}

// TestKeyedStations checks that stations without tide predictions do not have any
// decisions.
func TestKeyedStations(t *testing.T) {
	pro := calm(t).Pro(t)
	rules, baseline := `"rules":[{"id":"r","kind":"state_allowed","allowed":["normal"]}]`, `"baseline":{"state":"normal"}`
	for id, want := range map[string]coast.Code{
		"ZZZZ9999": coast.StationNotFound, "9063020": coast.ProductUnavailable,
		"ACT0091": coast.ProductUnavailable, "cb0102": coast.ProductUnavailable,
	} {
		for operation, body := range map[string]string{
			"best-window": product.Windows("fishing", 2), "evaluate-rules": withMembers(rules),
			"material-change": withMembers(baseline), "trip-health": product.Soon(decide.Fishing),
		} {
			e := product.Refusal(t, pro.Want(t, http.StatusNotFound, operation,
				strings.Replace(body, "8443970", id, 1)))
			if e.Code != want {
				t.Errorf("%s of %s: %s, want %s", operation, id, e.Code, want)
			}
		}
	}
}

// TestScoresByHand checks the score of 09:00 in calm weather against the documented
// parts.
func TestScoresByHand(t *testing.T) {
	base, _ := readCases(t, product.ReadText(t, "testdata/decisions.txt"))
	theater := newTheater(t)
	for _, test := range []struct {
		activity, station string
		want              map[string]float64
		score             float64
	}{
		// Wind 8 of 20, seas 1 of 5, ebb of 0.33 kn of 4.
		{
			"boating", "8443970", map[string]float64{
				"calm_wind": 0.6, "seas": 0.8, "current": 0.918, "daylight": 1,
			}, 77.8,
		},
		// The sun is higher than 15 degrees, wind 8 of 27, high water was 70 min
		// before.
		{"photography", "8443970", map[string]float64{"sun": 0, "calm_wind": 0.704, "turn": 0}, 14.1},
		// Low water of 0.438 ft at 10:38, mid-tide at 2.216 ft.
		{
			"beachcombing", "8557863",
			map[string]float64{"lowness": 0.553, "time_to_low": 1, "daylight": 1, "calm_wind": 0.704}, 79.2,
		},
		// No flood level: that part is omitted from both sums.
		{"coastal-living", "8557863", map[string]float64{"calm_wind": 0.704}, 70.4},
	} {
		w := worked{
			activity: test.activity, station: test.station, date: "2026-11-21",
			asked: "2026-11-20 12:00", facts: facts{},
		}
		stage := theater.set(t, w, base)
		body := strings.Replace(product.Windows(test.activity, 2), "8443970", test.station, 1)
		var out planning.BestWindow
		product.Decode(t,
			string(stage.product.Pro(t).Want(t, http.StatusOK, "best-window", body)), &out)
		i := slices.IndexFunc(out.Candidates,
			func(c decide.Candidate) bool { return c.LocalTime == "09:00" })
		c, got := out.Candidates[i], map[string]float64{}
		for _, p := range c.Parts {
			if p.Applies {
				got[p.Name] = *p.Score
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) || c.Score != test.score {
			t.Errorf("%s at %s: %v, %g, want %v, %g",
				test.activity, test.station, got, c.Score, test.want, test.score)
		}
	}
}

// TestMaterialChangeInAStorm checks that a shortened response of trip-health is not
// a change compared with the same facts.
func TestMaterialChangeInAStorm(t *testing.T) {
	p, root := product.Simulate(t, product.Noon)
	storm(t, p)
	var alerts []provider.Alert
	for i := range 12 {
		alerts = append(alerts, provider.Alert{
			Event: fmt.Sprintf(
				"Gale Number %d Warning",
				i,
			), Sent: product.Noon(), Onset: product.Noon(),
			Expires: product.Noon().Add(12 * time.Hour),
		})
	}
	p.SetAlerts("ANZ230", alerts...)
	served := product.Setup{Root: root, Now: product.Noon, Deadline: longFetch}.Start(t)
	pro := served.Pro(t)
	for _, a := range decide.Activities() {
		_, answer, err := send(served.URL+"/api/v1/decisions/trip-health", product.Soon(a))
		if err != nil {
			t.Fatal(err)
		}
		out, _ := changed(t, pro, product.Soon(a), string(answer))
		if out.Change.Material || len(out.Change.Changes) > 0 {
			t.Errorf("%s: %+v, want no change", a, out.Change.Changes)
		}
	}
}

// TestFaultsTogether checks that the faults of the schema and of the operation are reported
// together.
func TestFaultsTogether(t *testing.T) {
	pro := calm(t).Pro(t)
	for _, test := range []struct {
		operation, body string
		want            []string
	}{
		{"best-window", `{"stationId":"8443970","activity":"sail","zz":1,"candidates":[{"localDate":"2026-11-21","localTime":"9:30"},{"localDate":"2026-11-31","localTime":"09:30"}]}`,
			[]string{
				"/zz unknown", "/candidates/1/localDate format", "/activity enum",
				"/candidates/0/localTime pattern",
			}},
		{
			"material-change",
			`{"stationId":"8443970","activity":"fishng","localDate":"2026-11-21","localTime":"09:00","baseline":{"state":"fine"}}`, []string{"/activity enum", "/baseline/state type"},
		},
		{
			"material-change",
			`{"stationId":"8443970","activity":"fishng","localDate":"2026-11-21","localTime":"09:00","baseline":7}`, []string{"/activity enum", "/baseline type"},
		},
		{
			"material-change",
			`{"stationId":"8443970","activity":"fishing","localDate":"2025-11-21","localTime":"09:00","baseline":{"state":"fine"}}`, []string{"/localTime past", "/baseline/state type"},
		},
	} {
		if got := pointers(product.Refusal(t,
			pro.Want(t, http.StatusBadRequest, test.operation, test.body))); !slices.Equal(got, test.want) {
			t.Errorf("%s %s: %q, want %q", test.operation, test.body, got, test.want)
		}
	}
}
