package provider

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"leadline/internal/derived"
)

// site begins the URLs in responses.
const site = "https://api.tidesandcurrents.noaa.gov"

// studies are the handlers of the derived service by route.
var studies = map[string]func(*study) any{
	productRoute(derived.SeaLevelTrends):     perGauge(derived.SeaLevelTrends, (*study).trend),
	productRoute(derived.SeaLevelScenarios):  (*study).scenarios,
	productRoute(derived.ExtremeWaterLevels): perGauge(derived.ExtremeWaterLevels, (*study).extreme),
	productRoute(derived.TopTenWaterLevels):  perGauge(derived.TopTenWaterLevels, (*study).topTen),
	productRoute(derived.PeakWaterLevels):    (*study).peaks,
	productRoute(derived.FloodDays):          (*study).floodDays,
	productRoute(derived.FloodMonths):        floodCounts(derived.FloodMonths, "year", floodMonths),
	productRoute(derived.FloodSeasons):       floodCounts(derived.FloodSeasons, "year", floodSeasons),
	productRoute(derived.FloodYears):         floodCounts(derived.FloodYears, "year", calendarYear),
	productRoute(derived.FloodMetYears):      floodCounts(derived.FloodMetYears, "met_year", metYear),
	productRoute(derived.FloodOutlook):       perGauge(derived.FloodOutlook, (*study).floodOutlook),
	productRoute(derived.FloodProjections):   (*study).floodDecades,
}

// productRoute returns the key of a product in studies.
func productRoute(p derived.Product) string {
	query, _ := url.ParseQuery(p.Query) // every query in the table is valid
	return route(p.Path, query)
}

// route returns the name of a product: its path, or for one path the parameter name.
func route(path string, query url.Values) string {
	path, _ = strings.CutSuffix(path, ".json")
	if path == "product" || path == "product/" {
		return "product/" + query.Get("name")
	}
	return path
}

// serveDerived serves the derived service: invented statistics, in NOAA's response format, of
// the gauges with published flood levels. All other stations have empty lists.
func (c *coopsService) serveDerived(w http.ResponseWriter, r *http.Request) {
	s := &study{coopsService: c, Values: r.URL.Query()}
	serve := studies[route(strings.TrimPrefix(r.URL.Path, Derived), s.Values)]
	if serve == nil {
		http.NotFound(w, r)
		return
	}
	v := serve(s)
	if no, ok := v.(*refusal); ok {
		writeMetadata(w, no.status, []byte(`{"error":{"message":"`+no.message+`"}}`))
		return
	}
	writeJSON(w, v)
}

// trend returns a rise of 1 to 6 mm a year, which depends on the gauge.
func (s *study) trend(g *gauge) []object {
	var annotation any
	if g.id == "8638610" {
		annotation = "Combined with station 8638660 from 08/15/1908 to 06/15/1927" +
			" with an adjustment of 1.25 m."
	}
	var cycle []object
	for m := time.January; m <= time.December; m++ {
		high := season(time.Date(2026, m, 15, 0, 0, 0, 0, time.UTC))
		cycle = append(cycle, object{
			{"month", int(m)}, {"seasonalVar", hundredth(58 * high)}, {"seasonalErr", hundredth(5)},
		})
	}
	means := site + Derived + "product/sealvltrends.json?station=" + g.id +
		"&details=monthlymeans&units=english&trendType=SINGLE"
	return []object{rowOf(derived.SeaLevelTrends,
		g.id, g.name, "US", annotation, "mm/yr", "mm", hundredth(29),
		millionths(g.latitude), millionths(g.longitude), "SINGLE",
		double(0.38), double(0.02), hundredth(g.rise()), hundredth(0.12), double(0),
		"01/15/"+strconv.Itoa(g.since), "12/15/"+strconv.Itoa(s.now().Year()-1), means, 0, []any{}, cycle,
	)}
}

// scenarios returns one page of five scenarios, in centimeters above the level of 2005. The faster
// ones also accelerate.
func (s *study) scenarios() any {
	rows := []object{}
	names := strings.Fields("Low Intermediate-Low Intermediate Intermediate-High High")
	if g := s.oneGauge(); g != nil {
		for year := 2005; year <= 2150; year = max(2020, year/10*10+10) {
			for i, name := range names {
				after := float64(year-2005) / 100
				level := math.Round(after * (10*g.rise() + 20*float64(i)*after))
				rows = append(rows, rowOf(derived.SeaLevelScenarios, g.id, strings.ToUpper(g.name),
					millionths(g.latitude), millionths(g.longitude), "cm", 1, name, 2022, year,
					hundredth(g.rise()/10), double(level), double(math.Round(level*0.8)),
					double(math.Round(level*1.3)), 0))
			}
		}
	}
	return object{{"count", len(rows)}, {"currPage", 1}, {"totalPages", 1},
		listOf(derived.SeaLevelScenarios, rows)}
}

// hundredth returns a number with two decimals.
func hundredth(v float64) double { return roundTo(v, 100) }

// rise returns millimeters a year.
func (g *gauge) rise() float64 { return 1 + 5*fraction(g.seed, 1) }

// extreme lists extreme events. NOAA's rows used to include the levels above MHHW that 1, 10, 50
// and 99 of a hundred years exceed, but the recorded row does not. The simulator adds them for
// details=exceedancelevels.
func (s *study) extreme(g *gauge) []object {
	address := func(rest string) string {
		return site + Derived + "product.json?name=extremewaterlevels&station=" + g.id + rest +
			"&levelType=high&units=english"
	}
	var highs, lows []object
	for i := range 12 {
		highs = append(highs, extremeEvent("GEV_HI", g.storm(i), "YES"))
		lows = append(lows, extremeEvent("GEV_LO", g.storm(i+40), "NO"))
	}
	product, values := derived.ExtremeWaterLevels, []any{
		g.id, g.name, g.id + "   " + g.name + ", " + g.state, g.state, "1983-2001", "1992",
		millionths(g.latitude), millionths(g.longitude), "null",
		object{{"count", 24}, {"highs", highs}, {"lows", lows}},
	}
	if s.Get("details") == "exceedancelevels" {
		product = derived.ExceedanceLevels
		top := 0.6 + fraction(g.seed, 2)
		for _, part := range []float64{1.9, 1.2, 0.7, 0.35} {
			values = append(values, thousandths(part*top))
		}
	}
	for _, rest := range []string{
		"&extremeType=annuals", "&extremeType=monthlies", "&details=exceedancelevels",
		"&details=exceedancelevelsmonth",
	} {
		values = append(values, address(rest))
	}
	return []object{rowOf(product, values...)}
}

func extremeEvent(kind string, at time.Time, status string) object {
	return object{{"type", kind}, {"date", at.Format("01/02/2006")}, {"status", status}}
}

// storm returns the time of storm n at the gauge, between its first year and 2024.
func (g *gauge) storm(n int) time.Time {
	first := time.Date(g.since, 1, 1, 0, 0, 0, 0, time.UTC)
	span := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Sub(first)
	return first.Add(time.Duration(fraction(g.seed, int64(n)+100) * float64(span))).Truncate(time.Hour)
}

// topTen lists the ten highest waters, highest first. The names of members, except peakDate and
// height, are from NOAA's documentation.
func (s *study) topTen(g *gauge) []object {
	name := s.Get("datum")
	if name == "" {
		name = "MHHW"
	}
	top, _, _ := g.mean("MHHW") // every gauge with flood levels has it
	zero, err := g.datum(name)
	if err != nil {
		name, zero = "MHHW", top
	}
	var rows []object
	for rank := range 10 {
		category, event := "Extra Tropical", "To Be Determined"
		if rank%3 == 0 {
			category, event = "Tropical", "Hurricane "+string(rune('A'+rank))
		}
		height := thousandths(top + 1.6 - 0.08*float64(rank) - zero)
		rows = append(rows, rowOf(derived.TopTenWaterLevels, g.id, g.name,
			g.storm(rank).Format(time.DateTime), height, name, category, event, "Verified 6-Minute"))
	}
	return rows
}

// peaks lists events of the whole coast and ignores the station.
func (s *study) peaks() any {
	var rows []object
	kinds := []struct{ kind, name string }{
		{"Tropical", "Hurricane"},
		{"Extra Tropical", "Unknown"},
		{"TBD", "To Be Determined"},
		{"Other", "Above Normal Tides"},
	}
	id := 0
	for year := 1898; year <= s.now().Year(); year++ {
		for range 1 + year%4 {
			id++
			k := kinds[id%len(kinds)]
			date := time.Date(year, 1, 1+int(360*fraction(7, int64(id))), 0, 0, 0, 0, time.UTC)
			if asked := s.number("year"); date.After(s.now()) || asked != 0 && asked != year {
				continue
			}
			rows = append(rows, rowOf(derived.PeakWaterLevels, id, date.Format(time.DateTime),
				k.name, k.kind, "false", "false", "false"))
		}
	}
	return object{listOf(derived.PeakWaterLevels, rows)}
}
