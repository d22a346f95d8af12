package provider

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// site is how the service writes its own addresses, wherever it is reached.
const site = "https://api.tidesandcurrents.noaa.gov"

// link stands where a part of a station is not expanded.
type link struct {
	Self string `json:"self"`
}

// double is a number as Java writes a double: always with a decimal point.
type double float64

// MarshalJSON implements json.Marshaler.
func (d double) MarshalJSON() ([]byte, error) { return appendJava(float64(d), 64), nil }

// single is a number as Java writes a float.
type single float64

// MarshalJSON implements json.Marshaler.
func (s single) MarshalJSON() ([]byte, error) { return appendJava(float64(s), 32), nil }

// hundredths is a number with two decimals, which are never left out.
type hundredths float64

// MarshalJSON implements json.Marshaler.
func (h hundredths) MarshalJSON() ([]byte, error) { return appendFixed(nil, float64(h), 2), nil }

func appendJava(v float64, bits int) []byte {
	b := strconv.AppendFloat(nil, v, 'f', -1, bits)
	if bytes.IndexByte(b, '.') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// rounded is a length with two decimals in feet, three in metres.
func rounded(metres float64, metric bool) single {
	if metric {
		return single(math.Round(metres*1000) / 1000)
	}
	return single(math.Round(metres/metresPerFoot*100) / 100)
}

// inquiry is one request to the metadata service.
type inquiry struct {
	*Provider
	metric bool
	bin    string
	expand []string
}

func (a *inquiry) units() string {
	if a.metric {
		return "meters"
	}
	return "feet"
}

// envelope is what lists and single stations come in.
type envelope struct {
	Count    int     `json:"count"`
	Units    *string `json:"units"`
	Stations []any   `json:"stations"`
	Self     *string `json:"self"`
}

func enclose(stations []any) envelope {
	return envelope{Count: len(stations), Stations: stations}
}

// serveMetadata serves the metadata service.
func (p *Provider) serveMetadata(w http.ResponseWriter, r *http.Request) {
	v := r.URL.Query()
	a := &inquiry{Provider: p, metric: v.Get("units") == "metric", bin: v.Get("bin")}
	if expand := v.Get("expand"); expand != "" {
		a.expand = strings.Split(expand, ",")
	}
	path, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, Metadata), ".json")
	steps := strings.Split(path, "/")
	switch {
	case ok && path == "stations":
		writeJSON(w, enclose(a.list(v.Get("type"))))
	case ok && len(steps) == 2 && steps[0] == "stations":
		a.writeStation(w, steps[1])
	case ok && len(steps) == 3 && steps[2] == "currentpredictionoffsets" && !strings.Contains(steps[1], "_"):
		writeNoStation(w, steps[1]) // this part alone belongs to a bin
	case ok && len(steps) == 3 && steps[0] == "stations" && partOf(steps[2]) != nil:
		writeJSON(w, partOf(steps[2])(a, steps[1]))
	default:
		writeNoStation(w, steps[len(steps)-1])
	}
}

// writeStation writes one station, of whatever kind it is.
func (a *inquiry) writeStation(w http.ResponseWriter, id string) {
	rows := a.rows(id)
	if len(rows) == 0 {
		writeNoStation(w, id)
		return
	}
	writeJSON(w, enclose(rows))
}

// writeJSON writes an answer of the metadata or the derived service: spread
// over lines, without a line's end after the last. It may not be packed.
func writeJSON(w http.ResponseWriter, v any) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeMetadata(w, http.StatusOK, bytes.TrimSuffix(body.Bytes(), []byte("\n")))
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
