package nws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"leadline/internal/upstream"
)

// Zone is an area of water or land that forecasts and alerts refer to.
type Zone struct {
	ID       string // GMZ330
	Name     string // "Matagorda Bay"
	Type     string // coastal
	Office   string // of its text products, three letters; may be empty
	TimeZone string // IANA name; may be empty
}

// CoastalZone returns the coastal zone at a coordinate in degrees north and east, nil if there is
// none.
func (c *Client) CoastalZone(
	ctx context.Context, latitude, longitude float64,
) (upstream.Value[*Zone], error) {
	return c.zone(ctx, "coastal", latitude, longitude)
}

// LandZone returns the public forecast zone at a coordinate in degrees north and east, nil if
// there is none, as on water.
func (c *Client) LandZone(
	ctx context.Context, latitude, longitude float64,
) (upstream.Value[*Zone], error) {
	return c.zone(ctx, "public", latitude, longitude)
}

func (c *Client) zone(
	ctx context.Context, kind string, latitude, longitude float64,
) (upstream.Value[*Zone], error) {
	at, err := coordinate(latitude, longitude)
	if err != nil {
		return upstream.Value[*Zone]{}, err
	}
	path := "/zones?type=" + kind + "&point=" + url.QueryEscape(at) + "&include_geometry=false"
	return upstream.Get(ctx, c.up, c.request(path, geoJSON, placeClass), readZone)
}

func readZone(r upstream.Response) (*Zone, error) {
	var body struct {
		Features *[]struct {
			Properties struct {
				ID, Name, Type string
				CWA, TimeZone  firstText
			}
		}
	}
	if err := decode(r, "zone", &body); err != nil {
		return nil, err
	}
	if body.Features == nil {
		return nil, errors.New("read zone: no features")
	}
	if len(*body.Features) == 0 {
		return nil, nil
	}
	z := (*body.Features)[0].Properties
	if !ugc(z.ID) {
		return nil, fmt.Errorf("read zone: id %q", z.ID)
	}
	if z.CWA != "" && !office(string(z.CWA)) {
		return nil, fmt.Errorf("read zone %s: office %q", z.ID, z.CWA)
	}
	return &Zone{ID: z.ID, Name: z.Name, Type: z.Type, Office: string(z.CWA),
		TimeZone: string(z.TimeZone)}, nil
}

// firstText is the first of a list of strings, or a single string.
type firstText string

// UnmarshalJSON reads both formats; null and the empty list are "".
func (f *firstText) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(f))
	}
	var list []string
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) > 0 {
		*f = firstText(list[0])
	}
	return nil
}
