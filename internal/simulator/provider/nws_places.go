package provider

import (
	"fmt"
	"math"

	"leadline/internal/stations"
)

// surface is the kind of a point.
type surface int

const (
	uncovered surface = iota
	land
	marine   // on the water, gridded
	highSeas // beyond every grid: has only a zone
)

// Distances from the nearest tide station at which the surfaces end, kilometers.
const (
	ashoreWithin   = 4.0   // a station and its cell
	foreignBeyond  = 40.0  // where waters near a foreign station are not covered
	griddedWithin  = 100.0 // where the coastal zones end, 60 nautical miles out
	coveredWithin  = 500.0 // where the coverage ends
	lakeWithin     = 25.0  // from the position of a lake zone: lakes have no tide stations
	cellKilometers = 2.5
	gridCells      = 500 // along each side of an office's grid

	degreeKilometers = 111.195 // of latitude
)

// cell is one square of an office's grid.
type cell struct {
	office              *office
	x, y                int
	latitude, longitude float64 // of its center
	surface             surface
	water               *marineZone // the nearest of the office, nil without waters
	set                 Grid
	isSet               bool
}

// exposure returns the exposure of the cell to wind and sea.
func (c cell) exposure() exposure {
	if c.surface == marine {
		return c.water.Exposure
	}
	return ashore
}

// afloat reports whether the type of the cell is marine.
func (c cell) afloat() bool {
	return c.surface == marine
}

// name returns the path of the cell: PQR/74,145.
func (c cell) name() string { return fmt.Sprintf("%s/%d,%d", c.office.GridID, c.x, c.y) }

// forecastZone returns the zone whose forecast covers the cell.
func (c cell) forecastZone() string {
	if c.afloat() {
		return c.water.ID
	}
	return c.office.Land
}

// coastStation returns the nearest tide station, which marks the coast.
func (a *atlas) coastStation(latitude, longitude float64, american bool) stations.Near {
	return a.stations.Nearest(latitude, longitude, 1, func(st stations.Station) bool {
		return st.Kind == stations.Tide && (!american || st.State != "")
	})[0]
}

// surfaceAt returns the kind of a point, by its distance from the nearest tide station and lake.
func (a *atlas) surfaceAt(latitude, longitude float64) surface {
	near := a.coastStation(latitude, longitude, false)
	american := a.coastStation(latitude, longitude, true).Kilometers
	_, lake := nearestOffice(offices, func(o *office) float64 {
		if !o.onLakes() {
			return math.Inf(1)
		}
		_, km := o.nearestWater(latitude, longitude)
		return km
	})
	switch {
	case american <= ashoreWithin:
		return land
	case lake <= lakeWithin:
		return marine
	case inland(latitude, longitude):
		return land
	case near.Station.State == "" && near.Kilometers <= griddedWithin && american > foreignBeyond:
		return uncovered
	case american <= griddedWithin:
		return marine
	case american <= coveredWithin:
		return highSeas
	}
	return uncovered
}

// locate returns the cell of a point. It reports false beyond the coverage, on the high seas, and
// if the point is on no grid.
func (a *atlas) locate(latitude, longitude float64) (c cell, ok bool) {
	if kind := a.surfaceAt(latitude, longitude); kind == uncovered || kind == highSeas {
		return cell{}, false
	}
	o, _ := nearestOffice(offices, func(o *office) float64 {
		if !onGrid(o.cellOf(latitude, longitude)) {
			return math.Inf(1)
		}
		_, water := o.nearestWater(latitude, longitude)
		return min(water, kilometers(latitude, longitude, o.Latitude, o.Longitude))
	})
	if o == nil {
		return cell{}, false
	}
	x, y := o.cellOf(latitude, longitude)
	return a.newCell(o, x, y), true
}

// cellAt returns the cell with the given coordinates of an office's grid.
func (a *atlas) cellAt(o *office, x, y int) (c cell, ok bool) {
	if o == nil || o.GridID == "" || !onGrid(x, y) {
		return cell{}, false
	}
	c = a.newCell(o, x, y)
	kind := a.surfaceAt(c.latitude, c.longitude)
	shore := a.coastStation(c.latitude, c.longitude, true).Kilometers
	return c, kind != uncovered && (kind != highSeas || shore < griddedWithin+cellKilometers)
}

func onGrid(x, y int) bool { return 0 <= x && x < gridCells && 0 <= y && y < gridCells }

// newCell returns the cell with the given coordinates. Its center determines its surface, so that
// points and grids agree.
func (a *atlas) newCell(o *office, x, y int) cell {
	c := cell{office: o, x: x, y: y}
	c.latitude, c.longitude = o.middle(x, y)
	c.surface = a.surfaceAt(c.latitude, c.longitude)
	c.water, _ = o.nearestWater(c.latitude, c.longitude)
	if c.surface == highSeas || c.surface == uncovered {
		c.surface = marine // a cell at the border
	}
	if c.water == nil {
		c.surface = land
	}
	c.set, c.isSet = setFor(a.settings, &a.settings.grids, c.name(), c.forecastZone())
	if c.set.Afloat && c.water != nil {
		c.surface = marine
	}
	return c
}

// sides returns the sides of a cell in degrees.
func (o *office) sides() (latitude, longitude float64) {
	latitude = cellKilometers / degreeKilometers
	return latitude, latitude / math.Cos(o.Latitude*math.Pi/180)
}

func (o *office) cellOf(latitude, longitude float64) (x, y int) {
	dy, dx := o.sides()
	x = o.X + int(math.Round(wrapLongitude(longitude-o.Longitude)/dx))
	return x, o.Y + int(math.Round((latitude-o.Latitude)/dy))
}

func (o *office) middle(x, y int) (latitude, longitude float64) {
	dy, dx := o.sides()
	return o.Latitude + float64(y-o.Y)*dy, wrapLongitude(o.Longitude + float64(x-o.X)*dx)
}
