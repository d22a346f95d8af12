package provider

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
)

// document is one request to the metadata service.
type document struct {
	*coopsService
	metric bool
	bin    string
}

func (d *document) units() string {
	if d.metric {
		return "meters"
	}
	return "feet"
}

// hundredth returns a height with two decimals, which are never left out; nil for nil.
func (d *document) hundredth(meters *float64) any {
	switch {
	case meters == nil:
		return nil
	case d.metric:
		return hundredths(*meters)
	}
	return hundredths(*meters / metersPerFoot)
}

// rounded returns a length with two decimals in feet, three in meters.
func (d *document) rounded(meters float64) single {
	if d.metric {
		return single(math.Round(meters*1000) / 1000)
	}
	return single(math.Round(meters/metersPerFoot*100) / 100)
}

// tenths rounds to a tenth.
func tenths(v float64) single { return single(math.Round(v*10) / 10) }

// writeJSON writes a response of the metadata or the derived service: with an indent, without a
// trailing newline.
func writeJSON(w http.ResponseWriter, v any) {
	body, err := encodeJSON(v, "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeMetadata(w, http.StatusOK, body)
}

func writeNoStation(w http.ResponseWriter, id string) {
	message, _ := json.Marshal("No station was found for id " + id) // strings always encode
	body := `{"errorMsg":` + string(message) + `,"errorCode":404}`
	writeMetadata(w, http.StatusNotFound, []byte(body))
}

func writeMetadata(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
