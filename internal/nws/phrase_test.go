package nws

import "testing"

// TestPhrases holds the forecasters' phrases to wind, gust and seas.
func TestPhrases(t *testing.T) {
	for text, want := range map[string]string{
		"East winds 5 to 10 knots, increasing to 10 to 15 knots this afternoon.":                          "15 - -",
		"East winds 10 to 15 knots, diminishing to 5 to 10 knots after midnight.":                         "15 - -",
		"Southeast winds around 5 knots.":                                                                 "5 - -",
		"Wind variable less than 10 kt...becoming W 10 kt in the afternoon. Seas 3 to 4 ft.":              "10 - 4",
		"NW wind 20 to 25 kt, easing to 15 to 20 kt. Seas 7 to 9 ft. Wave Detail: NW 11 ft at 9 seconds.": "25 - 9",
		"S WINDS 15 TO 25 KT WITH GUSTS TO 35 KT. SEAS 4 TO 6 FT.":                                        "25 35 6",
		"SW winds 10 to 15 kt with gusts up to 25 kt, becoming W 5 to 10 kt.":                             "15 25 -",
		"SW winds 10 kt with gusts to 20 kt, increasing to 15 to 20 kt with gusts to 30 kt.":              "20 30 -",
		"N winds 15 to 20 kt. Gusts to 25 kt, increasing to 35 kt late.":                                  "20 35 -",
		"N winds 20 kt, gusts 25 kt, becoming NW winds 30 kt.":                                            "30 25 -",
		"NE winds 30 kt with 40 kt gusts.":                                                                "30 40 -",
		"N winds 30 kt. Gusty at times, 10 kt in the bays.":                                               "30 - -",
		"NW GALES TO 45 KT EASING TO GALES TO 40 KT. WAVES 7 TO 10 FT SUBSIDING TO 6 TO 9 FT.":            "45 - 10",
		"N wind 5 kt or less. Waves 1 foot or less.":                                                      "5 - 1",
		"N wind 5-10kts. Waves 2-3ft.":                                                                    "10 - 3",
		"East southeast winds to 10 knots, rising to 15 knots. Seas to 2 feet or less.":                   "15 - 2",
		"Light and variable wind. Waves nearly calm.":                                                     "- - -",
		"Seas 2 to 4 ft with NE swell 6 ft.":                                                              "- - 4",
		"Seas 6 to 8 ft in S swell.":                                                                      "- - 8",
		"Wind waves 3 ft. W swell 9 ft at 14 seconds.":                                                    "- - -",
		"Combined seas 6 to 8 ft, occasionally to 11 ft.":                                                 "- - 11",
		"Mixed seas. Swell W 9 ft.":                                                                       "- - -",
		"Winds 5 kt. Strong ebb current 4.67 kt, increasing to 6 kt. Flood 3 kt. Tidal currents 2 knots.": "5 - -",
		"Waves 1.5 ft.": "- - 1.5",
		"Snow level 2500 ft. Vsby 1 NM. Seas 3 ft. Surf 5 feet. Freezing spray.":                                         "- - 3",
		"West of the Big Island, north winds 7 to 10 knots. Near South Point, east winds to 25 knots. Seas 5 to 8 feet.": "25 - 8",
		"Winds SW 10 to 15 mph. Waves 2 m.": "- - -",
		"":                                  "- - -",
		"1000 kt. Seas 9999 ft.":            "- - -",
	} {
		if got := summary(Period{Text: text}); got != " "+want {
			t.Errorf("%q: %q, want %q", text, got[1:], want)
		}
	}
}
