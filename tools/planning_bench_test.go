package tools

import "testing"

// BenchmarkPlanning measures windows and ranks of a year. The aims are 4 ms for windows by
// daylight, 2 ms for the ten lowest tides by daylight and 25 ms for king tides.
func BenchmarkPlanning(b *testing.B) {
	set, ctx := newSet(b), caller(b)
	year := Span{Begin: "2027-01-01", End: "2027-12-31"}
	zero := 0.0
	daylight := InLight{Light: "daylight"}
	b.Run("DaylightWindows", func(b *testing.B) {
		for b.Loop() {
			in := TideWindowsInput{
				StationOrPlace: StationOrPlace{Station: "9414290"}, Below: &zero, InLight: daylight,
				MinMinutes: 15, Limit: 400, Span: year,
			}
			if _, err := set.TideWindows(ctx, in); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, c := range []struct {
		name string
		in   TideRanksInput
	}{
		{"DaylightLows", TideRanksInput{What: "lowest", InLight: daylight, Limit: 10, Span: year}},
		{"KingTides", TideRanksInput{What: "king", Limit: 10, Year: 2027}},
	} {
		for name, id := range map[string]string{
			"SanFrancisco": "9414290", "Anchorage": "9455920", "Subordinate": "9414131",
		} {
			c.in.Station = id
			b.Run(c.name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := set.TideRanks(ctx, c.in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
