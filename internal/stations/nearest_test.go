package stations

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"leadline/internal/trials"
)

// haversine returns the distance by the haversine formula, kilometers.
func haversine(lat1, lon1, lat2, lon2 float64) float64 {
	half := func(a, b float64) float64 { s := math.Sin((b - a) * degree / 2); return s * s }
	a := half(lat1, lat2) + math.Cos(lat1*degree)*math.Cos(lat2*degree)*half(lon1, lon2)
	return 2 * earthRadius * math.Asin(math.Min(1, math.Sqrt(a)))
}

func TestNearest(t *testing.T) {
	d := openTest(t)
	random := rand.New(rand.NewPCG(1, 2))
	filters := map[string]Filter{
		"all": nil, "tides": func(s Station) bool { return s.Kind == Tide },
		"few":  func(s Station) bool { return s.State == "NH" },
		"none": func(Station) bool { return false },
	}
	for range trials.Cases() {
		lat, lon := math.Asin(2*random.Float64()-1)/degree, 360*random.Float64()-180
		if s := d.All("")[random.IntN(6062)]; random.IntN(2) == 0 {
			lat, lon = s.Latitude+random.NormFloat64()/10, s.Longitude
		}
		for name, filter := range filters {
			compareNearest(t, d, lat, lon, 1+random.IntN(20), name, filter)
		}
	}
}

// compareNearest compares with a sort of all stations by haversine distance.
func compareNearest(
	t *testing.T, d *Directory, lat, lon float64, n int, name string, filter Filter,
) {
	t.Helper()
	distance := func(s Station) float64 { return haversine(lat, lon, s.Latitude, s.Longitude) }
	var all []float64
	for _, s := range d.Search("", filter) {
		all = append(all, distance(s))
	}
	slices.Sort(all)
	got := d.Nearest(lat, lon, n, filter)
	if len(got) != min(n, len(all)) {
		t.Fatalf("Nearest(%v, %v, %d, %s) has %d stations, want %d", lat, lon, n, name, len(got),
			min(n, len(all)))
	}
	for i, near := range got {
		want := all[i]
		if math.Abs(near.Kilometers-want) > 1e-6*(1+want) ||
			math.Abs(distance(near.Station)-want) > 1e-6*(1+want) {
			t.Errorf("Nearest(%v, %v, %d, %s)[%d] = %s at %v km, want one at %v km",
				lat, lon, n, name, i, near.Station.ID, near.Kilometers, want)
		}
	}
}

func TestNearestEdges(t *testing.T) {
	d := openTest(t)
	boston := find(t, d, "8443970")
	if got := d.Nearest(boston.Latitude, boston.Longitude, 1, nil); got[0].Station.ID != boston.ID ||
		got[0].Kilometers != 0 {
		t.Errorf("nearest to Boston is %+v", got[0])
	}
	for _, n := range []int{0, -1} {
		if got := d.Nearest(0, 0, n, nil); len(got) != 0 {
			t.Errorf("Nearest(n = %d) has %d stations", n, len(got))
		}
	}
	if got := d.Nearest(90, 0, 7000, nil); len(got) != 6062 {
		t.Errorf("Nearest(n = 7000) has %d stations, want all", len(got))
	}
	// Both sides of the date line: Attu is nearer to 179 W than Alaska's mainland.
	if got := d.Nearest(52, -179.9, 1, nil)[0]; got.Kilometers > 100 {
		t.Errorf("nearest to the date line is %s at %v km", got.Station.ID, got.Kilometers)
	}
	// One place, two rows: in the order of their ids.
	if got := d.Nearest(44.88793, -66.99565, 2, nil); got[0].Station.ID != "EPT0003" ||
		got[1].Station.ID != "EPT0003_11" {
		t.Errorf("nearest to Estes Head are %s and %s", got[0].Station.ID, got[1].Station.ID)
	}
}

func TestBearing(t *testing.T) {
	for _, row := range []struct{ lat, lon, toLat, toLon, want float64 }{
		{0, 0, 1, 0, 0}, {0, 0, 0, 1, 90}, {0, 0, -1, 0, 180}, {0, 0, 0, -1, 270}, {0, 179, 0, -179, 90},
		{40, -70, 50, -5, 54.7177}, // by cot B = (cos 40 tan 50 - sin 40 cos 65)/sin 65
	} {
		got := bearing(row.lat, row.lon, Station{Latitude: row.toLat, Longitude: row.toLon})
		if math.Abs(got-row.want) > 1e-3 {
			t.Errorf("bearing(%v, %v to %v, %v) = %v, want %v", row.lat, row.lon, row.toLat, row.toLon, got,
				row.want)
		}
	}
}
