package provider

import (
	"math"
	"strconv"
	"strings"
)

const metersPerFoot = 0.3048

// kilometers returns the great-circle distance between two places.
func kilometers(latitude1, longitude1, latitude2, longitude2 float64) float64 {
	sinY := math.Sin((latitude2 - latitude1) * math.Pi / 360)
	sinX := math.Sin((longitude2 - longitude1) * math.Pi / 360)
	h := sinY*sinY + math.Cos(latitude1*math.Pi/180)*math.Cos(latitude2*math.Pi/180)*sinX*sinX
	return 2 * 6371.0088 * math.Asin(min(1, math.Sqrt(h)))
}

// wrapLongitude normalizes a longitude, or a difference of two, to -180 to 180.
func wrapLongitude(degrees float64) float64 { return math.Mod(degrees+540, 360) - 180 }

// readPoint reads "lat,lon".
func readPoint(text string) (latitude, longitude float64, ok bool) {
	a, b, _ := strings.Cut(text, ",")
	latitude, err1 := strconv.ParseFloat(a, 64)
	longitude, err2 := strconv.ParseFloat(b, 64)
	ok = err1 == nil && err2 == nil && math.Abs(latitude) <= 90 && math.Abs(longitude) <= 180
	return latitude, longitude, ok
}

// pointName formats a point as the weather service does: at most four decimals, no trailing zeros.
func pointName(latitude, longitude float64) string {
	return fourDecimals(latitude) + "," + fourDecimals(longitude)
}

func fourDecimals(degrees float64) string {
	return strconv.FormatFloat(math.Round(degrees*1e4)/1e4+0, 'f', -1, 64)
}

// corner is a corner of an outline.
type corner struct{ longitude, latitude float64 }

// inland reports whether a point is so far from the sea that it is land (or one of the Great
// Lakes), regardless of stations nearby.
func inland(latitude, longitude float64) bool {
	return inside(lowerStates, latitude, longitude) || inside(alaska, latitude, longitude)
}

// Outlines of inland areas, about 50 km from the coast.
var (
	lowerStates = []corner{
		{-68.0, 45.8}, {-70.2, 44.6}, {-71.6, 43.3}, {-72.4, 42.2}, {-73.3, 41.9}, {-75.2, 41.0},
		{-76.6, 40.2},
		{-77.9, 39.2}, {-78.3, 37.6}, {-78.3, 36.2}, {-79.5, 34.8}, {-81.3, 33.6}, {-82.3, 32.0},
		{-82.7, 30.9},
		{-84.5, 30.9}, {-87.0, 31.3}, {-89.0, 31.2}, {-90.5, 30.9}, {-92.5, 30.7}, {-94.5, 30.6},
		{-96.5, 29.6},
		{-98.2, 28.3}, {-98.5, 26.7}, {-99.4, 27.5}, {-100.4, 28.6}, {-101.5, 29.8}, {-103.0, 29.1},
		{-104.6, 29.8},
		{-106.5, 31.8}, {-111.0, 31.4}, {-114.7, 32.6}, {-116.0, 32.7}, {-116.5, 33.5}, {-118.0, 34.6},
		{-119.6, 35.2},
		{-120.5, 36.4}, {-121.0, 37.5}, {-122.3, 39.0}, {-122.9, 40.0}, {-123.1, 42.0}, {-123.1, 44.0},
		{-122.4, 45.2},
		{-121.8, 46.8}, {-121.5, 49.0}, {-95.2, 49.0}, {-93.0, 48.6}, {-89.6, 48.0}, {-88.4, 48.2},
		{-84.8, 46.8},
		{-83.6, 46.1}, {-82.5, 45.3}, {-82.4, 43.0}, {-83.1, 42.1}, {-82.4, 41.7}, {-79.8, 42.5},
		{-78.9, 42.9},
		{-79.1, 43.4}, {-76.8, 43.6}, {-76.4, 44.1}, {-75.2, 44.9}, {-71.5, 45.0}, {-70.3, 46.0},
		{-69.2, 47.4}, {-68.0, 47.3},
	}
	alaska = []corner{
		{-141.0, 61.0}, {-147.0, 62.2}, {-150.8, 62.3}, {-153.5, 61.3}, {-157.0, 60.6}, {-159.5, 61.8},
		{-158.5, 65.0},
		{-160.0, 67.5}, {-157.0, 70.2}, {-147.0, 69.6}, {-141.0, 69.0},
	}
)

// inside reports whether a point is in an outline: a line to the east of it then crosses the
// outline an odd number of times.
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
