package provider

import (
	"fmt"
	"slices"
	"time"
)

// Surf is what the surf zone forecast (SRF) says of a land zone to order. What
// it does not name stays built-in.
type Surf struct {
	Risk    func(day string) string // of rip currents, on TODAY, SATURDAY; "" leaves the line out
	Issued  time.Time               // of the newest text, the earlier ones each six hours before
	Expires time.Time               // of the zone's segment
	Missing bool                    // the text has no segment for the zone
	None    bool                    // the office issues no such text
}

// surfOrder is a Surf with its number among all orders of texts.
type surfOrder struct {
	Surf
	revision int
}

// SetSurf orders what the surf zone forecast says of a land zone (MAZ015). Any
// other name is an error.
func (p *Provider) SetSurf(zone string, s Surf) error {
	if !slices.ContainsFunc(offices, func(o office) bool { return o.land == zone }) {
		return fmt.Errorf("%q is not a land zone of an office", zone)
	}
	o := &p.nws.orders
	o.mu.Lock()
	o.count++
	order := surfOrder{s, o.count}
	o.mu.Unlock()
	put(&o.mu, &o.surfs, zone, order)
	return nil
}

// surf returns what is ordered for a land zone.
func (o *orders) surf(zone string) (order surfOrder, given bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	order, given = o.surfs[zone]
	return order, given
}
