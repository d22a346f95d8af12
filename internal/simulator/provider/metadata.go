package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
)

// tideRow is a station of tide predictions.
type tideRow struct {
	State           string `json:"state"`
	Tidepredoffsets any    `json:"tidepredoffsets"`
	Type            string `json:"type"` // R or S
	Timemeridian    *int   `json:"timemeridian"`
	ReferenceID     string `json:"reference_id"`
	Timezonecorr    int    `json:"timezonecorr"`
	rowEnd
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
	rowEnd
}

// stationRows are the rows of lists.
type stationRows struct{ *document }

// serveMetadata serves the metadata service.
func (c *coopsService) serveMetadata(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	d := &document{c, v.Get("units") == "metric", v.Get("bin"), strings.Split(v.Get("expand"), ",")}
	rows := stationRows{d}
	path, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, Metadata), ".json")
	steps := strings.Split(path, "/")
	last := steps[len(steps)-1]
	switch {
	case ok && path == "stations":
		writeStations(w, rows.list(v.Get("type")))
		return
	case ok && len(steps) == 2 && steps[0] == "stations":
		if found := rows.rowsOf(last); len(found) > 0 {
			writeStations(w, found)
			return
		}
	case ok && last == "currentpredictionoffsets" && !strings.Contains(steps[1], "_"):
		last = steps[1] // this part alone belongs to a bin
	case ok && len(steps) == 3 && steps[0] == "stations" && documents()[last] != nil:
		writeJSON(w, documents()[last](d, steps[1]))
		return
	}
	writeNoStation(w, last)
}

// writeStations writes a list, or a single station.
func writeStations(w http.ResponseWriter, stations []any) {
	writeJSON(w, struct {
		Count    int     `json:"count"`
		Units    *string `json:"units"`
		Stations []any   `json:"stations"`
		Self     *string `json:"self"`
	}{len(stations), nil, stations, nil})
}

// list is the list of one type; an unknown type has an empty one.
func (r stationRows) list(kind string) []any {
	rows := []any{}
	switch kind {
	case "tidepredictions":
		for _, s := range r.stations.All(stations.Tide) {
			if s.Subordinate() || s.HasConstants() {
				rows = append(rows, r.tideRow(s))
			}
		}
	case "currentpredictions":
		for _, s := range r.stations.All(stations.Current) {
			if _, number := s.Bin(); number == 0 {
				rows = append(rows, r.currentRows(s)...)
			}
		}
		for _, w := range weakStations {
			rows = append(rows, r.weakRow(w))
		}
	case "currents", "historiccurrents", "surveycurrents":
		for _, m := range currentMeters {
			rows = append(rows, r.meterRow(m))
		}
	default:
		for _, g := range r.measuring() {
			if g.listed(kind) {
				rows = append(rows, r.levelRow(g))
			}
		}
	}
	return rows
}

// listed reports whether the gauge is in the list of a type.
func (g *gauge) listed(kind string) bool {
	switch kind {
	case "", "waterlevels", "historicwl", "1minute", "benchmarks", "supersededbenchmarks",
		"datums", "supersededdatums":
		return g.level
	case "met":
		return g.weather
	case "waterlevelsandmet":
		return g.level && g.weather
	case "harcon":
		return g.tidal
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

// rowsOf are the rows of one station: measuring comes before predicting. A
// current station has a row for each bin.
func (r stationRows) rowsOf(id string) []any {
	if g := r.gaugeOf(id); g != nil {
		return []any{r.levelRow(g)}
	}
	if m, ok := meterOf(id); ok {
		return []any{r.meterRow(m)}
	}
	if w, ok := weakOf(id); ok {
		return []any{r.weakRow(w)}
	}
	s, ok := r.predictedStation(id)
	switch {
	case !ok:
		return nil
	case s.Kind == stations.Tide:
		return []any{r.tideRow(s)}
	}
	return r.currentRows(s)
}

// partsOf returns what a row needs: each part of a station by name.
func (r stationRows) partsOf(id string) func(name string) any {
	all := documents()
	return func(name string) any { return r.part(id, name, all[name]) }
}

// measuredEnd ends the row of a station that measures.
func measuredEnd(id, name string, latitude, longitude any, affiliation, parts, tide string, part func(string) any) object {
	return object{
		{"id", id}, {"name", name}, {"lat", latitude}, {"lng", longitude}, {"affiliations", affiliation},
		{"portscode", ""}, {"products", part("products")}, {"disclaimers", part("disclaimers")},
		{"notices", part("notices")}, {"self", stationURL(id)}, {"expand", parts}, {"tideType", tide},
	}
}

// levelRow is a station that measures: the row of most lists.
func (r stationRows) levelRow(g *gauge) object {
	const parts = "details,sensors,floodlevels,datums,harcon,tidepredoffsets,ofsmapoffsets,products," +
		"disclaimers,notices"
	part, hours := r.partsOf(g.id), g.utcHours()
	return append(object{
		{"tidal", g.tidal}, {"greatlakes", g.lake != nil}, {"shefcode", g.shef()}, {"details", part("details")},
		{"sensors", part("sensors")}, {"floodlevels", part("floodlevels")}, {"datums", part("datums")},
		{"supersededdatums", part("supersededdatums")}, {"harmonicConstituents", part("harcon")},
		{"benchmarks", part("benchmarks")}, {"tidePredOffsets", part("tidepredoffsets")},
		{"ofsMapOffsets", part("ofsmapoffsets")}, {"state", g.state}, {"timezone", zoneAbbreviations[hours]},
		{"timezonecorr", hours}, {"observedst", g.saves()}, {"stormsurge", false}, {"nearby", part("nearby")},
		{"forecast", g.published}, {"outlook", g.published}, {"HTFhistorical", g.published},
		{"HTFmonthly", g.published}, {"nonNavigational", false},
	}, measuredEnd(g.id, g.name, single(g.latitude), single(g.longitude), "NWLON", parts, g.tideType(), part)...)
}

// shef is a code for the gauge in the form of the real ones: letters and a digit.
func (g *gauge) shef() string {
	code := make([]byte, 0, 5)
	for i := range 3 {
		code = append(code, 'A'+byte(g.seed>>(8*i)%26))
	}
	return string(append(code, strings.ToUpper(g.state + "X")[0], '0'+byte(g.seed%10)))
}

// tideType is the type of the tide in the lists, where no tide is semidiurnal: by
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

// zoneAbbreviations name standard times by their hours from UTC.
var zoneAbbreviations = map[int]string{
	-4: "AST", -5: "EST", -6: "CST", -8: "PST", -9: "AKST", -10: "HAST", -11: "SST", 10: "ChST", 12: "NZST",
}

func (r stationRows) tideRow(s stations.Station) tideRow {
	here := r.zones[s.Zone]
	row := tideRow{
		State: s.State, Tidepredoffsets: r.part(s.ID, "tidepredoffsets", (*document).tidepredoffsets),
		Type:         "R",
		Timemeridian: new(here.meridian()), Timezonecorr: here.utcHours(),
		rowEnd: endOf(s.ID, s.Name, double(s.Latitude), double(s.Longitude)),
	}
	if s.Subordinate() {
		row.Type, row.ReferenceID = "S", s.Reference
	} else if hash(s.ID)%5 == 0 {
		row.ReferenceID = s.ID // as of some reference stations: the type decides, not this
	}
	return row
}

// currentRows is one row for each bin of a station, its own bin first.
func (r stationRows) currentRows(s stations.Station) []any {
	var rows []any
	for _, b := range r.bins(s) {
		row := r.currentRow("H", s.ID, b.number, r.zones[s.Zone].offset)
		row.rowEnd = endOf(s.ID, s.Name, double(s.Latitude), double(s.Longitude))
		if s.Subordinate() {
			row.Type = "S"
		}
		if b.feet > 0 {
			row.Depth, row.DepthType = new(double(b.feet)), new("U")
			if r.metric {
				row.Depth = new(double(r.rounded(b.feet * metresPerFoot)))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func (r stationRows) weakRow(w weakStation) currentRow {
	row := r.currentRow("W", w.id, 1, -5*time.Hour)
	row.rowEnd = endOf(w.id, w.name, double(w.latitude), double(w.longitude))
	return row
}

func (r stationRows) currentRow(kind, id string, bin int, offset time.Duration) currentRow {
	return currentRow{
		Currentpredictionoffsets: r.part(id+"_"+strconv.Itoa(bin), "currentpredictionoffsets", (*document).currentpredictionoffsets),
		Currbin:                  bin, Type: kind, TimezoneOffset: strconv.Itoa(int(offset / time.Hour)),
		HarmonicConstituents: r.part(id, "harcon", (*document).harcon),
	}
}

// meterRow is a station that measures currents.
func (r stationRows) meterRow(m meter) object {
	here, part := r.zones[m.zone], r.partsOf(m.id)
	return append(object{
		{"project", "PORTS"}, {"deployed", "2005-06-01 00:00:00.0"}, {"retrieved", ""},
		{"timezone_offset", strconv.Itoa(here.utcHours())}, {"observedst", here.saves()}, {"project_type", "PORTS"},
		{"noaachart", ""}, {"deployments", part("deployments")}, {"bins", part("bins")},
		{"harmonicConstituents", part("harcon")}, {"height_from_bottom", nil}, {"center_bin_1_dist", double(4)},
	}, measuredEnd(m.id, m.name, double(m.latitude), double(m.longitude), "PORTS", "deployments,bins,harcon", "", part)...)
}
