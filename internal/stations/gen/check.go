package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// check compares the file with data, and every value of rows with the directory. The
// directory is the one embedded in this program, so it was read from the same file if
// the file equals data.
func check(rows []row, data []byte, file string) error {
	have, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, data) {
		return fmt.Errorf("%s does not match the package: go run ./internal/stations/gen writes it "+
			"anew", file)
	}
	d, err := stations.Open()
	if err != nil {
		return err
	}
	all := d.All("")
	if len(all) != len(rows) || d.Built().Format("20060102") != fmt.Sprint(built) {
		return fmt.Errorf("the directory has %d stations of %v, want %d of %d", len(all), d.Built(),
			len(rows), built)
	}
	c := checker{zones: zones(overrides), tables: zones(tables), names: tide.Constituents()}
	for i, r := range rows {
		c.row(r, all[i])
	}
	c.lists(d)
	if len(c.faults) > 0 {
		return fmt.Errorf("%d values differ:\n%s", len(c.faults),
			strings.Join(c.faults[:min(20, len(c.faults))], "\n"))
	}
	return nil
}

// checker collects the differences between the directory and the package.
type checker struct {
	zones  map[string]string
	tables map[string]string
	names  []tide.Constituent
	faults []string
}

// same records a fault if got and want differ for r.
func (c *checker) same(r row, what string, got, want any) {
	if got != want {
		c.faults = append(c.faults, fmt.Sprintf("%s: %s = %v, want %v", r.ID, what, got, want))
	}
}

// number compares with a number of the package, which is rounded to 32 bits.
func (c *checker) number(r row, what string, got, want float64) {
	c.same(r, what, float32(got), float32(want))
}

func (c *checker) row(r row, s stations.Station) {
	zone := r.Timezone
	if z, ok := c.zones[s.ID]; ok {
		zone = z
	}
	c.same(r, "id", s.ID, r.id())
	c.same(r, "name", s.Name, r.name())
	c.same(r, "state", s.State, r.state())
	c.same(r, "country", s.Country(), r.country())
	c.same(r, "latitude", s.Latitude, r.Latitude)
	c.same(r, "longitude", s.Longitude, r.Longitude)
	c.same(r, "zone", s.Zone, zone)
	c.same(r, "zone of NOAA's tables", s.NOAAZone(), c.tables[s.ID])
	c.same(r, "kind", string(s.Kind), r.Kind)
	c.same(r, "subordinate", s.Subordinate(), r.Type == "subordinate")
	c.same(r, "reference", s.Reference, r.reference())
	c.same(r, "disclaimer", s.Disclaimer(), r.Disclaimers)
	c.harmonics(r, s)
	c.datums(r, s)
	c.tide(r, s)
	c.current(r, s)
}

func (c *checker) harmonics(r row, s stations.Station) {
	got := s.Harmonics()
	c.same(r, "number of constituents", len(got), len(r.Harmonics))
	for _, h := range r.Harmonics {
		i := slices.IndexFunc(got,
			func(g tide.Harmonic) bool { return c.names[g.Constituent].Name == h.Name })
		if i < 0 {
			c.same(r, h.Name, "none", h.Amplitude)
			continue
		}
		c.number(r, h.Name+" amplitude", got[i].Amplitude, h.Amplitude)
		c.number(r, h.Name+" phase", got[i].Phase, math.Mod(h.Phase, 360))
	}
}

func (c *checker) datums(r row, s stations.Station) {
	got := map[string]float64{}
	for _, d := range s.Datums() {
		got[strings.Replace(d.Name, "CRD", "CRD_OFFSET", 1)] = d.Value
	}
	for _, d := range s.Differences() {
		got[d.Name] = d.Value
	}
	c.same(r, "number of datums", len(got), len(r.Datums))
	for _, name := range slices.Sorted(maps.Keys(r.Datums)) {
		want := r.Datums[name]
		if name == "HAT" || name == "LAT" {
			want = math.Round(want*1000) / 1000
		}
		c.number(r, name, got[name], want)
	}
	first, last, _ := r.epoch() // encode has read it without an error
	if r.Type == "subordinate" {
		first, last = 0, 0 // the epoch of its reference
	}
	c.same(r, "epoch", s.Epoch(), stations.Years{First: first, Last: last})
}

func (c *checker) tide(r row, s stations.Station) {
	got := s.TideOffsets()
	c.same(r, "tide offsets", got != nil, r.Offsets != nil)
	if got == nil || r.Offsets == nil {
		return
	}
	c.same(r, "high minutes", got.HighMinutes, r.Offsets.Time.High)
	c.same(r, "low minutes", got.LowMinutes, r.Offsets.Time.Low)
	c.number(r, "high offset", got.High, r.Offsets.Height.High)
	c.number(r, "low offset", got.Low, r.Offsets.Height.Low)
	c.same(r, "fixed", got.Fixed, r.Offsets.Height.Type == "fixed")
}

func (c *checker) current(r row, s stations.Station) {
	got := s.CurrentOffsets()
	c.same(r, "current offsets", got != nil, r.Current != nil && r.Current.Offsets != nil)
	if r.Current == nil {
		return
	}
	flood, ebb, mean := s.Directions()
	c.direction(r, "flood direction", flood, r.Current.Flood)
	c.direction(r, "ebb direction", ebb, r.Current.Ebb)
	c.same(r, "mean directions", mean, r.Type == "subordinate")
	c.number(r, "mean flow", s.MeanFlow(), r.Current.Mean)
	want := r.Current.Offsets
	if got == nil || want == nil {
		return
	}
	c.same(r, "minutes", [4]int{got.SlackBeforeFlood, got.SlackBeforeEbb, got.Flood, got.Ebb},
		[4]int{want.BeforeFlood, want.BeforeEbb, want.Flood, want.Ebb})
	c.number(r, "flood ratio", got.FloodRatio, want.FloodRatio)
	c.number(r, "ebb ratio", got.EbbRatio, want.EbbRatio)
}

// lists compares the stations that NOAA does not predict, and the aliases.
func (c *checker) lists(d *stations.Directory) {
	for _, id := range weakStations() {
		listed, weak := d.Weak(id)
		c.same(row{ID: id}, "weak", weak, true)
		c.same(row{ID: id}, "weak, listed", listed.Format(time.DateOnly), weakListed)
	}
	for _, want := range retiredStations {
		got, ok := d.Retired(want.id)
		at := fmt.Sprintf("%.4f %.4f", got.Latitude, got.Longitude)
		c.same(row{ID: want.id}, "retired", ok, true)
		c.same(row{ID: want.id}, "retired, name", got.Name, want.name)
		c.same(row{ID: want.id}, "retired, place", at, want.latitude+" "+want.longitude)
		c.same(row{ID: want.id}, "retired, listed", got.Listed.Format(time.DateOnly), retiredListed)
	}
	for _, want := range aliases {
		found := slices.ContainsFunc(d.Find(want.name, nil), func(f stations.Found) bool {
			return f.ID == want.id && f.Match != stations.Fuzzy
		})
		c.same(row{ID: want.id}, "found by its alias", found, true)
	}
}

func (c *checker) direction(r row, what string, got float64, want *float64) {
	if want == nil {
		c.same(r, what+" unknown", math.IsNaN(got), true)
		return
	}
	c.number(r, what, got, *want)
}
