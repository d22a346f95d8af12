package nws

import (
	"slices"
	"strings"
	"testing"
)

// TestPhrases checks wind, gust and seas of the forecasters' phrases.
func TestPhrases(t *testing.T) {
	for text, want := range map[string]string{
		"East winds 5 to 10 knots, increasing to 10 to 15 knots this " +
			"afternoon.": "15 - -",
		"East winds 10 to 15 knots, diminishing to 5 to 10 knots after " +
			"midnight.": "15 - -",
		"Southeast winds around 5 " +
			"knots.": "5 - -",
		"Wind variable less than 10 kt...becoming W 10 kt in the afternoon. Seas 3 to " +
			"4 ft.": "10 - 4",
		"NW wind 20 to 25 kt, easing to 15 to 20 kt. Seas 7 to 9 ft. Wave Detail: NW 11 ft at 9 " +
			"seconds.": "25 - 11",
		"S WINDS 15 TO 25 KT WITH GUSTS TO 35 KT. SEAS 4 TO " +
			"6 FT.": "25 35 6",
		"SW winds 10 to 15 kt with gusts up to 25 kt, becoming W 5 to " +
			"10 kt.": "15 25 -",
		"SW winds 10 kt with gusts to 20 kt, increasing to 15 to 20 kt with gusts to " +
			"30 kt.": "20 30 -",
		"N winds 15 to 20 kt. Gusts to 25 kt, increasing to 35 kt " +
			"late.": "20 35 -",
		"N winds 20 kt, gusts 25 kt, becoming NW winds " +
			"30 kt.": "30 25 -",
		"NE winds 30 kt with 40 kt " +
			"gusts.": "30 40 -",
		"N winds 30 kt. Gusty at times, 10 kt in the " +
			"bays.": "30 - -",
		"NW GALES TO 45 KT EASING TO GALES TO 40 KT. WAVES 7 TO 10 FT SUBSIDING TO 6 TO " +
			"9 FT.": "45 - 10",
		"N wind 5 kt or less. Waves 1 foot or " +
			"less.": "5 - 1",
		"N wind 5-10kts. Waves 2-3ft.": "10 - 3",
		"East southeast winds to 10 knots, rising to 15 knots. Seas to 2 feet or " +
			"less.": "15 - 2",
		"Light and variable wind. Waves nearly " +
			"calm.": "- - -",
		"Seas 2 to 4 ft with NE swell " +
			"6 ft.": "- - 6",
		"Seas 6 to 8 ft in S swell.": "- - 8",
		"Wind waves 3 ft. W swell 9 ft at 14 " +
			"seconds.": "- - 9",
		"NW wind 5 kt. Wind waves 2 ft. W swell 14 ft at 12 seconds.":  "5 - 14",
		"Wind waves 8 ft. N swell 3 ft at 6 seconds.":                  "- - 8",
		"Mixed swell W 12 ft at 15 seconds and SW 3 ft at 14 seconds.": "- - 12",
		"Seas 1 ft. Wind waves 6 ft.":                                  "- - 6",
		"N wind 8 kt. Seas 3 to 5 meters.":                             "8 - 16.4",
		"Combined seas 4 metres.":                                      "- - 13.1",
		"Seas 1 ft, building to 4 to 6 m.":                             "- - 19.7",
		"Combined seas 6 to 8 ft, occasionally to " +
			"11 ft.": "- - 11",
		"Mixed seas. Swell W 9 ft.": "- - 9",
		"Winds 5 kt. Strong ebb current 4.67 kt, increasing to 6 kt. Flood 3 kt. Tidal currents 2 " +
			"knots.": "5 - -",
		"Waves 1.5 ft.":                                                          "- - 1.5",
		"Seas 4 ft or less.":                                                     "- - 4",
		"Seas around 5 feet.":                                                    "- - 5",
		"Waves 2 to 4 feet, occasionally to 5 feet.":                             "- - 5",
		"Seas 3 to 5 ft, building to 6 ft.":                                      "- - 6",
		"Seas 4 ft...building to 6 ft.":                                          "- - 6",
		"Seas 4 ft. Building to 9 ft after midnight.":                            "- - 9",
		"Seas 4 ft. Occasionally to 6 ft. W swell 9 ft.":                         "- - 9",
		"Seas 5 to 7 ft with occasional seas up to 9 ft.":                        "- - 9",
		"Seas 5 ft except 8 ft during the strong ebb.":                           "- - 8",
		"Significant wave heights 3 to 5 ft.":                                    "- - 5",
		"Seas 8 to 11 ft in N to NE swell, building to 12 ft.":                   "- - 12",
		"Seas in long period SW swell 8 to 10 ft.":                               "- - 10",
		"Seas 4 ft in the afternoon with NE swell 6 ft.":                         "- - 6",
		"Waves one foot or less.":                                                "- - 1",
		"WAVES ONE TO THREE FEET.":                                               "- - 3",
		"NE winds to 40 kt and seas to 15 ft.":                                   "40 - 15",
		"N winds 15 to 20 kt, increasing to 25 kt after midnight.":               "25 - -",
		"Variable winds less than 10 kt.":                                        "10 - -",
		"E winds 10 to 15 kt this evening, then around 20 kt.":                   "20 - -",
		"Hurricane force winds 65 to 75 kt.":                                     "75 - -",
		"N wind 10 to 13 kt. Winds could gust as high as 19 kt.":                 "13 19 -",
		"N winds 20 kt with gusts to 30 kt, occasionally to 40 kt.":              "20 40 -",
		"N winds 20 kt with gusts 30 kt to 35 kt.":                               "20 35 -",
		"N winds 10 kt to 15 kt.":                                                "15 - -",
		"NW winds 10 to 15 kt with gusts to 25 kt, increasing to 20 kt.":         "20 25 -",
		"NW gales to 35 kt with gusts to 45 kt, diminishing to 30 kt.":           "35 45 -",
		"N winds 20 kt, gusts to 30 kt, increasing to 25 kt, gusts 40 kt.":       "25 40 -",
		"Snow level 2500 ft. Vsby 1 NM. Seas 3 ft. Surf 5 feet. Freezing spray.": "- - 3",
		"West of the Big Island, north winds 7 to 10 knots. Near South Point, east winds to 25 knots. " +
			"Seas 5 to 8 feet.": "25 - 8",
		"Winds SW 10 to 15 mph. Waves 2 m.":     "13 - 6.6",
		"":                                      "- - -",
		"N winds 30 to 20 kt. Seas 12 to 8 ft.": "30 - 12",
		"Winds 40 to 20 mph. Waves 3 to 2 m.":   "34.8 - 9.8",
		"1000 kt. Seas 9999 ft.":                "- - -",
	} {
		if got := summary(Period{Text: text}); got != " "+want {
			t.Errorf("%q: %q, want %q", text, got[1:], want)
		}
	}
}

// TestRecordedPhrases checks each period of each recorded text, read by hand. The wave details
// and the surf do not count.
func TestRecordedPhrases(t *testing.T) {
	want := map[string]string{
		"CWFBRO_GMZ130_20260925_tgftp_trimmed.txt": "TODAY 15 - -; TONIGHT 15 - -; SATURDAY 10 - -; " +
			"SATURDAY NIGHT 10 - -; SUNDAY 5 - -",
		"CWFMTR_20260511_trimmed.txt": "TODAY 25 - 9; TONIGHT 20 - 7; TUE 15 - 6; TODAY " +
			"20 - 6; TONIGHT 15 - 5",
		"CWFSGX_20260926_trimmed.txt": "TONIGHT 10 - 4; SUN 10 - 4; SUN NIGHT 10 - 5; " +
			"TONIGHT 20 - -",
		"CWF_CWF_twoheadline.txt": "TODAY 30 - 10; TONIGHT 30 - 10; SAT 35 - 10; SAT " +
			"NIGHT 40 - 12; SUN 40 - 11; SUN NIGHT 40 - 10; MON 35 - 10; TUE 30 - 10",
		"SRFOKX_20260817_trimmed.txt": "TUESDAY - - -; TUESDAY - - -",
	}
	for name, product := range recorded(t, "text-products", func(string) bool { return true }) {
		b, err := ParseBulletin(product, received)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range b.Segments {
			for _, p := range s.Periods {
				got = append(got, summary(p))
			}
		}
		if got := strings.Join(got, "; "); got != want[name] {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want[name])
		}
	}
}

// TestSwells reads heights with periods, as the western offices write them, and the dominant
// periods of other offices.
func TestSwells(t *testing.T) {
	for text, want := range map[string][]Swell{
		"NW wind 5 to 10 kt. Seas 7 to 9 ft. Wave Detail: NW 8 ft at 15 seconds and SW 2 ft at 18 " +
			"seconds.": {{8, 15}, {2, 18}},
		"W swell 6 to 8 feet at 14 to 16 seconds. Wind waves 2 feet or " +
			"less.": {{8, 16}},
		"Mixed swell W 5 to 7 feet at 12 seconds and SW 2 feet at 17 " +
			"seconds.": {{7, 12}, {2, 17}},
		"NE winds 10 to 15 knots. Seas 5 to 7 feet, dominant period 14 " +
			"seconds.": {{7, 14}},
		"Seas 2 to 3 feet with a dominant period of 9 to 10 " +
			"seconds.": {{3, 10}},
		"Seas five to six feet. Dominant wave period 15 " +
			"seconds.": {{6, 15}},
		"W swell 8 ft. Period 16 seconds.":                      {{8, 16}},
		"Seas 2 ft. NW swell 12 ft 18 seconds.":                 {{12, 18}},
		"NW swell 4 m, 18 seconds.":                             {{13.1, 18}},
		"W swell 8 ft at 16 seconds.":                           {{8, 16}},
		"W swell 6 to 8 ft with a 16 second period.":            {{8, 16}},
		"Seas 8 ft with a period of 16 seconds.":                {{8, 16}},
		"Seas 8 ft with periods of 14 to 16 seconds.":           {{8, 16}},
		"Seas 12 to 18 ft in SE to S swell. Period 21 seconds.": {{18, 21}},
		"Seas 8 ft. Winds 10 kt. Period 16 seconds.":            {{8, 16}},
		"W swell 10 ft @ 15 seconds.":                           {{10, 15}},
		"W swell 10 ft/15 sec.":                                 {{10, 15}},
		"W swell 12 to 10 ft at 16 to 14 seconds.":              {{12, 16}},
		"Dominant period: 15 seconds. Seas: 10 ft.":             {{10, 15}},
		"Seas 7 ft. NW swell 6 ft.":                             nil,
		"A chance of rain within 10 seconds of nothing.":        nil,
	} {
		if got := (Period{Text: text}).Swells(); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
