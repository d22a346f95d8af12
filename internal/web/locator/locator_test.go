package locator

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"leadline/internal/stations"
)

// around returns a station and the n stations nearest to it, with links.
func locatorAround(t testing.TB, d *stations.Directory, id string, n int) (
	here Station, near []Station,
) {
	t.Helper()
	s, ok := d.Station(id)
	if !ok {
		t.Fatalf("no station %s", id)
	}
	here = Station{Name: s.Name, Latitude: s.Latitude, Longitude: s.Longitude}
	for _, other := range d.Nearest(s.Latitude, s.Longitude, n+1, nil) {
		if o := other.Station; o.ID != id {
			near = append(near, Station{
				Name: o.Name + ", " + o.State, Href: "/stations/" + o.ID + "?units=metric&clock=24",
				Latitude: o.Latitude, Longitude: o.Longitude,
			})
		}
	}
	return here, near
}

func locatorDirectory(t testing.TB) *stations.Directory {
	t.Helper()
	d, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLocateAll draws the maps of every tenth tide station: each is well-formed, at most 4 kB,
// with targets that do not meet.
func TestLocateAll(t *testing.T) {
	d := locatorDirectory(t)
	all, drawn, large := d.All(stations.Tide), 0, 0
	for i := 0; i < len(all); i += 10 {
		here, near := locatorAround(t, d, all[i].ID, 60)
		svg := string(Draw(here, near))
		if len(svg) > mostBytes {
			t.Errorf("the map of %s has %d bytes", here.Name, len(svg))
		}
		if svg == "" {
			continue
		}
		drawn++
		if len(svg) > mostBytes/2 {
			large++
		}
		checkMap(t, here.Name, svg)
	}
	if drawn < len(all)/10*8/10 || large < drawn/4 {
		t.Errorf("%d of %d stations have maps, %d with a long coast", drawn, len(all)/10, large)
	}
}

var locatorCircle = regexp.MustCompile(`<circle class="near" cx="(\d+)" cy="(\d+)"`)

func checkMap(t *testing.T, name, svg string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s: %v in %s", name, err, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("%s: a coordinate is not a number", name)
	}
	taken := [][2]float64{{width / 2, height / 2}}
	for _, m := range locatorCircle.FindAllStringSubmatch(svg, -1) {
		x, _ := strconv.ParseFloat(m[1], 64)
		y, _ := strconv.ParseFloat(m[2], 64)
		for _, o := range taken {
			if math.Hypot(x-o[0], y-o[1]) < linksApart-2 {
				t.Errorf("%s: two stations are close at %v %v", name, x, y)
			}
		}
		taken = append(taken, [2]float64{x, y})
	}
	if len(taken) > mostLinks+1 {
		t.Errorf("%s: there are %d stations", name, len(taken))
	}
}

// TestCoast checks whether places are on land or at sea, from general geography, on the rings
// before they are drawn.
func TestCoast(t *testing.T) {
	for _, c := range []struct {
		name                string
		latitude, longitude float64
		land                bool
	}{
		{"Worcester, Massachusetts", 42.26, -71.80, true},
		{"Massachusetts Bay", 42.35, -70.60, false},
		{"San Jose, California", 37.30, -121.85, true},
		{"Gulf of the Farallones", 37.60, -122.80, false},
		{"interior of Oahu", 21.50, -158.00, true},
		{"Kauai Channel", 21.75, -158.80, false},
		{"Everglades", 25.60, -80.90, true},
		{"Straits of Florida", 24.20, -81.50, false},
		{"Kenai Mountains", 60.30, -149.80, true},
		{"Bering Sea", 57.00, -172.00, false},
		{"Fairbanks, far from all stations", 64.84, -147.70, true},
		{"interior of Guam", 13.45, 144.77, true},
	} {
		if got := onLand(c.longitude, c.latitude); got != c.land {
			t.Errorf("%s is on land: %v, want %v", c.name, got, c.land)
		}
	}
}

// onLand counts the edges of rings that a ray to the east crosses.
func onLand(x, y float64) (inside bool) {
	for _, r := range coasts() {
		for i, a := range r.points {
			b := r.points[(i+1)%len(r.points)]
			if (a.y > y) != (b.y > y) && x < a.x+(y-a.y)/(b.y-a.y)*(b.x-a.x) {
				inside = !inside
			}
		}
	}
	return inside
}

// TestLocatorScale checks the length of the scale against the distance between two stations,
// as package stations computes it.
func TestLocatorScale(t *testing.T) {
	d := locatorDirectory(t)
	for _, id := range []string{"8443970", "9455920", "1612340"} {
		here, near := locatorAround(t, d, id, 60)
		svg := string(Draw(here, near))
		m := regexp.MustCompile(`class="scale" d="M24 524v12h(\d+)`).FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("%s: no scale", here.Name)
		}
		length, _ := strconv.ParseFloat(m[1], 64)
		for _, l := range locatorCircle.FindAllStringSubmatchIndex(svg, -1) {
			x, _ := strconv.ParseFloat(svg[l[2]:l[3]], 64)
			y, _ := strconv.ParseFloat(svg[l[4]:l[5]], 64)
			got := math.Hypot(x-width/2, y-height/2) / length * scaleKm
			href := svg[strings.LastIndex(svg[:l[0]], `href="/stations/`)+len(`href="/stations/`):]
			other, _ := d.Station(href[:strings.Index(href, "?")])
			want := stations.Kilometers(
				here.Latitude, here.Longitude, other.Latitude, other.Longitude)
			if math.Abs(got-want) > 0.04*want+0.5 {
				t.Errorf("%s is %.1f km away on the map of %s, want %.1f", other.Name, got, here.Name, want)
			}
		}
	}
}

// TestLocateWithout checks that places without a coast in the data have no map: the Great Lakes
// and the open sea.
func TestLocateWithout(t *testing.T) {
	for _, s := range []Station{
		{Name: "Duluth", Latitude: 46.7756, Longitude: -92.0919},
		{Name: "Pacific", Latitude: 0, Longitude: -140},
		{Name: "North Pole", Latitude: 90, Longitude: 0},
	} {
		if got := Draw(s, nil); got != "" {
			t.Errorf("%s has a map of %d bytes", s.Name, len(got))
		}
	}
}

// TestLocateAcross checks that the antimeridian is not an edge: Amchitka is 4 degrees west of
// Adak, across 180 degrees.
func TestLocateAcross(t *testing.T) {
	for _, c := range []struct{ here, near Station }{
		{
			Station{Name: "east", Latitude: 51.6, Longitude: -179.5},
			Station{Name: "west", Href: "/w", Latitude: 51.4, Longitude: 179.3},
		},
		{
			Station{Name: "west", Latitude: 51.4, Longitude: 179.3},
			Station{Name: "east", Href: "/e", Latitude: 51.6, Longitude: -179.5},
		},
	} {
		svg := string(Draw(c.here, []Station{c.near}))
		m := locatorCircle.FindStringSubmatch(svg)
		if m == nil {
			t.Fatalf("the map of %s lacks its neighbor: %s", c.here.Name, svg)
		}
		if x, _ := strconv.Atoi(m[1]); (x > width/2) != (c.near.Name == "east") {
			t.Errorf("on the map of %s, %s is at %d", c.here.Name, c.near.Name, x)
		}
	}
}

// TestLocateEscape checks that texts are escaped.
func TestLocateEscape(t *testing.T) {
	here, near := locatorAround(t, locatorDirectory(t), "8443970", 400)
	here.Name = "a\"><script>\x00"
	near[0].Name, near[0].Href = "b</title><script>", "/x\"><script>"
	for i := range near {
		near[i].Name, near[i].Href = near[0].Name, near[0].Href
	}
	svg := string(Draw(here, near))
	if strings.Contains(svg, "<script") || strings.ContainsRune(svg, 0) {
		t.Errorf("a text left its place: %s", svg)
	}
	checkMap(t, "hostile", svg)
}

func BenchmarkLocate(b *testing.B) {
	here, near := locatorAround(b, locatorDirectory(b), "8443970", 60)
	Draw(here, near)
	b.ReportAllocs()
	for b.Loop() {
		Draw(here, near)
	}
}
