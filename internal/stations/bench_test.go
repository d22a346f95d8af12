package stations

import (
	"strings"
	"testing"
)

// The benchmarks have these bounds: Open 5 ms, Nearest 60 µs, a misspelled Search 3 ms
// (docs/bench-stations.txt has measurements).

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		openTest(b)
	}
}

func BenchmarkStation(b *testing.B) {
	d := openTest(b)
	b.ReportAllocs()
	for b.Loop() {
		d.Station("8443970")
	}
}

func BenchmarkNearest(b *testing.B) {
	d := openTest(b)
	for name, filter := range map[string]Filter{"all": nil,
		"tides": func(s Station) bool { return s.Kind == Tide }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Nearest(42.3, -71, 10, filter)
			}
		})
	}
}

func BenchmarkIndex(b *testing.B) {
	d := openTest(b)
	b.ReportAllocs()
	for b.Loop() {
		d.view.Load().index()
	}
}

func BenchmarkSearch(b *testing.B) {
	d := openTest(b)
	for name, query := range map[string]string{
		"exact":           "boston",
		"misspelled":      "bostno",
		"misspelled-name": "massachussets bay entrence",
		"letter":          "e",
		"state":           "alaska",
		"nothing":         "qqqqqqqq",
		// The maximum number of words, each long enough for two mistakes, near many others and
		// without a match.
		"worst-fuzzy": strings.Repeat("harborentranca channelislend sandpoimt ", 6),
		"worst-letters": "aaaaaaaa eeeeeeee iiiiiiii oooooooo nnnnnnnn ssssssss rrrrrrrr tttttttt " +
			"llllllll abcdefgh ijklmnop qrstuvwx yzaeiour etaoinsh",
		"worst-name": "stellwgen bankk 17nm esee off eastrn ptt lihgt oceann harbr islnd crek riverr " +
			"sondd baye strate",
		"worst-long": strings.Repeat("a very long query ", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Search(query, nil)
			}
		})
	}
}

func BenchmarkHarmonics(b *testing.B) {
	s := find(b, openTest(b), "8443970")
	b.ReportAllocs()
	for b.Loop() {
		s.Harmonics()
	}
}

func BenchmarkPredictor(b *testing.B) {
	d := openTest(b)
	for _, id := range []string{"8443970", "8447436", "cb0102", "ACT0091"} {
		s := find(b, d, id)
		b.Run(id, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Tides(s, "MLLW")
				d.Currents(s)
			}
		})
	}
}
