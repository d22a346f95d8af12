package directory

import (
	"context"
	"fmt"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
)

// StationSensorsInput requests the sensors of a station.
type StationSensorsInput struct {
	place.StationOrPlace
	operation.InUnits
}

// Sensor is one sensor of a station.
type Sensor struct {
	ID        string   `json:"id" doc:"Id of the sensor."`
	Name      string   `json:"name" doc:"Name of the sensor."`
	Elevation *float64 `json:"elevation" doc:"Height above the datum of the sensor; null if NOAA does not list it."`
	Datum     string   `json:"datum,omitempty" doc:"Level that the elevation is measured from; left out if NOAA does not list it."`
	Working   *bool    `json:"working,omitempty" doc:"Whether the sensor works; left out if NOAA does not say."`
	Message   string   `json:"message,omitempty" quoted:"yes" doc:"NOAA's message about the sensor; left out of sensors without a message."`
	Tool      string   `json:"tool,omitempty" doc:"MCP tool with the values; left out of sensors whose values no tool has."`
	Product   string   `json:"product,omitempty" doc:"Product argument with the values; left out of sensors without a product."`
}

// StationSensors holds the sensors of a station.
type StationSensors struct {
	coast.Frame
	HeightUnit string   `json:"heightUnit"`
	Sensors    []Sensor `json:"sensors"`
	place.ForPlace
}

// StationSensors returns the sensors of a station, each with the tool that returns its
// values. Errors: StationNotFound, ProductUnavailable if none are listed, and
// ProviderUnavailable.
func (s Operations) StationSensors(
	ctx context.Context, in StationSensorsInput,
) (StationSensors, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithProviderTimeout(ctx)
	defer cancel()
	st, err := fs.Gauge(ctx, in.Station)
	if err != nil {
		return StationSensors{}, err
	}
	live, err := fs.Water.Sensors(ctx, st.ID)
	if err != nil {
		return StationSensors{}, err
	}
	h := facts.HeightsIn(in.Units)
	o := facts.COOPS(
		"station-sensors", "Sensors, from NOAA's metadata service", coast.Calculation,
		facts.StationPage(st.ID),
	)
	return StationSensors{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: st.Zone,
			Provenance: fs.Provenance(st, fs.Document(o, live.ReceivedAt)),
		},
		HeightUnit: h.Name, Sensors: sensorRows(live.Data, h),
	}, nil
}

// sensorTools lists the tool that returns a sensor's values, by a word in the sensor's name;
// the first match is used.
var sensorTools = []struct{ word, tool, product string }{
	{"wind", "noaa_get_meteorological_data", "wind"},
	{"barometric", "noaa_get_meteorological_data", "air_pressure"},
	{"air temp", "noaa_get_meteorological_data", "air_temperature"},
	{"water temp", "noaa_get_meteorological_data", "water_temperature"},
	{"humidity", "noaa_get_meteorological_data", "humidity"},
	{"visibility", "noaa_get_meteorological_data", "visibility"},
	{"air gap", "noaa_get_meteorological_data", "air_gap"},
	{"salinity", "noaa_get_meteorological_data", "salinity"},
	{"conductivity", "noaa_get_meteorological_data", "conductivity"},
	{"current", "noaa_get_currents", ""},
	{"tsunami", "", ""}, // no tool returns its values
	{"wl", "noaa_get_water_levels", ""},
	{"water level", "noaa_get_water_levels", ""},
}

func sensorRows(list []noaa.Sensor, h facts.Unit) []Sensor {
	rows := []Sensor{}
	for _, n := range list {
		if strings.EqualFold(n.Name, "site") {
			continue // height of the ground, not a sensor
		}
		row := Sensor{
			ID: n.ID, Name: n.Name, Elevation: h.Known(n.Elevation), Datum: n.Datum,
			Message: facts.Plain(n.Message),
		}
		if n.Status != nil {
			working := *n.Status == 1
			row.Working = &working
		}
		for _, r := range sensorTools {
			if strings.Contains(strings.ToLower(n.Name), r.word) {
				row.Tool, row.Product = r.tool, r.product
				break
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// Describe writes the number of working sensors, then a row for each sensor.
func (s StationSensors) Describe(t *render.Answer) {
	faults := 0
	for _, sensor := range s.Sensors {
		if sensor.Working != nil && !*sensor.Working {
			faults++
		}
	}
	state := "none reported as failed"
	if faults > 0 {
		state = fmt.Sprintf("%d reported as failed", faults)
	}
	t.Line("%s: %s, %s.", operation.StationName(s.Station)+s.Away(),
		operation.Plural(len(s.Sensors), "sensor"), state)
	t.Gap()
	for _, sensor := range s.Sensors {
		t.Line("%s", sensor.text(s.HeightUnit))
	}
}

func (s Sensor) text(unit string) string {
	height, state, message, tool := "", "", "", ""
	if s.Elevation != nil {
		height = fmt.Sprintf("%s %s above %s", render.Short(*s.Elevation, 3), unit,
			render.Escape(s.Datum))
	}
	if s.Working != nil && *s.Working {
		state = "working"
	} else if s.Working != nil {
		state = "failed"
	}
	if s.Message != "" {
		message = render.Quote(s.Message)
	}
	if s.Tool != "" {
		tool = operation.Join(" product ", s.Tool, s.Product)
	}
	return operation.Join("; ", render.Escape(s.ID+" "+s.Name), height, state, message, tool)
}
