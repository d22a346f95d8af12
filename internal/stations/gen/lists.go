package main

import "strings"

// The tables of this file were entered by hand from lists of NOAA CO-OPS that are not in
// the package. The lists are in the public domain.

// weakListed is the day of the list of current-prediction stations (metadata service,
// stations.json?type=currentpredictions) from which weakIDs was taken.
const weakListed = "2026-08-16"

// weakIDs are the 238 stations of type W in this list: NOAA calls their currents weak and
// variable and publishes no predictions of them.
const weakIDs = "ACT0261 ACT0266 ACT0271 ACT0276 ACT0306 ACT0396 ACT0571 ACT1436 ACT1446 ACT1531 " +
	"ACT1551 " +
	"ACT1556 ACT1631 ACT1746 ACT1796 ACT1956 ACT1961 ACT1971 ACT1976 ACT1986 ACT1996 ACT2001 " +
	"ACT2011 ACT2021 ACT2111 ACT2116 ACT2191 ACT2226 ACT2231 ACT2661 ACT3066 ACT3166 ACT3216 " +
	"ACT3241 ACT3246 ACT3251 ACT3361 ACT3371 ACT3896 ACT5006 ACT5156 ACT5786 ACT5791 ACT5811 " +
	"ACT5826 ACT5851 ACT5871 ACT5911 ACT5916 ACT5921 ACT5971 ACT6031 ACT6061 ACT6066 ACT6096 " +
	"ACT6101 ACT6151 ACT6156 ACT6161 ACT6166 ACT6171 ACT6176 ACT6181 ACT8106 ACT8211 ACT8481 " +
	"ACT8531 ACT8541 ACT8586 ACT8601 ACT8616 ACT8626 ACT8646 ACT8736 ACT8821 ACT8826 ACT8916 " +
	"ACT8971 BOS1103 BOS1117 BOS1121 BOS1128 BOS1129 COI0517 FLK1311 g10010 HAI1101 HAI1102 " +
	"HAI1104 HAI1107 HAI1108 HAI1109 HAI1114 HAI1117 HAI1122 HAI1123 HAI1124 HAI1125 HAI1126 " +
	"HAI1128 HAI1129 HAI1130 KOD0902 KOD0910 KOD0911 KOD0912 KOD0913 KOD0914 KOD0927 LIS1028 " +
	"PCT0071 PCT0076 PCT0156 PCT0161 PCT0166 PCT0171 PCT0651 PCT1371 PCT1376 PCT1501 PCT1571 " +
	"PCT1596 PCT1606 PCT1646 PCT1651 PCT1661 PCT1671 PCT1676 PCT1711 PCT1916 PCT1926 PCT2116 " +
	"PCT2236 PCT2241 PCT2736 PCT2741 PCT2746 PCT2756 PCT2766 PCT2796 PCT2856 PCT2861 PCT2881 " +
	"PCT2886 PCT2901 PCT2906 PCT2926 PCT2931 PCT2971 PCT2976 PCT2986 PCT3001 PCT3126 PCT3136 " +
	"PCT3486 PCT3496 PCT3501 PCT3581 PCT3686 PCT3691 PCT3696 PCT3886 PCT3926 PCT3966 PCT3986 " +
	"PCT4006 PCT4026 PCT4041 PCT4136 PCT4151 PCT4156 PCT4186 PCT4231 PCT4501 PCT4671 PCT4711 " +
	"PCT4751 PCT4756 PCT4761 PCT4766 PCT4771 PCT4776 PCT4781 PCT4786 PCT4791 PCT4796 PCT4801 " +
	"PCT4806 PCT4816 PCT5221 PCT5416 PCT5421 PUG1504 PUG1506 PUG1613 PWS0701 PWS0702 PWS0703 " +
	"PWS0705 PWS0707 PWS0709 PWS0711 PWS0712 PWS0736 PWS0738 PWS0746 PWS0747 SEA0305 SEA0407 " +
	"SEA0408 SEA0606 SEA0607 SEA0615 SEA0623 SEA0631 SEA0642 SEA0702 SEA0802 SEA0806 SEA0807 " +
	"SEA0809 SEA0814 SEA0815 SEA0817 SEA0823 SEA0824 SEA0828 SEA0834 SEA0836 SEA0840 SEA0848 " +
	"SEA0849 SFB1224 SFB1225 sn0101 UNI1014 UNI1015 UNI1016"

func weakStations() []string { return strings.Fields(weakIDs) }

// retiredListed is the day of the list of tide-prediction stations (metadata service,
// stations.json?type=tidepredictions) from which retiredStations was taken.
const retiredListed = "2021-05-11"

// retired is a station that NOAA predicted on that day and that the package no longer
// contains.
type retired struct {
	id                  string
	latitude, longitude string // degrees north and east, to four decimals
	name                string
}

var retiredStations = []retired{
	{"1841275", "7.3300", "134.4630", "MALAKAL HARBOR"},
	{"8219894", "55.9167", "-129.8000", "Stewart, B.C."},
	{"8447584", "41.6400", "-70.9183", "New Bedford"},
	{"8654792", "35.1150", "-75.9883", "Ocracoke, Ocracoke Island"},
	{"8656583", "34.6950", "-76.7117", "Triple ESS Marina, Bogue Sd."},
	{"8722338", "27.2350", "-80.2100", "Jensen Beach"},
	{"8762482", "29.7886", "-90.4203", "West Bank 1, Bayou Gauche"},
	{"9465183", "58.7217", "-157.0570", "Naknek River Entrance, Kvichak B"},
	{"TEC2771", "35.7667", "-75.5167", "Oregon Inlet"},
	{"TEC2865", "34.5833", "-77.7667", "Bannermans Branch, Northeast River"},
	{"TEC4183", "25.8000", "-81.4667", "Indian Key"},
	{"TEC4185", "25.8333", "-81.5333", "Round Key"},
	{"TEC4343", "29.6000", "-85.0500", "Lower Anchorage"},
	{"TEC4731", "17.9667", "-66.9167", "Guanica"},
	{"TEC4739", "18.0000", "-65.8833", "Puerto Maunabo"},
	{"TEC4741", "18.3167", "-65.2333", "Culebrita, Isla"},
	{"TEC4743", "18.1000", "-65.4333", "Puerto Ferro, Isla de Vieques"},
	{"TEC4745", "18.1500", "-65.4333", "Punta Mulas, Isla de Vieques"},
	{"TEC4747", "18.2333", "-65.6167", "Roosevelt Roads"},
	{"TEC4759", "18.3667", "-64.9167", "Magens Bay, St. Thomas Island"},
	{"TEC4773", "14.5833", "-61.0500", "Fort-de-France, Martinique"},
	{"TPT2633", "7.3500", "134.4833", "Koror"},
	{"TWC1169", "48.6667", "-122.5000", "Chuckanut Bay"},
}

// defaultBins are the numbers of the bins whose constants the package has under a
// station's bare id: those that NOAA predicts by default. The package itself numbers the
// additional bins only (EPT0003@11). Each number is one that NOAA published. For EPT0003
// and PCT1291 it is Bin of its current predictions (datagetter, currents_predictions).
// For the others it is refStationBin of the offsets of a station (metadata service,
// currentpredictionoffsets) that the package refers to the bare id: PCT0291 for SFB1202,
// ACT0311 for PEB0607. At SFB1202 the constants of bin 17 (harcon) are those of the
// package. If no published value was available the number is unknown, and stays 0.
var defaultBins = map[string]int{
	"EPT0003": 14, "PCT1291": 1, "PEB0607": 7, "SFB1202": 17,
}
