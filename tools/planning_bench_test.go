package tools

import (
	"testing"

	"leadline/internal/currents"
	"leadline/internal/intervals"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
)

// BenchmarkPlanning measures windows and ranks of a year. The aims are 4 ms for windows by
// daylight, 2 ms for the ten lowest tides by daylight and 25 ms for king tides.
func BenchmarkPlanning(b *testing.B) {
	set, ctx := newSet(b), caller(b)
	year := operation.Span{Begin: "2027-01-01", End: "2027-12-31"}
	zero := 0.0
	daylight := intervals.InLight{Light: "daylight"}
	b.Run("DaylightWindows", func(b *testing.B) {
		for b.Loop() {
			in := tides.TideWindowsInput{
				StationOrPlace: place.StationOrPlace{Station: "9414290"}, Below: &zero, InLight: daylight,
				MinMinutes: 15, Limit: 400, Span: year,
			}
			if _, err := set.Tides.TideWindows(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
	benchmarkTransits(b, set)
	for _, c := range []struct {
		name string
		in   tides.TideRanksInput
	}{
		{"DaylightLows", tides.TideRanksInput{What: "lowest", InLight: daylight, Limit: 10, Span: year}},
		{"KingTides", tides.TideRanksInput{What: "king", Limit: 10, Year: 2027}},
	} {
		for name, id := range map[string]string{
			"SanFrancisco": "9414290", "Anchorage": "9455920", "Subordinate": "9414131",
		} {
			c.in.Station = id
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := set.Tides.TideRanks(ctx, c.in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// benchmarkTransits measures transits of 10,080 and 44,640 departures, whose aims are 0.7 and 4.1
// ms, and routes of 172,800 legs, whose aim is 100 ms.
func benchmarkTransits(b *testing.B, set *Set) {
	ctx := caller(b)
	for _, c := range []struct {
		name, station string
		hours         int
	}{
		{"TransitWeek/Own", "PUG1701", 168}, {"TransitMonth/Own", "PUG1701", 744},
		{"TransitWeek/Subordinate", "ACT0091", 168},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				in := currents.TransitsInput{
					StationOrPlace: place.StationOrPlace{Station: c.station}, Distance: 3, Speed: 6,
					Direction: "with_flood", MaxCurrent: 4, Limit: 20, Span: operation.Span{Range: c.hours},
				}
				if _, err := set.Currents.Transits(ctx, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("Route172800", func(b *testing.B) {
		in := currents.RoutesInput{Speed: 6, Limit: 20, Span: operation.Span{Range: 720}}
		for _, id := range []string{"PUG1701", "PUG1702", "SFB1201", "ACT0091"} {
			in.Gates = append(in.Gates, currents.RouteGate{
				Station: id, Leg: 8, Distance: 1, Direction: "with_flood", MaxCurrent: 4,
			})
		}
		for b.Loop() {
			if _, err := set.Currents.Routes(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
