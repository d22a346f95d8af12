package providers

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/directory"
	"leadline/internal/simulator/provider"
	"leadline/internal/stations"
	"leadline/internal/trials"
)

// mostAnswer limits the length of the response of trip-health: programs store decisions, and
// models read them.
const mostAnswer = 8000 // bytes

// facts are the lines of a case, or of the calm base, by the text before their
// colon.
type facts map[string]string

// worked is a worked case: a request, the facts, and the expected outcome.
// testdata/decisions.txt explains the format.
type worked struct {
	title, activity, station, name string
	date, clock, asked             string // in the station's zone
	facts                          facts
	want                           []string
}

var asking = regexp.MustCompile(`^([a-z-]+) at (\w+) \((.+)\), (\S+) (\S+), asked (\S+ \S+)$`)

// readCases splits a text into the base, in the indented lines of its head, and its
// cases. Prose between cases is ignored.
func readCases(t testing.TB, text string) (base facts, cases []worked) {
	t.Helper()
	parts := regexp.MustCompile(`(?m)^== `).Split(text, -1)
	base = facts{}
	for line := range strings.SplitSeq(parts[0], "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "  ") {
			base[strings.TrimSpace(key)] = value
		}
	}
	for _, part := range parts[1:] {
		part, _, _ = strings.Cut(part, "```")
		w, err := readCase(strings.Split(strings.TrimSpace(part), "\n"))
		if err != nil {
			t.Fatalf("%s: %v", w.title, err)
		}
		cases = append(cases, w)
	}
	return base, cases
}

func readCase(lines []string) (w worked, err error) {
	w = worked{title: lines[0], facts: facts{}}
	if len(lines) < 3 {
		return w, fmt.Errorf("it has %d lines", len(lines))
	}
	m := asking.FindStringSubmatch(lines[1])
	if m == nil {
		return w, fmt.Errorf("%q is no question", lines[1])
	}
	w.activity, w.station, w.name, w.date, w.clock, w.asked = m[1], m[2], m[3], m[4], m[5], m[6]
	for i, line := range lines[2:] {
		if strings.HasPrefix(line, "=> ") {
			for _, want := range lines[2+i:] {
				w.want = append(w.want, strings.Join(strings.Fields(want), " "))
			}
			return w, nil
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return w, fmt.Errorf("%q is no fact", line)
		}
		w.facts[key] = value
	}
	return w, fmt.Errorf("the case has no expected result")
}

// items parses "wind 8, from 270" into a map; an item without a value is "true".
func items(lines ...string) map[string]string {
	all := map[string]string{}
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ", ") {
			name, value, _ := strings.Cut(item, " ")
			all[name] = value
		}
	}
	delete(all, "")
	return all
}

// theater is a product with simulated providers that plays cases one after another, each with an
// empty cache: between two cases, the clock of the clients of the providers moves by a year.
type theater struct {
	simulator *provider.Provider
	product   *product.Product
	now       atomic.Pointer[time.Time] // of the product and of the providers
	played    atomic.Int64
}

func newTheater(t testing.TB) *theater {
	t.Helper()
	h := &theater{}
	h.now.Store(new(product.Noon()))
	now := func() time.Time { return *h.now.Load() }
	fetched := func() time.Time { return product.Now().AddDate(int(h.played.Load()), 0, 0) }
	simulator, root := product.Simulate(t, now)
	h.simulator = simulator
	h.product = product.Setup{
		Root: root, Now: now, Fetched: fetched, Deadline: longFetch,
	}.Start(t)
	return h
}

// stage plays one case in a theater.
type stage struct {
	*theater
	worked
	base facts
	row  stations.Station
	zone *time.Location
	err  error // the first error in the text of the case
}

// number reads a number, nil for none.
func (s *stage) number(text string) *float64 {
	if text == "none" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		s.fail(err)
	}
	return &v
}

func (s *stage) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// when parses a time of the requested day, or of the next: 21:00, 03:00 next day.
func (s *stage) when(text string) time.Time {
	clock, next := strings.CutSuffix(text, " next day")
	t, err := time.ParseInLocation("2006-01-02 15:04", s.date+" "+clock, s.zone)
	if err != nil {
		s.fail(err)
	}
	if next {
		t = t.AddDate(0, 0, 1)
	}
	return t
}

// ago reads "20 min ago" or "8 h ago", the zero time for nothing.
func (s *stage) ago(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	return s.now.Load().Add(-s.length(strings.TrimSuffix(text, " ago")))
}

// length reads "20 min" or "8 h".
func (s *stage) length(text string) time.Duration {
	d, err := time.ParseDuration(strings.NewReplacer(" min", "m", " h", "h").Replace(text))
	if err != nil {
		s.fail(err)
	}
	return d
}

// set prepares a theater for a case.
func (h *theater) set(t testing.TB, w worked, base facts) *stage {
	t.Helper()
	h.played.Add(1)
	h.simulator.Restore()
	s := &stage{theater: h, worked: w, base: base}
	s.row, _ = s.product.Tools().Stations.Station(w.station)
	s.zone, _ = time.LoadLocation(s.row.Zone)
	asked, err := time.ParseInLocation("2006-01-02 15:04", w.asked, s.zone)
	if err != nil {
		t.Fatal(err)
	}
	s.now.Store(&asked)
	if home := items(base[w.station]); home["land"] != "" {
		s.orderGrid()
		s.orderAlerts(home["land"], home["water"])
		s.orderSurf(home["land"])
		if home["water"] != "" {
			s.orderText(home["water"])
		}
	}
	s.orderWater()
	s.listen(t)
	s.orderFaults("down")
	if s.err != nil {
		t.Fatalf("%s: %v", w.title, s.err)
	}
	return s
}

// listen fetches the lists of the sensors that the activity uses: fetching all
// lists takes longer than the rest of a case.
func (s *stage) listen(t testing.TB) {
	t.Helper()
	for kind, fact := range map[string]string{
		"waterlevels": decide.ObservedLevel, "watertemp": decide.WaterTemperature,
	} {
		if !decide.Uses(decide.Activity(s.activity), fact) {
			continue
		}
		if _, err := s.product.Tools().Directory.SearchStations(t.Context(),
			directory.SearchStationsInput{OfType: directory.OfType{Type: directory.StationType(kind)},
				Limit: 1}); err != nil {
			t.Fatal(err)
		}
	}
	s.orderThermometer()
}

// orderThermometer sets the water temperature of the case at the station whose
// thermometer is used, if that is another station.
func (s *stage) orderThermometer() {
	near := s.product.Tools().Stations.Nearest(s.row.Latitude, s.row.Longitude, 1,
		func(st stations.Station) bool {
			kinds, _ := st.Observes("watertemp")
			return len(kinds) > 0
		})
	if len(near) == 0 || near[0].Station.ID == s.station {
		return
	}
	degrees := *s.number(items(s.base["water"], s.facts["water"])["temperature"])
	s.fail(s.simulator.SetWater(near[0].Station.ID,
		provider.Water{Temperature: provider.Steady((degrees - 32) / 1.8)}))
}

// orderGrid sets the hours of the grid: all of them, and those that the case names
// by their beginning (grid 12:00).
func (s *stage) orderGrid() {
	all := items(s.base["grid"], s.facts["grid"])
	hours := map[time.Time]map[string]string{}
	for key, line := range s.facts {
		if clock, ok := strings.CutPrefix(key, "grid "); ok {
			hours[s.when(clock).UTC()] = items(line)
		}
	}
	order := provider.Grid{
		Updated: s.ago(all["updated"]),
		Hour: func(h provider.Hour) provider.Hour {
			return s.hour(s.hour(h, all), hours[h.At.UTC()])
		},
	}
	_, order.Afloat = all["afloat"]
	if until := all["until"]; until != "" {
		order.Until = s.when(until)
	}
	if err := s.simulator.SetGrid(fmt.Sprintf("%.4f,%.4f", s.row.Latitude, s.row.Longitude),
		order); err != nil {
		s.fail(err)
	}
}

// hour returns an hour with the changes of items.
func (s *stage) hour(h provider.Hour, said map[string]string) provider.Hour {
	for name, value := range said {
		switch name {
		case "wind":
			h.Wind = s.number(value)
		case "gust":
			h.Gust = s.number(value)
		case "from":
			h.From = s.number(value)
		case "visibility":
			if h.Visibility = s.number(value); h.Visibility != nil {
				*h.Visibility *= 1852 // nmi
			}
		case "waves":
			height, period, _ := strings.Cut(value, " ft every ")
			h.Seas, h.Period = s.number(strings.TrimSuffix(height, " ft")), nil
			if period != "" {
				h.Period = s.number(strings.TrimSuffix(period, " s"))
			}
		case "weather":
			h.Weather = conditionsOf(value)
		}
	}
	if swell, given := said["swell"]; given { // after the waves of the base
		height, period, _ := strings.Cut(swell, " ft every ")
		h.Swell, h.Period = s.number(height), s.number(strings.TrimSuffix(period, " s"))
		h.Seas = h.Swell
	}
	return h
}

// conditionsOf reads "likely thunderstorms", "likely heavy snow", none, or unsaid.
func conditionsOf(text string) []provider.Condition {
	switch text {
	case "unsaid":
		return nil
	case "none":
		return []provider.Condition{}
	}
	coverage, weather, _ := strings.Cut(text, " ")
	intensity, kind, two := strings.Cut(weather, " ")
	if two {
		return []provider.Condition{{Coverage: coverage, Intensity: intensity, Weather: kind}}
	}
	return []provider.Condition{{Coverage: coverage, Weather: weather}}
}

// orderSurf sets the surf zone forecast: a risk for every day, or unsaid.
func (s *stage) orderSurf(land string) {
	said := items(s.base["surf"], s.facts["surf"])
	_, missing := said["missing"]
	_, none := said["none"]
	risk := func(string) string { return said["risk"] }
	if _, unsaid := said["unsaid"]; unsaid {
		risk = func(string) string { return "" }
	}
	order := provider.Surf{
		Risk: risk, Issued: s.ago(said["issued"]), Expires: s.ago(said["expired"]),
		Missing: missing, None: none,
	}
	if err := s.simulator.SetSurf(land, order); err != nil {
		s.fail(err)
	}
}

func (s *stage) orderText(zone string) {
	said := items(s.base["text"], s.facts["text"])
	whole := func(name string) int {
		if v := s.number(said[name]); v != nil {
			return int(*v)
		}
		return 0
	}
	wind, gust, seas := whole("wind"), whole("gust"), whole("seas")
	_, missing := said["missing"]
	passage := func(p provider.Passage) provider.Passage {
		if swell, given := said["swell"]; given {
			p.Text = "NW wind 5 kt. Seas " + said["seas"] + " ft. Wave Detail: NW " + swell + "."
			return p
		}
		p.Wind, p.Gust, p.Seas = [2]int{wind, wind}, gust, [2]int{seas, seas}
		p.Weather = said["says"]
		return p
	}
	if err := s.simulator.SetText(zone, provider.Text{
		Issued: s.ago(said["issued"]), Expires: s.ago(said["expired"]), Missing: missing,
		Passage: passage,
	}); err != nil {
		s.fail(err)
	}
}

var notice = regexp.MustCompile(`^(.+?)(?: of severity (\w+))? on (land|water) from (.+) to (.+)$`)

func (s *stage) orderAlerts(land, water string) {
	posted := map[string][]provider.Alert{land: {}, water: {}}
	for text := range strings.SplitSeq(s.facts["alerts"], ", ") {
		if text == "" {
			continue
		}
		m := notice.FindStringSubmatch(text)
		if m == nil {
			s.fail(fmt.Errorf("%q is no alert", text))
			return
		}
		zone := map[string]string{"land": land, "water": water}[m[3]]
		ends := s.when(m[5])
		posted[zone] = append(posted[zone], provider.Alert{
			Event: m[1], Severity: m[2], Sent: s.now.Load().Add(-time.Hour), Onset: s.when(m[4]),
			Ends: ends, Expires: ends,
		})
	}
	for zone, alerts := range posted {
		s.simulator.SetAlerts(zone, alerts...)
	}
}

// orderWater sets the station's sensors. The base alone does not apply to a station
// without any.
func (s *stage) orderWater() {
	gauge := items(s.base["gauge"], s.facts["gauge"])
	water := items(s.base["water"], s.facts["water"])
	order := provider.Water{
		Residual:    s.residual(gauge),
		Temperature: provider.Steady((*s.number(water["temperature"]) - 32) / 1.8),
		Newest:      s.ago(gauge["newest"] + water["newest"]),
		Floods:      s.floods(),
		Empty: func(product string, _ time.Time) bool {
			return product == gauge["empty"] || product == water["empty"]
		},
	}
	if sensors, given := s.facts["sensors"]; given {
		order.Sensors = []string{}
		if sensors != "none" {
			order.Sensors = strings.Split(sensors, ", ")
		}
	}
	for key, line := range s.facts {
		if other, ok := strings.CutPrefix(key, "gauge "); ok {
			s.fail(s.simulator.SetWater(other, provider.Water{Residual: s.residual(items(line))}))
		}
	}
	_, gauged := s.facts["gauge"]
	_, warmed := s.facts["water"]
	if err := s.simulator.SetWater(s.station, order); err != nil &&
		(gauged || warmed || order.Sensors != nil || order.Floods != nil) {
		s.fail(err)
	}
}

// residual parses the difference of the gauge from its prediction, in feet.
func (s *stage) residual(gauge map[string]string) func(time.Time) float64 {
	return provider.Steady(*s.number(gauge["residual"]) * 0.3048)
}

// floods reads "NWS minor 12.5", in feet above MLLW, or none.
func (s *stage) floods() *provider.Floods {
	line, given := s.facts["flood level"]
	if !given {
		return nil
	}
	name, height, _ := strings.Cut(line, " minor ")
	if line == "none" {
		return &provider.Floods{}
	}
	var zero float64
	for _, d := range s.row.Datums() {
		if d.Name == "MLLW" {
			zero = d.Value
		}
	}
	level := new(zero + *s.number(height)*0.3048)
	if name == "NWS" {
		return &provider.Floods{NWSMinor: level}
	}
	return &provider.Floods{NOSMinor: level}
}

var services = map[string]string{
	"weather": provider.Weather, "data": provider.Data, "metadata": provider.Metadata,
}

// orderFaults makes services fail, or single paths of them.
func (s *stage) orderFaults(key string) {
	for name := range items(s.facts[key]) {
		if service, ok := services[name]; ok {
			name = service
		} else if !strings.HasPrefix(name, "/") {
			s.fail(fmt.Errorf("%q is no service", name))
		}
		s.simulator.Fail(name, provider.Fault{Kind: provider.Garbage})
	}
}

// play sends the request, again after some time if the case says so, and returns
// the outcome in the format of cases.
func (s *stage) play(t *testing.T) []string {
	t.Helper()
	status, body := s.send(t)
	if later, given := s.facts["asked again"]; given {
		s.now.Store(new(s.now.Load().Add(s.length(strings.TrimSuffix(later, " later")))))
		s.orderFaults("then down")
		status, body = s.send(t)
	}
	if status != http.StatusOK {
		return refused(t, status, body)
	}
	if len(body) > mostAnswer {
		t.Errorf("%s: the answer has %d bytes, want at most %d", s.title, len(body), mostAnswer)
	}
	if word := granting.FindString(string(body)); word != "" {
		t.Errorf("%s: the response says %q", s.title, word)
	}
	var answer struct{ Decision decide.Decision }
	product.Decode(t, string(body), &answer)
	s.checkWindow(t, answer.Decision)
	if got := answer.Decision.Station.Name; !strings.HasPrefix(got, s.name) {
		t.Errorf("%s: the station is %s, want %s", s.title, got, s.name)
	}
	return s.outcome(answer.Decision)
}

// checkWindow requests the ends of a decision's window, and a quarter of an hour
// beyond them: there the state differs, or a required fact is missing, unless the
// search ended there.
func (s *stage) checkWindow(t *testing.T, d decide.Decision) {
	t.Helper()
	if d.Window == nil {
		if d.State != decide.Unknown {
			t.Errorf("%s: %s, and no window", s.title, d.State)
		}
		return
	}
	const step, reach = 15 * time.Minute, 24 * time.Hour
	from, to := d.Window.From, d.Window.To
	for _, end := range []struct {
		at   time.Time
		same bool
	}{
		{from, true}, {to, true}, {from.Add(-step), d.RequestedFor.Sub(from) == reach},
		{to.Add(step), to.Sub(d.RequestedFor) == reach},
	} {
		state, ok := s.stateAt(t, end.at)
		if end.at.Equal(d.RequestedFor) {
			continue
		}
		if ok && state != d.State && end.same || ok && state == d.State && !end.same {
			t.Errorf("%s: %s at %v, and %s from %v to %v", s.title, state, end.at, d.State, from, to)
		}
	}
}

// stateAt returns the state at another time, unknown if a required fact is missing.
// ok is false for past times and for the second of a repeated hour, which cannot be
// requested.
func (s *stage) stateAt(t *testing.T, at time.Time) (state decide.State, ok bool) {
	t.Helper()
	if at.Before(*s.now.Load()) {
		return "", false
	}
	w := s.worked
	w.date, w.clock = at.In(s.zone).Format(time.DateOnly), at.In(s.zone).Format("15:04")
	r := ask(s.product.URL, w.body())
	if r.err != nil {
		t.Errorf("%s at %v: %v", s.title, at, r.err)
	}
	for _, reason := range r.Reasons {
		if strings.HasSuffix(reason.Message, "That makes the state unknown.") {
			return decide.Unknown, r.RequestedFor.Equal(at)
		}
	}
	return r.State, r.RequestedFor.Equal(at)
}

// granting matches words that a planning aid must not use.
var granting = regexp.MustCompile(`(?i)\b(safe|all clear|guaranteed)\b`)

func (s *stage) send(t *testing.T) (status int, body []byte) {
	t.Helper()
	status, body, err := send(s.product.URL+"/api/v1/decisions/trip-health", s.body())
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

func (w worked) body() string {
	return fmt.Sprintf(`{"stationId":%q,"activity":%q,"localDate":%q,"localTime":%q}`,
		w.station, w.activity, w.date, w.clock)
}

// refused returns a refusal in the format of cases.
func refused(t *testing.T, status int, body []byte) []string {
	t.Helper()
	var answer struct {
		Error struct {
			Code   string
			Issues []struct{ Path, Code string }
		}
	}
	product.Decode(t, string(body), &answer)
	lines := []string{fmt.Sprintf("=> %d %s", status, answer.Error.Code)}
	for _, i := range answer.Error.Issues {
		lines = append(lines, i.Path+" "+i.Code)
	}
	return lines
}

// outcome returns a decision in the format of cases, with ages of sources and notes
// if the case requests them.
func (s *stage) outcome(d decide.Decision) []string {
	lines := []string{fmt.Sprintf("=> %s, %s confidence", d.State, d.Confidence)}
	for _, r := range d.Reasons {
		lines = append(lines, s.reason(r))
	}
	if len(d.MissingInputs) > 0 {
		lines = append(lines, "missing "+strings.Join(d.MissingInputs, ", "))
	}
	for _, source := range d.Sources {
		text := fmt.Sprintf("source %s %s", source.ID, source.Freshness)
		if source.SourceAt != nil {
			text += ", of " + source.SourceAt.In(s.zone).Format("2006-01-02 15:04")
		}
		if slices.Contains(s.want, text) {
			lines = append(lines, text)
		}
	}
	for _, note := range slices.Concat(d.Notes, d.Highlights) {
		if slices.Contains(s.want, "note "+note) {
			lines = append(lines, "note "+note)
		}
	}
	for _, want := range s.want {
		word, asked := strings.CutPrefix(want, "no highlight with ")
		switch {
		case asked && !strings.Contains(strings.Join(d.Highlights, "\n"), word),
			want == "no highlights" && len(d.Highlights) == 0, want == "headline "+d.Headline:
			lines = append(lines, want)
		}
	}
	return lines
}

// reason formats a reason as "action wind: 22 kn at 09:00, limit 20, margin 2".
func (s *stage) reason(r decide.Reason) string {
	line := string(r.Severity) + " " + r.Code
	if r.Value == nil && !strings.HasPrefix(r.Code, "alert_") {
		return line + r.At.Format(" at 15:04") + ": " + r.SourceID
	}
	if r.Value != nil {
		line += fmt.Sprintf(": %v %s", *r.Value, *r.Unit)
	}
	if r.At != nil {
		line += r.At.Format(" at 15:04")
	}
	if r.Threshold != nil {
		line += fmt.Sprintf(", limit %v, margin %v", *r.Threshold, *r.Margin)
	}
	return line
}

// TestWorkedCases plays the cases of testdata/decisions.txt and the examples of docs/decisions.md:
// all of them, or those that have something of their own.
func TestWorkedCases(t *testing.T) {
	base, cases := readCases(t, product.ReadText(t, "testdata/decisions.txt"))
	_, examples := readCases(t, product.ReadText(t, "../../docs/decisions.md"))
	cases = slices.Concat(examples, cases)
	if !trials.Thorough() {
		cases = distinct(cases)
	}
	t.Logf("%d cases", len(cases))
	const theaters = 2
	for n := range theaters {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			shared := newTheater(t)
			for i := n; i < len(cases); i += theaters {
				w, h := cases[i], shared
				if w.lasting() {
					h = newTheater(t)
				}
				if got := h.set(t, w, base).play(t); !slices.Equal(got, w.want) {
					t.Errorf("%s\ngot\n%s\nwant\n%s", w.title, strings.Join(got, "\n"),
						strings.Join(w.want, "\n"))
				}
			}
		})
	}
}

// lasting reports whether a case leaves something behind in its theater: what the product knows of
// failures, of an earlier time or of sensors.
func (w worked) lasting() bool {
	for _, key := range []string{"down", "then down", "asked again", "sensors"} {
		if _, given := w.facts[key]; given {
			return true
		}
	}
	return false
}

// distinct returns few cases that have every feature which cases have.
func distinct(cases []worked) (list []worked) {
	seen := map[string]bool{}
	missing := func(w worked) (count int) {
		for _, feature := range w.features() {
			if !seen[feature] {
				count++
			}
		}
		return count
	}
	for {
		best := slices.MaxFunc(cases, func(a, b worked) int { return missing(a) - missing(b) })
		if missing(best) == 0 {
			return list
		}
		for _, feature := range best.features() {
			seen[feature] = true
		}
		list = append(list, best)
	}
}

// features returns the kinds of what a case is about: the state of its activity, its confidence,
// each reason with its severity, each missing fact, and each kind of fact.
func (w worked) features() []string {
	state, confidence, _ := strings.Cut(w.want[0], ", ")
	list := []string{w.activity + " " + state, confidence}
	for _, line := range w.want[1:] {
		words := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ':' })
		if words[0] == "missing" {
			list = append(list, words...)
		} else {
			list = append(list, strings.Join(words[:2], " "))
		}
	}
	for key := range w.facts {
		kind, _, _ := strings.Cut(key, " ")
		list = append(list, kind)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestCasesCover checks that each activity and each outcome has cases.
func TestCasesCover(t *testing.T) {
	_, cases := readCases(t, product.ReadText(t, "testdata/decisions.txt"))
	count := map[string]int{}
	for _, w := range cases {
		count[w.activity]++
		state, confidence, _ := strings.Cut(strings.TrimPrefix(w.want[0], "=> "), ", ")
		count[state]++
		count[confidence]++
	}
	for _, a := range decide.Activities() {
		if count[string(a)] < 8 {
			t.Errorf("%s has %d cases, want 8", a, count[string(a)])
		}
	}
	for _, outcome := range []string{
		"normal", "watch", "action-needed", "unknown", "high confidence",
		"moderate confidence", "low confidence",
	} {
		if count[outcome] == 0 {
			t.Errorf("no case has the outcome %s", outcome)
		}
	}
	if len(cases) < 60 {
		t.Errorf("%d cases, want 60", len(cases))
	}
}
