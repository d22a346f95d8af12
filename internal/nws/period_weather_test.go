package nws

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// periodWeather returns the weather, the visibility and the unread sentences of a text.
func periodWeather(text string) string {
	p := Period{Text: text}
	weather, unread := p.Weather()
	var parts []string
	for _, c := range weather {
		parts = append(parts, c.Coverage+" "+c.Weather)
	}
	if v := p.Visibility(); v != nil {
		parts = append(parts, fmt.Sprint(*v, " nmi"))
	}
	for _, s := range unread {
		parts = append(parts, "? "+s)
	}
	return strings.Join(parts, "; ")
}

// TestPeriodWeather reads the weather in the wordings of offices. Where a text was found, the
// office and the product are named.
func TestPeriodWeather(t *testing.T) {
	for _, c := range []struct{ about, text, want string }{
		{"OFFNT2, 18 August 2026", "E winds less than 5 kt, becoming variable. Seas 3 to 4 ft. Chance " +
			"of tstms.", "chance thunderstorms"},
		{"CWF of Alaska, 3 January 2025", "NE winds 30 kt. Seas 10 ft. Blowing snow. Vsby 1 NM or " +
			"less. Heavy freezing spray.",
			"definite freezing_spray; 1 nmi; ? Blowing snow; ? Heavy freezing spray"},
		{"CWF, Oregon, June 2024", "SW wind 5 to 10 kt, becoming 5 kt after midnight. Seas 3 ft in the " +
			"evening, then 2 ft or less. Waves: W 2 ft at 9 seconds and SW 2 ft at 14 seconds. Patchy " +
			"fog in the evening, then patchy dense fog after midnight with vsby 1 NM or less.",
			"patchy fog; patchy fog; 1 nmi"},
		{"OFFPZ6, National Hurricane Center", "SE winds 20 to 25 kt. Seas 12 to 18 ft in SE to S " +
			"swell. Period 21 seconds. Scattered showers and isolated tstms. Vsby 1 NM or less.",
			"isolated thunderstorms; 1 nmi"},
		{"CWFHFO, 29 September 2026", "East winds 10 to 15 knots. Seas 4 to 5 feet. Scattered " +
			"showers. Winds and seas higher in and near tstms.", "chance thunderstorms"},
		{"CWFTBW, 13 September 2026", "North winds 5 to 10 knots. Seas 1 foot or less. Bay and " +
			"inland waters light chop. Winds and seas higher in and near thunderstorms.",
			"chance thunderstorms"},
		{"CWFMFL, 18 July 2026", "Southeast winds 10 to 15 knots. Seas 2 to 3 feet. Intracoastal " +
			"waters a light chop. Isolated thunderstorms in the afternoon, which could produce gusty " +
			"winds and locally higher seas.", "isolated thunderstorms"},
		{"Boston's wording", "S winds 10 kt. Seas 2 ft. Areas of dense fog. VSBY 1/4 NM OR LESS.",
			"areas fog; 0.25 nmi"},
		{"Baltimore's wording", "S winds 10 to 15 kt. Waves 1 to 2 ft. Showers likely and a chance of " +
			"tstms.", "chance thunderstorms"},
		{"Key West's wording", "East winds 15 knots. Scattered showers and thunderstorms. Waterspouts " +
			"possible.", "scattered thunderstorms; chance water_spouts"},
		{"Houston's wording", "Light winds. Patchy fog with visibility one to three nautical miles.",
			"patchy fog; 1 nmi"},
		{"Juneau's wording", "N wind 35 kt. Seas 8 ft. Freezing spray.", "definite freezing_spray"},
		{"Green Bay's wording", "W wind 10 kts. Waves 2 ft. A Small Craft Advisory may be needed.",
			"? A Small Craft Advisory may be needed"},
		{"", "TSTMS LIKELY.", "likely thunderstorms"},
		{"", "Showers and tstms likely.", "likely thunderstorms"},
		{"", "A chance of showers, then tstms.", "definite thunderstorms"},
		{"", "A slight chance of rain, drizzle and thunderstorms.", "slight_chance thunderstorms"},
		{"", "A chance of tstms in the evening, then tstms likely after midnight.",
			"chance thunderstorms; likely thunderstorms"},
		{"", "Isolated to scattered thunderstorms.", "scattered thunderstorms"},
		{"", "Thunderstorms.", "definite thunderstorms"},
		{"", "Tstms possible.", "chance thunderstorms"},
		{"", "No thunderstorms.", "? No thunderstorms"},
		{"", "Dense fog.", "definite fog"},
		{"", "Visibility reduced to 1 1/2 NM in fog.", "definite fog; 1.5 nmi"},
		{"", "Visibilities less than one quarter of a mile.", "0.25 nmi"},
		{"", "Vsby near zero in fog.", "definite fog; 0 nmi"},
		{"", "Vsby 3 to 5 nm.", "3 nmi"},
		{"", "Vsby 1 to 3 NM, occasionally 1/2 NM.", "0.5 nmi"},
		{"", "Volcanic ash.", "? Volcanic ash"},
		{"", "Kraken likely.", "? Kraken likely"},
		{"", "NW winds 20 kt with snow squalls.",
			"definite severe_weather; ? NW winds 20 kt with snow squalls"},
		{"", "A chance of rain. Mostly cloudy.", ""},
		{"", "", ""},
		{"", "Vsby 1/0 NM. Vsby.", "? Vsby 1/0 NM; ? Vsby"},
	} {
		if got := periodWeather(c.text); got != c.want {
			t.Errorf("%s: %q:\n got %q\nwant %q", c.about, c.text, got, c.want)
		}
	}
}

// TestDangerInWords checks that no danger in words is silent: it is read, or the sentence is
// unread.
func TestDangerInWords(t *testing.T) {
	for text, want := range map[string]string{
		"Gale force winds.":                                       "34 - -",
		"Gale force gusts possible.":                              "- 34 -",
		"Winds gusting to gale force.":                            "- 34 -",
		"Winds becoming storm force late.":                        "48 - -",
		"Hurricane force winds.":                                  "64 - -",
		"Hurricane conditions.":                                   "64 - -",
		"Tropical storm force winds.":                             "34 - -",
		"Tropical storm conditions possible.":                     "34 - -",
		"N winds 20 kt, gales near Cape Spencer.":                 "34 - -",
		"Winds 35 mph.":                                           "30.4 - -",
		"N winds 20 to 30 mph with gusts to 46 mph.":              "26.1 40 -",
		"Visibility 500 ft or less.":                              "- - - 0.082",
		"Visibility 1,000 feet.":                                  "- - - 0.165",
		"Visibility 200 yards.":                                   "- - - 0.099",
		"Visibility one eighth mile.":                             "- - - 0.125",
		"Vsby less than an eighth of a mile.":                     "- - - 0.125",
		"Visibility 3/8 mile.":                                    "- - - 0.375",
		"Mist with vsby 1 km.":                                    "- - - 0.54 ?",
		"Visibility 400 meters.":                                  "- - - 0.216",
		"Seas 3 ft, visibility 500 ft.":                           "- - 3 0.082",
		"Visibility 2 nm and seas 3 ft.":                          "- - 3 2",
		"Seas 3 ft, with dangerous breaking waves at the inlet.":  "- - 3 ?",
		"Surf 12 to 15 ft.":                                       "- - - ?",
		"Winds 35.":                                               "- - - ?",
		"Winds 18 m/s.":                                           "- - - ?",
		"Winds 10 kt. Waves 4 m.":                                 "10 - 13.1",
		"NW winds 8 kt or more.":                                  "8 - - ?",
		"SW wind 8 kt, increasing in the afternoon.":              "8 - - ?",
		"SW wind 8 kt, increasing after 4 PM.":                    "8 - - ?",
		"NW wind 5 to 10 kt, with higher gusts.":                  "10 - - ?",
		"Winds 40+ kt.":                                           "- - - ?",
		"Seas 10+ ft.":                                            "- - - ?",
		"Visibility near 0.":                                      "- - - 0 ?",
		"Near zero visibility.":                                   "- - - 0",
		"Vsby 1 SM.":                                              "- - - 0.869",
		"N wind 35 kt. Vessel icing.":                             "35 - - ?",
		"Force 8 winds.":                                          "- - - ?",
		"Strong winds.":                                           "- - - ?",
		"Gale Warning possible.":                                  "- - - ?",
		"Winds increasing.":                                       "- - - ?",
		"Seas building.":                                          "- - - ?",
		"Visibility reduced.":                                     "- - - ?",
		"Winds 10 kt, Violent at times.":                          "10 - - ?",
		"Seas 2 ft, locally higher.":                              "- - 2 ?",
		"Seas 2 ft, higher in the afternoon.":                     "- - 2 ?",
		"N winds 15 kt with gusts 10 kt higher.":                  "15 10 - ?",
		"N winds 15 kt, increasing by 10 kt.":                     "15 - - ?",
		"Light winds, high gusts.":                                "- - - ?",
		"N winds 10 kt with gusts.":                               "10 - - ?",
		"N winds 20 kt or more with isolated tstms.":              "20 - - ?",
		"Slight chance of tstms, seas building.":                  "- - - ?",
		"Winds increasing, visibility 5 nm.":                      "- - - 5 ?",
		"Winds increasing, seas building to 6 ft.":                "- - 6 ?",
		"Winds and seas higher in and near tstms.":                "- - -",
		"Visibility .25 miles.":                                   "- - - 0.25",
		"Vsby 3 to 1/4 NM.":                                       "- - - 0.25",
		"Severe storms with large hail likely.":                   "- - - ?",
		"Squalls with damaging winds likely.":                     "- - - ?",
		"Tornadoes possible.":                                     "- - - ?",
		"Light and variable winds. Waves nearly calm.":            "- - -",
		"West of the Big Island, north winds 7 to 10 knots.":      "10 - -",
		"Out to 10 nm, NE winds 10 kt after 4 AM. Seas 2 to 3 ft": "10 - 3",
		"Seas 5 ft except 8 ft during the strong ebb.":            "- - 8",
	} {
		p := Period{Text: text}
		got := summary(p)[1:]
		if v := p.Visibility(); v != nil {
			got += fmt.Sprintf(" %.3g", *v)
		}
		if _, unread := p.Weather(); len(unread) > 0 {
			got += " ?"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWindRead checks that a light wind is read, and that no word of it and open numbers are not.
func TestWindRead(t *testing.T) {
	for text, want := range map[string]bool{
		"Light and variable winds. Seas 2 ft.": true, "NW winds 10 kt.": true, "SW 10 to 15 kt.": true,
		"Seas 2 ft.": false, "Winds 40+ kt.": false, "W winds 5 kt or more.": false,
	} {
		if got := (Period{Text: text}).WindRead(); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestRecordedWeather reads the weather of the recorded forecasts of coastal waters. Periods
// without any are left out.
func TestRecordedWeather(t *testing.T) {
	coastal := func(name string) bool { return strings.HasPrefix(name, "CWF") }
	texts := recorded(t, "text-products", coastal)
	for _, name := range []string{"NSHGRB_LMZ521_20261002_tgftp.txt", "NSHLOT_20260928_trimmed.txt",
		"OFFNT2_20260818_trimmed.txt"} {
		texts[name] = seen(t, name)
	}
	const blizzard = "definite freezing_spray; 1 nmi; ? Blowing snow; ? Heavy freezing spray"
	want := map[string][]string{
		"CWF_CWF_twoheadline.txt": {"TODAY: " + blizzard, "TONIGHT: " + blizzard, "SAT: " + blizzard,
			"SAT NIGHT: " + blizzard, "SUN: " + blizzard,
			"SUN NIGHT: definite freezing_spray; ? Heavy freezing spray"},
		"NSHGRB_LMZ521_20261002_tgftp.txt": {"SATURDAY NIGHT: ? A Small Craft Advisory may be needed"},
		"OFFNT2_20260818_trimmed.txt":      {"TONIGHT: chance thunderstorms"},
	}
	for name, text := range texts {
		b, err := ParseBulletin(text, received)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range b.Segments {
			for _, p := range s.Periods {
				if weather := periodWeather(p.Text); weather != "" {
					got = append(got, p.Name+": "+weather)
				}
			}
		}
		if !slices.Equal(got, want[name]) {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}
