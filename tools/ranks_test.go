package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/trials"
)

// ranksOf requests ranks as the REST route does, with its defaults.
func ranksOf(t *testing.T, s *Set, change func(*tides.TideRanksInput)) tides.TideRanks {
	t.Helper()
	in := tides.TideRanksInput{
		StationOrPlace: place.StationOrPlace{Station: "8443970"}, What: "lowest", Limit: 10,
		InUnits: operation.InUnits{Units: "english"}, InZone: operation.InZone{TimeZone: "lst_ldt"},
	}
	change(&in)
	out, err := operation.Run(caller(t), s.Tides.TideRanks, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTideRanks checks the lowest daylight low water of a year at Pillar Point against the
// result of a prototype: -1.86 ft on 6 June 2027, 06:49 PDT.
func TestTideRanks(t *testing.T) {
	s := newSet(t)
	out := ranksOf(t, s, func(in *tides.TideRanksInput) {
		in.Station, in.Light = "9414131", "daylight"
		in.Begin, in.End = "2026-11-22", "2027-11-21"
	})
	first := out.Ranks[0]
	if len(out.Ranks) != 10 || !near(first.Height, -1.86, 0.005) ||
		first.Time.Format(time.RFC3339) != "2027-06-06T06:49:00-07:00" ||
		first.Previous.Type != "high" || first.Next.Type != "high" {
		t.Errorf("%s %+v", out.Summary, first)
	}
	for i, row := range out.Ranks {
		if row.Rank != i+1 || row.Time.Before(*row.Sunrise) || row.Time.After(*row.Sunset) ||
			i > 0 && row.Height < out.Ranks[i-1].Height {
			t.Errorf("row %d: %+v", i, row)
		}
	}
	seven := ranksOf(t, s, func(in *tides.TideRanksInput) {
		in.Station, in.Light, in.Limit = "9414131", "daylight", 7
		in.Begin, in.End = "2026-11-22", "2027-11-21"
	})
	if fmt.Sprint(jsonOf(t, seven.Ranks)) != fmt.Sprint(jsonOf(t, out.Ranks[:7])) {
		t.Errorf("7 ranks are not the first 7 of 10")
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTopOfYear checks the text for the highest tide of a year, including that it has at most
// 400 tokens.
func TestTopOfYear(t *testing.T) {
	r, err := call(t, newSet(t), "noaa_get_tide_predictions", `{"station":"8443970","type":"high",`+
		`"top":1,"begin_date":"2027-01-01","end_date":"2027-12-31"}`)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := r.Forms(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if tokens := len(text) / 4; tokens > 400 ||
		!strings.HasPrefix(string(text), "Boston, MA (8443970): Highest high water: ") ||
		!strings.Contains(string(text), "\n1. ") {
		t.Errorf("%d tokens, want at most 400:\n%s", tokens, text)
	}
}

// TestTopPublished checks the highest and lowest tides of each span for which we have NOAA's
// published highs and lows.
func TestTopPublished(t *testing.T) {
	shared := trials.Shared(t)
	s := newSet(t)
	for _, name := range []string{"noaa_predictions.json", "noaa_predictions_2027.json"} {
		var records []struct {
			Station, Product, Units, TZ string
			Values                      [][]any
		}
		body, err := os.ReadFile(filepath.Join(shared, "published", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(body, &records); err != nil {
			t.Fatal(err)
		}
		checked := 0
		for _, r := range records {
			if r.Product != "hilo" || r.Station == "9411340" { // this record has missing days
				continue
			}
			for _, kind := range []string{"H", "L"} {
				checked++
				topOfRecord(t, s, r.Station, r.Units, r.TZ, kind, r.Values)
			}
		}
		if checked < 4 {
			t.Errorf("%s: %d lists were compared", name, checked)
		}
	}
}

// topOfRecord compares the five highest or lowest events of one type. Two heights that NOAA's
// rounding makes equal can appear in either order.
func topOfRecord(t *testing.T, s *Set, station, units, zone, kind string, values [][]any) {
	t.Helper()
	var heights []float64
	for _, v := range values {
		if v[2] == kind {
			heights = append(heights, v[1].(float64))
		}
	}
	word, sign := "low", 1.0
	if kind == "H" {
		word, sign = "high", -1
	}
	slices.SortFunc(heights, func(a, b float64) int { return cmp.Compare(sign*a, sign*b) })
	first, last := values[0][0].(string), values[len(values)-1][0].(string)
	out := get(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"station":%q,"type":%q,"top":5,`+
		`"units":%q,"time_zone":%q,"begin_date":%q,"end_date":%q}`, station, word, units, zone, first,
		last))
	rows := out["ranks"].([]any)
	if len(rows) != min(5, len(heights)) {
		t.Fatalf("%s: %d rows of %d events", station, len(rows), len(heights))
	}
	for i, row := range rows {
		got := row.(map[string]any)["height"].(float64)
		if math.Abs(got-heights[i]) > 0.0015 { // NOAA's last digit
			t.Errorf("%s: %s water %d is %v, NOAA's is %v", station, word, i+1, got, heights[i])
		}
	}
}

// TestKingTides checks rules of king tides in four years: groups are more than five days
// apart, are in order of rank, and contain 2 % of the high waters. From 2025 to 2029 Boston
// has about 16 high waters a year in 4 to 6 groups, and Grand Isle 9 in 3 (measured with a
// prototype).
func TestKingTides(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct {
		station             string
		groups, most, highs int
	}{{"8443970", 3, 7, 15}, {"8761724", 2, 5, 8}} {
		for year := 2025; year <= 2029; year++ {
			out := ranksOf(t, s, func(in *tides.TideRanksInput) {
				in.Station, in.What, in.Year = test.station, "king", year
			})
			highs := 0
			for i, k := range out.KingTides {
				highs += k.Highs
				if k.Rank != i+1 || k.From.Year() != year || k.To.Year() != year ||
					math.Abs(k.PerigeeHours) > 14*24 || k.Of19Years < 90 || *k.AboveMHHW < 0 {
					t.Errorf("%s %d: %+v", test.station, year, k)
				}
				for _, other := range out.KingTides[:i] {
					gap := max(k.From.Sub(other.To), other.From.Sub(k.To))
					if gap <= 5*24*time.Hour || k.Highest.Height > other.Highest.Height {
						t.Errorf("%s %d: %+v and %+v", test.station, year, other, k)
					}
				}
			}
			if n := len(out.KingTides); n < test.groups || n > test.most ||
				highs < test.highs-3 || highs > test.highs+3 {
				t.Errorf("%s %d: %d high waters in %d groups", test.station, year, highs, n)
			}
		}
	}
	next := ranksOf(t, s, func(in *tides.TideRanksInput) { in.What = "king" })
	if next.Span.From.Format(time.RFC3339) != "2027-01-01T00:00:00-05:00" ||
		next.Span.To.Format(time.RFC3339) != "2027-12-31T23:59:00-05:00" {
		t.Errorf("in November king tides are of %v", next.Span)
	}
}

// TestSpringTides checks that each phase of the moon has one row. The phases of late 2026
// are those of the U.S. Naval Observatory: full moon on 24 November at 14:53 UT, last
// quarter on 1 December at 06:09, new moon on 9 December at 00:52, first quarter on the
// 17th at 05:43.
func TestSpringTides(t *testing.T) {
	s := newSet(t)
	out := ranksOf(t, s, func(in *tides.TideRanksInput) {
		in.What, in.Limit, in.TimeZone = "springs", 100, "gmt"
	})
	got := ""
	for _, row := range out.Springs {
		got += string(row.Kind+" ") + string(row.Phase+" ") + row.PhaseTime.Format("2 15:04") + "\n"
		if row.LagHours < -72 || row.LagHours > 120 || row.Range <= 0 {
			t.Errorf("%+v", row)
		}
	}
	want := "spring full_moon 24 14:53\nneap last_quarter 1 06:09\n" +
		"spring new_moon 9 00:52\nneap first_quarter 17 05:43\n"
	if got != want || out.Springs[0].Apsis != "perigee" {
		t.Errorf("got %s, want %s, the first near the perigee of 25 November", got, want)
	}
	diurnal := ranksOf(t, s, func(in *tides.TideRanksInput) {
		in.Station, in.What, in.Limit = "8761724", "springs", 100
	})
	for i, row := range diurnal.Springs {
		if want := []string{"tropic", "equatorial"}[i%2]; string(row.Kind) != want {
			t.Errorf("row %d at Grand Isle: %+v, want %s", i, row, want)
		}
	}
	if n := len(diurnal.Springs); n < 4 || n > 6 {
		t.Errorf("%d rows of a diurnal tide in 30 days, want 4 or 5", n)
	}
}

// TestFilteredTides checks that type and light select a subset of the events and change
// nothing else.
func TestFilteredTides(t *testing.T) {
	s := newSet(t)
	all := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","range":300}`)
	count := map[string]int{}
	for _, test := range []string{
		`"type":"high"`, `"type":"low"`, `"light":"daylight"`, `"light":"dark"`, `"light":"any"`,
		`"type":"low","light":"daylight"`, `"type":"high","light":"daylight"`,
	} {
		out := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970","range":300,`+test+`}`)
		count[test] = len(extremes(out))
		for _, row := range extremes(out) {
			if !slices.ContainsFunc(extremes(all), func(o any) bool {
				return fmt.Sprint(o) == fmt.Sprint(row)
			}) {
				t.Errorf("%s: %v is not among all events", test, row)
			}
		}
	}
	whole := len(extremes(all))
	if count[`"type":"high"`]+count[`"type":"low"`] != whole || count[`"light":"any"`] != whole ||
		count[`"type":"low","light":"daylight"`]+count[`"type":"high","light":"daylight"`] !=
			count[`"light":"daylight"`] || count[`"light":"daylight"`]+count[`"light":"dark"`] > whole {
		t.Errorf("%d events, and %v", whole, count)
	}
}

// TestTideNotes checks notes on series that begin at the next step, and on dates far from the
// dates of the constants.
func TestTideNotes(t *testing.T) {
	s := newSet(t)
	for _, test := range []struct{ args, want string }{
		{
			`"interval":"h","begin_date":"2026-11-21T14:23","range":5`,
			"The series begins at 15:00, the first full step of 60 minutes after 14:23.",
		},
		{`"date":"1970-01-01"`, "Dates before the datum epoch 1983-2001"},
		{`"date":"2050-01-01"`, "Dates more than 20 years ahead"},
		{`"date":"1970-01-01","below":0`, "Dates before the datum epoch"},
		{`"interval":"h","date":"2026-11-21"`, ""},
		{`"date":"2046-11-01"`, ""},
	} {
		out := get(t, s, "noaa_get_tide_predictions", `{"station":"8443970",`+strings.Replace(test.args,
			`"date"`, `"begin_date"`, 1)+`}`)
		notes := fmt.Sprint(out["notes"])
		if !strings.Contains(notes, test.want) {
			t.Errorf("%s: notes %s, want %s", test.args, notes, test.want)
		}
		if test.want == "" && (strings.Contains(notes, "Dates") || strings.Contains(notes, "begins")) {
			t.Errorf("%s: notes %s", test.args, notes)
		}
	}
}
