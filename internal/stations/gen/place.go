package main

import (
	"fmt"
	"math"
	"strings"
)

// move corrects the position of a station that NOAA's list has elsewhere than where its name
// lies. The position keeps the digits of NOAA's if only a sign is wrong.
type move struct {
	id                  string
	latitude, longitude float64
	reason              string
}

// Positions of towns are those of GeoNames (geonames.org), positions of other tide gauges those
// of the University of Hawaii Sea Level Center (uhslc.soest.hawaii.edu), in degrees.
var moves = []move{
	{"6835001", -6.117, 106.85, "Djakarta: NOAA's latitude, 2.2 S, is off Sumatra; the gauge 161, " +
		"Jakarta, of the Sea Level Center is at 6.117 S, 106.850 E"},
	{"TPT2869", -17.633333, 178.566667, "Tailevu, Viti Levu: the sign of the longitude is reversed; " +
		"Viti Levu lies from 177.2 to 178.7 E"},
	{"TPT2871", -17.75, 177.416667, "Nandi Waters, Viti Levu: the sign of the longitude is " +
		"reversed; the town Nadi is at 17.803 S, 177.416 E"},
	{"TPT2891", -19.033333, -169.916667, "Niue Island: the sign of the longitude is reversed; the " +
		"gauge 598, Alofi, of the Sea Level Center is at 19.033 S, 169.917 W"},
	{"TPT2893", -18.65, -173.983333, "Neiafu, Vavau: NOAA's longitude, 6.017 E, is 180 degrees off; " +
		"the town is at 18.651 S, 173.984 W"},
	{"TPT2897", -20.266667, -174.79, "Nomuka: the sign of the longitude is reversed; the islands of " +
		"Haapai, to which it belongs, lie from 174.2 to 175.1 W"},
	{"TWC0279", 1.25, -78.833, "San Lorenzo: the sign of the longitude is reversed; it is the last " +
		"port of Ecuador before Tumaco, Colombia, at 1.80 N, 78.76 W"},
	{"TWC0365", 13.48833, -89.32222, "La Libertad: NOAA's position is that of La Union (9640507), " +
		"164 km east; its offsets are those of the open coast, as at Acajutla. The town is at " +
		"13.488 N, 89.322 W"},
	{"TWC2321", 52.916667, 172.616667, "Etienne Bay, Attu: the sign of the longitude is reversed; " +
		"Attu lies from 172.4 to 173.5 E"},
}

// abroad corrects the country of stations, where the package's geocoder leaves the country of
// NOAA, the United States, to islands that are on no land of its map, or takes a neighbor's.
var abroad = []struct {
	country string // ISO 3166-1
	ids     string
	reason  string
}{
	{"BS", "TEC4609 TEC4611", "Guinchos Cay and Cay Sal Bank are Bahamian"},
	{"CA", "PCT2576 PCT2586 PCT2591 PCT2601", "channels of British Columbia"},
	{"CK", "TPT2823 TPT2825 TPT2827 TPT2829 TPT2851", "islands of the Cook Islands"},
	{"CR", "TWC0353", "Cocos Island is Costa Rican"},
	{"EC", "TWC0279 TWC0293", "San Lorenzo and Genovesa, Galapagos"},
	{"FJ", "TPT2871 TPT2875 TPT2877", "Nandi Waters, Matuku and Totoya"},
	{"HN", "TEC5661", "the Swan Islands are Honduran by the treaty of 1971"},
	{"HT", "TEC4711", "Riviere du Massacre is the border; NOAA lists its entrance with Haiti"},
	{"KI", "TPT2735 TPT2821 TPT2855", "Ocean Island (Banaba), Caroline and Canton"},
	{"MH", "TPT2687 TPT2689 TPT2707 TPT2709", "Bikini, Taongi and Bikar"},
	{"MX", "PCT0016 TWC0383 TWC0401", "Magdalena Bay, Socorro and Guadalupe"},
	{"NU", "TPT2891", "Niue; the reversed longitude is in Vanuatu"},
	{"NZ", "TPT2905", "Raoul Island, Kermadec"},
	{"PF", "TPT2847", "Rapa, Austral Islands"},
	{"TO", "TPT2893 TPT2897", "Neiafu and Nomuka"},
}

// correct moves rows to their corrected positions and countries. The package must have the rows,
// and must not have a correction itself.
func correct(rows []row) error {
	numbers := map[string]int{}
	for i, r := range rows {
		numbers[r.id()] = i
	}
	for _, m := range moves {
		i, ok := numbers[m.id]
		if !ok || math.Hypot(rows[i].Latitude-m.latitude, rows[i].Longitude-m.longitude) < 0.5 {
			return fmt.Errorf("%s needs no correction of its position", m.id)
		}
		rows[i].Latitude, rows[i].Longitude = m.latitude, m.longitude
	}
	for _, a := range abroad {
		for id := range strings.FieldsSeq(a.ids) {
			i, ok := numbers[id]
			if !ok || rows[i].CountryCode == a.country {
				return fmt.Errorf("%s needs no correction of its country", id)
			}
			rows[i].CountryCode = a.country
		}
	}
	return nil
}

// country returns the country of a station abroad, and "" for the United States.
func (r row) country() string {
	if r.state() != "" || r.CountryCode == "US" {
		return ""
	}
	return r.CountryCode
}
