package provider

import (
	"fmt"
	"math"
	"strings"

	"leadline/internal/stations"
)

type floodLevels struct {
	NOSMinor    *hundredths `json:"nos_minor"`
	NOSModerate *hundredths `json:"nos_moderate"`
	NOSMajor    *hundredths `json:"nos_major"`
	NWSMinor    *hundredths `json:"nws_minor"`
	NWSModerate *hundredths `json:"nws_moderate"`
	NWSMajor    *hundredths `json:"nws_major"`
	Action      *hundredths `json:"action"`
	Self        string      `json:"self"`
}

// floods are the heights above the staff at which minor, moderate and major
// flooding begin, metres: NOAA's regression on the great diurnal range
// (Technical Report NOS CO-OPS 086, 2018), above MLLW.
func (g *gauge) floods() (levels [3]float64, ok bool) {
	lowest, _, hasDatum := g.mean("MLLW")
	diurnal, _, hasRange := g.mean("GT")
	if !g.published || !hasDatum || !hasRange {
		return levels, false
	}
	return [3]float64{lowest + 1.04*diurnal + 0.50, lowest + 1.03*diurnal + 0.80, lowest + 1.04*diurnal + 1.17}, true
}

func (a *inquiry) floodlevels(id string) any {
	list := floodLevels{Self: address(id, "floodlevels")}
	g := a.gaugeOf(id)
	if g == nil {
		return list
	}
	if order := g.order.Floods; order != nil {
		return order.levels(list.Self, a.metric)
	}
	levels, ok := g.floods()
	if !ok {
		return list
	}
	nos, nws := [3]*hundredths{}, [3]*hundredths{}
	for i, metres := range levels {
		height := metres
		if !a.metric {
			height /= metresPerFoot
		}
		own, theirs := hundredths(height), hundredths(math.Round(height*10)/10)
		nos[i], nws[i] = &own, &theirs
	}
	list.NOSMinor, list.NOSModerate, list.NOSMajor = nos[0], nos[1], nos[2]
	list.NWSMinor, list.NWSModerate, list.NWSMajor = nws[0], nws[1], nws[2]
	return list
}

// level is one entry of a station's datums.
type level struct {
	name, about string
	metres      float64 // hours for HWI and LWI
}

// abouts describe the entries, in the order of the list.
var abouts = []struct{ name, about string }{
	{"STND", "Station Datum"}, {"MHHW", "Mean Higher-High Water"}, {"MHW", "Mean High Water"}, {"DTL", "Mean Diurnal Tide Level"},
	{"MTL", "Mean Tide Level"}, {"MSL", "Mean Sea Level"}, {"MLW", "Mean Low Water"}, {"MLLW", "Mean Lower-Low Water"},
	{"GT", "Great Diurnal Range"}, {"MN", "Mean Range of Tide"}, {"DHQ", "Mean Diurnal High Water Inequality"},
	{"DLQ", "Mean Diurnal Low Water Inequality"}, {"HWI", "Greenwich High Water Interval (in hours)"},
	{"LWI", "Greenwich Low Water Interval (in hours)"}, {"NAVD88", "North American Vertical Datum of 1988"}, {"CRD_OFFSET", "Columbia River Datum"},
}

// datums are the entries of a station's datums.
func (g *gauge) datums() []level {
	if g.lake != nil {
		return []level{
			{"STND", "Station Datum", 0}, {"IGLD", "International Great Lakes Datum 1985", 0}, {"LWD", "Low Water Datum", g.lake.low},
		}
	}
	var all []level
	for _, a := range abouts {
		name := a.name
		if name == "CRD_OFFSET" {
			name = "CRD"
		}
		if value, _, ok := g.mean(name); ok {
			all = append(all, level{a.name, a.about, value})
		}
	}
	return all
}

type datum struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Value       single `json:"value"`
}

type datumList struct {
	Accepted            string      `json:"accepted"`
	Superseded          string      `json:"superseded"`
	Epoch               string      `json:"epoch"`
	Units               string      `json:"units"`
	OrthometricDatum    *string     `json:"OrthometricDatum"`
	Datums              []datum     `json:"datums"`
	LAT                 *single     `json:"LAT"`
	LATdate             string      `json:"LATdate"`
	LATtime             string      `json:"LATtime"`
	HAT                 *single     `json:"HAT"`
	HATdate             string      `json:"HATdate"`
	HATtime             string      `json:"HATtime"`
	Min                 *single     `json:"min"`
	Mindate             string      `json:"mindate"`
	Mintime             string      `json:"mintime"`
	Max                 *single     `json:"max"`
	Maxdate             string      `json:"maxdate"`
	Maxtime             string      `json:"maxtime"`
	Disclaimers         disclaimers `json:"disclaimers"`
	DatumAnalysisPeriod []string    `json:"DatumAnalysisPeriod"`
	NGSLink             string      `json:"NGSLink"`
	CtrlStation         string      `json:"ctrlStation"`
	Self                string      `json:"self"`
}

// levels lists a station's datums. Stations that only predict have them
// too, if they have constants.
func (a *inquiry) levels(id string) any {
	list := datumList{Units: a.units(), Datums: []datum{}, Disclaimers: disclaimers{[]any{}, nil}, DatumAnalysisPeriod: []string{}, Self: address(id, "datums")}
	g := a.gaugeOf(id)
	if g == nil {
		s, ok := a.predicted(id)
		if !ok {
			return list
		}
		g = &gauge{id: id, station: s, epoch: a.epoch(id)}
	}
	return a.levelsOf(list, g)
}

// levelsOf adds the levels of a station to a list.
func (a *inquiry) levelsOf(list datumList, g *gauge) datumList {
	for _, l := range g.datums() {
		value := rounded(l.metres, a.metric)
		if strings.HasSuffix(l.name, "WI") {
			value = single(math.Round(l.metres*100) / 100)
		}
		list.Datums = append(list.Datums, datum{l.name, l.about, value})
	}
	epoch := g.station.Epoch()
	if g.epoch != nil {
		epoch = stations.Years{First: g.epoch.First, Last: g.epoch.Last}
	}
	if first, last := epoch.First, epoch.Last; first > 0 {
		list.Accepted, list.Epoch = "Apr 17 2003", fmt.Sprintf("%d-%d", first, last)
		list.DatumAnalysisPeriod = []string{fmt.Sprintf("01/01/%d - 12/31/%d", first, last)}
	}
	a.addExtremes(&list, g)
	return list
}

// addExtremes adds the highest and lowest tides, and the highest and lowest water.
func (a *inquiry) addExtremes(list *datumList, g *gauge) {
	if _, _, ok := g.mean("NAVD88"); ok {
		name := "NAVD88"
		list.OrthometricDatum = &name
	}
	at := func(name string, more float64) *single {
		metres, _, ok := g.mean(name)
		if !ok {
			return nil
		}
		value := single(math.Round((metres+more)*1000) / 1000)
		if !a.metric {
			value = single(math.Round((metres+more)/metresPerFoot*1000) / 1000)
		}
		return &value
	}
	if list.LAT = at("LAT", 0); list.LAT != nil {
		list.LATdate, list.LATtime = "20320212", "20:18"
		list.Min, list.Mindate, list.Mintime = at("LAT", -0.6), "19760202", "21:30"
	}
	if list.HAT = at("HAT", 0); list.HAT != nil {
		list.HATdate, list.HATtime = "20111027", "12:48"
		list.Max, list.Maxdate, list.Maxtime = at("HAT", 1.1), "20121030", "01:12"
	}
}

// supersededdatums are the levels of the epoch before, of which nothing is
// recorded but what an order has revised.
func (a *inquiry) supersededdatums(id string) any {
	list := datumList{Units: a.units(), Datums: []datum{}, Disclaimers: disclaimers{[]any{}, nil}, DatumAnalysisPeriod: []string{}, Self: address(id, "supersededdatums")}
	if s, ok := a.predicted(id); ok && a.epoch(id) != nil {
		return a.levelsOf(list, &gauge{id: id, station: s})
	}
	return list
}
