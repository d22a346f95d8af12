package tools

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/render"
)

// The tool noaa_get_station_time is the example of docs/architecture.md, "How to add a tool".

// StationTimeInput selects a station.
type StationTimeInput struct {
	operation.AtStation // the argument that most tools share
}

// StationTime is the local time at a station.
type StationTime struct {
	coast.Frame
	Local time.Time `json:"local" doc:"Now, in the zone of the station."`
}

// Operations are those of a subject.
type Operations struct{ facts *facts.Gatherer }

// StationTime returns the time at a station.
func (s Operations) StationTime(_ context.Context, in StationTimeInput) (StationTime, error) {
	fs := s.facts.Set()
	st, err := fs.AnyStation(in.Station)
	if err != nil {
		return StationTime{}, err
	}
	zone, err := fs.Zone(st, "lst_ldt")
	if err != nil {
		return StationTime{}, err
	}
	frame := coast.Frame{
		Station: facts.Card(st), TimeZone: st.Zone, Provenance: fs.Provenance(st, fs.Directory()),
	}
	return StationTime{Frame: frame, Local: fs.Now.In(zone.Location)}, nil
}

// Describe writes the time.
func (s StationTime) Describe(t *render.Answer) {
	t.Line("%s: %s %s.", operation.StationName(s.Station), s.Local.Format("Mon 2006-01-02 15:04"),
		render.Zone(s.Local))
}

// stationTimeTool returns the catalogue entry of the example.
func stationTimeTool(s *Set) operation.Tool {
	example := subject{Directory: Operations{s.facts}}
	return example.tool()
}

// subject is a set with the example.
type subject struct{ Directory Operations }

func (s subject) tool() operation.Tool {
	return operation.Declare("noaa_get_station_time", "Station time", operation.Stations,
		"The local time at a station, with its offset from UTC. Takes a station, not a place. The "+
			"times of high and low water are in noaa_get_tide_predictions, those of the sun in "+
			"astro_get_sun_times. Example: station=8443970", false, s.Directory.StationTime)
}

// TestStationTime checks that the example is a valid tool.
func TestStationTime(t *testing.T) {
	tool := stationTimeTool(newSet(t))
	checkShape(t, tool)
	r, err := tool.Call(caller(t), exampleOf(t, tool))
	if err != nil {
		t.Fatal(err)
	}
	body, err := r.Structured()
	if err != nil {
		t.Fatal(err)
	}
	if err := conforms(resultSchema(t, tool), body); err != nil {
		t.Error(err)
	}
	text, _, err := r.Forms(1 << 20)
	if want := "Boston, MA (8443970): Fri 2026-11-20 12:00 EST.\n"; err != nil ||
		!strings.HasPrefix(string(text), want) {
		t.Errorf("the text is %q, %v, want %q first", text, err, want)
	}
}

// TestDocumentedTool checks that the code of docs/architecture.md is that of this file.
func TestDocumentedTool(t *testing.T) {
	read := func(file string) string {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	code := read("station_time_test.go")
	blocks := strings.Split(read("../docs/architecture.md"), "```go\n")[1:]
	for _, block := range blocks {
		block, _, _ := strings.Cut(block, "```")
		if !strings.Contains(code, block) {
			t.Errorf("tools/station_time_test.go lacks this code of docs/architecture.md:\n%s", block)
		}
	}
	if len(blocks) == 0 {
		t.Error("docs/architecture.md has no code")
	}
}
