package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

var (
	rowsOfYear = regexp.MustCompile(`(?s)<tr><th scope="row".*?</tr>`)
	eventsOf   = regexp.MustCompile(`(▲|▽) ([^<]*) <b>([^<]*)</b>`)
)

// TestYear compares the high and low waters of a year to print with the predictions over REST, and
// sun and moon with those of the astronomy route.
func TestYear(t *testing.T) {
	p := product.Mounted(t)
	for _, station := range []string{"8443970", "9497645", "TPT2705"} {
		o := open(t, p.URL, "/stations/"+station+"/year/2027?clock=24&zone=gmt&units=metric")
		if o.status != 200 || len(o.body) > 300_000 || !o.cachedByAll() {
			t.Fatalf("%s: %d, %d bytes, %v", station, o.status, len(o.body), o.header)
		}
		rows := rowsOfYear.FindAllString(strings.ReplaceAll(o.body, "\u00a0", " "), -1)
		if len(rows) != 365 || strings.Count(o.body, `class="card sheet"`) != 12 {
			t.Fatalf("%s: %d days", station, len(rows))
		}
		var rest struct {
			Extremes []struct {
				Time   time.Time
				Height float64
				Type   string
			}
		}
		product.Decode(
			t,
			product.OverREST(
				t,
				p.URL+"/api/v1/stations/"+station+"/predictions?begin_date=2027-03-01"+
					"&hours=168&units=metric&time_zone=gmt",
			),
			&rest,
		)
		var got, want []string
		for _, row := range rows[31+28 : 31+28+7] {
			for _, m := range eventsOf.FindAllStringSubmatch(row, -1) {
				got = append(got, strings.Join(m[1:], " "))
			}
		}
		for _, e := range rest.Extremes {
			if e.Time.Day() < 8 {
				mark := map[string]string{"high": "▲", "low": "▽"}[e.Type]
				want = append(
					want,
					strings.Replace(fmt.Sprintf("%s %s %.2f", mark, e.Time.Format("15:04"),
						e.Height), "-", "\u2212", 1),
				)
			}
		}
		if !slices.Equal(got, want) || len(got) < 20 {
			t.Errorf("%s: got %v, want %v", station, got, want)
		}
		sameSky(t, p.URL, station, rows)
	}
}

// sameSky compares sun and moon of the rows of 2027 with those of the astronomy route.
func sameSky(t *testing.T, base, station string, rows []string) {
	t.Helper()
	var info struct {
		Station struct{ Latitude, Longitude float64 }
	}
	product.Decode(t, product.OverREST(t, base+"/api/v1/stations/"+station), &info)
	for _, day := range []int{0, 80, 171, 172, 264, 354} {
		date := time.Date(2027, 1, 1+day, 0, 0, 0, 0, time.UTC)
		answer := product.OverREST(
			t,
			fmt.Sprintf("%s/api/v1/astronomy?lat=%v&lon=%v&date=%s&time_zone=gmt", base,
				info.Station.Latitude, info.Station.Longitude, date.Format(time.DateOnly)),
		)
		var sky struct {
			Days []struct {
				Sun struct{ Sunrise, Sunset *time.Time }
			}
		}
		product.Decode(t, answer, &sky)
		sun := sky.Days[0].Sun
		for _, at := range []*time.Time{sun.Sunrise, sun.Sunset} {
			if at != nil && !strings.Contains(rows[day], at.Format("15:04")) {
				t.Errorf("%s: %s lacks the sun of %v", station, rows[day], at)
			}
		}
		none := strings.Contains(rows[day], "no sun") || strings.Contains(rows[day], "all day")
		if none != (sun.Sunrise == nil && sun.Sunset == nil) {
			t.Errorf("%s: %s, want the sun %v", station, rows[day], sun)
		}
		phases := phaseOf.FindAllStringSubmatch(answer, -1)
		if len(phases) < 3 {
			t.Fatalf("phases %v", phases)
		}
		for _, m := range phases {
			at, err := time.Parse(time.RFC3339, m[2])
			if err != nil {
				t.Fatal(err)
			}
			name, _, _ := strings.Cut(m[1], "_")
			name += " " + at.Format("15:04")
			if at.Year() == 2027 && !strings.Contains(rows[at.YearDay()-1], name) {
				t.Errorf("%s: %s lacks %s", station, rows[at.YearDay()-1], name)
			}
		}
	}
}

var phaseOf = regexp.MustCompile(`"event":"(\w+_moon|\w+_quarter)","time":"([^"]+)"`)

// TestYearSheets checks what each sheet names, leap years, changes of the clock, and years that
// cannot be predicted.
func TestYearSheets(t *testing.T) {
	p := product.Mounted(t)
	o := open(t, p.URL, "/stations/8443970/year/2028")
	if n := len(rowsOfYear.FindAllString(o.body, -1)); n != 366 {
		t.Errorf("%d days in 2028, want 366", n)
	}
	sheets := strings.Split(o.body, `class="card sheet"`)[1:]
	for i, sheet := range sheets {
		text := strings.Join(strings.Fields(sheet), " ")
		for _, want := range []string{
			"Boston, MA", time.Month(i+1).String() + " 2028", "MLLW, epoch 1983-2001", "Times in E",
			"Source: harmonic constants of NOAA CO-OPS", "Planning aid only. Not for navigation.",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("sheet %d lacks %q", i+1, want)
			}
		}
		change := map[int]string{2: "Sun 12: the clocks go forward", 10: "Sun 5: the clocks go back"}[i]
		if strings.Contains(text, "the clocks go") != (change != "") ||
			!strings.Contains(text, change) {
			t.Errorf("sheet %d: want %q", i+1, change)
		}
	}
	for path, want := range map[string]int{
		"/stations/8443970/year/1901": 200, "/stations/8443970/year/2099": 200,
		"/stations/8443970/year/1900": 404, "/stations/8443970/year/2100": 404,
		"/stations/8443970/year/27": 404, "/stations/8443970/year/next": 404,
		"/stations/8443970/year": 404, "/stations/9063020/year/2027": 404,
		"/stations/ACT1206/year/2027": 404, "/stations/1234567/year/2027": 404,
		"/stations/tpt2705/year/2027": 308,
	} {
		if o := open(t, p.URL, path); o.status != want {
			t.Errorf("%s: %d, want %d", path, o.status, want)
		}
	}
	for _, path := range []string{"/stations/8443970", "/stations/8443970?days=31"} {
		if !strings.Contains(open(t, p.URL, path).body, `/stations/8443970/year/2026`) {
			t.Errorf("%s does not link to the year", path)
		}
	}
}
