package provider

import (
	"fmt"
	"math"
	"strings"

	"leadline/internal/stations"
)

// A surface is what the service takes a point for.
type surface int

const (
	outside  surface = iota // not covered
	land                    // with forecasts in words
	harbour                 // typed marine, with forecasts in words all the same
	marine                  // gridded, without forecasts in words
	gridless                // beyond every grid: a zone and nothing else
)

// How far from the nearest tide station the surfaces reach, kilometres.
const (
	ashoreWithin   = 4.0   // a station, and the cell that it lies in
	harbourWithin  = 40.0  // some cells
	griddedWithin  = 100.0 // where the coastal zones end, 60 nautical miles out
	coveredWithin  = 500.0 // where the United States end
	lakeWithin     = 25.0  // of a lake zone's spot: there are no tide stations
	cellKilometers = 2.5
	gridCells      = 500 // along each side of an office's grid
)

// A cell is one square of an office's grid.
type cell struct {
	office              *office
	x, y                int
	latitude, longitude float64 // of its middle
	surface             surface
	water               *seaZone // the nearest of the office, nil where it has none
	order               gridOrder
}

// exposure is how open the cell is to wind and sea.
func (c cell) exposure() exposure {
	switch c.surface {
	case marine:
		return c.water.exposure
	case harbour:
		return bay
	}
	return ashore
}

// afloat reports whether the cell is typed marine.
func (c cell) afloat() bool {
	return c.surface == harbour || c.surface == marine || c.surface == gridless
}

// tideStation takes the stations that say where the coast is.
func tideStation(s stations.Station) bool { return s.Kind == stations.Tide }

func americanTideStation(s stations.Station) bool { return tideStation(s) && s.State != "" }

// surface tells what lies at a point, by the nearest tide station and lake.
func (s *weatherService) surface(latitude, longitude float64) surface {
	near := s.stations.Nearest(latitude, longitude, 1, tideStation)[0]
	american := s.stations.Nearest(latitude, longitude, 1, americanTideStation)[0].Kilometers
	_, lake := nearestWater(latitude, longitude, (*office).lake)
	switch inland := interior(latitude, longitude); {
	case american <= ashoreWithin:
		return land
	case lake <= lakeWithin:
		return marine
	case inland:
		return land
	case near.Station.State == "" && near.Kilometers <= griddedWithin && american > harbourWithin:
		return outside
	case american <= harbourWithin && sheltered(latitude, longitude):
		return harbour
	case american <= griddedWithin:
		return marine
	case american <= coveredWithin:
		return gridless
	}
	return outside
}

// sheltered picks one in four of the squares of a tenth of a degree.
func sheltered(latitude, longitude float64) bool {
	square := fmt.Sprintf("harbour %.0f %.0f", math.Floor(latitude*10), math.Floor(longitude*10))
	return scramble(square)%4 == 0
}

// locate finds the cell of a point; ok is false where no office has one,
// beyond the coverage and on the high seas.
func (s *weatherService) locate(latitude, longitude float64) (c cell, ok bool) {
	if kind := s.surface(latitude, longitude); kind == outside || kind == gridless {
		return cell{}, false
	}
	best := math.Inf(1)
	for i := range offices {
		o := &offices[i]
		x, y := o.cellOf(latitude, longitude)
		if d := o.distance(latitude, longitude); d < best && onGrid(x, y) {
			best, c = d, cell{office: o, x: x, y: y}
		}
	}
	return s.settle(c), c.office != nil
}

// at is the cell with the coordinates of an office's grid.
func (s *weatherService) at(o *office, x, y int) (c cell, ok bool) {
	if o == nil || o.grid == "" || !onGrid(x, y) {
		return cell{}, false
	}
	c = s.settle(cell{office: o, x: x, y: y})
	kind := s.surface(c.latitude, c.longitude)
	return c, kind != outside && (kind != gridless || s.stations.Nearest(c.latitude, c.longitude, 1, americanTideStation)[0].Kilometers < griddedWithin+cellKilometers)
}

func onGrid(x, y int) bool { return 0 <= x && x < gridCells && 0 <= y && y < gridCells }

// settle fills in what follows from a cell's coordinates. The middle of the
// cell decides for all points of it, so that points and grids agree.
func (s *weatherService) settle(c cell) cell {
	if c.office == nil {
		return c
	}
	c.latitude, c.longitude = c.office.middle(c.x, c.y)
	c.surface = s.surface(c.latitude, c.longitude)
	c.water, _ = c.office.nearestWater(c.latitude, c.longitude)
	if c.surface == gridless || c.surface == outside {
		c.surface = marine // the last cell, half of it within
	}
	switch {
	case c.water == nil:
		c.surface = land
	case c.surface == harbour && c.water.exposure == openSea:
		c.surface = marine // harbours lie in bays
	}
	c.order = s.orders.grid(c)
	if c.order.Afloat && c.water != nil {
		c.surface = marine
	}
	return c
}

// id is the cell as its address has it: PQR/74,145.
func (c cell) id() string { return fmt.Sprintf("%s/%d,%d", c.office.grid, c.x, c.y) }

// url is the cell's address.
func (c cell) url() string { return api + "/gridpoints/" + c.id() }

// forecastZone is the zone whose forecast covers the cell.
func (c cell) forecastZone() string {
	if c.afloat() {
		return c.water.id
	}
	return c.office.land
}

// degreeKilometers is the length of a degree of latitude.
const degreeKilometers = 111.195

// steps are the sides of a cell in degrees.
func (o *office) steps() (latitude, longitude float64) {
	latitude = cellKilometers / degreeKilometers
	return latitude, latitude / math.Cos(o.latitude*math.Pi/180)
}

func (o *office) cellOf(latitude, longitude float64) (x, y int) {
	dy, dx := o.steps()
	return o.x + int(math.Round(wrap(longitude-o.longitude)/dx)), o.y + int(math.Round((latitude-o.latitude)/dy))
}

func (o *office) middle(x, y int) (latitude, longitude float64) {
	dy, dx := o.steps()
	return o.latitude + float64(y-o.y)*dy, wrap(o.longitude + float64(x-o.x)*dx)
}

// distance is how far the nearest of the office's own spots is, kilometres.
func (o *office) distance(latitude, longitude float64) float64 {
	d := kilometers(latitude, longitude, o.latitude, o.longitude)
	if _, w := o.nearestWater(latitude, longitude); w < d {
		return w
	}
	return d
}

// nearestWater returns the office's zone whose spot is nearest, nil if it has none.
func (o *office) nearestWater(latitude, longitude float64) (nearest *seaZone, km float64) {
	km = math.Inf(1)
	for i := range o.waters {
		w := &o.waters[i]
		if d := kilometers(latitude, longitude, w.latitude, w.longitude); d < km {
			nearest, km = w, d
		}
	}
	return nearest, km
}

// nearestWater returns the office, among those that keep takes, whose zone is nearest, and how far that is.
func nearestWater(latitude, longitude float64, keep func(*office) bool) (nearest *office, km float64) {
	km = math.Inf(1)
	for i := range offices {
		if o := &offices[i]; keep(o) {
			if _, d := o.nearestWater(latitude, longitude); d < km {
				nearest, km = o, d
			}
		}
	}
	return nearest, km
}

// nearestCentre returns the centre whose waters are nearest, and the water.
func nearestCentre(latitude, longitude float64) (nearest *office, zone *seaZone) {
	best := math.Inf(1)
	for i := range centres {
		if w, d := centres[i].nearestWater(latitude, longitude); d < best {
			nearest, zone, best = &centres[i], w, d
		}
	}
	return nearest, zone
}

// nearestTown returns the office whose town is nearest.
func nearestTown(latitude, longitude float64) (nearest town) {
	best := math.Inf(1)
	for i := range offices {
		t := offices[i].town
		if d := kilometers(latitude, longitude, t.latitude, t.longitude); d < best {
			nearest, best = t, d
		}
	}
	return nearest
}

// kilometers is the great-circle distance between two places.
func kilometers(latitude1, longitude1, latitude2, longitude2 float64) float64 {
	sinY := math.Sin((latitude2 - latitude1) * math.Pi / 360)
	sinX := math.Sin((longitude2 - longitude1) * math.Pi / 360)
	h := sinY*sinY + math.Cos(latitude1*math.Pi/180)*math.Cos(latitude2*math.Pi/180)*sinX*sinX
	return 2 * 6371.0088 * math.Asin(min(1, math.Sqrt(h)))
}

// bearing is the initial course from the first place to the second, degrees
// true, cut to whole ones as the service does.
func bearing(latitude1, longitude1, latitude2, longitude2 float64) int {
	sin1, cos1 := math.Sincos(latitude1 * math.Pi / 180)
	sin2, cos2 := math.Sincos(latitude2 * math.Pi / 180)
	sinD, cosD := math.Sincos((longitude2 - longitude1) * math.Pi / 180)
	b := math.Atan2(sinD*cos2, cos1*sin2-sin1*cos2*cosD) * 180 / math.Pi
	return int(math.Floor(b)+360) % 360
}

// wrap brings a longitude, or a difference of two, between -180 and 180.
func wrap(degrees float64) float64 { return math.Mod(degrees+540, 360) - 180 }

// interior reports whether a point lies so far from the sea that it is land
// (or one of the Great Lakes) whatever the stations say.
func interior(latitude, longitude float64) bool {
	return inside(lowerStates, latitude, longitude) || inside(alaska, latitude, longitude)
}

// corner is longitude and latitude of a corner of an outline.
type corner struct{ longitude, latitude float64 }

// The inner parts of the country, drawn some 50 km behind the coasts.
var (
	lowerStates = []corner{
		{-68.0, 45.8}, {-70.2, 44.6}, {-71.6, 43.3}, {-72.4, 42.2}, {-73.3, 41.9}, {-75.2, 41.0}, {-76.6, 40.2}, {-77.9, 39.2},
		{-78.3, 37.6}, {-78.3, 36.2}, {-79.5, 34.8}, {-81.3, 33.6}, {-82.3, 32.0}, {-82.7, 30.9}, {-84.5, 30.9}, {-87.0, 31.3},
		{-89.0, 31.2}, {-90.5, 30.9}, {-92.5, 30.7}, {-94.5, 30.6}, {-96.5, 29.6}, {-98.2, 28.3}, {-98.5, 26.7}, {-99.4, 27.5},
		{-100.4, 28.6}, {-101.5, 29.8}, {-103.0, 29.1}, {-104.6, 29.8}, {-106.5, 31.8}, {-111.0, 31.4}, {-114.7, 32.6}, {-116.0, 32.7},
		{-116.5, 33.5}, {-118.0, 34.6}, {-119.6, 35.2}, {-120.5, 36.4}, {-121.0, 37.5}, {-122.3, 39.0}, {-122.9, 40.0}, {-123.1, 42.0},
		{-123.1, 44.0}, {-122.4, 45.2}, {-121.8, 46.8}, {-121.5, 49.0}, {-95.2, 49.0}, {-93.0, 48.6}, {-89.6, 48.0}, {-88.4, 48.2},
		{-84.8, 46.8}, {-83.6, 46.1}, {-82.5, 45.3}, {-82.4, 43.0}, {-83.1, 42.1}, {-82.4, 41.7}, {-79.8, 42.5}, {-78.9, 42.9},
		{-79.1, 43.4}, {-76.8, 43.6}, {-76.4, 44.1}, {-75.2, 44.9}, {-71.5, 45.0}, {-70.3, 46.0}, {-69.2, 47.4}, {-68.0, 47.3},
	}
	alaska = []corner{
		{-141.0, 61.0}, {-147.0, 62.2}, {-150.8, 62.3}, {-153.5, 61.3}, {-157.0, 60.6}, {-159.5, 61.8}, {-158.5, 65.0},
		{-160.0, 67.5}, {-157.0, 70.2}, {-147.0, 69.6}, {-141.0, 69.0},
	}
)

// inside reports whether a point lies in an outline: whether a line to the
// east of it crosses the outline an odd number of times.
func inside(outline []corner, latitude, longitude float64) bool {
	in := false
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		if (a.latitude > latitude) != (b.latitude > latitude) &&
			longitude < a.longitude+(latitude-a.latitude)/(b.latitude-a.latitude)*(b.longitude-a.longitude) {
			in = !in
		}
	}
	return in
}

// decimal writes a coordinate as the service does: four decimals at most, no
// zeros at the end.
func decimal(degrees float64) string {
	text := strings.TrimRight(fmt.Sprintf("%.4f", degrees), "0")
	text = strings.TrimSuffix(text, ".")
	if text == "-0" {
		return "0"
	}
	return text
}
