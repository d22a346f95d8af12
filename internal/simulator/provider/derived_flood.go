package provider

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"time"

	"leadline/internal/derived"
)

// Flood days are pseudorandom, more frequent in late years and at spring tides. Counts by day,
// month and year agree with each other. They do not agree with the water levels of the data
// service, which rarely reach flood levels.

// floodDay is the flooding of a day.
type floodDay struct {
	grade   int // 0 for none, 1 minor, 2 moderate, 3 major
	missing bool
}

// flooded returns the flooding of a day at the gauge.
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

// silent reports whether the gauge has no data for a whole year.
func (g *gauge) silent(year int) bool {
	return year < g.since || year < 1950 && mix(g.seed^uint64(year))%11 == 0
}

// floodSpan is a span of time whose flood days are counted, with the values of the columns that
// name it.
type floodSpan struct {
	from, to time.Time
	names    []any
}

// floodCounts serves the counts of each requested year, for the spans of the year that have begun.
// parameter names the year in the query.
func floodCounts(
	p derived.Product, parameter string, spans func(s *study, year int) []floodSpan,
) func(*study) any {
	return perGauge(p, func(s *study, g *gauge) (rows []object) {
		first, last := s.years(g, parameter)
		for year := first; year <= last; year++ {
			for _, span := range spans(s, year) {
				if span.from.Before(s.now()) {
					rows = append(rows, rowOf(p, s.countDays(g, span)...))
				}
			}
		}
		return rows
	})
}

// countDays counts the days of a span that have passed. Without data the counts are null. A day
// counts in its own grade and in those below.
func (s *study) countDays(g *gauge, span floodSpan) []any {
	var of [3]int // minor, moderate, major
	var major, moderate, minor *int
	var complete *double
	days, missing := 0, 0
	for d := span.from; d.Before(span.to) && d.Before(s.now()); d = d.AddDate(0, 0, 1) {
		days++
		f := g.flooded(d)
		if f.missing {
			missing++
		}
		for grade := range f.grade {
			of[grade]++
		}
	}
	if missing < days {
		percent := double(math.Round(1000*float64(days-missing)/float64(days)) / 10)
		minor, moderate, major, complete = &of[0], &of[1], &of[2], &percent
	}
	values := append(g.place(), span.names...)
	return append(values, major, moderate, minor, missing, complete)
}

// place returns name and position of a gauge, in the format of rows about floods.
func (g *gauge) place() []any {
	lat, lon := appendJava(g.latitude, 32), appendJava(g.longitude, 32)
	return []any{g.id, g.name + ", " + g.state, string(lat), string(lon)}
}

// years returns the requested years: range years from the parameter name on. Without that
// parameter it returns all years and ignores range.
func (s *study) years(g *gauge, name string) (first, last int) {
	first, last = g.since, s.now().Year()
	if year := s.number(name); year != 0 {
		first = max(first, year)
		last = min(last, year+max(1, s.number("range"))-1)
	}
	return first, last
}

func monthStart(year, m int) time.Time {
	return time.Date(year, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
}

func calendarYear(_ *study, year int) []floodSpan {
	return []floodSpan{{monthStart(year, 1), monthStart(year+1, 1), []any{year}}}
}

// metYear returns a meteorological year, which begins in May.
func metYear(_ *study, year int) []floodSpan {
	return []floodSpan{{monthStart(year, 5), monthStart(year+1, 5), []any{year}}}
}

func floodMonths(s *study, year int) (spans []floodSpan) {
	for m := 1; m <= 12; m++ {
		if only := s.number("month"); only == 0 || only == m {
			spans = append(spans, floodSpan{monthStart(year, m), monthStart(year, m+1), []any{year, m}})
		}
	}
	return spans
}

// floodSeasons returns the quarters of a year; each belongs to the year of its last month.
func floodSeasons(s *study, year int) (spans []floodSpan) {
	for i, name := range []string{"DJF", "MAM", "JJA", "SON"} {
		if only := s.Get("season_months"); only == "" || only == name {
			begin, end := monthStart(year, 3*i), monthStart(year, 3*i+3)
			spans = append(spans, floodSpan{begin, end, []any{year, name}})
		}
	}
	return spans
}

// floodDays lists days. A request must have both ends.
func (s *study) floodDays() any {
	begin, beginOK := readMoment(s.Get("start_date"), false)
	end, endOK := readMoment(s.Get("end_date"), false)
	if !beginOK || !endOK || end.Before(begin) {
		return &refusal{http.StatusBadRequest, "start_date and end_date are required as yyyymmdd"}
	}
	g := s.oneGauge()
	if g == nil {
		return counted(derived.FloodDays, nil)
	}
	var rows []object
	for d := begin; !d.After(end) && d.Before(s.now()); d = d.AddDate(0, 0, 1) {
		rows = append(rows, s.floodDay(g, d))
	}
	place := g.place()
	return object{
		{"count", len(rows)},
		{"stnName", place[1]},
		{"lat", place[2]},
		{"lon", place[3]},
		{"units", "meters"},
		listOf(derived.FloodDays, rows),
	}
}

// floodDay returns the row of one day, with its highest level above the requested datum (default
// STND) and the hour of it. A higher grade also sets the flags of the lower ones.
func (s *study) floodDay(g *gauge, d time.Time) object {
	f := g.flooded(d)
	flag := func(set bool) string {
		if set {
			return "1"
		}
		return "0"
	}
	var highest *string
	var hour *int
	if !f.missing {
		text := string(appendFixed(nil, float64(s.highest(g, d, f.grade)), 3))
		at := d.Add(time.Duration(fraction(g.seed, d.Unix()+3) * float64(day))).Hour()
		highest, hour = &text, &at
	}
	return rowOf(derived.FloodDays, d.Format("01/02/2006"), flag(f.grade > 2), flag(f.grade > 1),
		flag(f.grade > 0), flag(f.missing), highest, hour)
}

// highest returns the highest level of a day.
func (s *study) highest(g *gauge, d time.Time, grade int) double {
	levels, _ := g.floods() // a gauge with flood levels
	top, _, _ := g.mean("MHHW")
	height := top + (fraction(g.seed, d.Unix()+2)-0.5)*0.3
	if grade > 0 {
		height = levels[grade-1] + 0.05*fraction(g.seed, d.Unix()+2)
	}
	zero, err := g.datum(cmp.Or(s.Get("datum"), "STND"))
	if err != nil {
		zero = 0
	}
	return thousandths(height - zero)
}

// floodOutlook returns the outlook of the requested meteorological year, by default of this one.
func (s *study) floodOutlook(g *gauge) []object {
	year := s.number("met_year")
	if year == 0 {
		year = s.now().AddDate(0, -4, 0).Year()
	}
	low := 1 + int(6*fraction(g.seed, int64(year)))
	return []object{rowOf(derived.FloodOutlook, g.id, g.name+", "+g.state, year, low+4, low,
		strconv.Itoa(year)+"-05-20", "Quadratic")}
}

// floodDecades lists the projected flood days a year in each decade.
func (s *study) floodDecades() any {
	g := s.oneGauge()
	if g == nil {
		return counted(derived.FloodProjections, nil)
	}
	rows := [3][]object{{}, {}, {}}
	for decade := 2020; decade <= 2100; decade += 10 {
		for grade := range rows {
			rows[grade] = append(rows[grade], g.floodDecade(decade, grade))
		}
	}
	place := g.place()
	station := object{{"stnId", place[0]}, {"stnName", place[1]}}
	grades := object{{"minor", rows[0]}, {"moderate", rows[1]}, {"major", rows[2]}}
	return append(station, member{"lat", place[2]}, member{"lon", place[3]},
		listOf(derived.FloodProjections, []object{grades}))
}

func (g *gauge) floodDecade(decade, grade int) object {
	values := []any{decade}
	for i := range 5 {
		growth := math.Pow(float64(decade-2000)/20, 1.4+0.25*float64(i))
		days := (4 + 3*fraction(g.seed, 5)) * growth / math.Pow(6, float64(grade))
		values = append(values, min(365, int(days)))
	}
	return rowOf(derived.FloodProjections, values...)
}
