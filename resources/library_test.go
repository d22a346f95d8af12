package resources

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// span lists the arguments of every tool with dates.
const span = "date begin_date end_date range time_zone "

// parameters lists the tools that a page may name, with the arguments that an example may
// use. response_format, an argument of all tools, is left out, because no page needs it.
var parameters = map[string]string{
	"noaa_get_water_levels":            span + "station place datum units interval",
	"noaa_get_water_level_summaries":   span + "station datum units product",
	"noaa_get_tide_predictions":        span + "station place datum units interval hours",
	"noaa_get_currents":                span + "station units bin expand_detailed",
	"noaa_get_current_predictions":     span + "station place units bin interval vel_type",
	"noaa_get_meteorological_data":     span + "station units product interval",
	"nws_get_wind_forecast":            "latitude longitude station place hours units",
	"nws_get_marine_forecast":          "latitude longitude station",
	"noaa_search_stations":             "query state type limit offset",
	"noaa_find_nearest_stations":       "latitude longitude type limit max_distance_km",
	"noaa_get_station_info":            "station expand",
	"noaa_get_station_datums":          "station epoch units",
	"noaa_get_harmonic_constituents":   "station bin units",
	"noaa_get_tide_prediction_offsets": "station",
	"noaa_get_station_sensors":         "station",
	"noaa_get_current_station_bins":    "station",
	"noaa_get_station_flood_levels":    "station datum units",
	"noaa_get_sea_level_trends":        "station state",
	"noaa_get_extreme_water_levels":    "station datum units level_type",
	"noaa_get_high_tide_flooding":      "station report begin_date end_date year",
	"noaa_get_top_ten_water_levels":    "station datum units analysis year",
	"astro_get_moon_phase":             "date begin_date end_date latitude longitude time_zone",
	"astro_get_sun_times":              "latitude longitude station place date days",
	"astro_get_sun_position":           "latitude longitude station time",
	"noaa_get_reference_guide":         "topic",
	"leadline_whoami":                  "",
}

// pages returns the guide and all topics, rendered with facts.
func pages() []Topic {
	l := New(Facts{Decisions: "| wind | 15 |", Limits: "| anonymous | 30 |", DataBuilt: "2026-09-24"})
	return append(l.Topics(), l.Guide())
}

func TestOrder(t *testing.T) {
	if got := len(New(Facts{}).Topics()); got != 15 {
		t.Errorf("len(Topics()) = %d, want 15", got)
	}
	found, err := fs.Glob(files, "topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(found), len(order)+1; got != want {
		t.Errorf("%d files in topics, want %d: those in order and the guide", got, want)
	}
}

func TestPages(t *testing.T) {
	for _, p := range pages() {
		if p.Title == "" || !strings.HasPrefix(p.Text, "# "+p.Title+"\n\n"+p.About+"\n") {
			t.Errorf("%s: does not begin with its title and description: %.80q", p.Name, p.Text)
		}
		if !strings.HasSuffix(p.About, ".") || strings.Count(p.About, ". ") > 0 || len(p.About) > 160 {
			t.Errorf("%s: description is not one short sentence: %q", p.Name, p.About)
		}
		if got := strings.Count(p.Text, "\n"); got < 30 || got > 90 {
			t.Errorf("%s: %d lines, want 30 to 90", p.Name, got)
		}
		if strings.Contains(p.Text, "{{") || strings.Contains(p.Text, "<no value>") {
			t.Errorf("%s: the text has template syntax", p.Name)
		}
		if strings.Count(p.Text, "```")%2 != 0 {
			t.Errorf("%s: a code block is not closed", p.Name)
		}
	}
}

func TestTopic(t *testing.T) {
	l := New(Facts{})
	for _, want := range l.Topics() {
		if got, ok := l.Topic(want.Name); !ok || got != want {
			t.Errorf("Topic(%q) = %q, %v", want.Name, got.Title, ok)
		}
	}
	for _, name := range []string{"", "Datums", "datums.md", guideName} {
		if _, ok := l.Topic(name); ok {
			t.Errorf("Topic(%q) was found", name)
		}
	}
	if got, want := l.Guide().Name, "getting-started"; got != want {
		t.Errorf("Guide().Name = %q, want %q", got, want)
	}
}

func TestTopicsReturnsACopy(t *testing.T) {
	l := New(Facts{})
	l.Topics()[0].Text = "overwritten"
	if got := l.Topics()[0].Text; got == "overwritten" {
		t.Error("a change by the caller has changed the library")
	}
}

func TestFacts(t *testing.T) {
	facts := map[string]Facts{
		"decisions": {Decisions: "| wind <kn> | 15 & more |"},
		"limits":    {Limits: "| anonymous | 30 |"},
		"sources":   {DataBuilt: "24 September 2026"},
	}
	for name, f := range facts {
		want := f.Decisions + f.Limits + f.DataBuilt // exactly one of these is set
		with, _ := New(f).Topic(name)
		if !strings.Contains(with.Text, want) {
			t.Errorf("%s: %q is missing or changed", name, want)
		}
		without, _ := New(Facts{}).Topic(name)
		if strings.Contains(without.Text, "Thresholds") || strings.Contains(without.Text, "## Tiers") {
			t.Errorf("%s: a heading without its table", name)
		}
		if strings.Contains(without.Text, "\n\n\n") || strings.Contains(with.Text, "\n\n\n") {
			t.Errorf("%s: the page has two empty lines in a row", name)
		}
	}
}

func TestToolsExist(t *testing.T) {
	name := regexp.MustCompile(`\b(?:noaa|nws|astro|leadline)_[a-z_]+`)
	for _, p := range pages() {
		for _, tool := range name.FindAllString(p.Text, -1) {
			if _, ok := parameters[tool]; !ok && tool != "noaa_mean" { // a value of directionSource
				t.Errorf("%s names %q, which is not a tool", p.Name, tool)
			}
		}
	}
	if got := len(parameters); got != 26 {
		t.Errorf("parameters has %d tools, want 26", got)
	}
}

func TestExamples(t *testing.T) {
	block := regexp.MustCompile("(?s)```\n(.*?)```")
	count := 0
	for _, p := range pages() {
		for _, b := range block.FindAllStringSubmatch(p.Text, -1) {
			// An indented line continues the example above it.
			for line := range strings.Lines(strings.ReplaceAll(b[1], "\n    ", " ")) {
				checkExample(t, p.Name, strings.TrimSpace(line))
				count++
			}
		}
	}
	if count < 30 {
		t.Errorf("%d examples found, want at least 30", count)
	}
}

// checkExample checks that a line is the name of a tool and JSON with its arguments.
func checkExample(t *testing.T, page, line string) {
	t.Helper()
	tool, arguments, _ := strings.Cut(line, " ")
	known, ok := parameters[tool]
	if !ok {
		t.Errorf("%s: example of an unknown tool: %s", page, line)
		return
	}
	var given map[string]any
	if err := json.Unmarshal([]byte(arguments), &given); err != nil {
		t.Errorf("%s: %s: %v", page, line, err)
	}
	for name := range given {
		if !slices.Contains(strings.Fields(known), name) {
			t.Errorf("%s: %s has no argument %q", page, tool, name)
		}
	}
	stationID := regexp.MustCompile(`^[A-Za-z0-9_]{4,16}$`)
	if id, ok := given["station"].(string); ok && !stationID.MatchString(id) {
		t.Errorf("%s: %q is not a station id", page, id)
	}
	if topic, ok := given["topic"].(string); ok && !slices.Contains(order, topic) {
		t.Errorf("%s: %q is not a topic", page, topic)
	}
}

func TestLinksResolve(t *testing.T) {
	link := regexp.MustCompile(`leadline://([a-z]+)/([A-Za-z0-9_-]+)`)
	for _, p := range pages() {
		for _, m := range link.FindAllStringSubmatch(p.Text, -1) {
			kind, name := m[1], m[2]
			switch {
			case kind == "reference" && slices.Contains(order, name):
			case kind == "guide" && name == guideName:
			case kind == "stations":
			default:
				t.Errorf("%s links to %s, which does not exist", p.Name, m[0])
			}
		}
		got := len(link.FindAllString(p.Text, -1))
		if want := strings.Count(p.Text, "leadline://"); got != want {
			t.Errorf("%s: %d of %d links are well-formed", p.Name, got, want)
		}
	}
}

func TestForbiddenWords(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)\b(safe|safely|all[ -]clear|guaranteed?)\b`)
	for _, p := range pages() {
		if got := forbidden.FindString(p.Text); got != "" {
			t.Errorf("%s contains %q", p.Name, got)
		}
	}
}
