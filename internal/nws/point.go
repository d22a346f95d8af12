package nws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Point describes a coordinate.
type Point struct {
	Latitude, Longitude float64 // degrees north and east, as requested, to four decimals
	Marine              bool    // on water, by the service's own type or else by its zone
	Office              string  // of text products, three letters: OKX; NH2 on the high seas
	Grid                string  // id, sometimes not the office (AER for AFC); empty: no forecast
	X, Y                int     // cell of the grid; 0 if Grid is empty
	Zone                string  // forecast zone: NYZ072, or PZZ251 on water
	County, FireZone    string  // empty on water
	Place               string  // nearest town, "Hoboken, NJ"; may be empty
	TimeZone            string  // IANA name; may be empty
}

// Point returns the description of a coordinate in degrees north and east, rounded to four
// decimals. Outside of the service's coverage the error is ProductUnavailable, for invalid
// coordinates InvalidRequest.
func (c *Client) Point(
	ctx context.Context, latitude, longitude float64,
) (upstream.Value[Point], error) {
	at, err := coordinate(latitude, longitude)
	if err != nil {
		return upstream.Value[Point]{}, err
	}
	return upstream.Get(ctx, c.up, c.request("/points/"+at, geoJSON, placeClass),
		func(r upstream.Response) (Point, error) {
			p, err := readPoint(r)
			p.Latitude, p.Longitude = rounded(latitude), rounded(longitude)
			if e, ok := errors.AsType[*coast.Error](err); ok && e.Code == coast.ProductUnavailable {
				err = coast.Errorf(e.Code, "The weather service does not cover %s: it forecasts the United "+
					"States, their territories and the waters around them.", strings.Replace(at, ",", ", ", 1))
			}
			return p, err
		})
}

// pointBody has the members of a point that are read.
type pointBody struct {
	Properties *struct {
		CWA, Type, GridID string
		GridX, GridY      integer
		ForecastZone      string
		County            string
		FireWeatherZone   string
		TimeZone          string
		RelativeLocation  struct {
			Properties struct{ City, State string }
		}
	}
}

func readPoint(r upstream.Response) (Point, error) {
	var body pointBody
	if err := decode(r, "point", &body); err != nil {
		return Point{}, err
	}
	b := body.Properties
	if b == nil {
		return Point{}, errors.New("read point: no properties")
	}
	p := Point{Office: b.CWA, Grid: b.GridID, X: int(b.GridX), Y: int(b.GridY), TimeZone: b.TimeZone}
	if near := b.RelativeLocation.Properties; near.City != "" && near.State != "" {
		p.Place = near.City + ", " + near.State
	}
	var err error
	for _, zone := range []struct {
		to   *string
		link string
	}{{&p.Zone, b.ForecastZone}, {&p.County, b.County}, {&p.FireZone, b.FireWeatherZone}} {
		if *zone.to, err = zoneOf(zone.link); err != nil {
			return Point{}, err
		}
	}
	p.Marine = b.Type == "marine" || b.Type == "" && seaOf(p.Zone) != ""
	return p.check()
}

// check sets the office of a point that only has a grid, and rejects a point without a grid and a
// zone.
func (p Point) check() (Point, error) {
	if p.Grid == "" {
		p.X, p.Y = 0, 0
	} else if !office(p.Grid) || p.X < 0 || p.Y < 0 {
		return Point{}, fmt.Errorf("read point: grid %q %d,%d", p.Grid, p.X, p.Y)
	}
	if p.Office == "" {
		p.Office = p.Grid
	}
	if p.Zone == "" && p.Grid == "" || !office(p.Office) {
		return Point{}, fmt.Errorf("read point: neither zone nor grid, or office %q", p.Office)
	}
	return p, nil
}

// zoneOf returns the id at the end of a zone's URL, empty for none.
func zoneOf(link string) (string, error) {
	if link == "" {
		return "", nil
	}
	id := link[strings.LastIndexByte(link, '/')+1:]
	if !ugc(id) {
		return "", fmt.Errorf("unknown zone %q", link)
	}
	return id, nil
}

// integer is a number that the service writes without quotes in points and in quotes in grids.
// null is zero.
type integer int

// UnmarshalJSON reads both formats.
func (i *integer) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var text json.Number // takes both, if the quotes hold a number
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	n, err := strconv.Atoi(string(text))
	*i = integer(n)
	return err
}
