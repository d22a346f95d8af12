package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/operation"
)

// TestTexts compares both forms of the answers to all examples with golden files, so that a
// reviewer sees every answer and every change to it.
func TestTexts(t *testing.T) {
	var texts, answers bytes.Buffer
	write := func(s *Set, tool, args string) {
		t.Helper()
		text, answer := formsOf(t, s, tool, args)
		fmt.Fprintf(&texts, "=== %s %s (%d tokens)\n%s\n", tool, args, tokens(text), text)
		fmt.Fprintf(&answers, "=== %s %s (%d tokens)\n%s\n", tool, args, tokens(answer), answer)
	}
	offline, live := newSet(t), simulated(t, nil).Set
	for _, e := range examples {
		write(offline, e.tool, e.args)
	}
	for _, e := range liveExamples {
		write(live, e.tool, e.args)
	}
	write(live, "leadline_trip_health", `{"stationId":"8443970","activity":"boating",`+
		`"localDate":"2026-11-21","localTime":"09:00"}`)
	for _, e := range stationsExamples {
		set := offline
		if e.live {
			set = live
		}
		write(set, e.tool, e.args)
	}
	compareGolden(t, "testdata/texts.txt", texts.Bytes())
	compareGolden(t, "testdata/answers.txt", answers.Bytes())
}

// compareGolden compares a golden file, or writes it with -update.
func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the result differs from %s; read the difference, then run go test ./tools -update",
			file)
	}
}

// formsOf returns the result of a call as text and as JSON.
func formsOf(t testing.TB, s *Set, tool, args string) (text, answer string) {
	t.Helper()
	r, err := call(t, s, tool, args)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, args, err)
	}
	asText, asJSON, err := r.Forms(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	return string(asText), string(asJSON)
}

// textOf returns the text of a call.
func textOf(t testing.TB, s *Set, tool, args string) string {
	t.Helper()
	text, _ := formsOf(t, s, tool, args)
	return text
}

// tokens returns the tokens of a text: about four characters each.
func tokens(text string) int { return (len(text) + 3) / 4 }

// TestAnswerTokens limits the tokens of both forms of the calls that models make most, and of any
// call that names no more than what it is about. The limits are ours.
func TestAnswerTokens(t *testing.T) {
	s, live := newSet(t), simulated(t, nil).Set
	text, answer := 0, 0
	for _, c := range []struct {
		set        *Set
		tool, args string
		most       int // of the structured content
	}{
		{s, "noaa_get_tide_predictions", `{"station":"8443970"}`, 200},
		{s, "noaa_get_tide_predictions", `{"place":"Half Moon Bay, CA","type":"high","range":24}`, 280},
		{s, "noaa_get_tide_predictions", `{"station":"8443970","interval":"h","date":"today"}`, 240},
		{s, "noaa_get_tide_predictions",
			`{"station":"8443970","begin_date":"2026-11-01","end_date":"2026-11-30"}`, 1100},
		{s, "noaa_get_tide_predictions", `{"station":"8443970","below":0,"range":168}`, 400},
		{s, "noaa_get_tide_predictions", `{"station":"8443970","type":"high","top":5,` +
			`"begin_date":"2027-01-01","end_date":"2027-12-31"}`, 240},
		{s, "noaa_get_current_predictions", `{"station":"EPT0003"}`, 320},
		{s, "noaa_get_current_predictions", `{"station":"EPT0003","at_most":0.5,"range":72}`, 340},
		{live, "noaa_get_water_levels", `{"station":"8443970","range":24}`, 380},
		{live, "nws_get_wind_forecast", `{"station":"8443970"}`, 350},
		{live, "nws_get_marine_forecast", `{"station":"8443970"}`, 560},
		{s, "noaa_search_stations", `{"query":"boston","limit":1}`, 140},
		{s, "noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05}`, 380},
		{s, "noaa_get_station_info", `{"station":"8443970"}`, 180},
		{s, "astro_get_sun_times", `{"station":"8443970"}`, 130},
		{s, "astro_get_sun_times",
			`{"station":"8443970","date":"2026-11-01","days":30,"fields":["sunset"]}`, 320},
		{s, "astro_get_moon_phase", `{"station":"8443970"}`, 260},
		{live, "noaa_get_station_flood_levels", `{"station":"8443970"}`, 150},
		{live, "noaa_get_sea_level_trends", `{"station":"8443970"}`, 130},
		{live, "leadline_get_day", `{"station":"8443970"}`, 420},
		{live, "leadline_trip_health", `{"stationId":"8443970","activity":"boating",` +
			`"localDate":"2026-11-21","localTime":"09:00"}`, 420},
	} {
		asText, asJSON := formsOf(t, c.set, c.tool, c.args)
		if n := tokens(asJSON); n > c.most {
			t.Errorf("%s %s: %d tokens, want at most %d: %s", c.tool, c.args, n, c.most, asJSON)
		}
		text, answer = text+tokens(asText), answer+tokens(asJSON)
	}
	t.Logf("21 calls: %d tokens of text, %d of JSON", text, answer)
	if text > 6_000 || answer > 6_800 {
		t.Errorf("21 calls have %d tokens of text and %d of JSON, want at most 6000 and 6800", text,
			answer)
	}
	for _, e := range append(slices.Clone(examples), liveExamples...) {
		if strings.Count(e.args, ":") > 1 {
			continue // not the default arguments
		}
		set := s
		if slices.Contains(liveExamples, e) {
			set = live
		}
		asText, asJSON := formsOf(t, set, e.tool, e.args)
		if n := max(tokens(asText), tokens(asJSON)); n > 1_300 {
			t.Errorf("%s %s: %d tokens, want at most 1300", e.tool, e.args, n)
		}
	}
}

// TestTextTokens limits the tokens of the texts that clients request most.
func TestTextTokens(t *testing.T) {
	s, live := newSet(t), simulated(t, nil).Set
	for _, test := range []struct {
		set        *Set
		tool, args string
		most       int
	}{
		{s, "noaa_get_tide_predictions", `{"station":"8443970"}`, 260},
		{s, "noaa_get_tide_predictions", `{"station":"8557863"}`, 260},
		{s, "noaa_get_tide_predictions", `{"station":"9447130","units":"metric","range":48}`, 260},
		{s, "noaa_get_tide_predictions", `{"station":"8443970","interval":"h","date":"today"}`, 350},
		{s, "noaa_get_tide_predictions", `{"station":"8557863","interval":"h","range":24}`, 350},
		{s, "noaa_get_tide_predictions", `{"station":"8443970","type":"high","top":10,` +
			`"begin_date":"2027-01-01","end_date":"2027-12-31"}`, 400},
		{live, "noaa_get_water_levels",
			`{"station":"9063020","datum":"IGLD","interval":"hourly","begin_date":"2026-10-01"}`, 350},
		{s, "noaa_search_stations", `{"query":"portland","limit":2}`, 150},
		{live, "noaa_search_stations", `{"query":"kings point","limit":2}`, 150},
		{s, "astro_get_sun_times", `{"station":"8443970","days":31}`, 1000},
		{s, "astro_get_sun_times", `{"latitude":69.65,"longitude":18.96,"days":31}`, 1000},
	} {
		if text := textOf(t, test.set, test.tool, test.args); tokens(text) > test.most {
			t.Errorf("%s %s: %d tokens, want at most %d:\n%s", test.tool, test.args, tokens(text), test.most,
				text)
		}
	}
}

// TestTextShape checks that the first row of a text has the same format whether or not it is
// the only row.
func TestTextShape(t *testing.T) {
	s, live := newSet(t), simulated(t, nil).Set
	for _, test := range []struct {
		set            *Set
		tool, one, all string
		lines          int // up to the first row
	}{
		{s, "noaa_get_tide_predictions", `{"station":"8443970","range":2}`, `{"station":"8443970"}`, 4},
		{s, "noaa_get_current_predictions", `{"station":"EPT0003","range":2}`, `{"station":"EPT0003"}`, 5},
		{s, "noaa_search_stations", `{"query":"portland","limit":1}`, `{"query":"portland"}`, 3},
		{s, "noaa_find_nearest_stations", `{"latitude":42.35,"longitude":-71.05,"limit":1}`,
			`{"latitude":42.35,"longitude":-71.05}`, 3},
		{s, "astro_get_sun_times", `{"station":"8443970"}`, `{"station":"8443970","days":3}`, 3},
		{s, "astro_get_moon_phase", `{}`, `{"begin_date":"2026-11-20","end_date":"2026-11-26"}`, 3},
		{live, "noaa_get_sea_level_trends", `{"limit":1}`, `{}`, 4},
	} {
		one := strings.SplitAfter(textOf(t, test.set, test.tool, test.one), "\n")
		all := strings.SplitAfter(textOf(t, test.set, test.tool, test.all), "\n")
		got, want := strings.Join(one[:test.lines], ""), strings.Join(all[:test.lines], "")
		if got != want || strings.TrimSpace(one[test.lines-1]) == "" {
			t.Errorf("%s: one row is written as\n%s\nseveral begin with\n%s", test.tool, got, want)
		}
	}
}

// TestSunFields checks that the argument fields affects only the text of sun times.
func TestSunFields(t *testing.T) {
	s := newSet(t)
	all := []string{
		"sunrise", "sunset", "civil", "nautical", "astronomical", "solar_noon", "day_length",
		"golden_hour", "blue_hour",
	}
	whole := get(t, s, "astro_get_sun_times", `{"station":"8443970"}`)
	for _, field := range all {
		args := fmt.Sprintf(`{"station":"8443970","fields":[%q]}`, field)
		row := strings.Split(textOf(t, s, "astro_get_sun_times", args), "\n")[2]
		for _, other := range all {
			word := strings.ReplaceAll(other, "_", " ")
			if has := strings.Contains(row, word+" "); has != (other == field) {
				t.Errorf("fields %s: the row has %s: %v: %s", field, other, has, row)
			}
		}
		if got := get(t, s, "astro_get_sun_times", args); fmt.Sprint(got["days"]) !=
			fmt.Sprint(whole["days"]) {
			t.Errorf("fields %s changes the structured result", field)
		}
	}
}

var (
	rfc3339InText = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d`)
	rowOfTime     = regexp.MustCompile(`(?m)^\d\d:\d\d `)
	numberInText  = regexp.MustCompile(`\d+(\.\d+)?`)
	timeInNote    = regexp.MustCompile(`T(\d\d:\d\d):\d\d(Z|([+-]\d\d:\d\d))`)
)

// readable checks the text of a result, whose structured form is tree. The text begins with a
// sentence and ends with the sources; it names all notes, everything missing, and the times
// and numbers of all rows; and it repeats nothing that is for programs only.
func readable(t *testing.T, name, text string, tree any) {
	t.Helper()
	tool, _, _ := strings.Cut(name, " ")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if tool != "noaa_get_reference_guide" {
		if len(lines) < 2 || strings.ContainsAny(lines[0][:1], "-|#* ") {
			t.Errorf("%s: the text does not begin with a sentence:\n%s", name, text)
		}
		noiseless(t, name, tool, text)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "Source: ") {
		t.Errorf("%s: the last line is %q, want the sources", name, last)
	}
	if n := len(rowOfTime.FindAllString(text, -1)); n > operation.TextRows {
		t.Errorf("%s: the text has %d rows, want at most %d", name, n, operation.TextRows)
	}
	contextual(t, name, text, tree)
	shown := shownNumbers(text)
	if tool != "noaa_get_reference_guide" && tool != "leadline_whoami" {
		rows(t, name, text, shown, "", tree)
	}
}

// agreeing checks that both forms of a result say the same. Each line of the text is a member of
// the answer, or a row of it; each value of a row is in a line of the text. The full result names
// the facts that an answer must have.
func agreeing(t *testing.T, name, text string, answer []byte, tree any) {
	t.Helper()
	var form struct {
		Summary, Title string
		Lines          []string
		Columns        []string
		Rows           [][]any
		Days           []struct {
			Date, Zone string
			Rows       [][]any
		}
		Tables []struct {
			Title string
			Rows  [][]any
		}
		Missing                  []string
		Notes                    []string
		Station, Datum, TimeZone string
		Source, DatumEpoch       string
		Total                    int
		Next                     map[string]any
		Name                     string
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&form); err != nil {
		t.Errorf("%s: %v in %s", name, err, answer)
		return
	}
	if first, _, _ := strings.Cut(text, "\n"); form.Summary != first || form.Summary == "" {
		t.Errorf("%s: the summary is %q, the first line %q", name, form.Summary, first)
	}
	said := append(append([]string{form.Summary, form.Title}, form.Lines...), form.Notes...)
	rows := form.Rows
	for _, d := range form.Days {
		said, rows = append(said, d.Date+" "+d.Zone), append(rows, d.Rows...)
	}
	for _, table := range form.Tables {
		said, rows = append(said, table.Title), append(rows, table.Rows...)
	}
	for _, m := range form.Missing {
		said = append(said, "Missing: "+m+".")
	}
	lines := strings.Split(text, "\n")
	for _, row := range rows {
		if !slices.ContainsFunc(lines, func(line string) bool { return hasCells(line, row) }) {
			t.Errorf("%s: no line of the text has the row %v", name, row)
		}
	}
	others := 0
	for _, line := range lines {
		line = strings.TrimPrefix(line, "Note: ")
		if line != "" && !slices.Contains(said, line) && !strings.HasPrefix(line, "Source: ") &&
			!strings.Contains(line, "Next page: {") {
			others++
		}
	}
	if others > len(rows)+1 { // a row of names of columns
		t.Errorf("%s: %d lines of the text are not in the answer, which has %d rows", name, others,
			len(rows))
	}
	for member, is := range map[string]string{
		"datum": form.Datum, "timeZone": form.TimeZone, "datumEpoch": form.DatumEpoch,
	} {
		if want := tree.(map[string]any)[member]; want != nil && want != is {
			t.Errorf("%s: the answer has %s %q, want %q", name, member, is, want)
		}
	}
	if station, ok := tree.(map[string]any)["station"].(map[string]any); ok &&
		(form.Station != station["id"] || form.Name == "") {
		t.Errorf("%s: the answer has station %q, want %v", name, form.Station, station["id"])
	}
	if !regexp.MustCompile(`; (fresh|aging|stale|unknown)$`).MatchString(form.Source) {
		t.Errorf("%s: the source %q does not end with its freshness", name, form.Source)
	}
}

// hasCells reports whether a line has all cells of a row in their order.
func hasCells(line string, row []any) bool {
	for _, cell := range row {
		if cell == nil {
			continue
		}
		_, after, found := strings.Cut(line, fmt.Sprint(cell))
		if !found {
			return false
		}
		line = after
	}
	return true
}

// noiseless checks that a text contains nothing that only programs need.
func noiseless(t *testing.T, name, tool, text string) {
	t.Helper()
	noises := []string{"ageMinutes", "attributionUrl", "receivedAt", "null", "|---", ": none\n", "**",
		": \n", "  ", "<nil>", "%!"}
	if tool != "noaa_get_station_info" {
		noises = append(noises, "http")
	}
	for _, noise := range noises {
		if strings.Contains(text, noise) {
			t.Errorf("%s: the text has %q:\n%s", name, noise, text)
		}
	}
	for line := range strings.Lines(text) {
		if rfc3339InText.MatchString(line) && !strings.Contains(line, "Next page: {") {
			t.Errorf("%s: a time is not in the form for people: %s", name, line)
		}
	}
}

// contextual checks that a text names all notes, all missing inputs and every source.
func contextual(t *testing.T, name, text string, tree any) {
	t.Helper()
	plain := strings.ReplaceAll(text, `\`, "")
	says := func(what string) {
		t.Helper()
		what = timeInNote.ReplaceAllString(what, " $1 (UTC$3)")
		if !strings.Contains(plain, strings.NewReplacer(`\`, "", "\n", " ").Replace(what)) {
			t.Errorf("%s: the text lacks %q:\n%s", name, what, text)
		}
	}
	for _, note := range list(t, tree, "notes") {
		if text := note.(string); !coast.Standing(text) && !coast.Repeats(text) {
			says(note.(string))
		}
	}
	for _, missing := range list(t, tree, "missing") {
		says(missing.(map[string]any)["input"].(string))
	}
	for _, source := range list(t, tree, "sources") {
		if source := source.(map[string]any); source["available"] == true {
			says(source["provider"].(string))
		}
	}
}

// shownNumbers returns the unsigned numbers and the times of day in a text.
func shownNumbers(text string) map[string]bool {
	shown := map[string]bool{}
	for _, n := range numberInText.FindAllString(text, -1) {
		shown[n] = true
	}
	return shown
}

// unshown lists the fields of rows that texts leave out: ages and counts, which are for
// programs; the signals of current meters; the rates at the ends of windows; and the fields
// of sun times that a call must request by name.
var unshown = map[string]bool{
	"ageMinutes": true, "count": true, "stepMinutes": true, "sources": true, "missing": true,
	"echo": true, "correlation": true, "rateAtFrom": true, "rateAtTo": true,
	"solarNoon": true, "nauticalDawn": true, "nauticalDusk": true, "astronomicalDawn": true,
	"astronomicalDusk": true, "blueHourMorning": true, "blueHourEvening": true,
	"goldenHourMorning": true, "goldenHourEvening": true, "dayLength": true, "at": true,
}

// rows checks that the numbers and times of all lists in a tree appear in the text. path is
// the path of the tree, which is empty outside lists.
func rows(t *testing.T, name, text string, shown map[string]bool, path string, tree any) {
	t.Helper()
	switch v := tree.(type) {
	case map[string]any:
		for key, member := range v {
			neighbor := path == ".ranks" && (key == "previous" || key == "next") ||
				path == ".gates" && key == "station" // which the text names
			if neighbor || key == "speed" && v["type"] == "slack" {
				continue // texts omit neighbors of ranks; slack speed is 0, apart from rounding
			}
			if _, isList := member.([]any); unshown[key] || path == "" && !isList {
				if nested, ok := member.(map[string]any); ok && !unshown[key] {
					rows(t, name, text, shown, "", nested)
				}
				continue
			}
			rows(t, name, text, shown, path+"."+key, member)
		}
	case []any:
		for _, member := range v[:min(len(v), 90)] { // a text page can end before equal times
			rows(t, name, text, shown, path, member)
		}
	case float64:
		if path != "" && !appears(shown, v) {
			t.Errorf("%s: the text lacks %v of %s:\n%s", name, v, path, text)
		}
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if path == "" || err != nil {
			return
		}
		minute, round := at.Format("15:04"), at.Round(time.Minute).Format("15:04")
		spoken := at.Round(time.Minute).Format("3:04 PM")
		if !strings.Contains(text, minute) && !strings.Contains(text, round) &&
			!strings.Contains(text, spoken) {
			t.Errorf("%s: the text lacks the time %s of %s:\n%s", name, v, path, text)
		}
	}
}

// appears reports whether a number is shown, rounded to 1 to 7 decimals, as a whole degree, or
// as a percentage.
func appears(shown map[string]bool, v float64) bool {
	v = math.Abs(v)
	if shown[strconv.FormatFloat(math.Round(v*1000)/10, 'f', -1, 64)] && v <= 1 { // a percentage
		return true
	}
	least := 1
	if v >= 10 || v == math.Trunc(v) {
		least = 0
	}
	for decimals := least; decimals <= 7; decimals++ {
		scale := math.Pow10(decimals)
		if shown[strconv.FormatFloat(v, 'f', decimals, 64)] ||
			shown[strconv.FormatFloat(math.Round(v*scale)/scale, 'f', -1, 64)] {
			return true
		}
	}
	return v == 0
}

// TestReadableFinds checks that readable's search for rows does not miss any numbers or
// times.
func TestReadableFinds(t *testing.T) {
	for _, test := range []struct {
		text string
		v    float64
		want bool
	}{
		{"13:18 low 1.11", 1.112, true}, {"13:18 low 1.11", 1.2, false}, {"low -1.34", -1.341, true},
		{"toward 266°", 265.6, true}, {"2.10 kn", 2.1, true}, {"80.7 % lit", 0.807, true},
		{"bin 14", 14, true}, {"bin 4", 14, false}, {"9 kn", 9.4, false},
	} {
		if got := appears(shownNumbers(test.text), test.v); got != test.want {
			t.Errorf("%v in %q: %v, want %v", test.v, test.text, got, test.want)
		}
	}
}

// TestTextOfJSON checks that response_format json returns the structured result as text.
func TestTextOfJSON(t *testing.T) {
	text := textOf(t, newSet(t), "noaa_get_tide_predictions",
		`{"station":"8443970","response_format":"json"}`)
	var tree map[string]any
	if err := json.Unmarshal([]byte(text), &tree); err != nil || tree["days"] == nil {
		t.Errorf("%v: %s", err, text)
	}
}

// TestTextOfStale checks that the first line gives the age of an observation in words if it
// is not fresh, and omits the age if it is.
func TestTextOfStale(t *testing.T) {
	r := simulated(t, nil)
	for _, tool := range []string{
		`noaa_get_water_levels {"station":"8443970","begin_date":"2026-11-20","range":24}`,
		`noaa_get_currents {"station":"cb0102","bin":1,"begin_date":"2026-11-20","range":24}`,
		`noaa_get_meteorological_data {"station":"8443970","product":"wind","begin_date":"2026-11-20",` +
			`"range":24}`,
	} {
		name, args, _ := strings.Cut(tool, " ")
		for hours, want := range map[int]string{0: "", 5: "5 hours old"} {
			r.clock.at = noon.Add(time.Duration(hours) * time.Hour)
			first, _, _ := strings.Cut(textOf(t, r.Set, name, args), "\n")
			if want == "" && strings.Contains(first, " old") || !strings.Contains(first, want) {
				t.Errorf("%s %d hours later: %q, want %q in it", name, hours, first, want)
			}
		}
	}
}

// TestRepeatedNotes checks that the first line of every answer for a name says which station was
// taken for it, since the note about it is left out.
func TestRepeatedNotes(t *testing.T) {
	r := simulated(t, nil)
	more := map[string]string{
		"leadline_plan_transit":        `,"distance":1,"speed":6,"direction":"with_flood"`,
		"noaa_get_meteorological_data": `,"product":"all"`,
		"nws_get_wind_forecast":        `,"hours":6`,
	}
	repeated := 0
	for _, tool := range everyTool(r.Set) {
		if !strings.Contains(string(tool.Input), `"place":`) {
			continue
		}
		for _, place := range []string{
			"Woods Hole", "Deception Pass, WA", "Half Moon Bay, CA", "Eastport",
		} {
			result, err := call(t, r.Set, tool.Name, `{"place":"`+place+`"`+more[tool.Name]+`}`)
			if err != nil {
				continue // another kind of station, or further arguments
			}
			whole, err := json.Marshal(result.Value)
			if err != nil {
				t.Fatal(err)
			}
			var full struct{ Notes []string }
			_ = json.Unmarshal(whole, &full)
			if !slices.ContainsFunc(full.Notes, coast.Repeats) {
				continue
			}
			repeated++
			text, _, err := result.Forms(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			if !strings.Contains(first, " km from ") && !strings.Contains(first, "taken for ") {
				t.Errorf("%s %s: %q does not say which station was taken", tool.Name, place, first)
			}
		}
	}
	if repeated < 10 {
		t.Errorf("%d results have such a note, want at least 10", repeated)
	}
}
