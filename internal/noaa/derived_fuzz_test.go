package noaa

import "testing"

func FuzzTrends(f *testing.F)   { fuzz(f, "derived_trends", reads2(readTrends)) }
func FuzzExtremes(f *testing.F) { fuzz(f, "derived_extremes", reads2(readExtremes)) }
func FuzzFlooding(f *testing.F) {
	fuzz(f, "derived_[adops]*", reads2(readFloodCounts), reads1(readFloodDaily), outlook(0), outlook(2024), reads2(readFloodProjections))
}
func FuzzTopTen(f *testing.F) { fuzz(f, "derived_topten", reads2(readTopTen)) }
func FuzzPeaks(f *testing.F)  { fuzz(f, "derived_peaks", reads1(readPeaks)) }
