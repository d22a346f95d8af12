package stations

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestClocks checks the civil zones of places and those of NOAA's tables (its list of tide
// predictions of 2021-05-11). Civil zones are those of the IANA database.
func TestClocks(t *testing.T) {
	d := openTest(t)
	for _, row := range []struct{ id, civil, tables string }{
		{"8728669", "America/New_York", "America/Chicago"}, // St. George Island
		{"8728912", "America/New_York", "America/Chicago"}, // Port Saint Joe
		{"8728690", "America/New_York", ""},                // Apalachicola
		{"9468151", "America/Nome", "Etc/GMT+11"},          // Stebbins
		{"9462450", "America/Nome", "America/Adak"},        // Nikolski
		{"9462239", "America/Adak", "America/Anchorage"},   // Chuginadak
		{"1778000", "Pacific/Apia", "Etc/GMT+11"},
		{"TPT2893", "Pacific/Tongatapu", "Etc/GMT+11"}, // Neiafu
		{"TPT2831", "Pacific/Marquesas", "Etc/GMT+11"},
		{"TPT2743", "Pacific/Kiritimati", "Pacific/Honolulu"}, // Fanning
		{"TEC4697", "America/Jamaica", "Etc/GMT+6"},
		{"TEC4723", "America/Santo_Domingo", "Etc/GMT+6"},
		{"TPT2871", "Pacific/Fiji", ""},     // Nandi
		{"8771050", "America/Chicago", ""},  // a platform
		{"TPT2737", "Pacific/Honolulu", ""}, // Howland
		{"TWC0401", "America/Tijuana", ""},  // Guadalupe
		{"8443970", "America/New_York", ""},
	} {
		if s := find(t, d, row.id); s.Zone != row.civil || s.NOAAZone() != row.tables {
			t.Errorf("%s has %s and %q, want %s and %q", row.id, s.Zone, s.NOAAZone(), row.civil,
				row.tables)
		}
	}
	other, when := 0, time.Date(2027, 1, 15, 0, 0, 0, 0, time.UTC)
	for _, s := range d.All("") {
		zone, err := time.LoadLocation(s.Zone)
		if err != nil || strings.HasPrefix(s.Zone, "Etc/") {
			t.Errorf("%s has the zone %s: %v", s.ID, s.Zone, err)
			continue
		}
		_, offset := when.In(zone).Zone()
		hours := math.Mod(float64(offset)/3600-s.Longitude/15+36, 24) - 12
		if math.Abs(hours) > 3 {
			t.Errorf("%s has the zone %s, %.1f h from the sun's", s.ID, s.Zone, hours)
		}
		if s.NOAAZone() != "" {
			other++
			if _, err := time.LoadLocation(s.NOAAZone()); err != nil {
				t.Error(err)
			}
		}
	}
	if other < 70 || other > 90 {
		t.Errorf("NOAA's tables have another zone at %d stations, want about 75", other)
	}
}
