package pages

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

// TestPagesAgree compares the facts of pages with those of the same questions over REST and MCP.
func TestPagesAgree(t *testing.T) {
	_, root := product.Simulate(t, product.Noon)
	p := product.Setup{
		Root:     root,
		Now:      product.Noon,
		Deadline: time.Minute,
		Patience: time.Minute,
	}.Start(
		t,
	)
	a := agreement{t: t, base: p.URL}
	a.page = open(t, p.URL, "/stations/8443970").words()
	a.tide("")
	a.observed("")
	a.forecasts()
	a.sky()
	a.levels()
	a.page = open(t, p.URL, "/stations/8443970?units=metric&zone=gmt&clock=24&datum=MSL").words()
	a.tide("&units=metric&datum=MSL")
	a.page = open(t, p.URL, "/stations/8443970?units=nautical&zone=gmt&clock=24&datum=MSL").words()
	a.tide("&units=nautical&datum=MSL")
	a.has("6.4 kn")
	a.has("4.3 °C")
	foreign := regexp.MustCompile(`\d (ft|m/s|mi|°F)\b`)
	if found := foreign.FindAllString(a.page, -1); found != nil {
		t.Errorf("the page in nautical has %q", found)
	}
	if english := open(t, p.URL, "/stations/8443970").words(); !foreign.MatchString(english) {
		t.Error("the check finds no units of english")
	}
	a.page = open(t, p.URL, "/stations/ACT1206").words()
	a.current()
}

// agreement compares a page with results over REST and MCP.
type agreement struct {
	t    *testing.T
	base string
	page string
}

// has checks that the page has some words.
func (a agreement) has(format string, args ...any) {
	a.t.Helper()
	if want := strings.ReplaceAll(fmt.Sprintf(format, args...), "-", "−"); !strings.Contains(
		strings.ReplaceAll(a.page, "-", "−"), want) {
		a.t.Errorf("the page lacks %q", want)
	}
}

// rounded writes a value as pages do.
func rounded(v float64, decimals int) string {
	text := fmt.Sprintf("%.*f", decimals, v)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-") // no negative zero
	}
	return text
}

type extreme struct {
	Time   time.Time
	Type   string
	Height float64
}

// tide compares the table of high and low waters, and the height now.
func (a agreement) tide(query string) {
	const begin = "?begin_date=2026-11-20T00:00&hours=160&interval=hilo"
	var rest, mcp struct {
		Now *struct {
			Height float64
			State  string
		}
		Extremes   []extreme
		HeightUnit string
	}
	product.Decode(
		a.t,
		product.OverREST(a.t, a.base+"/api/v1/stations/8443970/predictions"+begin+query),
		&rest,
	)
	arguments := `{"station":"8443970","begin_date":"2026-11-20T00:00","range":160,"interval":"hilo"`
	for pair := range strings.SplitSeq(strings.TrimPrefix(query, "&"), "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			arguments += fmt.Sprintf(",%q:%q", name, value)
		}
	}
	product.Decode(
		a.t,
		product.OverMCP(a.t, a.base, "noaa_get_tide_predictions", arguments+"}"),
		&mcp,
	)
	if len(rest.Extremes) < 20 || len(rest.Extremes) != len(mcp.Extremes) || rest.Now == nil {
		a.t.Fatalf("%d extremes over REST, %d over MCP", len(rest.Extremes), len(mcp.Extremes))
	}
	layout, zone, decimals := "3:04 PM", boston(a.t), 1
	if query != "" {
		layout, zone, decimals = "15:04", time.UTC, 2
	}
	for i, e := range rest.Extremes {
		if !e.Time.Equal(mcp.Extremes[i].Time) || e.Height != mcp.Extremes[i].Height {
			a.t.Errorf("REST has %v, MCP %v", e, mcp.Extremes[i])
		}
		a.has("%s %s %s", e.Type, e.Time.In(zone).Format(layout), rounded(e.Height, decimals))
	}
	a.has("Predicted tide at %s %s %s above", product.Noon().In(zone).Format(layout),
		rounded(rest.Now.Height, decimals), rest.HeightUnit)
	a.has("%s", rest.Now.State)
}

func boston(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// observed compares the newest level and the readings.
func (a agreement) observed(query string) {
	var levels struct {
		Newest struct {
			Time   time.Time
			Height float64
		}
		HeightUnit, Datum string
	}
	product.Decode(
		a.t,
		product.OverREST(a.t, a.base+"/api/v1/stations/8443970/water-levels"+query),
		&levels,
	)
	a.has("Observed at %s", levels.Newest.Time.In(boston(a.t)).Format("3:04 PM"))
	a.has("%s %s above %s", rounded(levels.Newest.Height, 1), levels.HeightUnit, levels.Datum)
	var conditions struct {
		Readings []struct {
			Quantity, Unit string
			Value          float64
			AgeMinutes     int
		}
	}
	product.Decode(
		a.t,
		product.OverREST(a.t, a.base+"/api/v1/stations/8443970/conditions"+query),
		&conditions,
	)
	if len(conditions.Readings) < 5 {
		a.t.Fatalf("readings %+v", conditions.Readings)
	}
	for _, r := range conditions.Readings {
		name := strings.ReplaceAll(r.Quantity[1:], "_", " ")
		if r.Unit == "degrees true, from" {
			a.has("%s from %.0f°", name, r.Value)
			continue
		}
		a.has("%s %s", name, rounded(r.Value, 1))
	}
}

// forecasts compares the alerts and the text for the water.
func (a agreement) forecasts() {
	var rest struct {
		Marine struct {
			Zone struct{ Name string }
			Text struct {
				Issued time.Time
			}
			Alerts []struct{ Event string }
		}
		Wind struct{ Issued time.Time }
	}
	product.Decode(a.t, product.OverREST(a.t, a.base+"/api/v1/stations/8443970/forecast"), &rest)
	var mcp struct {
		Alerts []struct{ Event string }
	}
	product.Decode(
		a.t,
		product.OverMCP(a.t, a.base, "nws_get_marine_forecast", `{"station":"8443970"}`),
		&mcp,
	)
	if len(rest.Marine.Alerts) == 0 || len(mcp.Alerts) != len(rest.Marine.Alerts) {
		a.t.Fatalf("alerts over REST %v, over MCP %v", rest.Marine.Alerts, mcp.Alerts)
	}
	for _, alert := range mcp.Alerts {
		a.has("%s", alert.Event)
	}
	a.has("Coastal waters forecast: %s, issued %s", rest.Marine.Zone.Name,
		rest.Marine.Text.Issued.In(boston(a.t)).Format("3:04 PM"))
	a.has("National Weather Service, issued %s", rest.Wind.Issued.In(boston(a.t)).Format("3:04 PM"))
}

// sky compares the times of the sun and the phase of the moon.
func (a agreement) sky() {
	var sun struct {
		Days []struct{ Sunrise, Sunset, SolarNoon time.Time }
	}
	product.Decode(a.t, product.OverMCP(a.t, a.base, "astro_get_sun_times",
		`{"station":"8443970","date":"2026-11-20","days":7}`), &sun)
	if len(sun.Days) != 7 {
		a.t.Fatalf("days %+v", sun.Days)
	}
	clock := func(at time.Time) string { return at.In(boston(a.t)).Format("3:04 PM") }
	for _, day := range sun.Days {
		a.has("%s to %s", clock(day.Sunrise), clock(day.Sunset))
	}
	a.has("Solar noon %s", clock(sun.Days[0].SolarNoon))
	var moon struct {
		Days []struct {
			Phase        string
			Illumination float64
		}
		Next []struct {
			Event string
			Time  time.Time
		}
	}
	product.Decode(a.t, product.OverMCP(a.t, a.base, "astro_get_moon_phase",
		`{"station":"8443970","date":"2026-11-20"}`), &moon)
	a.has("%s, %.0f %% lit", strings.ReplaceAll(moon.Days[0].Phase, "_", " "),
		moon.Days[0].Illumination*100)
	for _, e := range moon.Next {
		if strings.HasSuffix(e.Event, "moon") || strings.HasSuffix(e.Event, "quarter") {
			a.has("%s %s", strings.ReplaceAll(e.Event[1:], "_", " "),
				e.Time.In(boston(a.t)).Format("Mon 2 Jan 3:04 PM"))
		}
	}
}

// levels compares datums and flood levels.
func (a agreement) levels() {
	var datums struct {
		Datums []struct {
			Name      string
			AboveMLLW float64
		}
	}
	product.Decode(
		a.t,
		product.OverMCP(a.t, a.base, "noaa_get_station_datums", `{"station":"8443970"}`),
		&datums,
	)
	if len(datums.Datums) < 8 {
		a.t.Fatalf("datums %+v", datums)
	}
	for _, d := range datums.Datums {
		a.has("%s", d.Name)
		a.has(" %s", rounded(d.AboveMLLW, 2))
	}
	var floods struct {
		Levels []struct {
			Level, Authority, Basis string
			Height                  float64
		}
	}
	product.Decode(
		a.t,
		product.OverMCP(a.t, a.base, "noaa_get_station_flood_levels", `{"station":"8443970"}`),
		&floods,
	)
	if len(floods.Levels) < 3 {
		a.t.Fatalf("flood levels %+v", floods)
	}
	for _, l := range floods.Levels {
		if l.Level != "action" {
			a.has("%s %s %s, %s", l.Level[1:], rounded(l.Height, 1), l.Authority, l.Basis)
		}
	}
}

// current compares floods, ebbs and slacks.
func (a agreement) current() {
	var mcp struct {
		Events []struct {
			Time  time.Time
			Type  string
			Speed *float64
		}
		Now struct {
			Phase string
			Speed float64
		}
	}
	product.Decode(a.t, product.OverMCP(
		a.t,
		a.base,
		"noaa_get_current_predictions",
		`{"station":"ACT1206","begin_date":"2026-11-20T00:00","range":160,"interval":"max_slack"}`,
	), &mcp)
	if len(mcp.Events) < 40 {
		a.t.Fatalf("%d events", len(mcp.Events))
	}
	for _, e := range mcp.Events {
		text := e.Time.In(boston(a.t)).Format("3:04 PM ") + e.Type
		if e.Speed != nil && e.Type != "slack" {
			text += " " + rounded(*e.Speed, 1)
		}
		a.has("%s", text)
	}
	a.has("Predicted current at 12:00 PM %s kn %s", rounded(mcp.Now.Speed, 1), mcp.Now.Phase)
}
