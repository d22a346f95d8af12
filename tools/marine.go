package tools

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/nws"
	"leadline/internal/sky"
)

// MarineForecastInput asks for the coastal waters forecast of a point.
type MarineForecastInput struct {
	AtPlace
}

// Validate holds the place to one.
func (in *MarineForecastInput) Validate() error { return in.check(true) }

// ForecastPeriod is one period of a forecast text.
type ForecastPeriod struct {
	Name string `json:"name" quoted:"yes"`
	Text string `json:"text" quoted:"yes"`
}

// MarineZone is a zone of the weather service on the water.
type MarineZone struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Office     string  `json:"office"`
	DistanceKm float64 `json:"distanceKm"` // from the point; 0 within the zone
}

// MarineText is the part of a bulletin that is about one zone.
type MarineText struct {
	Product   string           `json:"product"` // CWF, NSH, GLF, OFF
	Issued    time.Time        `json:"issued"`
	Expires   *time.Time       `json:"expires"` // null where the bulletin does not say
	Headlines []string         `json:"headlines" quoted:"yes"`
	Synopsis  string           `json:"synopsis" quoted:"yes"` // empty where the office writes none
	Periods   []ForecastPeriod `json:"periods"`
}

// Alert is one alert in force or announced.
type Alert struct {
	Event       string     `json:"event"`
	Onset       *time.Time `json:"onset"`
	Ends        *time.Time `json:"ends"`    // of the event; null where none is told: until further notice
	Expires     *time.Time `json:"expires"` // of the message, which is followed by another while the event lasts
	Headline    string     `json:"headline" quoted:"yes"`
	Description string     `json:"description,omitempty" quoted:"yes"`
	Instruction string     `json:"instruction,omitempty" quoted:"yes"`
	Zone        string     `json:"zone" quoted:"yes"` // the zones of the alert, as people call them

	severity string // CAP severity, which decisions read
}

// RipRisk is the risk of rip currents that the surf forecast tells for a period.
type RipRisk struct {
	Period string `json:"period"`
	Area   string `json:"area,omitempty" quoted:"yes"` // the part of the zone that it is told for; left out where it is the whole
	Risk   string `json:"risk" quoted:"yes"`
}

// WaterText is the coastal waters forecast of a point's zone, and the alerts
// for the water and the land there.
type WaterText struct {
	Zone       *MarineZone `json:"zone"`
	Text       *MarineText `json:"text"`
	Alerts     []Alert     `json:"alerts"`
	AlertsAsOf *time.Time  `json:"alertsAsOf"` // null: not known whether there are any
	Rip        []RipRisk   `json:"ripCurrents"`
}

// MarineForecast is what is forecast for the water at a point.
type MarineForecast struct {
	coast.Frame
	WaterText
}

func textOrigin(product, office string) origin {
	return origin{"marine-text", "Marine forecast text of the National Weather Service", coast.NWS, coast.Forecast,
		"https://forecast.weather.gov/product.php?site=NWS&issuedby=" + office + "&product=" + product}
}

func alertsOrigin(latitude, longitude float64) origin {
	return origin{"marine-alerts", "Alerts in force, for the water and the land", coast.NWS, coast.Forecast,
		fmt.Sprintf("https://forecast.weather.gov/MapClick.php?lat=%.4f&lon=%.4f", latitude, longitude)}
}

func surfOrigin(office string) origin {
	return origin{"surf-forecast", "Surf zone forecast of the National Weather Service", coast.NWS, coast.Forecast,
		"https://forecast.weather.gov/product.php?site=NWS&issuedby=" + office + "&product=SRF"}
}

// MarineForecast tells the newest text for the water at a point, the alerts,
// and the risk of rip currents where an office tells it. Parts that could not
// be had stand in missing; where none could it is an error.
func (s *Set) MarineForecast(ctx context.Context, in MarineForecastInput) (MarineForecast, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	sp, err := m.place(ctx, in.AtPlace, InPlaceZone{})
	if err != nil {
		return MarineForecast{}, err
	}
	out := MarineForecast{Frame: sp.frame("")}
	out.WaterText, err = m.waterText(ctx, &out.Provenance, sp)
	return out, err
}

// waterText asks for text, alerts and surf forecast together, and tells p
// where they come from and what is missing.
func (m moment) waterText(ctx context.Context, p *coast.Provenance, sp spot) (WaterText, error) {
	out := WaterText{Alerts: []Alert{}, Rip: []RipRisk{}}
	point, err := m.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	if err != nil {
		m.lack(p, textOrigin("CWF", ""), "marine text", err)
		m.lack(p, alertsOrigin(sp.Latitude, sp.Longitude), "alerts", err)
		return out, err
	}
	zone, zoneErr := m.waterAt(ctx, sp, point.Data)
	out.Zone = zone
	w := lookout{m, sp, point.Data, zone}
	var text, alerts, rip part
	together(
		func() { text = w.text(ctx, &out) },
		func() { alerts = w.alerts(ctx, &out) },
		func() { rip = w.rip(ctx, &out) },
	)
	if zone == nil {
		text.err = cmp.Or(zoneErr, error(coast.Errorf(coast.ProductUnavailable, "No marine zone of the weather service lies within 10 km of the point, so there is no text for the water there.")))
	}
	for _, part := range []part{text, alerts, rip} {
		part.into(m, p)
	}
	if alerts.source != nil && alerts.source.Freshness == coast.Stale {
		p.Missing = append(p.Missing, coast.Missing{Input: "alerts", Reason: "the weather service does not answer: those that are here were in force when it last did, at " + out.AlertsAsOf.Format(time.RFC3339) + ", and there can be others since"})
	}
	if zoneErr != nil {
		p.Missing = append(p.Missing, coast.Missing{Input: "alerts for the water", Reason: "the point's marine zone could not be found: only the alerts for the land are here"})
	}
	return out, nothing([]error{text.err, alerts.err})
}

// lookout asks the weather service about one point.
type lookout struct {
	moment
	spot
	point nws.Point
	water *MarineZone // nil where none is near or known
}

// text finds the newest bulletin with a segment for the zone.
func (w lookout) text(ctx context.Context, out *WaterText) part {
	p := part{origin: textOrigin("CWF", w.point.Office), input: "marine text"}
	if w.water == nil {
		return p
	}
	bulletin, err := w.Weather.BulletinFor(ctx, w.water.ID, w.water.Office)
	if err != nil {
		p.err = err
		return p
	}
	b := bulletin.Data
	segment, _ := b.Segment(w.water.ID)
	out.Text = w.marineText(b, segment)
	if w.water.Name == "" {
		w.water.Name = segment.Names
	}
	source := w.had(textOrigin(b.Product, b.Office), bulletinShelf, &b.Issued, b.Issued, bulletin.ReceivedAt)
	source.Freshness = bulletinFreshness(w.now, b.Issued, segment.Expires)
	p.source = &source
	return p
}

// bulletinFreshness: a text ages until it expires, and is stale from then on.
func bulletinFreshness(now, issued, expires time.Time) coast.Freshness {
	by := bulletinShelf.freshness(now.Sub(issued))
	switch {
	case !expires.IsZero() && !now.Before(expires):
		return coast.Stale
	case !expires.IsZero() && by == coast.Stale:
		return coast.Aging
	}
	return by
}

func (w lookout) marineText(b nws.Bulletin, segment nws.Segment) *MarineText {
	text := &MarineText{
		Product: b.Product, Issued: b.Issued.In(w.zone.Location), Headlines: segment.Headlines, Synopsis: b.Synopsis(), Periods: []ForecastPeriod{},
	}
	if !segment.Expires.IsZero() {
		expires := segment.Expires.In(w.zone.Location)
		text.Expires = &expires
	}
	if text.Headlines == nil {
		text.Headlines = []string{}
	}
	for _, p := range segment.Periods {
		text.Periods = append(text.Periods, ForecastPeriod{p.Name, p.Text})
	}
	return text
}

// alerts asks for the alerts at the point and in its zones.
func (w lookout) alerts(ctx context.Context, out *WaterText) part {
	p := part{origin: alertsOrigin(w.Latitude, w.Longitude), input: "alerts"}
	zones := []string{}
	if w.point.Zone != "" {
		zones = append(zones, w.point.Zone)
	}
	if w.water != nil && w.water.ID != w.point.Zone {
		zones = append(zones, w.water.ID)
	}
	var at, in nws.Alerts
	var received time.Time
	var atErr, inErr error
	together(
		func() {
			v, err := w.Weather.AlertsAt(ctx, w.Latitude, w.Longitude)
			at, received, atErr = v.Data, v.ReceivedAt, err
		},
		func() {
			if len(zones) > 0 {
				v, err := w.Weather.AlertsIn(ctx, zones...)
				in, inErr = v.Data, err
			}
		},
	)
	if p.err = cmp.Or(atErr, inErr); p.err != nil {
		return p // half of the alerts would look like all of them
	}
	asOf := at.AsOf
	if len(zones) > 0 && in.AsOf.Before(asOf) {
		asOf = in.AsOf
	}
	local := asOf.In(w.zone.Location)
	out.Alerts, out.AlertsAsOf = w.merged(at.Alerts, in.Alerts), &local
	source := w.had(p.origin, alertShelf, at.Updated, asOf, received)
	p.source = &source
	return p
}

// merged are the alerts of both answers, each once, that are in force or to come.
func (w lookout) merged(lists ...[]nws.Alert) []Alert {
	alerts, seen := []Alert{}, map[string]bool{}
	for _, a := range slices.Concat(lists...) {
		ends := firstOf(a.Ends, a.Expires)
		over := ends != nil && ends.Before(w.now)
		if seen[a.ID] || over || a.Status != "Actual" || a.MessageType == "Cancel" {
			continue
		}
		seen[a.ID] = true
		alerts = append(alerts, Alert{
			Event: a.Event, Onset: w.local(firstOf(a.Onset, a.Effective)), Ends: w.local(a.Ends), Expires: w.local(a.Expires),
			Headline: a.Headline, Description: strings.Join(strings.Fields(a.Description), " "), Instruction: strings.Join(strings.Fields(a.Instruction), " "), Zone: a.Area,
			severity: a.Severity,
		})
	}
	return alerts
}

func firstOf(times ...*time.Time) *time.Time { return cmp.Or(times...) }

func (w lookout) local(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	local := t.In(w.zone.Location)
	return &local
}

// rip reads the surf forecast's risk of rip currents for the point's land
// zone. Many offices issue none, or in season only: then it is missing.
func (w lookout) rip(ctx context.Context, out *WaterText) part {
	p := part{origin: surfOrigin(w.point.Office), input: "rip-current risk"}
	bulletin, err := w.Weather.Bulletin(ctx, "SRF", w.point.Office)
	if err != nil {
		p.err = err
		return p
	}
	b := bulletin.Data
	segment, ok := b.Segment(w.point.Zone)
	if !ok || len(segment.Rip) == 0 {
		p.err = coast.Errorf(coast.ProductUnavailable, "The surf forecast of office %s tells no risk of rip currents for zone %s. That does not mean that there are none.", w.point.Office, w.point.Zone)
		return p
	}
	for _, r := range segment.Rip {
		out.Rip = append(out.Rip, RipRisk{r.Period, r.Area, r.Risk})
	}
	source := w.surfSource(p.origin, b, segment, bulletin.ReceivedAt)
	source.Required = false
	p.source = &source
	return p
}

// The rings on which a marine zone is looked for around a point on land, and
// the bearings of each in order (ours: a harbor's water lies within the
// first, a river town's within the last).
var (
	ringKilometers = []float64{2, 5, 10}
	ringBearings   = []float64{0, 90, 180, 270}
)

// marineZone is the zone of the water at a point: its own, or the nearest one
// found on the rings; nil where there is none within the last ring.
func (m moment) marineZone(ctx context.Context, at sky.Place, p nws.Point) (*MarineZone, error) {
	if p.Marine && p.Zone != "" {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	own, err := m.Weather.CoastalZone(ctx, at.Latitude, at.Longitude)
	if err != nil {
		return nil, err
	}
	if own.Data != nil {
		return &MarineZone{ID: own.Data.ID, Name: own.Data.Name, Office: own.Data.Office}, nil
	}
	return onRings(at, func(latitude, longitude float64) (*nws.Zone, error) {
		v, err := m.Weather.CoastalZone(ctx, latitude, longitude)
		return v.Data, err
	})
}

// zoneAsk asks for the zone of a kind at a coordinate.
type zoneAsk func(latitude, longitude float64) (*nws.Zone, error)

// onRings returns the nearest zone of a kind on the rings, nil where there is
// none within the last.
func onRings(at sky.Place, ask zoneAsk) (*MarineZone, error) {
	for _, km := range ringKilometers {
		zone, err := ring(at, km, ask)
		if zone != nil || err != nil {
			return zone, err
		}
	}
	return nil, nil
}

// ring asks for the zones at the points of one ring together and takes the
// first in the order of bearings.
func ring(at sky.Place, km float64, ask zoneAsk) (*MarineZone, error) {
	zones, errs := make([]*nws.Zone, len(ringBearings)), make([]error, len(ringBearings))
	parts := make([]func(), len(ringBearings))
	for i, bearing := range ringBearings {
		latitude, longitude := offset(at, km, bearing)
		parts[i] = func() {
			zones[i], errs[i] = ask(latitude, longitude)
		}
	}
	together(parts...)
	for i, zone := range zones {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if zone != nil {
			return &MarineZone{zone.ID, zone.Name, zone.Office, km}, nil
		}
	}
	return nil, nil
}

// offset is the point some kilometres away on a bearing, on a sphere of 111.2
// km a degree: within 10 km that is metres off.
func offset(at sky.Place, km, bearing float64) (latitude, longitude float64) {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	const perDegree = 111.2
	latitude = min(90, max(-90, at.Latitude+km*cos/perDegree))
	longitude = at.Longitude + km*sin/perDegree/math.Max(0.01, math.Cos(at.Latitude*math.Pi/180))
	return degrees4(latitude), degrees4(math.Mod(longitude+540, 360) - 180)
}

func degrees4(v float64) float64 { return math.Round(v*1e4) / 1e4 }
