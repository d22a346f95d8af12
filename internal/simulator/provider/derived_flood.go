package provider

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Flood days are drawn by lot, more of them in late years and at spring
// tides, and agree with each other from the day to the year. They do not
// agree with the water levels of the data service, whose disturbance hardly
// reaches flood levels.

// floodDay is what a day has been.
type floodDay struct {
	grade   int // 0 for none, 1 minor, 2 moderate, 3 major
	missing bool
}

// flooded says what a day has been at the gauge.
func (g *gauge) flooded(d time.Time) floodDay {
	if g.silent(d.Year()) || fraction(g.seed, d.Unix()) < 0.004 {
		return floodDay{missing: true}
	}
	age := math.Max(0, float64(d.Year()-1960)) / 60
	spring := 1 + math.Cos(2*math.Pi*float64(d.Unix()/86400)/14.765)
	switch lot := fraction(g.seed, d.Unix()+1); {
	case lot < 0.0004:
		return floodDay{grade: 3}
	case lot < 0.002*(0.5+age):
		return floodDay{grade: 2}
	case lot < 0.001+0.03*age*spring:
		return floodDay{grade: 1}
	}
	return floodDay{}
}

// silent reports whether the gauge has no data of a whole year.
func (g *gauge) silent(year int) bool {
	return year < g.since || year < 1950 && mix(g.seed^uint64(year))%11 == 0
}

// floodCount counts the days of a span.
type floodCount struct {
	StnID        string  `json:"stnId"`
	StnName      string  `json:"stnName"`
	Lat          string  `json:"lat"`
	Lon          string  `json:"lon"`
	Year         int     `json:"year,omitempty"`
	MetYear      int     `json:"metYear,omitempty"`
	Month        int     `json:"month,omitempty"`
	SeasonMonths string  `json:"seasonMonths,omitempty"`
	MajCount     *int    `json:"majCount"`
	ModCount     *int    `json:"modCount"`
	MinCount     *int    `json:"minCount"`
	NanCount     int     `json:"nanCount"`
	Percent      *double `json:"percent_completeness"`
}

// countDays counts the days of [from, to) that have passed; without data the
// counts are null. A day counts in its own grade and in those below.
func (s *study) countDays(g *gauge, from, to time.Time) floodCount {
	lat, lon := appendJava(g.latitude, 32), appendJava(g.longitude, 32)
	c := floodCount{StnID: g.id, StnName: g.name + ", " + g.state, Lat: string(lat), Lon: string(lon)}
	var of [3]int // minor, moderate, major
	days := 0
	for d := from; d.Before(to) && d.Before(s.now()); d = d.AddDate(0, 0, 1) {
		days++
		if f := g.flooded(d); f.missing {
			c.NanCount++
		} else {
			for grade := range f.grade {
				of[grade]++
			}
		}
	}
	if c.NanCount < days {
		percent := double(math.Round(1000*float64(days-c.NanCount)/float64(days)) / 10)
		c.MinCount, c.ModCount, c.MajCount, c.Percent = &of[0], &of[1], &of[2], &percent
	}
	return c
}

// years are those of the request: from year (or the name given) on for
// range years; without a year all, and range means nothing.
func (s *study) years(g *gauge, name string) (first, last int) {
	first, last = g.since, s.now().Year()
	if year := s.number(name); year != 0 {
		first = max(first, year)
		last = min(last, year+max(1, s.number("range"))-1)
	}
	return first, last
}

// perGauge makes rows for each gauge of the request.
func perGauge[T any](s *study, name string, rows func(g *gauge) []T) any {
	var all []T
	for _, g := range s.found() {
		all = append(all, rows(g)...)
	}
	return counted(name, all)
}

func month(year, m int) time.Time { return time.Date(year, time.Month(m), 1, 0, 0, 0, 0, time.UTC) }

func (s *study) floodYears() any {
	return perGauge(s, "AnnualFloodCount", func(g *gauge) (rows []floodCount) {
		first, last := s.years(g, "year")
		for year := first; year <= last; year++ {
			c := s.countDays(g, month(year, 1), month(year+1, 1))
			c.Year = year
			rows = append(rows, c)
		}
		return rows
	})
}

// floodMetYears counts by meteorological years, which begin in May.
func (s *study) floodMetYears() any {
	return perGauge(s, "MetYearAnnualFloodCount", func(g *gauge) (rows []floodCount) {
		first, last := s.years(g, "met_year")
		for year := first; year <= last && month(year, 5).Before(s.now()); year++ {
			c := s.countDays(g, month(year, 5), month(year+1, 5))
			c.MetYear = year
			rows = append(rows, c)
		}
		return rows
	})
}

func (s *study) floodMonths() any {
	return perGauge(s, "MonthlyFloodCount", func(g *gauge) (rows []floodCount) {
		first, last := s.years(g, "year")
		for year := first; year <= last; year++ {
			for m := 1; m <= 12 && month(year, m).Before(s.now()); m++ {
				if only := s.number("month"); only != 0 && only != m {
					continue
				}
				c := s.countDays(g, month(year, m), month(year, m+1))
				c.Year, c.Month = year, m
				rows = append(rows, c)
			}
		}
		return rows
	})
}

// floodSeasons counts by quarters, whose year is that of their last month.
func (s *study) floodSeasons() any {
	return perGauge(s, "SeasonalFloodCount", func(g *gauge) (rows []floodCount) {
		first, last := s.years(g, "year")
		for year := first; year <= last; year++ {
			for i, name := range []string{"DJF", "MAM", "JJA", "SON"} {
				begin := month(year, 3*i)
				if only := s.Get("season_months"); only != "" && only != name || !begin.Before(s.now()) {
					continue
				}
				c := s.countDays(g, begin, begin.AddDate(0, 3, 0))
				c.Year, c.SeasonMonths = year, name
				rows = append(rows, c)
			}
		}
		return rows
	})
}

type floodDayRow struct {
	Day     string  `json:"day"`
	MajFlag string  `json:"majFlag"`
	ModFlag string  `json:"modFlag"`
	MinFlag string  `json:"minFlag"`
	NanFlag string  `json:"nanFlag"`
	MaxWL   *string `json:"maxWL"`
	MaxTime *int    `json:"maxTime"` // hour of the day
}

// floodDays lists days; both ends must be given.
func (s *study) floodDays() any {
	begin, beginOK := readMoment(s.Get("start_date"), false)
	end, endOK := readMoment(s.Get("end_date"), false)
	if !beginOK || !endOK || end.Before(begin) {
		return &refusal{http.StatusBadRequest, "start_date and end_date are required as yyyymmdd"}
	}
	found := s.found()
	if s.Get("station") == "" || len(found) == 0 {
		return counted("DailyFloodCount", []floodDayRow{})
	}
	g := found[0]
	rows := []floodDayRow{}
	for d := begin; !d.After(end) && d.Before(s.now()); d = d.AddDate(0, 0, 1) {
		rows = append(rows, s.floodDay(g, d))
	}
	lat, lon := string(appendJava(g.latitude, 32)), string(appendJava(g.longitude, 32))
	units := "feet"
	if s.metric {
		units = "meters"
	}
	return object{{"count", len(rows)}, {"stnName", g.name + ", " + g.state}, {"lat", lat}, {"lon", lon}, {"units", units}, {"DailyFloodCount", rows}}
}

// floodDay is one day, with its highest level on the datum asked for (STND
// without one). A higher grade sets the flags of the lower ones too.
func (s *study) floodDay(g *gauge, d time.Time) floodDayRow {
	f := g.flooded(d)
	flag := func(set bool) string {
		if set {
			return "1"
		}
		return "0"
	}
	row := floodDayRow{d.Format("01/02/2006"), flag(f.grade > 2), flag(f.grade > 1), flag(f.grade > 0), flag(f.missing), nil, nil}
	if f.missing {
		return row
	}
	levels, _ := g.floods() // a gauge with flood levels
	top, _, _ := g.mean("MHHW")
	height := top + (fraction(g.seed, d.Unix()+2)-0.5)*0.3
	if f.grade > 0 {
		height = levels[f.grade-1] + 0.05*fraction(g.seed, d.Unix()+2)
	}
	zero, err := g.datum(cmp.Or(s.Get("datum"), "STND"))
	if err != nil {
		zero = 0
	}
	text := string(appendFixed(nil, float64(s.thousandths(height-zero)), 3))
	at := d.Add(time.Duration(fraction(g.seed, d.Unix()+3) * float64(day))).Hour()
	row.MaxWL, row.MaxTime = &text, &at
	return row
}

type floodOutlook struct {
	StnID         string `json:"stnId"`
	StnName       string `json:"stnName"`
	MetYear       int    `json:"metYear"`
	HighConf      int    `json:"highConf"`
	LowConf       int    `json:"lowConf"`
	ProjectDate   string `json:"projectDate"`
	ProjectMethod string `json:"projectMethod"`
}

// floodOutlook is that of the meteorological year asked for, else of this one.
func (s *study) floodOutlook() any {
	return perGauge(s, "MetYearAnnualOutlook", func(g *gauge) []floodOutlook {
		year := s.number("met_year")
		if year == 0 {
			year = s.now().AddDate(0, -4, 0).Year()
		}
		low := 1 + int(6*fraction(g.seed, int64(year)))
		return []floodOutlook{{g.id, g.name + ", " + g.state, year, low + 4, low, strconv.Itoa(year) + "-05-20", "Quadratic"}}
	})
}

// sewellsPoint answers with decadal projections in the form of before 2026, all others in the new.
const sewellsPoint = "8638610"

// floodDecades lists projected days of flooding in the year at each decade.
func (s *study) floodDecades() any {
	found := s.found()
	if s.Get("station") == "" || len(found) == 0 {
		return counted("DecadalProjection", []object{})
	}
	g, rows := found[0], [3][]object{{}, {}, {}}
	for decade := 2020; decade <= 2100; decade += 10 {
		if only := s.number("decade"); only != 0 && (decade < only || decade > only+10*max(0, s.number("range")-1)) {
			continue
		}
		for grade := range rows {
			rows[grade] = append(rows[grade], g.floodDecade(decade, grade))
		}
	}
	if g.id == sewellsPoint {
		flat := []object{}
		for _, row := range rows[0] {
			head := object{{"stnId", g.id}, {"stnName", g.name + ", " + g.state}, row[0], {"source", "https://tidesandcurrents.noaa.gov/publications/HTF_Notice_of_Methodology_Update_2023.pdf"}}
			flat = append(flat, append(head, row[1:]...))
		}
		return counted("DecadalProjection", flat)
	}
	lat, lon := string(appendJava(g.latitude, 32)), string(appendJava(g.longitude, 32))
	grades := object{{"minor", rows[0]}, {"moderate", rows[1]}, {"major", rows[2]}}
	return object{{"stnId", g.id}, {"stnName", g.name + ", " + g.state}, {"lat", lat}, {"lon", lon}, {"DecadalProjection", []object{grades}}}
}

func (g *gauge) floodDecade(decade, grade int) object {
	row := object{{"decade", decade}}
	for i, name := range []string{"low", "intLow", "intermediate", "intHigh", "high"} {
		growth := math.Pow(float64(decade-2000)/20, 1.4+0.25*float64(i))
		row = append(row, member{name, min(365, int((4+3*fraction(g.seed, 5))*growth/math.Pow(6, float64(grade))))})
	}
	return row
}
