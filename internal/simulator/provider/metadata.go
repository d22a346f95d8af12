package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
)

// serveMetadata serves the metadata service: lists of stations, rows of one station, and documents.
// Rows and documents have the members that clients read.
func (c *coopsService) serveMetadata(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	d := &document{c, v.Get("units") == "metric", v.Get("bin")}
	path, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, Metadata), ".json")
	steps := strings.Split(path, "/")
	last := steps[len(steps)-1]
	switch {
	case ok && path == "stations":
		writeStations(w, d.list(v.Get("type")))
		return
	case ok && len(steps) == 2 && steps[0] == "stations":
		if found := d.rowsOf(last); len(found) > 0 {
			writeStations(w, found)
			return
		}
	case ok && last == "currentpredictionoffsets" && !strings.Contains(steps[1], "_"):
		last = steps[1] // only bins have this document
	case ok && len(steps) == 3 && steps[0] == "stations" && documents()[last] != nil:
		writeJSON(w, documents()[last](d, steps[1]))
		return
	}
	writeNoStation(w, last)
}

// writeStations writes a list, or a single station.
func writeStations(w http.ResponseWriter, stations []object) {
	writeJSON(w, object{{"count", len(stations)}, {"stations", stations}})
}

// list returns the list of one type. An unknown type has an empty list.
func (d *document) list(kind string) []object {
	rows := []object{}
	switch kind {
	case "currentpredictions":
		for _, s := range d.stations.All(stations.Current) {
			if _, number := s.Bin(); number == 0 {
				rows = append(rows, d.currentRows(s)...)
			}
		}
		for _, w := range weakStations {
			rows = append(rows, weakRow(w))
		}
	case "currents", "historiccurrents", "surveycurrents":
		for _, m := range currentMeters {
			rows = append(rows, d.meterRow(m))
		}
	default:
		for _, g := range d.measuring() {
			if g.listed(kind) {
				rows = append(rows, levelRow(g))
			}
		}
	}
	return rows
}

// listed reports whether the gauge is in the list of a type.
func (g *gauge) listed(kind string) bool {
	switch kind {
	case "", "waterlevels", "historicwl", "1minute", "benchmarks", "supersededdatums":
		return g.level
	case "met":
		return g.weather
	case "waterlevelsandmet":
		return g.level && g.weather
	case "highwater", "lowwater":
		return g.published
	case "physocean":
		return g.offers("water_temperature") || g.offers("conductivity")
	}
	product := map[string]string{
		"watertemp": "water_temperature", "cond": "conductivity", "airgap": "air_gap",
		"visibility": "visibility",
	}[kind]
	return product != "" && g.offers(product)
}

// rowsOf returns the rows of one station: measuring comes before predicting. A current station has
// a row for each bin.
func (d *document) rowsOf(id string) []object {
	if g := d.gaugeOf(id); g != nil {
		return []object{levelRow(g)}
	}
	if m, ok := meterOf(id); ok {
		return []object{d.meterRow(m)}
	}
	if w, ok := weakOf(id); ok {
		return []object{weakRow(w)}
	}
	s, ok := d.predictedStation(id)
	switch {
	case !ok:
		return nil
	case s.Kind == stations.Tide:
		return []object{d.tideRow(s)}
	}
	return d.currentRows(s)
}

// place returns the members of every row.
func place(id, name string, latitude, longitude any) object {
	return object{{"id", id}, {"name", name}, {"lat", latitude}, {"lng", longitude}}
}

// levelRow returns the row of a station that measures.
func levelRow(g *gauge) object {
	return append(object{
		{"tidal", g.tidal},
		{"greatlakes", g.lake != nil},
		{"state", g.state},
		{"timezonecorr", g.utcHours()},
		{"observedst", g.saves()},
	}, place(g.id, g.name, single(g.latitude), single(g.longitude))...)
}

// tideRow returns the row of a station of tide predictions.
func (d *document) tideRow(s stations.Station) object {
	kind := "R"
	if s.Subordinate() {
		kind = "S"
	}
	return append(object{
		{"state", s.State},
		{"type", kind},
		{"reference_id", s.Reference},
		{"timezonecorr", d.zones[s.Zone].utcHours()},
	}, place(s.ID, s.Name, double(s.Latitude), double(s.Longitude))...)
}

// currentRows returns one row for each bin of a station, its own bin first.
func (d *document) currentRows(s stations.Station) []object {
	kind := "H"
	if s.Subordinate() {
		kind = "S"
	}
	var rows []object
	for _, b := range d.bins(s) {
		var depth, depthType any
		if b.feet > 0 {
			depth, depthType = d.rounded(b.feet*metersPerFoot), "U"
		}
		rows = append(rows, append(object{
			{"currbin", b.number},
			{"type", kind},
			{"depth", depth},
			{"depthType", depthType},
			{"timezone_offset", hoursText(d.zones[s.Zone].offset)},
		}, place(s.ID, s.Name, double(s.Latitude), double(s.Longitude))...))
	}
	return rows
}

func weakRow(w weakStation) object {
	return append(object{
		{"currbin", 1}, {"type", "W"}, {"timezone_offset", hoursText(-5 * time.Hour)},
	}, place(w.id, w.name, double(w.latitude), double(w.longitude))...)
}

// meterRow returns the row of a station that measures currents.
func (d *document) meterRow(m meter) object {
	here := d.zones[m.zone]
	return append(object{
		{"project", "PORTS"},
		{"deployed", deployed},
		{"retrieved", ""},
		{"timezone_offset", hoursText(here.offset)},
		{"observedst", here.saves()},
	}, place(m.id, m.name, double(m.latitude), double(m.longitude))...)
}

// deployed is the time at which every meter was deployed.
const deployed = "2005-06-01 00:00:00.0"

func hoursText(offset time.Duration) string { return strconv.Itoa(int(offset / time.Hour)) }
