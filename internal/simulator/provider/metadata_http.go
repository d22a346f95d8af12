package provider

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// site begins the addresses that the service writes.
const site = "https://api.tidesandcurrents.noaa.gov"

// document is one request to the metadata service.
type document struct {
	*coopsService
	metric bool
	bin    string
	expand []string
}

func (d *document) units() string {
	if d.metric {
		return "meters"
	}
	return "feet"
}

// hundredth is a height with two decimals, which are never left out; nil for nil.
func (d *document) hundredth(meters *float64) any {
	switch {
	case meters == nil:
		return nil
	case d.metric:
		return hundredths(*meters)
	}
	return hundredths(*meters / metresPerFoot)
}

// rounded is a length with two decimals in feet, three in meters.
func (d *document) rounded(meters float64) single {
	if d.metric {
		return single(math.Round(meters*1000) / 1000)
	}
	return single(math.Round(meters/metresPerFoot*100) / 100)
}

// part is a part of a station: whole if the request expands it, else a link.
func (d *document) part(id, name string, whole func(d *document, id string) any) any {
	if slices.Contains(d.expand, name) {
		return whole(d, id)
	}
	return link{partURL(id, name)}
}

// link replaces a part of a station that is not expanded.
type link struct {
	Self string `json:"self"`
}

// stationURL is the address of a station.
func stationURL(id string) string { return site + Metadata + "stations/" + id + ".json" }

// partURL is the address of a part of a station.
func partURL(id, part string) string {
	return site + Metadata + "stations/" + id + "/" + part + ".json"
}

// rowEnd ends the row of every kind of station.
type rowEnd struct {
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

func endOf(id, name string, latitude, longitude any) rowEnd {
	return rowEnd{ID: id, Name: name, Lat: latitude, Lng: longitude, Portscode: new("")}
}

// tenths rounds to a tenth.
func tenths(v float64) single { return single(math.Round(v*10) / 10) }

// writeJSON writes a response of the metadata or the derived service: spread
// over lines, without a line end after the last, never compressed.
func writeJSON(w http.ResponseWriter, v any) {
	body, err := encodeJSON(v, "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeMetadata(w, http.StatusOK, body)
}

func writeNoStation(w http.ResponseWriter, id string) {
	name, _ := json.Marshal("No station was found for id " + id) // texts can always be written
	writeMetadata(w, http.StatusNotFound, []byte(`{"errorMsg":`+string(name)+`,"errorCode":404}`))
}

func writeMetadata(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Access-Control-Allow-Headers", "X-Requested-With")
	h.Set("Access-Control-Allow-Methods", "GET")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Content-Type", "application/json")
	h.Set("X-Amzn-Remapped-Server", "nginx")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
