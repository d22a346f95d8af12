package provider

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// study is one request to the derived service.
type study struct {
	*Provider
	url.Values
	metric bool
}

// serveDerived serves the derived service: statistics of the gauges that
// have published flood levels, made up but for their form. A station without
// them, or unknown, has an empty list.
func (p *Provider) serveDerived(w http.ResponseWriter, r *http.Request) {
	s := &study{Provider: p, Values: r.URL.Query()}
	s.metric = s.Get("units") == "metric"
	path, _ := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, Derived), ".json")
	if path == "product" || path == "product/" {
		path = "product/" + s.Get("name")
	}
	answer := map[string]func(*study) any{
		"product/sealvltrends":            (*study).trends,
		"product/extremewaterlevels":      (*study).extremes,
		"product/toptenwaterlevels":       (*study).topTen,
		"product/peakwaterlevels":         (*study).peaks,
		"product/slr_projections":         (*study).rise,
		"htf/htf_daily":                   (*study).floodDays,
		"htf/htf_monthly":                 (*study).floodMonths,
		"htf/htf_seasonal":                (*study).floodSeasons,
		"htf/htf_annual":                  (*study).floodYears,
		"htf/htf_met_year_annual":         (*study).floodMetYears,
		"htf/htf_met_year_annual_outlook": (*study).floodOutlook,
		"htf/htf_projection_decadal":      (*study).floodDecades,
	}[path]
	if answer == nil {
		http.NotFound(w, r)
		return
	}
	v := answer(s)
	if no, ok := v.(*refusal); ok {
		writeMetadata(w, no.status, []byte(`{"error":{"message":"`+no.message+`"}}`))
		return
	}
	writeJSON(w, v)
}

// found are the gauges of the request: one, or without a station all.
func (s *study) found() []*gauge {
	var found []*gauge
	id := s.Get("station")
	for _, g := range s.gauges {
		if g.published && (id == "" || id == g.id) {
			found = append(found, g)
		}
	}
	return found
}

// counted is a list under its name, with its length before it.
func counted[T any](name string, rows []T) object {
	if rows == nil {
		rows = []T{}
	}
	return object{{"count", len(rows)}, {name, rows}}
}

// number is a parameter that is a number, else 0.
func (s *study) number(name string) int {
	n, _ := strconv.Atoi(s.Get(name)) // the service, too, takes what is no number for nothing
	return n
}

// thousandths rounds a length to a thousandth of the unit asked for.
func (s *study) thousandths(metres float64) double {
	if !s.metric {
		metres /= metresPerFoot
	}
	return double(math.Round(metres*1000) / 1000)
}

func millionths(degrees float64) double { return double(math.Round(degrees*1e6) / 1e6) }

type seasonalMonth struct {
	Month int    `json:"month"`
	Var   double `json:"seasonalVar"`
	Err   double `json:"seasonalErr"`
}

type trend struct {
	StationID           string          `json:"stationId"`
	StationName         string          `json:"stationName"`
	Affil               string          `json:"affil"`
	Annotation          string          `json:"annotation,omitempty"`
	TrendUnits          string          `json:"trendUnits"`
	SeasonalUnits       string          `json:"seasonalUnits"`
	SeasonalAverage     double          `json:"seasonalAverage"`
	Latitude            double          `json:"latitude"`
	Longitude           double          `json:"longitude"`
	TrendType           string          `json:"trendType"`
	Autoregressive      double          `json:"autoregressive"`
	AutoregressiveError double          `json:"autoregressiveError"`
	Trend               double          `json:"trend"`
	TrendError          double          `json:"trendError"`
	Y2000Offset         double          `json:"y2000_offset"`
	StartDate           string          `json:"startDate"`
	EndDate             string          `json:"endDate"`
	MonthlyMeans        string          `json:"monthlyMeans"`
	NumberEvents        int             `json:"numberEvents"`
	Events              []any           `json:"events"`
	Seasonal            []seasonalMonth `json:"seasonalCycleMonth"`
}

func (s *study) trends() any {
	var rows []trend
	if affil := s.Get("affil"); affil != "" && affil != "US" {
		return counted("SeaLvlTrends", rows)
	}
	for _, g := range s.found() {
		rows = append(rows, s.trend(g))
	}
	return counted("SeaLvlTrends", rows)
}

// trend is a rise of 1 to 6 mm a year, a number of the gauge's own.
func (s *study) trend(g *gauge) trend {
	units, seasonal, scale, inch := "mm/yr", "mm", 1.0, 1.0
	if !s.metric {
		units, seasonal, scale, inch = "inches/decade", "inches", 10/25.4, 1/25.4
	}
	hundredth := func(v float64) double { return double(math.Round(v*100) / 100) }
	t := trend{
		StationID: g.id, StationName: g.name, Affil: "US", TrendUnits: units, SeasonalUnits: seasonal, SeasonalAverage: hundredth(29 * inch),
		Latitude: millionths(g.latitude), Longitude: millionths(g.longitude), TrendType: "SINGLE",
		Autoregressive: 0.38, AutoregressiveError: 0.02, Trend: hundredth(g.rise() * scale), TrendError: hundredth(0.12 * scale),
		StartDate: "01/15/" + strconv.Itoa(g.since), EndDate: "12/15/" + strconv.Itoa(s.now().Year()-1),
		MonthlyMeans: site + Derived + "product/sealvltrends.json?station=" + g.id + "&details=monthlymeans&units=english&trendType=SINGLE",
		Events:       []any{},
	}
	if g.id == sewellsPoint {
		t.Annotation = "Combined with station 8638660 from 08/15/1908 to 06/15/1927 with an adjustment of 1.25 m."
	}
	for m := time.January; m <= time.December; m++ {
		high := season(time.Date(2026, m, 15, 0, 0, 0, 0, time.UTC))
		t.Seasonal = append(t.Seasonal, seasonalMonth{int(m), hundredth(58 * high * inch), hundredth(5 * inch)})
	}
	return t
}

// rise is millimetres a year.
func (g *gauge) rise() float64 { return 1 + 5*fraction(g.seed, 1) }

type extremeEvent struct {
	Type   string `json:"type"`
	Date   string `json:"date"`
	Status string `json:"status"`
}

type extreme struct {
	StationID     string `json:"stationId"`
	StationName   string `json:"stationName"`
	StationTitle  string `json:"stationTitle"`
	State         string `json:"state"`
	Epoch         string `json:"epoch"`
	EpochMidyear  string `json:"epochMidyear"`
	Latitude      double `json:"latitude"`
	Longitude     double `json:"longitude"`
	Annotation    string `json:"annotation"`
	TenYearEvents struct {
		Count int            `json:"count"`
		Highs []extremeEvent `json:"highs"`
		Lows  []extremeEvent `json:"lows"`
	} `json:"tenYearEvents"`
	*exceedance
	Annuals                 string `json:"annuals"`
	Monthlies               string `json:"monthlies"`
	ExceedanceLevels        string `json:"exceedanceLevels"`
	ExceedanceLevelsByMonth string `json:"exceedanceLevelsByMonth"`
}

// exceedance are the levels that one, ten, ... of a hundred years exceed,
// above MHHW. Rows have had them, but the one that is recorded has none:
// here they come with details=exceedancelevels.
type exceedance struct {
	F1  double `json:"f1_gtmhhw"`
	F10 double `json:"f10_gtmhhw"`
	F50 double `json:"f50_gtmhhw"`
	F99 double `json:"f99_gtmhhw"`
}

func (s *study) extremes() any {
	var rows []extreme
	for _, g := range s.found() {
		rows = append(rows, s.extreme(g))
	}
	return counted("ExtremeWaterLevels", rows)
}

func (s *study) extreme(g *gauge) extreme {
	address := func(rest string) string {
		return site + Derived + "product.json?name=extremewaterlevels&station=" + g.id + rest + "&levelType=high&units=english"
	}
	e := extreme{
		StationID: g.id, StationName: g.name, StationTitle: g.id + "   " + g.name + ", " + g.state, State: g.state,
		Epoch: "1983-2001", EpochMidyear: "1992", Latitude: millionths(g.latitude), Longitude: millionths(g.longitude), Annotation: "null",
		Annuals: address("&extremeType=annuals"), Monthlies: address("&extremeType=monthlies"),
		ExceedanceLevels: address("&details=exceedancelevels"), ExceedanceLevelsByMonth: address("&details=exceedancelevelsmonth"),
	}
	for i := range 12 {
		high, low := g.storm(i), g.storm(i+40)
		e.TenYearEvents.Highs = append(e.TenYearEvents.Highs, extremeEvent{"GEV_HI", high.Format("01/02/2006"), "YES"})
		e.TenYearEvents.Lows = append(e.TenYearEvents.Lows, extremeEvent{"GEV_LO", low.Format("01/02/2006"), "NO"})
	}
	e.TenYearEvents.Count = 24
	if s.Get("details") == "exceedancelevels" {
		top := 0.6 + fraction(g.seed, 2)
		e.exceedance = &exceedance{s.thousandths(1.9 * top), s.thousandths(1.2 * top), s.thousandths(0.7 * top), s.thousandths(0.35 * top)}
	}
	return e
}

// storm is the time of the n-th of the storms at the gauge, of its first year to 2024.
func (g *gauge) storm(n int) time.Time {
	first := time.Date(g.since, 1, 1, 0, 0, 0, 0, time.UTC)
	span := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC).Sub(first)
	return first.Add(time.Duration(fraction(g.seed, int64(n)+100) * float64(span))).Truncate(time.Hour)
}

type peak struct {
	StationID     string `json:"stationId"`
	StationName   string `json:"stationName"`
	PeakDate      string `json:"peakDate"`
	Height        double `json:"height"`
	Datum         string `json:"datum"`
	EventCategory string `json:"eventCategory"`
	Event         string `json:"event"`
	DataSource    string `json:"dataSource"`
}

// topTen lists the ten highest waters, highest first. Names of fields but
// for peakDate and height are as its documentation calls them.
func (s *study) topTen() any {
	var rows []peak
	for _, g := range s.found() {
		for i := range 10 {
			rows = append(rows, s.peak(g, i))
		}
	}
	return counted("topTenWaterLevels", rows)
}

func (s *study) peak(g *gauge, rank int) peak {
	name := s.Get("datum")
	if name == "" {
		name = "MHHW"
	}
	top, _, _ := g.mean("MHHW") // every gauge with flood levels has it
	zero, err := g.datum(name)
	if err != nil {
		name, zero = "MHHW", top
	}
	category, event := "Extra Tropical", "To Be Determined"
	if rank%3 == 0 {
		category, event = "Tropical", "Hurricane "+string(rune('A'+rank))
	}
	return peak{
		g.id, g.name, g.storm(rank).Format("2006-01-02 15:04:05"),
		s.thousandths(top + 1.6 - 0.08*float64(rank) - zero), name, category, event, "Verified 6-Minute",
	}
}

type floodEvent struct {
	EventID       int    `json:"eventId"`
	StartDate     string `json:"startDate"`
	Name          string `json:"name"`
	EventType     string `json:"eventType"`
	Dissemination string `json:"dissemination"`
	GreatLake     string `json:"greatLake"`
	StormTrack    string `json:"stormTrack"`
}

// peaks lists events of the whole coast: the station is ignored.
func (s *study) peaks() any {
	rows := []floodEvent{}
	kinds := []struct{ kind, name string }{{"Tropical", "Hurricane"}, {"Extra Tropical", "Unknown"}, {"TBD", "To Be Determined"}, {"Other", "Above Normal Tides"}}
	id := 0
	for year := 1898; year <= s.now().Year(); year++ {
		for range 1 + year%4 {
			id++
			k := kinds[id%len(kinds)]
			date := time.Date(year, 1, 1+int(360*fraction(7, int64(id))), 0, 0, 0, 0, time.UTC)
			if asked := s.number("year"); date.After(s.now()) || asked != 0 && asked != year {
				continue
			}
			rows = append(rows, floodEvent{id, date.Format(time.DateTime), k.name, k.kind, "false", "false", "false"})
		}
	}
	return object{{"peakWaterLevels", rows}}
}

type projection struct {
	StationID   string `json:"stationId"`
	StationName string `json:"stationName"`
	Scenario    string `json:"scenario"`
	Year        int    `json:"projectionYear"`
	RSL         double `json:"projectionRsl"`
	Low         double `json:"projectionCiLow"`
	High        double `json:"projectionCiHigh"`
}

// scenarios are the sea-level scenarios with their rise by the year 2100 in centimetres.
var scenarios = []struct {
	name string
	rise float64
}{{"Low", 30}, {"Intermediate-Low", 50}, {"Intermediate", 100}, {"Intermediate-High", 150}, {"High", 200}}

// rise lists the projected rise, in centimetres even where metres are asked
// for, since 2005. A station without projections is an error of the server.
func (s *study) rise() any {
	found := s.found()
	if s.Get("station") == "" || len(found) == 0 {
		return &refusal{http.StatusInternalServerError, "Internal Server Error"}
	}
	rows := []projection{}
	asked := s.Get("scenario")
	for _, scenario := range scenarios {
		if asked != "" && asked != "all" && !strings.EqualFold(asked, scenario.name) {
			continue
		}
		for year := 2020; year <= 2150; year += 10 {
			if only := s.number("projection_year"); only == 0 || only == year {
				rows = append(rows, projected(found[0], scenario.name, scenario.rise, year))
			}
		}
	}
	return object{{"count", len(rows)}, {"totalPages", 1}, {"SlrProjections", rows}}
}

func projected(g *gauge, scenario string, by2100 float64, year int) projection {
	x := float64(year-2005) / 95
	rise := math.Round(by2100*(0.4*x+0.6*x*x) + g.rise()*float64(year-2005)/20)
	return projection{g.id, g.name, scenario, year, double(rise), double(math.Round(rise * 0.8)), double(math.Round(rise * 1.25))}
}
