package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// TestCombinedTrend checks that a row contains NOAA's remark on a record combined from two
// stations, and that other rows do not.
func TestCombinedTrend(t *testing.T) {
	r := simulated(t, nil)
	out := get(t, r.Set, "noaa_get_sea_level_trends", `{"station":"8638610"}`)
	const want = "Combined with station 8638660 from 08/15/1908 to 06/15/1927 " +
		"with an adjustment of 1.25 m."
	if got := follow(out, "trends.0.combined"); got != want {
		t.Errorf("combined is %v, want %s", got, want)
	}
	out = get(t, r.Set, "noaa_get_sea_level_trends", `{"station":"8443970"}`)
	if got := follow(out, "trends.0.combined"); got != nil {
		t.Errorf("combined is %v, want none", got)
	}
}

// TestDeploymentDetails compares the details of a current meter with the document of its
// deployments, in both unit systems.
func TestDeploymentDetails(t *testing.T) {
	r := simulated(t, nil)
	for units, want := range map[string][4]any{
		"english": {"ft", 14.764, 41.01, 26.247}, "metric": {"m", 4.5, 12.5, 8.0},
	} {
		out := get(t, r.Set, "noaa_get_station_info",
			`{"station":"cb0102","expand":["deployments"],"units":"`+units+`"}`)
		meter := follow(out, "lists.currentMeter")
		for i, name := range []string{"depthUnit", "sensorDepth", "waterDepth", "heightAboveBottom"} {
			if got := follow(meter, name); got != want[i] {
				t.Errorf("%s: %s is %v, want %v", units, name, got, want[i])
			}
		}
		if follow(meter, "floodDirection") != 310.0 || follow(meter, "orientation") != "up" ||
			follow(meter, "firstGoodData") != "2005-06-01" || follow(meter, "lastGoodData") != nil {
			t.Errorf("%s: %v", units, meter)
		}
	}
}

// TestZoneOfPoint requests the marine forecast at a coordinate with no station within 100 km.
// Its times are in the time zone that the weather service reports for the point, not the zone
// of its longitude.
func TestZoneOfPoint(t *testing.T) {
	r := simulated(t, nil)
	out := get(t, r.Set, "nws_get_marine_forecast", offshorePoint)
	if out["timeZone"] != "America/New_York" {
		t.Errorf("time zone %v, want America/New_York", out["timeZone"])
	}
	notes := fmt.Sprint(out["notes"])
	if !strings.Contains(notes, "is that of the point, by the weather service") ||
		strings.Contains(notes, "longitude") {
		t.Errorf("notes %s", notes)
	}
	out = get(t, r.Set, "astro_get_sun_times", offshorePoint) // this operation needs no provider
	if zone, _ := out["timeZone"].(string); !strings.HasPrefix(zone, "Etc/GMT") {
		t.Errorf("the sun: time zone %v, want that of the longitude", zone)
	}
}

const offshorePoint = `{"latitude":39.9,"longitude":-71.6}`

// TestSourceRecords checks that sources=full adds the records of the sources to the structured
// content, and nothing else.
func TestSourceRecords(t *testing.T) {
	s := newSet(t)
	_, usual := formsOf(t, s, "noaa_get_tide_predictions", `{"station":"8443970"}`)
	text, full := formsOf(t, s, "noaa_get_tide_predictions", `{"station":"8443970","sources":"full"}`)
	r, err := call(t, s, "noaa_get_tide_predictions", `{"station":"8443970"}`)
	if err != nil {
		t.Fatal(err)
	}
	records, err := json.Marshal(r.Value.(interface{ Context() coast.Frame }).Context().Sources)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.TrimSuffix(usual, "}") + `,"sources":` + string(records) + "}"
	if full != want || strings.Contains(text, "receivedAt") {
		t.Errorf("%s\nwant %s", full, want)
	}
}

// TestSourceZones checks that times of sources name their zone: that of the result, or UTC where
// several stations have different ones.
func TestSourceZones(t *testing.T) {
	s := simulated(t, nil).Set
	text := textOf(t, s, "noaa_get_water_levels", `{"stations":["8443970","9414290"]}`)
	_, source, _ := strings.Cut(text, "Source: ")
	if !strings.Contains(source, " UTC)") || strings.Contains(source, "America/") {
		t.Errorf("two zones: %s", text)
	}
	_, source, _ = strings.Cut(textOf(t, s, "noaa_get_water_levels", `{"station":"8443970"}`),
		"Source: ")
	if strings.Contains(source, "UTC") || !strings.Contains(source, "America/New_York") {
		t.Errorf("one zone: %s", source)
	}
}
