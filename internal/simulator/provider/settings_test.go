package provider

import (
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/upstream"
)

// clients returns clients of the product for a provider that listens. They are new for each call,
// so they do not have cache entries from before a setting.
func clients(t *testing.T, p *Provider) (*noaa.Client, *nws.Client) {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	polite := func(name string) *upstream.Client {
		c, err := upstream.New(upstream.Config{
			Provider:  name,
			Rate:      1e6,
			Burst:     1e6,
			UserAgent: "test",
			Deadline:  time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	return noaa.New(server.URL, polite(coast.COOPS), p.now), nws.New(server.URL, polite(coast.NWS))
}

// gridAt reads the grid of a cell of Boston's office with the product's client.
func gridAt(t *testing.T, p *Provider, x, y int) nws.Grid {
	t.Helper()
	_, weather := clients(t, p)
	g, err := weather.Grid(t.Context(), "BOX", x, y)
	if err != nil {
		t.Fatal(err)
	}
	return g.Data
}

// must ends the test if a setting was refused.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// between reports whether an hour begins at or after one hour of the tests' day and before
// another.
func between(at time.Time, from, to int) bool {
	return !at.Before(clock(from)) && at.Before(clock(to))
}

// clock returns an hour of the tests' day, in UTC.
func clock(hour int) time.Time {
	return moment.Truncate(24 * time.Hour).Add(time.Duration(hour) * time.Hour)
}

const boston = "42.3548,-71.0534" // the cell BOX/71,90

// hasCode reports whether an error is a coast.Error with this code.
func hasCode(err error, code coast.Code) bool {
	e, known := coast.AsError(err)
	return known && e.Code == code
}

func near(got *float64, want, within float64) bool {
	return got != nil && *got >= want-within && *got <= want+within
}

// TestSetGrid checks that the grid has the set values in the hours of a setting, and the built-in
// ones in all others.
func TestSetGrid(t *testing.T) {
	p := frozen(t)
	before := gridAt(t, p, 71, 90)
	must(t, p.SetGrid(boston, Grid{Hour: func(h Hour) Hour {
		if between(h.At, 20, 24) {
			h.Wind, h.Gust, h.From = new(14.9), new(21.3), new(97.0)
			h.Seas, h.Period, h.Visibility = new(3.5), new(6.0), new(926.0)
			h.Weather = []Condition{{"likely", "thunderstorms", "heavy"}, {"patchy", "fog", ""}}
		}
		if between(h.At, 24, 26) {
			h.Gust, h.Seas, h.Period, h.Weather = nil, nil, nil, nil
		}
		return h
	}}))
	g := gridAt(t, p, 71, 90)
	for _, hour := range []int{20, 23} {
		at := clock(hour)
		for _, test := range []struct {
			layer               string
			scale, want, within float64
		}{
			{"windSpeed", 1 / 1.852, 14.9, 0.0005},
			{"windGust", 1 / 1.852, 21.3, 0.0005},
			{"windDirection", 1, 97, 0},
			{"waveHeight", 1 / 0.3048, 3.5, 0.0005},
			{"wavePeriod", 1, 6, 0},
			{"windWaveHeight", 1 / 0.3048, 3.5, 0.0005},
			{"primarySwellHeight", 1, 0, 0}, {"visibility", 1, 926, 0},
		} {
			got := g.Layers[test.layer].At(at)
			if got == nil || !near(new(*got*test.scale), test.want, test.within) {
				t.Errorf("%s at %v is %v, want %v", test.layer, at, got, test.want)
			}
		}
		if got := g.WeatherAt(at); len(got) != 2 || got[0].Weather != "thunderstorms" ||
			got[0].Intensity != "heavy" ||
			got[1].Coverage != "patchy" {
			t.Errorf("weather at %v is %v", at, got)
		}
	}
	for _, layer := range []string{"windGust", "waveHeight", "wavePeriod", "primarySwellHeight"} {
		if got := g.Layers[layer].At(clock(25)); got != nil {
			t.Errorf("%s is %v in an hour that is set to null", layer, *got)
		}
	}
	if slices.ContainsFunc(g.Weather,
		func(s nws.WeatherSpan) bool { return s.From.Before(clock(26)) && s.To.After(clock(24)) }) {
		t.Errorf("a span of weather covers an hour without weather")
	}
	for name := range before.Layers {
		for hour := 26; hour < 160; hour++ {
			got, want := g.Layers[name].At(clock(hour)), before.Layers[name].At(clock(hour))
			if !sameNumber(got, want) {
				t.Fatalf("%s outside of the setting is %v, want %v", name, got, want)
			}
		}
	}
	p.Restore()
	if got, want := p.grid(t, "BOX/71,90"), frozen(t).grid(t, "BOX/71,90"); got != want {
		t.Errorf("the grid differs after Restore")
	}
}

// grid returns the body of a grid.
func (p *Provider) grid(t *testing.T, cell string) string {
	t.Helper()
	return ask(p, "/gridpoints/"+cell).Body.String()
}

// TestSetGridFormat checks that a setting without changes changes no byte, and that equal hours are
// merged.
func TestSetGridFormat(t *testing.T) {
	p := frozen(t)
	must(t, p.SetGrid("ANZ251", Grid{Hour: func(h Hour) Hour { return h }}))
	c, _ := p.nws.locate(42.5, -70.55)
	if got, want := p.grid(t, c.name()), frozen(t).grid(t, c.name()); got != want ||
		c.forecastZone() != "ANZ251" {
		t.Errorf("a setting without changes changes the grid of %s", c.name())
	}
	must(t, p.SetGrid(c.name(), Grid{Hour: func(h Hour) Hour {
		h.Wind, h.Seas, h.Period = new(15.0), new(0.0), nil
		return h
	}}))
	body := strings.Join(strings.Fields(p.grid(t, c.name())), "")
	for _, want := range []string{
		`"windSpeed":{"uom":"wmoUnit:km_h-1","values":[{"validTime":"2026-11-20T16:00:00+00:00/P7DT6H","value":27.78}]}`,
		`"waveHeight":{"uom":"wmoUnit:m","values":[{"validTime":"2026-11-20T16:00:00+00:00/P7DT6H","value":0}]}`,
		`"primarySwellHeight":{"uom":"wmoUnit:m","values":[{"validTime":"2026-11-20T16:00:00+00:00/P7DT6H","value":0}]}`,
		`"wavePeriod":{"values":[]}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the grid does not contain %s", want)
		}
	}
}

// TestGridReach checks age and end of a grid, and places without a grid.
func TestGridReach(t *testing.T) {
	p := frozen(t)
	updated := moment.Add(-7*time.Hour - 20*time.Minute)
	must(t, p.SetGrid("MAZ015", Grid{Updated: updated, Until: clock(30)}))
	g := gridAt(t, p, 71, 90)
	if !g.Updated.Equal(updated) || !g.From.Equal(updated.Truncate(time.Hour)) ||
		!g.To.Equal(clock(30)) {
		t.Errorf("the grid of %v runs from %v to %v", g.Updated, g.From, g.To)
	}
	if wind := g.Layers["windSpeed"]; wind.At(clock(29)) == nil || wind.At(clock(30)) != nil {
		t.Errorf("the wind ends with %v", wind.Spans[len(wind.Spans)-1])
	}
	p.Restore()
	if got := ask(p, "/points/"+boston).Code; got != 200 {
		t.Errorf("status of the point after Restore = %d, want 200", got)
	}
	for _, place := range []string{
		"0,0", "28,-90", "BOX/1,", "BOX/071,90", "XYZ/1,1", "ANZ999", "Boston", "",
	} {
		if err := p.SetGrid(place, Grid{}); err == nil {
			t.Errorf("SetGrid(%q) succeeded, want an error", place)
		}
	}
}

// TestSettingsTogether calls SetGrid, Restore and the handler concurrently.
func TestSettingsTogether(t *testing.T) {
	p := frozen(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				p.SetGrid(boston, Grid{Hour: func(h Hour) Hour { h.Wind = new(9.5); return h }})
				ask(p, "/gridpoints/BOX/71,90")
				p.Restore()
			}
		})
	}
	all.Wait()
	if got, want := p.grid(t, "BOX/71,90"), frozen(t).grid(t, "BOX/71,90"); got != want {
		t.Errorf("the grid differs after all settings were removed")
	}
}

// passages returns a bulletin with the segment of a zone, read by the product's client.
func passages(t *testing.T, p *Provider, zone, office string) (nws.Bulletin, nws.Segment) {
	t.Helper()
	_, weather := clients(t, p)
	b, err := weather.BulletinFor(t.Context(), zone, office)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := b.Data.Segment(zone)
	return b.Data, s
}

// TestSetText checks that texts of every kind have the set ranges in the periods of a setting, and
// that the other periods do not change.
func TestSetText(t *testing.T) {
	for _, test := range []struct{ zone, office string }{
		{"ANZ230", "BOX"},
		{"ANZ251", "BOX"},
		{"GMZ330", "HGX"},
		{"PZZ740", "SGX"},
		{"PZZ251", "PQR"},
		{"LEZ041", "BUF"},
		{"PKZ031", "AJK"},
	} {
		p := frozen(t)
		before, old := passages(t, p, test.zone, test.office)
		var times [][2]time.Time
		must(t, p.SetText(test.zone, Text{Passage: func(w Passage) Passage {
			times = append(times, [2]time.Time{w.From, w.To})
			if w.From.Before(clock(36)) {
				w.Direction, w.Wind, w.Gust, w.Seas = "E", [2]int{10, 15}, 20, [2]int{3, 4}
			}
			return w
		}}))
		after, s := passages(t, p, test.zone, test.office)
		if after.ID == before.ID || !after.Issued.Equal(before.Issued) || len(s.Zones) != 1 ||
			len(s.Periods) != len(old.Periods) {
			t.Errorf("%s: text %s of %v for %v with %d periods", test.zone, after.ID, after.Issued, s.Zones,
				len(s.Periods))
		}
		for i, w := range s.Periods {
			if !times[i][0].Before(clock(36)) {
				if len(old.Zones) == 1 && w != old.Periods[i] {
					t.Errorf("%s: period %q, want it unchanged: %q", test.zone, w, old.Periods[i])
				}
				continue
			}
			if !near(w.Wind(), 15, 0) || !near(w.Gust(), 20, 0) || !near(w.Seas(), 4, 0) {
				t.Errorf("%s: %q reads wind %v, gust %v, seas %v", test.zone, w.Text, w.Wind(), w.Gust(),
					w.Seas())
			}
		}
	}
}

// TestTextWords checks the sentences, and which of them are omitted.
func TestTextWords(t *testing.T) {
	e := Passage{Direction: "E", Wind: [2]int{10, 15}, Gust: 20, Seas: [2]int{3, 4}}
	for _, test := range []struct {
		Passage
		want string
	}{
		{e, "E winds 10 to 15 kt with gusts to 20 kt. Seas 3 to 4 ft."},
		{Passage{Direction: "N", Wind: [2]int{0, 10}}, "N winds 10 kt or less."},
		{Passage{Seas: [2]int{2, 2}, Weather: "Dense fog."}, "Seas 2 ft. Dense fog."},
		{Passage{Seas: [2]int{2, 2}, Text: "Gales likely."}, "Gales likely."},
	} {
		if got := test.sentences(); got != test.want {
			t.Errorf("sentences() = %q, want %q", got, test.want)
		}
	}
}

// TestTextTimes sets issue and expiry, a bay without seas, a text, and a zone without a segment.
func TestTextTimes(t *testing.T) {
	p := frozen(t)
	issued, expires := moment.Add(-15*time.Hour-30*time.Minute), moment.Add(-2*time.Hour)
	must(t, p.SetText("ANZ230", Text{
		Issued:  issued,
		Expires: expires,
		Passage: func(w Passage) Passage { w.Seas = [2]int{}; return w },
	}))
	must(t, p.SetText("ANZ231", Text{Passage: func(w Passage) Passage {
		w.Text = "Gales likely."
		return w
	}}))
	must(t, p.SetText("ANZ251", Text{Missing: true}))
	b, s := passages(t, p, "ANZ230", "BOX")
	if !b.Issued.Equal(issued) || !s.Expires.Equal(expires) {
		t.Errorf("issued %v, expires %v, want %v and %v", b.Issued, s.Expires, issued, expires)
	}
	for _, w := range s.Periods {
		if w.Seas() != nil || w.Wind() == nil {
			t.Errorf("%q has seas %v, wind %v", w.Text, w.Seas(), w.Wind())
		}
	}
	if other, _ := b.Segment("ANZ231"); other.Periods[0].Text != "Gales likely." ||
		other.Expires.Equal(expires) {
		t.Errorf("ANZ231 has %q until %v", other.Periods[0].Text, other.Expires)
	}
	_, weather := clients(t, p)
	_, err := weather.BulletinFor(t.Context(), "ANZ251", "BOX")
	if !hasCode(err, coast.ProductUnavailable) {
		t.Errorf("BulletinFor() of a zone without a segment = %v", err)
	}
	p.Restore()
	want := newestBody(t, frozen(t), "CWF", "BOX")
	if got := newestBody(t, p, "CWF", "BOX"); got != want {
		t.Errorf("the text differs after Restore")
	}
	for _, zone := range []string{"MAZ015", "ANZ999", ""} {
		if err := p.SetText(zone, Text{}); err == nil {
			t.Errorf("SetText(%q) succeeded, want an error", zone)
		}
	}
}
