package render

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

	"leadline/internal/coast"
)

// kinds has every kind of field that results have.
type kinds struct {
	coast.Frame
	Text     string             `json:"text,omitempty"`
	Named    coast.Kind         `json:"named"`
	Whole    int                `json:"whole,omitempty"`
	Wide     int64              `json:"wide"`
	Number   float64            `json:"number"`
	Flag     bool               `json:"flag"`
	At       time.Time          `json:"at"`
	MaybeAt  *time.Time         `json:"maybeAt"`
	Maybe    *float64           `json:"maybe,omitempty"`
	Part     *coast.Missing     `json:"part"`
	Rows     []coast.Source     `json:"rows,omitzero"`
	Series   []*float64         `json:"series"`
	Pairs    [][]*float64       `json:"pairs,omitempty"`
	Words    []string           `json:"words"`
	Map      map[string]float64 `json:"map"`
	Raw      json.RawMessage    `json:"raw,omitempty"`
	Anything any                `json:"anything"`
}

// TestJSON compares JSON with encoding/json.
func TestJSON(t *testing.T) {
	layout := Of(reflect.TypeFor[kinds]())
	boston := time.FixedZone("EST", -5*3600)
	at, small, age := time.Date(2026, 11, 22, 5, 7, 9, 120e6, boston), 1e-7, 90
	source := coast.Source{ID: "tide", Label: "<Tide & \"more\">\n", SourceAt: &at, AgeMinutes: &age}
	for _, v := range []kinds{
		{},
		{
			Text: "é\u2028\xff", Named: coast.Forecast, Whole: -3, Wide: math.MaxInt64, Number: 9.25,
			Flag: true, At: at, MaybeAt: &at, Maybe: &small, Part: &coast.Missing{Input: "wind"},
			Rows: []coast.Source{source, {}}, Series: []*float64{nil, &small},
			Pairs: [][]*float64{{&small, nil}, {}, nil}, Words: []string{"a", "\\"},
			Map: map[string]float64{"b": 1, "a": -0.5}, Raw: json.RawMessage(`{"a": [1]}`),
			Anything: map[string]any{"x": []int{1}},
			Frame: coast.Frame{
				Station: &coast.Station{ID: "8443970", Latitude: 42.3539, Longitude: -71.0503},
				Units:   "english",
				Provenance: coast.Provenance{
					Sources: []coast.Source{source}, Missing: []coast.Missing{}, Notes: []string{},
				},
			},
		},
		{Rows: []coast.Source{}, Series: []*float64{}, Words: []string{}, At: at.UTC(), Number: 1e21},
		{Number: 1e-9, Map: map[string]float64{}, Anything: "<", Raw: json.RawMessage("null")},
	} {
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := layout.JSON(t.Context(), v); err != nil || string(got) != string(want) {
			t.Errorf("JSON = %s, %v, want %s", got, err, want)
		}
	}
}

// TestJSONFaults checks that values which JSON cannot represent cause errors.
func TestJSONFaults(t *testing.T) {
	layout := Of(reflect.TypeFor[kinds]())
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, v := range []kinds{
		{Number: math.NaN()}, {Number: math.Inf(1)}, {At: late}, {MaybeAt: &late},
		{Raw: json.RawMessage("{")}, {Map: map[string]float64{"a": math.NaN()}},
	} {
		if _, err := json.Marshal(v); err == nil {
			t.Fatalf("encoding/json writes %+v", v)
		}
		if got, err := layout.JSON(t.Context(), v); err == nil {
			t.Errorf("JSON(%+v) = %s, want an error", v, got)
		}
	}
}
