package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"leadline/internal/facts"
	"leadline/internal/render"
)

// hostile is text with Markdown syntax that would end a line, a table cell and a quotation.
const hostile = "x | y\n# Heading `code` **bold** [link](https://example.org) ![image](x) <script> \\| ”said“"

// TestQuotedText checks that text of providers does not break a line, a table or its
// quotation, and does not become a link, an image, code or a tag.
func TestQuotedText(t *testing.T) {
	name := strings.TrimSuffix(hostile, " ”said“") // names are not quoted
	p := facts.ForecastPeriod{Name: hostile, Text: hostile}
	out := MarineForecast{WaterText: facts.WaterText{
		Zone: &facts.MarineZone{ID: "ANZ230", Name: name, Office: "BOX"},
		Text: &facts.MarineText{
			Headlines: []string{hostile, hostile}, Synopsis: hostile, Periods: []facts.ForecastPeriod{p, p},
		},
		Alerts: []facts.Alert{
			{Event: name, Headline: hostile, Description: hostile, Instruction: hostile, Zone: hostile},
			{Event: name, Headline: hostile, Zone: hostile},
		},
		Rip: []facts.RipRisk{{Period: name, Area: hostile, Risk: hostile}},
	}}
	result := Result{Value: render.Of(reflect.TypeOf(out)).Mark(out)}
	text, err := result.Text()
	if err != nil {
		t.Fatal(err)
	}
	const want = "x \\| y # Heading \\`code\\` \\*\\*bold\\*\\* \\[link\\](https://example.org) !\\[image\\](x) \\<script\\> \\\\\\|"
	lines, found := strings.Split(string(text), "\n"), 0
	for _, line := range lines {
		for rest := line; ; found++ {
			_, after, ok := strings.Cut(rest, "x \\| y")
			if !ok {
				break
			}
			if !strings.HasPrefix("x \\| y"+after, want) {
				t.Errorf("line %q, want %q in it", line, want)
			}
			rest = after
		}
		ours := []string{"zone ANZ230 ", "Alert ", "- ", "Forecast text ", "Rip currents "}
		begins := func(own string) bool { return strings.HasPrefix(line, own) }
		if line != "" && !slices.ContainsFunc(ours, begins) {
			t.Errorf("a line of its own: %q", line)
		}
	}
	if found != 19 {
		t.Errorf("%d texts, want 19:\n%s", found, text)
	}
	opened, closed := strings.Count(string(text), "“"), strings.Count(string(text), "”")
	if opened != 15 || closed != 15 {
		t.Errorf("%d quotations begin and %d end, want 15:\n%s", opened, closed, text)
	}
}

// TestQuotedFields checks which fields the structured result of both front ends lists as
// quoted: the fields that contain a provider's words.
func TestQuotedFields(t *testing.T) {
	r := simulated(t, nil)
	for call, want := range map[string]string{
		`nws_get_marine_forecast {"station":"8443970"}`: "[text.headlines text.synopsis text.periods.name text.periods.text " +
			"alerts.headline alerts.description alerts.instruction alerts.zone ripCurrents.risk]",
		`noaa_get_station_info {"station":"8443970","expand":["benchmarks"]}`: "[lists.benchmarks.stamping lists.benchmarks.description]",
		`noaa_get_sea_level_trends {"station":"8638610"}`:                     "[trends.combined]",
		`noaa_get_sea_level_trends {"station":"8443970"}`:                     "<nil>",
		`noaa_get_tide_predictions {"station":"8443970"}`:                     "<nil>",
	} {
		name, args, _ := strings.Cut(call, " ")
		if got := fmt.Sprint(get(t, r.Set, name, args)["quoted"]); got != want {
			t.Errorf("%s: quoted %s, want %s", call, got, want)
		}
	}
	out, err := r.SeaLevelTrends(t.Context(), SeaLevelTrendsInput{Station: "8638610", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	body, err := EncoderOf[SeaLevelTrends]()(t.Context(), out)
	if err != nil || !strings.Contains(string(body), `"quoted":["trends.combined"]`) {
		t.Errorf("as REST has it: %s, %v", body, err)
	}
}
