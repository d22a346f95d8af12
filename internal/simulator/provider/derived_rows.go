package provider

import (
	"math"
	"net/url"
	"strconv"
	"strings"

	"leadline/internal/derived"
)

// study is one request to the derived service.
type study struct {
	*coopsService
	url.Values
}

// found returns the gauges of the request: one, or all if it names no station.
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

// oneGauge returns the gauge of a request that must name one, nil if there is none.
func (s *study) oneGauge() *gauge {
	if found := s.found(); s.Get("station") != "" && len(found) > 0 {
		return found[0]
	}
	return nil
}

// perGauge serves the rows of each gauge of the request.
func perGauge(p derived.Product, rows func(s *study, g *gauge) []object) func(*study) any {
	return func(s *study) any {
		var all []object
		for _, g := range s.found() {
			all = append(all, rows(s, g)...)
		}
		return counted(p, all)
	}
}

// counted returns the list of a product under its name, with its length before it.
func counted(p derived.Product, rows []object) object {
	return object{{"count", len(rows)}, listOf(p, rows)}
}

// listOf returns the list of a product under its name.
func listOf(p derived.Product, rows []object) member {
	if rows == nil {
		rows = []object{}
	}
	return member{p.List, rows}
}

// rowOf returns a row of a product, with a value for each of its columns. A column whose value is
// nil is omitted; a nil pointer is null.
func rowOf(p derived.Product, values ...any) object {
	o := make(object, 0, len(values))
	for i, name := range strings.Fields(p.Columns) {
		if values[i] != nil {
			o = append(o, member{name, values[i]})
		}
	}
	return o
}

// number returns a parameter as a number, 0 if it is not one.
func (s *study) number(name string) int {
	n, _ := strconv.Atoi(s.Get(name)) // NOAA ignores invalid numbers, too
	return n
}

// thousandths rounds a length to millimeters.
func thousandths(meters float64) double { return roundTo(meters, 1000) }

// roundTo rounds a number to a multiple of 1/parts.
func roundTo(v, parts float64) double { return double(math.Round(v*parts) / parts) }

func millionths(degrees float64) double { return roundTo(degrees, 1e6) }
