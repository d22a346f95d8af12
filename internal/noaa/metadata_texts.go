package noaa

import (
	"context"

	"leadline/internal/upstream"
)

// Product is something that the provider's site shows about a station.
type Product struct{ Name, URL string }

// Products lists what the provider's site shows about a station.
func (c *Client) Products(ctx context.Context, id string) (upstream.Value[[]Product], error) {
	return consult(ctx, c, about(id, "products", "products"), readProducts)
}

func readProducts(body []byte) ([]Product, error) {
	r := openRecord(body)
	r.need("products")
	var list []Product
	r.each("products", func(row *record) {
		list = append(list, Product{Name: row.certainText("name"), URL: row.text("value")})
	})
	return some(list, r.err)
}

// Notice is what the provider wants to be known about a station. Its text may
// have HTML in it, as it came.
type Notice struct{ Name, Text string }

// Notices lists what is the matter at a station now; that there is nothing is
// product_unavailable.
func (c *Client) Notices(ctx context.Context, id string) (upstream.Value[[]Notice], error) {
	return consult(ctx, c, about(id, "notices", "notices"), readNotices("notices"))
}

// Disclaimers lists what to mind about a station's data; that there is
// nothing is product_unavailable.
func (c *Client) Disclaimers(ctx context.Context, id string) (upstream.Value[[]Notice], error) {
	return consult(ctx, c, about(id, "disclaimers", "disclaimers"), readNotices("disclaimers"))
}

func readNotices(name string) func(body []byte) ([]Notice, error) {
	return func(body []byte) ([]Notice, error) {
		r := openRecord(body)
		r.need(name)
		var list []Notice
		r.each(name, func(row *record) {
			row.need("name", "text")
			list = append(list, Notice{Name: row.text("name"), Text: row.text("text")})
		})
		return some(list, r.err)
	}
}

// Benchmark is a mark on land from which a station's levels are checked.
type Benchmark struct {
	Designation, Stamping string // "944 7130 TIDAL 7", "NO 7"
	Description           string // where it is, in words
	Latitude, Longitude   *float64
	Published             *bool
	Established           string // day, yyyy-mm-dd
	Agency                string
	Monument, Setting     string // what it is, and in what it is set
	Condition             string // "Good", "Destroyed"
	PID                   string // the geodetic survey's identifier
}

// Benchmarks lists the bench marks of a station.
func (c *Client) Benchmarks(ctx context.Context, id string) (upstream.Value[[]Benchmark], error) {
	return consult(ctx, c, about(id, "benchmarks", "bench marks"), readBenchmarks)
}

func readBenchmarks(body []byte) ([]Benchmark, error) {
	r := openRecord(body)
	r.need("benchmarks")
	var list []Benchmark
	r.each("benchmarks", func(row *record) {
		row.need("designation")
		list = append(list, Benchmark{
			Designation: row.text("designation"), Stamping: row.text("stamping"), Description: row.text("description"),
			Latitude: row.number("lat"), Longitude: row.number("lng", "lon"), Published: row.flag("published"),
			Established: row.isoDay("dateEst"), Agency: row.text("agency"),
			Monument: row.text("monumentTypeDescr"), Setting: row.text("settingClassDescr"),
			Condition: row.text("monumentCondDescr"), PID: row.text("idbPid"),
		})
	})
	return some(list, r.err)
}

// mile is the statute mile in kilometres.
const mile = 1.609344

// Nearby is a station near another one.
type Nearby struct {
	ID, Name string
	// Kilometers is rough. The service reckons in miles, 69.1 for each degree
	// of latitude and 53 for each of longitude, which is right at 40 degrees
	// north: at Seattle it is 12 percent too much along the parallel. Positions
	// tell it better.
	Kilometers          float64
	Latitude, Longitude *float64
	Kind                string // "Water Level,Meteorological,Physical"
}

// Nearby lists stations near one, the nearest first; as a rule the first is
// that one itself, at 0.
func (c *Client) Nearby(ctx context.Context, id string) (upstream.Value[[]Nearby], error) {
	return consult(ctx, c, about(id, "nearby", "stations nearby"), readNearby)
}

func readNearby(body []byte) ([]Nearby, error) {
	r := openRecord(body)
	r.need("stations")
	var list []Nearby
	r.each("stations", func(row *record) {
		list = append(list, Nearby{
			ID: row.certainText("id"), Name: row.text("name"), Kilometers: row.certain("distance") * mile,
			Latitude: row.number("lat"), Longitude: row.number("lng", "lon"), Kind: row.text("stationType"),
		})
	})
	return some(list, r.err)
}
