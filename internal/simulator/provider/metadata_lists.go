package provider

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
)

// place is what ends the row of every kind of station.
type place struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Lat          any     `json:"lat"`
	Lng          any     `json:"lng"`
	Affiliations string  `json:"affiliations"`
	Portscode    *string `json:"portscode"`
	Products     any     `json:"products"`
	Disclaimers  any     `json:"disclaimers"`
	Notices      any     `json:"notices"`
	Self         *string `json:"self"`
	Expand       *string `json:"expand"`
	TideType     string  `json:"tideType"`
}

// levelRow is a station that measures: the row of most lists.
type levelRow struct {
	Tidal                bool   `json:"tidal"`
	Greatlakes           bool   `json:"greatlakes"`
	Shefcode             string `json:"shefcode"`
	Details              any    `json:"details"`
	Sensors              any    `json:"sensors"`
	Floodlevels          any    `json:"floodlevels"`
	Datums               any    `json:"datums"`
	Supersededdatums     any    `json:"supersededdatums"`
	HarmonicConstituents any    `json:"harmonicConstituents"`
	Benchmarks           any    `json:"benchmarks"`
	TidePredOffsets      any    `json:"tidePredOffsets"`
	OfsMapOffsets        any    `json:"ofsMapOffsets"`
	State                string `json:"state"`
	Timezone             string `json:"timezone"`
	Timezonecorr         int    `json:"timezonecorr"`
	Observedst           bool   `json:"observedst"`
	Stormsurge           bool   `json:"stormsurge"`
	Nearby               any    `json:"nearby"`
	Forecast             bool   `json:"forecast"`
	Outlook              bool   `json:"outlook"`
	HTFhistorical        bool   `json:"HTFhistorical"`
	HTFmonthly           bool   `json:"HTFmonthly"`
	NonNavigational      bool   `json:"nonNavigational"`
	place
}

// tideRow is a station of tide predictions.
type tideRow struct {
	State           string `json:"state"`
	Tidepredoffsets any    `json:"tidepredoffsets"`
	Type            string `json:"type"` // R or S
	Timemeridian    *int   `json:"timemeridian"`
	ReferenceID     string `json:"reference_id"`
	Timezonecorr    int    `json:"timezonecorr"`
	place
}

// currentRow is one bin of a station of current predictions.
type currentRow struct {
	Currentpredictionoffsets any     `json:"currentpredictionoffsets"`
	Currbin                  int     `json:"currbin"`
	Type                     string  `json:"type"` // H, S or W
	Depth                    *double `json:"depth"`
	DepthType                *string `json:"depthType"`
	TimezoneOffset           string  `json:"timezone_offset"`
	HarmonicConstituents     any     `json:"harmonicConstituents"`
	place
}

// meterRow is a station that measures currents.
type meterRow struct {
	Project              string  `json:"project"`
	Deployed             string  `json:"deployed"`
	Retrieved            string  `json:"retrieved"`
	TimezoneOffset       string  `json:"timezone_offset"`
	Observedst           bool    `json:"observedst"`
	ProjectType          string  `json:"project_type"`
	Noaachart            string  `json:"noaachart"`
	Deployments          any     `json:"deployments"`
	Bins                 any     `json:"bins"`
	HarmonicConstituents any     `json:"harmonicConstituents"`
	HeightFromBottom     *double `json:"height_from_bottom"`
	CenterBin1Dist       *double `json:"center_bin_1_dist"`
	place
}

// list is the list of one type; an unknown type has an empty one.
func (a *inquiry) list(kind string) []any {
	rows := []any{}
	switch kind {
	case "tidepredictions":
		for _, s := range a.stations.All(stations.Tide) {
			if s.Subordinate() || s.HasConstants() {
				rows = append(rows, a.tideRow(s))
			}
		}
	case "currentpredictions":
		for _, s := range a.stations.All(stations.Current) {
			if _, number := s.Bin(); number == 0 {
				rows = append(rows, a.currentRows(s)...)
			}
		}
		for _, w := range weak {
			rows = append(rows, w.row(a))
		}
	case "currents", "historiccurrents", "surveycurrents":
		for _, m := range meters {
			rows = append(rows, a.meterRow(m))
		}
	default:
		for _, g := range a.measuring() {
			if g.listed(kind) {
				rows = append(rows, a.levelRow(g))
			}
		}
	}
	return rows
}

// listed reports whether the gauge stands in the list of a type.
func (g *gauge) listed(kind string) bool {
	switch kind {
	case "", "waterlevels", "historicwl", "1minute", "benchmarks", "supersededbenchmarks":
		return g.level
	case "met":
		return g.weather
	case "waterlevelsandmet":
		return g.level && g.weather
	case "harcon":
		return g.tidal
	case "datums", "supersededdatums":
		return g.level
	case "highwater", "lowwater":
		return g.published
	case "watertemp":
		return g.offers("water_temperature")
	case "physocean":
		return g.offers("water_temperature") || g.offers("conductivity")
	case "cond":
		return g.offers("conductivity")
	case "airgap":
		return g.offers("air_gap")
	case "visibility":
		return g.offers("visibility")
	}
	return false
}

// rows are the rows of one station: measuring comes before predicting. A
// current station has a row for each bin.
func (a *inquiry) rows(id string) []any {
	if g := a.gaugeOf(id); g != nil {
		return []any{a.levelRow(g)}
	}
	if m, ok := meterOf(id); ok {
		return []any{a.meterRow(m)}
	}
	for _, w := range weak {
		if w.id == id {
			return []any{w.row(a)}
		}
	}
	s, ok := a.predicted(id)
	switch {
	case !ok:
		return nil
	case s.Kind == stations.Tide:
		return []any{a.tideRow(s)}
	}
	return a.currentRows(s)
}

// address is that of a part of a station.
func address(id, part string) string {
	return site + Metadata + "stations/" + id + "/" + part + ".json"
}

// part is a part of a station: whole if the request expands it, else a link.
func (a *inquiry) part(id, name string) any {
	if slices.Contains(a.expand, name) {
		return partOf(name)(a, id)
	}
	return link{address(id, name)}
}

const allParts = "details,sensors,floodlevels,datums,harcon,tidepredoffsets,ofsmapoffsets,products,disclaimers,notices"

func (a *inquiry) levelRow(g *gauge) levelRow {
	part := func(name string) any { return a.part(g.id, name) }
	self, expand, ports := site+Metadata+"stations/"+g.id+".json", allParts, ""
	row := levelRow{
		Tidal: g.tidal, Greatlakes: g.lake != nil, Shefcode: g.shef(),
		Details: part("details"), Sensors: part("sensors"), Floodlevels: part("floodlevels"),
		Datums: part("datums"), Supersededdatums: part("supersededdatums"), HarmonicConstituents: part("harcon"),
		Benchmarks: part("benchmarks"), TidePredOffsets: part("tidepredoffsets"), OfsMapOffsets: part("ofsmapoffsets"),
		State: g.state, Timezone: abbreviation(g.offset), Timezonecorr: g.hours(), Observedst: g.saves(),
		Nearby:   part("nearby"),
		Forecast: g.published, Outlook: g.published, HTFhistorical: g.published, HTFmonthly: g.published,
	}
	row.place = place{
		ID: g.id, Name: g.name, Lat: single(g.latitude), Lng: single(g.longitude),
		Affiliations: "NWLON", Portscode: &ports,
		Products: part("products"), Disclaimers: part("disclaimers"), Notices: part("notices"),
		Self: &self, Expand: &expand, TideType: g.tideType(),
	}
	return row
}

// shef is a code for the gauge in the form of the real ones: four characters and the state's.
func (g *gauge) shef() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	code := make([]byte, 0, 5)
	for i := range 3 {
		code = append(code, letters[g.seed>>(8*i)%26])
	}
	return string(append(code, strings.ToUpper(g.state + "X")[0], '0'+byte(g.seed%10)))
}

// tideType calls the tide as the lists do, which know no semidiurnal one: by
// the ratio of the two greatest diurnal constituents to the semidiurnal.
func (g *gauge) tideType() string {
	if g.lake != nil {
		return "Great Lakes"
	}
	amplitude := map[int]float64{}
	for _, h := range g.station.Harmonics() {
		amplitude[h.Constituent] = h.Amplitude
	}
	diurnal, semidiurnal := amplitude[3]+amplitude[5], amplitude[0]+amplitude[1] // K1, O1, M2, S2
	switch {
	case semidiurnal == 0 && diurnal == 0:
		return ""
	case diurnal > 3*semidiurnal:
		return "Diurnal"
	case diurnal > 1.5*semidiurnal:
		return "Mixed Diurnal"
	}
	return "Mixed"
}

// abbreviation names standard time.
func abbreviation(offset time.Duration) string {
	names := map[time.Duration]string{-4: "AST", -5: "EST", -6: "CST", -8: "PST", -9: "AKST", -10: "HAST", -11: "SST", 10: "ChST", 12: "NZST"}
	return names[offset/time.Hour]
}

// predictionPlace is the end of a row of predictions, which has no parts but its first.
func predictionPlace(id, name string, latitude, longitude float64) place {
	ports := ""
	return place{ID: id, Name: name, Lat: double(latitude), Lng: double(longitude), Portscode: &ports}
}

func (a *inquiry) tideRow(s stations.Station) tideRow {
	here := a.zones[s.Zone]
	meridian := here.meridian()
	row := tideRow{State: s.State, Tidepredoffsets: a.part(s.ID, "tidepredoffsets"), Type: "R", Timemeridian: &meridian, Timezonecorr: here.hours()}
	row.place = predictionPlace(s.ID, s.Name, s.Latitude, s.Longitude)
	if s.Subordinate() {
		row.Type, row.ReferenceID = "S", s.Reference
	} else if hash(s.ID)%5 == 0 {
		row.ReferenceID = s.ID // as some reference stations do: the type decides, not this
	}
	return row
}

// currentRows is one row for each bin of a station, its own bin first.
func (a *inquiry) currentRows(s stations.Station) []any {
	var rows []any
	for _, b := range a.bins(s) {
		rows = append(rows, a.currentRow(s, b))
	}
	return rows
}

func (a *inquiry) currentRow(s stations.Station, b bin) currentRow {
	id := s.ID + "_" + strconv.Itoa(b.number)
	row := currentRow{
		Currentpredictionoffsets: a.part(id, "currentpredictionoffsets"),
		Currbin:                  b.number, Type: "H",
		TimezoneOffset:       strconv.Itoa(a.zones[s.Zone].hours()),
		HarmonicConstituents: a.part(s.ID, "harcon"),
		place:                predictionPlace(s.ID, s.Name, s.Latitude, s.Longitude),
	}
	if s.Subordinate() {
		row.Type = "S"
	}
	if b.feet > 0 {
		depth, kind := double(b.feet), "U"
		if a.metric {
			depth = double(rounded(b.feet*metresPerFoot, true))
		}
		row.Depth, row.DepthType = &depth, &kind
	}
	return row
}

func (w weakStation) row(a *inquiry) currentRow {
	return currentRow{
		Currentpredictionoffsets: a.part(w.id+"_1", "currentpredictionoffsets"),
		Currbin:                  1, Type: "W", TimezoneOffset: "-5",
		HarmonicConstituents: a.part(w.id, "harcon"),
		place:                predictionPlace(w.id, w.name, w.latitude, w.longitude),
	}
}

func (a *inquiry) meterRow(m meter) meterRow {
	here := a.zones[m.zone]
	self, expand, ports, distance := site+Metadata+"stations/"+m.id+".json", "deployments,bins,harcon", "", double(4)
	row := meterRow{
		Project: "PORTS", Deployed: "2005-06-01 00:00:00.0", TimezoneOffset: strconv.Itoa(here.hours()), Observedst: here.saves(), ProjectType: "PORTS",
		Deployments: a.part(m.id, "deployments"), Bins: a.part(m.id, "bins"), HarmonicConstituents: a.part(m.id, "harcon"),
		CenterBin1Dist: &distance,
	}
	row.place = place{
		ID: m.id, Name: m.name, Lat: double(m.latitude), Lng: double(m.longitude), Affiliations: "PORTS", Portscode: &ports,
		Products: a.part(m.id, "products"), Disclaimers: a.part(m.id, "disclaimers"), Notices: a.part(m.id, "notices"),
		Self: &self, Expand: &expand,
	}
	return row
}
