package sky

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"leadline/internal/trials"
)

// publishedCase is one case of the published reference: the values of astronomy-engine 2.1.19
// for a place, a local mean day and a time in it.
type publishedCase struct {
	I         int
	Lat, Lon  float64
	T0        time.Time
	Sunrise   []time.Time
	Sunset    []time.Time
	CivilDawn []time.Time
	CivilDusk []time.Time
	NautDawn  []time.Time
	NautDusk  []time.Time
	AstroDawn []time.Time
	AstroDusk []time.Time
	Noon      time.Time
	Moonrise  []time.Time
	Moonset   []time.Time
	T         time.Time
	Sun, Moon struct{ Az, Alt, Altr, Dist float64 }
	Illum     float64
	Dist      float64
	Phase     float64
	Q         []time.Time
	Perigee   apsisReference
	Apogee    apsisReference
}

type apsisReference struct {
	T  time.Time
	Km float64
}

// published reads the reference, or skips the test if it is not available.
func published(t *testing.T) []publishedCase {
	text, err := os.ReadFile(filepath.Join(trials.Shared(t), "published", "sky_reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []publishedCase
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 100 {
		t.Fatalf("the reference has %d cases, want at least 100", len(list))
	}
	return list
}

// errorTable collects absolute errors by kind.
type errorTable map[string][]float64

func (e errorTable) add(kind string, err float64) { e[kind] = append(e[kind], math.Abs(err)) }

func (e errorTable) log(t *testing.T) {
	kinds := []string{}
	for kind := range e {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		s := slices.Sorted(slices.Values(e[kind]))
		at := func(q float64) float64 { return s[int(q*float64(len(s)-1))] }
		t.Logf("%-30s n %4d  median %9.4f  p95 %9.4f  max %9.4f", kind, len(s), at(0.5), at(0.95), at(1))
	}
}

// most reports an error if the greatest error of a kind is above limit.
func (e errorTable) most(t *testing.T, kind string, limit float64) {
	t.Helper()
	if len(e[kind]) == 0 {
		t.Errorf("%s: no cases", kind)
	} else if worst := slices.Max(e[kind]); worst > limit {
		t.Errorf("%s: worst error %.4f, want at most %g", kind, worst, limit)
	}
}

func TestPublishedEvents(t *testing.T) {
	errors := errorTable{}
	for _, m := range published(t) {
		p, to := Place{m.Lat, m.Lon}, m.T0.Add(24*time.Hour)
		d, moon := Sun(p, m.T0, to), MoonTimes(p, m.T0, to).Moon
		for _, k := range []struct {
			kind      string
			got, want []time.Time
		}{
			{"sunrise", d.Sun.Rise, m.Sunrise}, {"sunset", d.Sun.Set, m.Sunset},
			{"civil dawn", d.Civil.Rise, m.CivilDawn}, {"civil dusk", d.Civil.Set, m.CivilDusk},
			{"nautical dawn", d.Nautical.Rise, m.NautDawn}, {"nautical dusk", d.Nautical.Set, m.NautDusk},
			{"astronomical dawn", d.Astronomical.Rise, m.AstroDawn},
			{"astronomical dusk", d.Astronomical.Set, m.AstroDusk},
			{"moonrise", moon.Rise, m.Moonrise}, {"moonset", moon.Set, m.Moonset},
			{"noon", d.Noon, []time.Time{m.Noon}},
		} {
			compare(t, errors, fmt.Sprintf("case %d, %s", m.I, k.kind), k.kind+zone(m.Lat), k.got, k.want)
		}
	}
	errors.log(t)
	for kind := range errors {
		if kind[len(kind)-1] == '0' { // "to 60"
			errors.most(t, kind, 2)
		}
	}
}

func zone(latitude float64) string {
	if math.Abs(latitude) <= 60 {
		return ", to 60"
	}
	return ", beyond 60 degrees"
}

// compare checks the number of times and records the differences in seconds.
func compare(t *testing.T, errors errorTable, what, kind string, got, want []time.Time) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
		return
	}
	for n := range got {
		errors.add(kind, got[n].Sub(want[n]).Seconds())
	}
}

func TestPublishedPositions(t *testing.T) {
	errors := errorTable{}
	for _, m := range published(t) {
		p := Place{m.Lat, m.Lon}
		s, moon := SunPosition(p, m.T), MoonPosition(p, m.T)
		errors.add("sun altitude, arcmin", 60*(s.Altitude-m.Sun.Alt))
		errors.add("sun refracted, arcmin", 60*(s.Refracted-m.Sun.Altr))
		errors.add("sun azimuth * cos, arcmin", 60*across(s, m.Sun.Az))
		errors.add("sun distance, km", s.Distance-m.Sun.Dist)
		errors.add("moon altitude, arcmin", 60*(moon.Altitude-m.Moon.Alt))
		errors.add("moon refracted, arcmin", 60*(moon.Refracted-m.Moon.Altr))
		errors.add("moon azimuth * cos, arcmin", 60*across(moon, m.Moon.Az))
		errors.add("moon distance, km", moon.Distance-m.Moon.Dist)
		state := Moon(m.T)
		errors.add("illumination", state.Illumination-m.Illum)
		errors.add("geocentric distance, km", state.Distance-m.Dist)
		errors.add("elongation, degrees", math.Remainder(state.Elongation-m.Phase, 360))
	}
	errors.log(t)
	errors.most(t, "sun altitude, arcmin", 0.05)
	errors.most(t, "sun refracted, arcmin", 0.1)
	errors.most(t, "sun azimuth * cos, arcmin", 0.05)
	errors.most(t, "sun distance, km", 3000) // the reference's series is truncated at about 1e-5
	errors.most(t, "moon altitude, arcmin", 0.25)
	errors.most(t, "moon refracted, arcmin", 0.3)
	errors.most(t, "moon azimuth * cos, arcmin", 0.25)
	errors.most(t, "moon distance, km", 20)
	errors.most(t, "illumination", 0.0005)
	errors.most(t, "geocentric distance, km", 20)
	// The reference uses the sun's longitude without aberration, 0.0057.
	errors.most(t, "elongation, degrees", 0.01)
}

// across returns the difference of azimuths as an angle in the sky, because near the
// zenith a difference of azimuth is large for a small angle.
func across(p Position, azimuth float64) float64 {
	return math.Remainder(p.Azimuth-azimuth, 360) * math.Cos(radians(p.Altitude))
}

func TestPublishedCycles(t *testing.T) {
	errors := errorTable{}
	for _, m := range published(t) {
		compare(t, errors, fmt.Sprintf("case %d, phases", m.I), "phases, s", times(NextPhases(m.T0)),
			slices.SortedFunc(slices.Values(m.Q), time.Time.Compare))
		for _, e := range NextApsides(m.T0) {
			want := m.Perigee
			if e.Name == "apogee" {
				want = m.Apogee
			}
			errors.add(e.Name+" time, min", e.Time.Sub(want.T).Minutes())
			errors.add(e.Name+" distance, km", e.Distance-want.Km)
		}
	}
	errors.log(t)
	// The reference contributes 40 s: it omits the sun's aberration.
	errors.most(t, "phases, s", 60)
	errors.most(t, "perigee time, min", 30)
	errors.most(t, "apogee time, min", 30)
	errors.most(t, "perigee distance, km", 20)
	errors.most(t, "apogee distance, km", 20)
}

func times(events []MoonEvent) []time.Time {
	list := make([]time.Time, len(events))
	for n, e := range events {
		list[n] = e.Time
	}
	return list
}
