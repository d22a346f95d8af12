package providers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/simulator/provider"
)

// tripWeather sets the weather, the text and the water at Boston, with a wind and no alerts.
func tripWeather(t *testing.T, p *provider.Provider, knots int) {
	t.Helper()
	number := func(v float64) *float64 { return &v }
	err := p.SetGrid("42.3539,-71.0503", provider.Grid{Hour: func(h provider.Hour) provider.Hour {
		h.Wind, h.Gust, h.Seas = number(float64(knots)), number(float64(knots)), number(1)
		h.Period, h.Visibility, h.Weather = number(6), number(20000), []provider.Condition{}
		return h
	}})
	if err == nil {
		err = p.SetText("ANZ230", provider.Text{Passage: func(f provider.Passage) provider.Passage {
			f.Wind, f.Gust, f.Seas, f.Weather = [2]int{knots, knots}, 0, [2]int{1, 1}, ""
			return f
		}})
	}
	if err == nil {
		err = p.SetWater("8443970", provider.Water{Temperature: provider.Steady(20),
			Residual: provider.Steady(0)})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.SetAlerts("ANZ230")
	p.SetAlerts("MAZ015")
}

// TestTripCommand checks the exit code, the signs and the reasons of leadline trip for each state.
func TestTripCommand(t *testing.T) {
	t.Parallel()
	p, root := product.SimulateForCommands(t)
	providers := []string{"--coops-url", root, "--nws-url", root, "--contact", product.Contact}
	trip := func(args string) (string, int) {
		t.Helper()
		out, stderr, code := product.RunForCode(t, slices.Concat(strings.Fields(args), providers)...)
		if stderr != "" {
			t.Errorf("%s prints %s", args, stderr)
		}
		return out, code
	}
	const noon = "trip 8443970 tomorrow boating --from 11:00 --until 14:00"
	for _, test := range []struct {
		name string
		set  func()
		code int
		want []string
	}{
		{"calm", func() { tripWeather(t, p, 5) }, 0, []string{
			`\n  \.        Nothing found against it from 11 AM to 2 PM\.\n`,
			`\n           That is not a promise\. Confidence (high|moderate): .*\n`,
			`\n  hours    .*\.\.\.\.\.\.`, `\n  best     11 AM to 2 PM, 3 h only\n`,
			`\n  \.        No limit is reached in these hours\.\n`, `\n           in 7 days: .* [AP]M`,
		}},
		{"wind", func() { tripWeather(t, p, 16) }, 2, []string{
			`\n  \+        Take care from 11 AM to 2 PM: wind 16 kn\.\n`, `\n  hours    .*\+\+\+\+\+\+`,
			`\n  \+        Wind 16 kn.* at 11 AM; limit 15 kn\.  .*, \d+ (minute|hour)s? old\n`,
			`\n  best     11 AM to 2 PM, 3 h only, with care\n`,
		}},
		{"alert", func() {
			tripWeather(t, p, 5)
			far := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) // the command has the machine's clock
			p.SetAlerts("ANZ230", provider.Alert{Event: "Gale Warning", Code: "GL.W",
				Sent: far.AddDate(-200, 0, 0), Expires: far, Ends: far})
		}, 3, []string{
			`\n  #        Reasons against from 11 AM to 2 PM: Gale Warning\.\n`, `\n  hours    .*######`,
			`\n  #        Gale Warning, until .*\.  .*, \d+ minutes? old\n`,
			`\n  best     none of these hours\n`,
		}},
		{"silent", func() {
			tripWeather(t, p, 5)
			p.Fail(provider.Weather, provider.Fault{Kind: provider.Reset})
		}, 4, []string{
			`\n  \?        Cannot tell: `, `\n           Confidence low: facts that decide are missing\.\n`,
			`\n  hours    .*\?\?\?\?\?\?`, `\n  \?        No wind forecast from 11 AM to 2 PM: `,
			`\n  missing  .*marine-alerts.*: `, `\n  best     none of these hours\n`,
		}},
	} {
		p.Heal()
		test.set()
		out, code := trip(noon)
		if code != test.code {
			t.Errorf("%s: exit code %d, want %d\n%s", test.name, code, test.code, out)
		}
		for _, want := range test.want {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%s: no %s in\n%s", test.name, want, out)
			}
		}
		if _, code := trip(noon + " --json"); code != test.code {
			t.Errorf("%s: exit code %d with --json, want %d", test.name, code, test.code)
		}
	}
}

// TestTripWidth checks that no line of a day with many reasons is wider than the terminal.
func TestTripWidth(t *testing.T) {
	t.Parallel()
	p, root := product.SimulateForCommands(t)
	storm(t, p)
	for _, activity := range decide.Activities() {
		for _, columns := range []int{60, 80, 120} {
			env := map[string]string{"COLUMNS": strconv.Itoa(columns)}
			out, stderr, err := product.RunCommand(t, env, "trip", "8443970", "+2", string(activity),
				"--coops-url", root, "--nws-url", root, "--contact", product.Contact)
			if err != nil || !strings.Contains(out, "\n  +  ") {
				t.Fatalf("%v, %s\n%s", err, stderr, out)
			}
			for line := range strings.SplitSeq(out, "\n") {
				if length := utf8.RuneCountInString(line); length > columns {
					t.Errorf("%s at %d columns: a line has %d: %s", activity, columns, length, line)
				}
			}
		}
	}
}

// TestNowOnTheLakes checks what leadline now prints at a gauge of the Great Lakes.
func TestNowOnTheLakes(t *testing.T) {
	t.Parallel()
	_, root := product.SimulateForCommands(t)
	args := []string{"now", "9063020", "--coops-url", root, "--nws-url", root, "--contact",
		product.Contact}
	out, stderr, err := product.RunCommand(t, nil, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	for _, want := range []string{
		`^Buffalo, NY  `, `\n  tide     none: NOAA predicts no tide on the Great Lakes\n`,
		`\n  water    \d{3}\.\d\d ft above IGLD at .*  observed, \d+ minutes? old\n`,
		`\n  wind     [NESW]+ \d+ kn`, `\n  sky      .*; moon \d+ %`, `\n  alerts?   `,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "predicted") || strings.Contains(out, "prediction") {
		t.Errorf("a prediction on a lake:\n%s", out)
	}
	out, stderr, err = product.RunCommand(t, nil, append(args, "--json")...)
	var all struct {
		Results map[string]any
		Missing []struct{ Input string }
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	product.Decode(t, out, &all)
	lacks := func(m struct{ Input string }) bool { return m.Input == "tide" }
	if all.Results["tide"] != nil || all.Results["day"] == nil || all.Results["observations"] == nil ||
		!slices.ContainsFunc(all.Missing, lacks) {
		t.Errorf("now --json on a lake:\n%s", out)
	}
}
