package nws

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Bulletin returns the newest text product (CWF, OFF, NSH, GLF, SRF) of a place. A place is an
// office of three letters, or the part of it that the service files the product under (see
// BulletinFor). If none was issued in the last days the error is ProductUnavailable. Date, age
// and staleness describe the list of products, which shows that there is no newer one: products
// themselves never change.
func (c *Client) Bulletin(
	ctx context.Context, product, place string,
) (upstream.Value[Bulletin], error) {
	var none upstream.Value[Bulletin]
	if len(product) != 3 || !upper(product) || !office(place) {
		return none, coast.Errorf(coast.InvalidRequest, "There is no text product %q of %q.", product,
			place)
	}
	path := "/products/types/" + product + "/locations/" + place
	list, err := upstream.Get(ctx, c.up, c.request(path, linkedJSON, listClass),
		func(r upstream.Response) (issue, error) {
			return readList(r, product, place)
		})
	if err != nil {
		return none, err
	}
	text, err := upstream.Get(ctx, c.up,
		c.request("/products/"+list.Data.id, linkedJSON, productClass),
		func(r upstream.Response) (Bulletin, error) {
			return readProduct(r, product)
		})
	if err != nil {
		return none, err
	}
	b := text.Data
	b.Office = place
	return upstream.Value[Bulletin]{Data: b, Date: list.Date, ReceivedAt: list.ReceivedAt,
		Stale: list.Stale || text.Stale}, nil
}

// issue is one entry of the list of products.
type issue struct {
	id string
	at time.Time
}

// readList returns the newest of a list of products.
func readList(r upstream.Response, product, place string) (issue, error) {
	what := "list of " + product + " " + place
	var body struct {
		Graph *[]struct{ ID, IssuanceTime, ProductCode string } `json:"@graph"`
	}
	if err := decode(r, what, &body); err != nil {
		return issue{}, err
	}
	if body.Graph == nil {
		return issue{}, fmt.Errorf("read %s: no graph", what)
	}
	var newest issue
	for _, e := range *body.Graph {
		at, err := instant(e.IssuanceTime)
		if err != nil || !productID(e.ID) || e.ProductCode != "" && e.ProductCode != product {
			return issue{}, fmt.Errorf("read %s: entry %q of %q (%s)", what, e.ID, e.IssuanceTime,
				e.ProductCode)
		}
		if newest.id == "" || at.After(newest.at) {
			newest = issue{e.ID, at}
		}
	}
	if newest.id == "" {
		return issue{}, coast.Errorf(coast.ProductUnavailable,
			"The weather service has no %s of %s from the last days.", product, place)
	}
	return newest, nil
}

// productID reports whether id needs no escaping in a URL.
func productID(id string) bool {
	return len(id) <= 64 &&
		only(id, func(b byte) bool { return b == '-' || digit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' })
}

func readProduct(r upstream.Response, product string) (Bulletin, error) {
	var body struct{ ID, IssuanceTime, ProductCode, ProductText string }
	if err := decodeLines(r, "text product", &body); err != nil {
		return Bulletin{}, err
	}
	issued, err := instant(body.IssuanceTime)
	if err != nil {
		return Bulletin{}, fmt.Errorf("read text product: %w", err)
	}
	if body.ProductCode != product {
		return Bulletin{}, fmt.Errorf("read text product: %q is not a %s", body.ProductCode, product)
	}
	b, err := ParseBulletin(body.ProductText, issued)
	b.Product, b.ID = product, body.ID
	return b, err
}

// The service files a product under the last letters of its name, which are usually the office.
// These are the exceptions: offices that issue several, the lakes, and the offshore waters, by
// sea. The names are those in the products; it is not confirmed that the service files all of
// them under these names. If it does not, its list is empty and the next name is tried.
var (
	filedUnder = map[string][]string{
		"AFC": {"AER", "ALU"},        // Anchorage: the northern gulf, the southwest
		"AFG": {"WCZ", "NSB"},        // Fairbanks: the northwest, the arctic
		"AJK": {"AJK", "AEG", "YAK"}, // Juneau: inside, outside, Yakutat
	}
	offshore = map[string][]string{
		"ANZ": {"NT1", "NT2"}, "AMZ": {"NT3", "NT5"}, "GMZ": {"NT4"}, "PZZ": {"PZ5", "PZ6"},
		"PHZ": {"HFO"}, "PKZ": {"AJK", "AER", "ALU", "AFG"},
	}
	openLake = map[string]string{"LSZ": "LS", "LMZ": "LM", "LHZ": "LH", "LCZ": "SC", "LEZ": "LE",
		"LOZ": "LO", "SLZ": "SL"}
)

// offshorePlaces returns where the offshore forecast of a zone is filed. Of the zones that begin
// with PMZ, 009 to 029 are in OFF PZ7, 111 to 123 in OFF PZ8; others, such as the zones of Guam,
// are in neither.
func offshorePlaces(zone string) []string {
	number := zone[3:]
	switch {
	case zone[:3] != "PMZ":
		return offshore[zone[:3]]
	case "009" <= number && number <= "029":
		return []string{"PZ7"}
	case "111" <= number && number <= "123":
		return []string{"PZ8"}
	}
	return nil
}

// source is a product and the place that it is filed under.
type source struct{ product, place string }

// sources returns where to look for the forecast of a marine zone, in order.
func sources(zone, cwa string) []source {
	var list []source
	add := func(product string, places ...string) {
		for _, place := range places {
			list = append(list, source{product, place})
		}
	}
	for _, product := range ProductsFor(zone) {
		switch {
		case product == "GLF":
			add(product, openLake[zone[:3]])
		case product == "OFF":
			add(product, offshorePlaces(zone)...)
			add(product, cwa)
		case nationalCenter(cwa): // issues no other product
		case filedUnder[cwa] != nil:
			add(product, filedUnder[cwa]...)
		default:
			add(product, cwa)
		}
	}
	return list
}

// nationalCenter reports whether an office forecasts the high seas: the
// Hurricane Center (NH1, NH2) or the Ocean Prediction Center (ONA, ONP).
func nationalCenter(cwa string) bool {
	return strings.HasPrefix(cwa, "NH") || strings.HasPrefix(cwa, "ON")
}

// BulletinFor returns the newest text forecast with a segment for a marine zone. It tries the
// products that can have one, of the office that a Point or a Zone names. If none has the zone
// the error is ProductUnavailable; if a request failed it is that failure.
func (c *Client) BulletinFor(
	ctx context.Context, zone, cwa string,
) (upstream.Value[Bulletin], error) {
	var failure error
	for _, s := range sources(zone, cwa) {
		b, err := c.Bulletin(ctx, s.product, s.place)
		if err == nil {
			if _, ok := b.Data.Segment(zone); ok {
				return b, nil
			}
			continue
		}
		if !absent(err) && failure == nil {
			failure = err
		}
	}
	if failure == nil {
		failure = coast.Errorf(coast.ProductUnavailable,
			"The weather service has no text forecast for zone %q.", zone)
	}
	return upstream.Value[Bulletin]{}, failure
}

// absent reports whether an error says that the service has no data, or that a place is invalid.
func absent(err error) bool {
	e, ok := errors.AsType[*coast.Error](err)
	return ok && slices.Contains([]coast.Code{coast.ProductUnavailable, coast.InvalidRequest}, e.Code)
}
