package main

import "strings"

// override has the zone of stations, and the reason.
type override struct {
	zone   string
	reason string
	ids    string // separated by blanks
}

// overrides correct the civil zone that the package's geocoder gives to a position: it puts some
// stations on the wrong side of a border, and gives platforms and islands far out the nautical zone
// of the longitude, or that of a position that NOAA's list has wrong.
var overrides = []override{
	{"America/New_York", "at sea off the Atlantic coast and the Florida Keys: a zone without " +
		"daylight saving (Isaac Shoal: an hour off its neighbors)",
		"8447436 TEC3011 BOS1131 BOS1132 BOS1135 FLK1317 ACT8291"},
	{"America/Chicago", "platforms off Texas and Louisiana: a zone without daylight saving",
		"8771050 8771074"},
	{"America/Sitka", "currents in Alaska (the package's own region) that the geocoder puts over " +
		"the water border, or out at sea: Alaska time as on the shore that they are named for",
		"PCT2621 PCT2626 PCT2646 PCT2651 PCT2661 PCT2666 PCT2671 PCT2691 PCT2696 PCT2701 PCT2706 " +
			"PCT2716 SEA0708"},
	{"America/Adak", "Attu; the sign of NOAA's longitude is reversed", "TWC2321"},
	{"Pacific/Honolulu", "Howland and Palmyra have no civil zone; NOAA UTC-10", "TPT2737 TPT2739"},
	{"Pacific/Niue", "the sign of NOAA's longitude is reversed; NOAA UTC-11, as Niue keeps it",
		"TPT2891"},
	{"Pacific/Fiji", "the sign of NOAA's longitude is reversed; NOAA UTC+12, as Fiji keeps it",
		"TPT2871"},
	{"Pacific/Tongatapu", "Tonga; NOAA's longitudes are wrong", "TPT2893 TPT2897"},
	{"America/Guayaquil", "San Lorenzo is in Ecuador; the sign of NOAA's longitude is reversed",
		"TWC0279"},
	{"America/Tijuana", "Isla Guadalupe belongs to Baja California", "TWC0401"},
	{"America/Costa_Rica", "Cocos Island is Costa Rican", "TWC0353"},
}

// tables has the zones of NOAA's tables where their standard time is not that of the civil zone of
// the place. Offsets are those of the list of tide predictions of the metadata service
// (timezonecorr, 2021-05-11). An Etc/GMT zone (its sign is reversed: Etc/GMT+11 is eleven hours
// behind) is used if no civil zone of the region has that offset.
var tables = []override{
	{"America/Chicago", "Apalachicola to Cape San Blas: the whole bay system on Central time, " +
		"though the line runs through it; the last four are no longer listed with an offset and follow " +
		"their neighbors within 10 km",
		"8728408 8728486 8728669 8728694 8728786 8728912 8728957 8728958 8728593 8728852 8728886 " +
			"8728978"},
	{"America/Anchorage", "Islands of Four Mountains: UTC-9",
		"9462144 9462161 9462239 TWC2223 TWC2229"},
	{"America/Adak", "Nikolski, Rootok and Chowiet Islands: UTC-10", "9462450 9462723 9458519"},
	{"Etc/GMT+11", "western Alaska: UTC-11, the Bering time of before 1983",
		"9468151 9469237 9469338"},
	{"America/Sitka", "British Columbia on the border of Alaska: UTC-9",
		"8218361 8218362 8218447 8218617"},
	{"Etc/GMT+11", "South Pacific: UTC-11 for all of Samoa, Tokelau, Tonga, the Cook Islands, " +
		"French Polynesia, Kermadec, Kanton, Caroline and Easter Islands, across the date line or not",
		"1778000 TPT2859 TPT2857 TPT2855 TPT2821 TPT2823 TPT2825 TPT2827 TPT2829 TPT2851 TPT2853 " +
			"TPT2831 TPT2833 TPT2835 " +
			"TPT2837 TPT2839 TPT2847 TPT2849 TPT2895 TPT2897 TPT2899 TPT2893 TPT2905 TPT2819"},
	{"Pacific/Honolulu", "Line Islands: UTC-10", "1814060 TPT2743"},
	{"Etc/GMT+8", "Baja California Sur: UTC-8; Magdalena Bay's currents have no offset and follow " +
		"San Carlos inside the same bay", "TWC0399 PCT0016"},
	{"Etc/GMT+6", "Jamaica, Grand Cayman, the south coast of Hispaniola: UTC-6",
		"TEC4695 TEC4697 TEC4701 TEC4703 TEC4705 TEC4707 TEC4723 TEC4727"},
	{"Etc/GMT+5", "Dominica, St. Lucia: UTC-5", "TEC4771 TEC4775 TEC4777"},
	{"Etc/GMT+4", "the south coast of Cuba, the north coast of Haiti: UTC-4",
		"TEC4667 TEC4669 TEC4671 TEC4673 TEC4675 TEC4677 TEC4679 TEC4681 TEC4683 TEC4685 TEC4709 " +
			"TEC4711"},
}

// zones maps ids to the zones of a table.
func zones(of []override) map[string]string {
	m := map[string]string{}
	for _, o := range of {
		for _, id := range strings.Fields(o.ids) {
			m[id] = o.zone
		}
	}
	return m
}

// zoneStates maps the geocoded zones that lie entirely in one state or territory to it.
// They give the state if the package has no region (Alaska's outer islands, stations at
// sea, all territories).
var zoneStates = map[string]string{
	"America/Adak":        "AK",
	"America/Anchorage":   "AK",
	"America/Juneau":      "AK",
	"America/Metlakatla":  "AK",
	"America/Nome":        "AK",
	"America/Sitka":       "AK",
	"America/Yakutat":     "AK",
	"America/Puerto_Rico": "PR",
	"America/St_Thomas":   "VI",
	"Pacific/Guam":        "GU",
	"Pacific/Saipan":      "MP",
	"Pacific/Pago_Pago":   "AS",
}

// states corrects single stations whose geocoded region contradicts NOAA's own name.
var states = map[string]string{
	"8578931": "MD", // "Clifton Beach, Smith Point, Md.", on the Maryland shore of the Potomac
	"TWC0895": "WA", // "Harrington Point, Wash.", on the other shore of the Columbia
	"TWC2321": "AK", // "Etienne Bay", Attu, which NOAA's longitude puts into the Pacific
}

// state returns the two letters of the state or territory, empty elsewhere. The package's
// region decides, then the geocoded (not the corrected) zone.
func (r row) state() string {
	if s, ok := states[r.id()]; ok {
		return s
	}
	if s, ok := strings.CutPrefix(r.Region, "US-"); ok {
		return s
	}
	if r.Region != "" {
		return ""
	}
	return zoneStates[r.Timezone]
}
