package noaa

import "testing"

func FuzzTrends(f *testing.F) { fuzz(f, "derived_trends", own(readTrends)) }
func FuzzExtremes(
	f *testing.F) {
	fuzz(f, "derived_extremes", own(readExtremes), own(readExceedance))
}
func FuzzFlooding(f *testing.F) {
	fuzz(f, "derived_[adops]*", own(readFloodCounts), all(readFloodDaily), outlook(0), outlook(2024),
		own(readFloodProjections))
}
func FuzzTopTen(f *testing.F)    { fuzz(f, "derived_topten", own(readTopTen)) }
func FuzzPeaks(f *testing.F)     { fuzz(f, "derived_peaks", all(readPeaks)) }
func FuzzScenarios(f *testing.F) { fuzz(f, "derived_scenarios", own(readScenarios)) }
