package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/render"
)

// stationsExamples has calls about several stations: of one zone and of two, for now and for a day,
// with stations that fail.
var stationsExamples = []struct {
	tool, args string
	live       bool
}{
	{"noaa_get_tide_predictions", `{"stations":["8443970","8447930","9414290"]}`, false},
	{"noaa_get_tide_predictions",
		`{"stations":["8443970","8557863","9999999","ACT0091"],"date":"tomorrow"}`, false},
	{"noaa_get_current_predictions", `{"stations":["ACT0091","EPT0003","8443970"]}`, false},
	{"noaa_get_current_predictions",
		`{"stations":["ACT0091","PUG1701"],"range":24,"units":"metric"}`, false},
	{"noaa_get_water_levels", `{"stations":["8443970","9999999","9063020"],"range":2}`, true},
	{"noaa_get_sea_level_trends", `{"stations":["8443970","8638610","9999999"]}`, true},
}

// TestStations checks that both forms of rows of stations say the same, in few tokens.
func TestStations(t *testing.T) {
	s, live := newSet(t), simulated(t, nil).Set
	for _, e := range stationsExamples {
		set := s
		if e.live {
			set = live
		}
		text, answer := formsOf(t, set, e.tool, e.args)
		agreeing(t, e.tool+" "+e.args, text, []byte(answer), map[string]any{})
		if n := tokens(answer); n > 420 {
			t.Errorf("%s %s: %d tokens, want at most 420", e.tool, e.args, n)
		}
	}
}

// rowsOf returns the rows of a call, as maps by the names of the columns, and the whole answer.
func rowsOf(
	t *testing.T, s *Set, tool, args string,
) (rows []map[string]any, answer map[string]any) {
	t.Helper()
	_, body := formsOf(t, s, tool, args)
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	columns := list(t, answer, "columns")
	for _, row := range list(t, answer, "rows") {
		cells := map[string]any{}
		for i, cell := range row.([]any) {
			cells[fmt.Sprint(columns[i])] = cell
		}
		rows = append(rows, cells)
	}
	return rows, answer
}

// minuteOf returns a time of a result in a row.
func minuteOf(text any) string {
	return render.Minute(instantOf(fmt.Sprint(text)).In(zoneOfTest(text)))
}

// zoneOfTest returns the zone of the offset of a time in November.
func zoneOfTest(text any) *time.Location {
	name := "America/New_York"
	if strings.HasSuffix(fmt.Sprint(text), "-08:00") {
		name = "America/Los_Angeles"
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return zone
}

// rounded returns a number as cells have it.
func rounded(v any, decimals int) any {
	var out float64
	if _, err := fmt.Sscan(render.Number(v.(float64), decimals), &out); err != nil {
		panic(err)
	}
	return out
}

// TestStationsAgree compares each row with the call of its station alone.
func TestStationsAgree(t *testing.T) {
	first := func(out map[string]any, what string) map[string]any {
		for _, e := range list(t, out, "extremes") {
			if follow(e, "type") == what {
				return e.(map[string]any)
			}
		}
		t.Fatalf("no %s in %v", what, out)
		return nil
	}
	s, live := newSet(t), simulated(t, nil).Set
	for _, test := range []struct {
		set   *Set
		tool  string
		ids   []string
		cells func(out map[string]any) map[string]any
	}{
		{s, "noaa_get_tide_predictions", []string{"8443970", "8557863", "9414290", "8638610"},
			func(out map[string]any) map[string]any {
				high, low := first(out, "high"), first(out, "low")
				return map[string]any{
					"next high": minuteOf(high["time"]), "high ft": rounded(high["height"], 2),
					"next low": minuteOf(low["time"]), "low ft": rounded(low["height"], 2),
				}
			}},
		{s, "noaa_get_current_predictions", []string{"ACT0091", "EPT0003", "PUG1701"},
			func(out map[string]any) map[string]any {
				return map[string]any{
					"next slack":    minuteOf(follow(out, "now.nextSlack.time")),
					"then":          follow(out, "now.nextSlack.next"),
					"next greatest": minuteOf(follow(out, "now.nextMax.time")),
					"type":          follow(out, "now.nextMax.type"),
					"speed kn":      rounded(follow(out, "now.nextMax.speed"), 2),
					"toward °":      rounded(follow(out, "now.nextMax.direction"), 0),
				}
			}},
		{live, "noaa_get_water_levels", []string{"8443970", "9063020", "9414290"},
			func(out map[string]any) map[string]any {
				cells := map[string]any{
					"observed ft": rounded(follow(out, "newest.height"), 2),
					"at":          minuteOf(follow(out, "newest.time")), "datum": out["datum"],
				}
				if out["residual"] != nil {
					cells["residual ft"] = rounded(out["residual"], 2)
				}
				return cells
			}},
		{live, "noaa_get_sea_level_trends", []string{"8443970", "8638610"},
			func(out map[string]any) map[string]any {
				return map[string]any{
					"trend mm/year": follow(out, "trends.0.trend"),
					"± mm/year":     follow(out, "trends.0.confidence95"),
					"record": fmt.Sprint(follow(out, "trends.0.from"), " to ",
						follow(out, "trends.0.to")),
				}
			}},
	} {
		ids, err := json.Marshal(test.ids)
		if err != nil {
			t.Fatal(err)
		}
		args := `{"stations":` + string(ids) + `}`
		rows, _ := rowsOf(t, test.set, test.tool, args)
		whole := get(t, test.set, test.tool, args[:len(args)-1]+`,"view":"full"}`)
		for i, id := range test.ids {
			alone := get(t, test.set, test.tool, `{"station":"`+id+`"}`)
			if rows[i]["station"] != id || rows[i]["name"] == nil || rows[i]["missing"] != nil {
				t.Errorf("%s %s: row %v", test.tool, id, rows[i])
			}
			for column, want := range test.cells(alone) {
				if got := rows[i][column]; got != want {
					t.Errorf("%s %s: %s is %v, want %v", test.tool, id, column, got, want)
				}
			}
			if got := follow(whole, fmt.Sprint("stations.", i)); !reflect.DeepEqual(got, any(alone)) {
				t.Errorf("%s %s: the full result is %v, want %v", test.tool, id, got, alone)
			}
		}
	}
}

// TestStationsOfDay compares the day of a station with its rows of the call for it alone.
func TestStationsOfDay(t *testing.T) {
	s := newSet(t)
	for tool, ids := range map[string][]string{
		"noaa_get_tide_predictions":    {"8443970", "8557863", "9414290"},
		"noaa_get_current_predictions": {"ACT0091", "EPT0003", "PUG1701"},
	} {
		rows, _ := rowsOf(t, s, tool,
			`{"stations":["`+strings.Join(ids, `","`)+`"],"date":"2026-11-21"}`)
		for i, id := range ids {
			alone := get(t, s, tool, `{"station":"`+id+`","date":"2026-11-21"}`)
			list, _ := alone["extremes"].([]any)
			column, number := "high and low ft", "height"
			if list == nil {
				list, column, number = alone["events"].([]any), "events kn", "speed"
			}
			var want []string
			for _, e := range list {
				text := fmt.Sprint(follow(e, "type"))
				if v, ok := follow(e, number).(float64); ok && text != "slack" {
					text += " " + render.Number(v, 2)
				}
				at := strings.Fields(minuteOf(follow(e, "time")))
				want = append(want, text+" at "+at[2]+" "+at[3])
			}
			if got := rows[i][column]; len(want) < 3 || got != strings.Join(want, "; ") {
				t.Errorf("%s: %v, want %v", id, got, want)
			}
			if got := fmt.Sprint(rows[i]["from"]); !strings.HasPrefix(got, "Sat 2026-11-21 ") {
				t.Errorf("%s: the day is %s", id, got)
			}
		}
	}
}

// TestStationsZones checks that rows of two zones carry them, and that one zone is said once.
func TestStationsZones(t *testing.T) {
	s := newSet(t)
	rows, answer := rowsOf(t, s, "noaa_get_tide_predictions", `{"stations":["8443970","9414290"]}`)
	if rows[0]["time zone"] != "America/New_York" || rows[1]["time zone"] != "America/Los_Angeles" ||
		answer["timeZone"] != nil || !strings.HasSuffix(fmt.Sprint(rows[1]["next low"]), " PST") {
		t.Errorf("%v", answer)
	}
	rows, answer = rowsOf(t, s, "noaa_get_tide_predictions",
		`{"stations":"8443970, 9414290","time_zone":"gmt"}`)
	if rows[0]["time zone"] != nil || answer["timeZone"] != "UTC" || answer["datum"] != "MLLW" ||
		!strings.HasSuffix(fmt.Sprint(answer["source"]), "; fresh") {
		t.Errorf("%v", answer)
	}
}

// TestStationsSilent checks that a station for which NOAA does not respond is missing, with the
// reason, and that the others are as they are without it.
func TestStationsSilent(t *testing.T) {
	t.Parallel() // the client retries failed requests after a delay
	const tool = "noaa_get_water_levels"
	r := simulated(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("station") == "8518750" {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	rows, answer := rowsOf(t, r.Set, tool, `{"stations":["8518750","8443970","9414290"]}`)
	_, err := call(t, r.Set, tool, `{"station":"8518750"}`)
	if code(err) != coast.ProviderUnavailable {
		t.Fatalf("alone: %v", err)
	}
	reason := fmt.Sprint(rows[0]["missing"])
	missing := fmt.Sprint(list(t, answer, "missing")...)
	if rows[0]["observed ft"] != nil || !strings.Contains(reason, "NOAA") ||
		!strings.HasPrefix(missing, "8518750 (") ||
		!strings.HasPrefix(fmt.Sprint(answer["summary"]), "Newest observed water level: 2 of 3 ") {
		t.Errorf("%v", answer)
	}
	for _, row := range rows[1:] {
		if row["observed ft"] == nil || row["age"] != "6 minutes old" || row["missing"] != nil {
			t.Errorf("%v", row)
		}
	}
}

// TestStationsRefused checks what a call about several stations must not have.
func TestStationsRefused(t *testing.T) {
	s := newSet(t)
	const tides = "noaa_get_tide_predictions"
	for _, test := range []struct {
		tool, args string
		code       coast.Code
		says       string
	}{
		{tides, `{"stations":["8443970"],"station":"8447930"}`, coast.InvalidRequest,
			"give stations, station or place, not two of them"},
		{tides, `{"stations":["8443970"],"place":"Boston, MA"}`, coast.InvalidRequest,
			"give stations, station or place, not two of them"},
		{tides, `{"stations":["8443970","8447930","9414290","8638610","8557863","8518750","9447130"]}`,
			coast.InvalidRequest, "at most 6 stations, not 7"},
		{tides, `{"stations":["8443970","9414290"],"below":0}`, coast.InvalidRequest,
			`"below" does not go with stations`},
		{tides, `{"stations":["8443970","9414290"],"chart":true}`, coast.InvalidRequest,
			`"chart" does not go with stations`},
		{tides, `{"stations":["8443970","9414290"],"range":72}`, coast.RangeTooLong,
			"a span has at most one day"},
		{tides, `{"stations":["9999999","8443971"]}`, coast.StationNotFound, "9999999"},
		{tides, `{"stations":["8443970","9414290"],"units":"cubits"}`, coast.InvalidRequest, "units"},
		{tides, `{"stations":[]}`, coast.InvalidRequest, "station is required"},
		{tides, `{"stations":{"id":"8443970"}}`, coast.InvalidRequest, "stations must be"},
		{"noaa_get_current_predictions", `{"stations":["ACT0091"],"bin":3}`, coast.InvalidRequest,
			`"bin" does not go with stations`},
		{"noaa_get_sea_level_trends", `{"stations":["8443970"],"state":"MA"}`, coast.InvalidRequest,
			`"state" does not go with stations`},
		{"noaa_get_station_datums", `{"stations":["8443970"]}`, coast.InvalidRequest,
			`Unknown argument "stations"`},
		{"noaa_get_water_levels", `{"stations":["8443970","9414290"]}`, coast.ProviderUnavailable, ""},
	} {
		_, err := call(t, s, test.tool, test.args)
		if code(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s %s: %v, want %s: %s", test.tool, test.args, err, test.code, test.says)
		}
	}
	rows, _ := rowsOf(t, s, tides,
		`{"station":null,"stations":["8443970","9414290","8443970","9414290","8443970","8447930","8443970"]}`)
	if len(rows) != 3 {
		t.Errorf("%d rows of three stations", len(rows))
	}
	one, _ := formsOf(t, s, tides, `{"station":"8443970"}`)
	null, _ := formsOf(t, s, tides, `{"station":"8443970","stations":null}`)
	if one != null {
		t.Errorf("stations null: %s", null)
	}
}

// TestStationsListed checks which schemas name the argument.
func TestStationsListed(t *testing.T) {
	for _, tool := range everyTool(newSet(t)) {
		got := strings.Contains(string(tool.Input), `"stations"`)
		want := strings.HasSuffix(tool.Name, "_predictions")
		if got != want {
			t.Errorf("%s: stations in the schema: %v", tool.Name, got)
		}
	}
}
