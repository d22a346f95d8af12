package facts

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

// ForecastPeriod is one period of a forecast text.
type ForecastPeriod struct {
	Name string `json:"name" quoted:"yes" doc:"Name of the period, such as TONIGHT."`
	Text string `json:"text" quoted:"yes" doc:"Forecast in the forecaster's words."`
}

// MarineProduct names the bulletin of the weather service that a text is from: coastal waters
// (CWF), nearshore waters of the Great Lakes (NSH), their open waters (GLF), offshore waters (OFF).
type MarineProduct string

// Values returns all bulletins.
func (MarineProduct) Values() []string { return []string{"CWF", "NSH", "GLF", "OFF"} }

// MarineText is the part of a bulletin about one zone.
type MarineText struct {
	Product   MarineProduct    `json:"product" doc:"Bulletin of the weather service: for coastal waters (CWF), nearshore (NSH) and open waters (GLF) of the Great Lakes, or offshore waters (OFF)."`
	Issued    time.Time        `json:"issued" doc:"When the bulletin was issued."`
	Expires   *time.Time       `json:"expires" doc:"When it expires; null if the bulletin does not say."`
	Headlines []string         `json:"headlines" quoted:"yes" doc:"Headlines of the zone, in the forecaster's words."`
	Synopsis  string           `json:"synopsis" quoted:"yes" doc:"Synopsis in the forecaster's words; empty if the office writes none."`
	Periods   []ForecastPeriod `json:"periods" doc:"Forecast by period, in order of time."`
}

// Alert is one alert in force or announced.
type Alert struct {
	Event       string     `json:"event" doc:"Kind of alert, as the weather service names it. New kinds may appear."`
	Onset       *time.Time `json:"onset" doc:"When the event begins; null if the alert does not say."`
	Ends        *time.Time `json:"ends" doc:"When the event ends; null means until further notice, or until the message expires if the alert says neither."`
	Open        bool       `json:"untilFurtherNotice" doc:"Whether the event holds until further notice. Otherwise an event without an end counts until its message expires."`
	Expires     *time.Time `json:"expires" doc:"When the message expires; another one may follow it; null if the alert does not say."`
	Headline    string     `json:"headline" quoted:"yes" doc:"Headline of the weather service."`
	Description string     `json:"description,omitempty" quoted:"yes" doc:"What is expected, in the forecaster's words; left out if the alert has no description."`
	Instruction string     `json:"instruction,omitempty" quoted:"yes" doc:"What to do, in the forecaster's words; left out if the alert has no instruction."`
	Zone        string     `json:"zone" quoted:"yes" doc:"Names of the zones of the alert."`

	severity string // CAP severity, which decisions read
}

// CAPSeverity returns the severity in the Common Alerting Protocol, which decisions read.
func (a Alert) CAPSeverity() string { return a.severity }

// Until returns the time until which the alert counts, nil if it holds until further notice.
func (a Alert) Until() *time.Time {
	if a.Ends != nil || a.Open {
		return a.Ends
	}
	return a.Expires
}

// RipRisk is the risk of rip currents that the surf forecast states for a period.
type RipRisk struct {
	Period string `json:"period" doc:"Period of the forecast, such as TODAY."`
	Area   string `json:"area,omitempty" quoted:"yes" doc:"Part of the zone; left out if it is the whole zone."`
	Risk   string `json:"risk" quoted:"yes" doc:"Risk in the forecaster's words: None, Low, Moderate or High; other words may appear."`
}

// WaterText is the coastal waters forecast of a point's zone, and the alerts
// for the water and the land there.
type WaterText struct {
	Zone       *MarineZone `json:"zone" doc:"Marine zone of the point; null if none is within 10 km."`
	Text       *MarineText `json:"text" doc:"Forecast for the zone; null if it is not available."`
	Alerts     []Alert     `json:"alerts" doc:"Alerts in force or announced, for the water and the land."`
	AlertsAsOf *time.Time  `json:"alertsAsOf" doc:"When the alerts were read; null if it is not known whether there are any."`
	Rip        []RipRisk   `json:"ripCurrents" doc:"Risks of rip currents that the surf forecast states."`
}

// TextOrigin returns the origin of a forecast text, such as CWF, of an office.
func TextOrigin(product, office string) Origin {
	return Origin{"marine-text", "Marine forecast text of the National Weather Service", coast.NWS,
		coast.Forecast,
		"https://forecast.weather.gov/product.php?site=NWS&issuedby=" + office + "&product=" + product}
}

// AlertsOrigin returns the origin of the alerts at a point.
func AlertsOrigin(latitude, longitude float64) Origin {
	return Origin{"marine-alerts", "Alerts in force, for the water and the land", coast.NWS,
		coast.Forecast,
		fmt.Sprintf("https://forecast.weather.gov/MapClick.php?lat=%.4f&lon=%.4f", latitude, longitude)}
}

// SurfOrigin returns the origin of the surf zone forecast of an office.
func SurfOrigin(office string) Origin {
	return Origin{"surf-forecast", "Surf zone forecast of the National Weather Service", coast.NWS,
		coast.Forecast,
		"https://forecast.weather.gov/product.php?site=NWS&issuedby=" + office + "&product=SRF"}
}

// WaterText requests text, alerts and surf forecast of a place concurrently. It adds their
// sources and the missing parts to the provenance in to.
func (s Set) WaterText(ctx context.Context, to *coast.Provenance, at Place) (WaterText, error) {
	out := WaterText{Alerts: []Alert{}, Rip: []RipRisk{}}
	point, err := s.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		s.Missing(to, TextOrigin("CWF", ""), "marine text", err)
		s.Missing(to, AlertsOrigin(at.Latitude, at.Longitude), "alerts", err)
		return out, err
	}
	zone, zoneErr := s.WaterAt(ctx, at, point.Data)
	out.Zone = zone
	w := Outlook{s, at, point.Data, zone}
	var text, alerts, rip Part
	Concurrently(
		func() { text = w.text(ctx, &out) },
		func() { alerts = w.Alerts(ctx, &out) },
		func() { rip = w.rip(ctx, &out) },
	)
	if zone == nil {
		text.Err = cmp.Or(zoneErr, error(coast.Errorf(coast.ProductUnavailable, "No marine zone of "+
			"the weather service lies within 10 km of the point, so there is no text for the water there.")))
	}
	for _, part := range []Part{text, alerts, rip} {
		part.AddTo(to, s.Clock)
	}
	if alerts.Source != nil && alerts.Source.Freshness == coast.Stale {
		to.Missing = append(to.Missing, coast.Unobtained("alerts", coast.Errorf(
			coast.ProviderUnavailable, "the weather service does not respond: these alerts were in "+
				"force when it last did, at %s, and others can have been issued since",
			out.AlertsAsOf.Format(time.RFC3339))))
	}
	if zoneErr != nil {
		to.Missing = append(to.Missing, coast.Unobtained("alerts for the water", coast.Errorf(
			coast.ProviderUnavailable, "the point's marine zone could not be found: only the alerts "+
				"for the land are included")))
	}
	return out, AllFailed([]error{text.Err, alerts.Err})
}

// Outlook requests the weather service's products for one place.
type Outlook struct {
	Set
	At    Place
	Point nws.Point
	Water *MarineZone // nil if none is near or known
}

// text requests the newest bulletin with a segment for the zone.
func (w Outlook) text(ctx context.Context, out *WaterText) Part {
	p := Part{Origin: TextOrigin("CWF", w.Point.Office), Input: "marine text"}
	if w.Water == nil {
		return p
	}
	bulletin, err := w.Weather.BulletinFor(ctx, w.Water.ID, w.Water.Office)
	if err != nil {
		p.Err = err
		return p
	}
	b := bulletin.Data
	segment, _ := b.Segment(w.Water.ID)
	out.Text = w.marineText(b, segment)
	if w.Water.Name == "" {
		w.Water.Name = segment.Names
	}
	source := w.TextSource(b, segment, bulletin.ReceivedAt)
	p.Source = &source
	return p
}

func (w Outlook) marineText(b nws.Bulletin, segment nws.Segment) *MarineText {
	text := &MarineText{
		Product: MarineProduct(b.Product), Issued: b.Issued.In(w.At.Zone.Location),
		Headlines: segment.Headlines, Synopsis: b.Synopsis(), Periods: []ForecastPeriod{},
	}
	if !segment.Expires.IsZero() {
		expires := segment.Expires.In(w.At.Zone.Location)
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

// Alerts requests the alerts at the point and in its zones.
func (w Outlook) Alerts(ctx context.Context, out *WaterText) Part {
	p := Part{Origin: AlertsOrigin(w.At.Latitude, w.At.Longitude), Input: "alerts"}
	zones := []string{}
	if w.Point.Zone != "" {
		zones = append(zones, w.Point.Zone)
	}
	if w.Water != nil && w.Water.ID != w.Point.Zone {
		zones = append(zones, w.Water.ID)
	}
	var at, in nws.Alerts
	var received time.Time
	var atErr, inErr error
	Concurrently(
		func() {
			v, err := w.Weather.AlertsAt(ctx, w.At.Latitude, w.At.Longitude)
			at, received, atErr = v.Data, v.ReceivedAt, err
		},
		func() {
			if len(zones) > 0 {
				v, err := w.Weather.AlertsIn(ctx, zones...)
				in, inErr = v.Data, err
			}
		},
	)
	if p.Err = cmp.Or(atErr, inErr); p.Err != nil {
		return p // half of the alerts would look like all of them
	}
	asOf := at.AsOf
	if len(zones) > 0 && in.AsOf.Before(asOf) {
		asOf = in.AsOf
	}
	local := asOf.In(w.At.Zone.Location)
	out.Alerts, out.AlertsAsOf = w.activeAlerts(at.Alerts, in.Alerts), &local
	own := cmp.Or(at.Updated, &asOf) // the feed does not always say when it last changed
	source := w.Obtained(p.Origin, alertLifetime, own, asOf, received)
	p.Source = &source
	return p
}

// activeAlerts returns the alerts in the lists that are in force or announced, without
// duplicates.
func (w Outlook) activeAlerts(lists ...[]nws.Alert) []Alert {
	alerts, seen := []Alert{}, map[string]bool{}
	for _, a := range slices.Concat(lists...) {
		ends, stated := a.End()
		alert := Alert{
			Event: a.Event, Onset: w.local(a.Begin()), Ends: w.local(ends),
			Open: ends == nil && (stated || a.Expires == nil), Expires: w.local(a.Expires),
			Headline: a.Headline, Description: strings.Join(strings.Fields(a.Description), " "),
			Instruction: strings.Join(strings.Fields(a.Instruction), " "), Zone: a.Area,
			severity: a.Severity,
		}
		until := alert.Until()
		over := until != nil && !until.After(w.Now)
		if seen[a.ID] || over || a.Idle() || a.MessageType == "Cancel" {
			continue
		}
		seen[a.ID] = true
		alerts = append(alerts, alert)
	}
	return alerts
}

func (w Outlook) local(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	local := t.In(w.At.Zone.Location)
	return &local
}

// rip requests the surf forecast's risk of rip currents for the point's land zone. Many offices
// issue no surf forecast, or only in season; the risk is then missing.
func (w Outlook) rip(ctx context.Context, out *WaterText) Part {
	p := Part{Origin: SurfOrigin(w.Point.Office), Input: "rip-current risk"}
	bulletin, err := w.Weather.Bulletin(ctx, "SRF", w.Point.Office)
	if err != nil {
		p.Err = err
		return p
	}
	b := bulletin.Data
	segment, ok := b.Segment(w.Point.Zone)
	if !ok || len(segment.Rip) == 0 {
		p.Err = coast.Errorf(coast.ProductUnavailable, "The surf forecast of office %s gives no risk "+
			"of rip currents for zone %s. That does not mean that there are none.", w.Point.Office,
			w.Point.Zone)
		return p
	}
	for _, r := range segment.Rip {
		out.Rip = append(out.Rip, RipRisk{r.Period, r.Area, r.Risk})
	}
	source := w.Bulletin(p.Origin, SurfLifetime, b, segment, bulletin.ReceivedAt)
	source.Required = false
	p.Source = &source
	return p
}

// TextSource returns the source of a zone's coastal waters text.
func (c Clock) TextSource(b nws.Bulletin, s nws.Segment, received time.Time) coast.Source {
	return c.Bulletin(TextOrigin(b.Product, b.Office), bulletinLifetime, b, s, received)
}

// Bulletin returns the source of a zone's segment of a bulletin, which is aging until it
// expires and stale from then on.
func (c Clock) Bulletin(
	o Origin, l Lifetime, b nws.Bulletin, s nws.Segment, received time.Time,
) coast.Source {
	source := c.Obtained(o, l, &b.Issued, b.Issued, received)
	switch {
	case !s.Expires.IsZero() && !c.Now.Before(s.Expires):
		source.Freshness = coast.Stale
	case !s.Expires.IsZero() && source.Freshness == coast.Stale:
		source.Freshness = coast.Aging
	}
	return source
}

// The rings on which a marine zone is searched around a point on land, and the bearings of
// each in order (ours: a harbor's water is within the first, a river town's within the
// last).
var (
	ringKilometers = []float64{2, 5, 10}
	ringBearings   = []float64{0, 90, 180, 270}
)

// marineZone returns the zone of the water at a point: its own, or the nearest one on the
// rings; nil if there is none within the last ring.
func (s Set) marineZone(ctx context.Context, at sky.Place, p nws.Point) (*MarineZone, error) {
	if p.Marine && p.Zone != "" {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	own, err := s.Weather.CoastalZone(ctx, at.Latitude, at.Longitude)
	if err != nil {
		return nil, err
	}
	if own.Data != nil {
		return &MarineZone{ID: own.Data.ID, Name: own.Data.Name, Office: own.Data.Office}, nil
	}
	return onRings(at, func(latitude, longitude float64) (*nws.Zone, error) {
		v, err := s.Weather.CoastalZone(ctx, latitude, longitude)
		return v.Data, err
	})
}

// zoneRequest requests the zone of a kind at a coordinate.
type zoneRequest func(latitude, longitude float64) (*nws.Zone, error)

// onRings returns the nearest zone of a kind on the rings, nil if there is none.
func onRings(at sky.Place, ask zoneRequest) (*MarineZone, error) {
	for _, km := range ringKilometers {
		zone, err := ring(at, km, ask)
		if zone != nil || err != nil {
			return zone, err
		}
	}
	return nil, nil
}

// ring requests the zones at the points of one ring together and returns the first in the
// order of bearings.
func ring(at sky.Place, km float64, ask zoneRequest) (*MarineZone, error) {
	zones, errs := make([]*nws.Zone, len(ringBearings)), make([]error, len(ringBearings))
	parts := make([]func(), len(ringBearings))
	for i, bearing := range ringBearings {
		latitude, longitude := displaced(at, km, bearing)
		parts[i] = func() {
			zones[i], errs[i] = ask(latitude, longitude)
		}
	}
	Concurrently(parts...)
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

// displaced returns the point some kilometers away on a bearing, on a sphere with 111.2 km per
// degree. Within 10 km the error is a few meters.
func displaced(at sky.Place, km, bearing float64) (latitude, longitude float64) {
	sin, cos := math.Sincos(bearing * math.Pi / 180)
	const perDegree = 111.2
	latitude = min(90, max(-90, at.Latitude+km*cos/perDegree))
	longitude = at.Longitude + km*sin/perDegree/math.Max(0.01, math.Cos(at.Latitude*math.Pi/180))
	return degrees4(latitude), degrees4(math.Mod(longitude+540, 360) - 180)
}

func degrees4(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// WaterAt returns the marine zone of a place. The zone of a station is from the cache, or from a
// search that finds it before ctx ends.
func (s Set) WaterAt(ctx context.Context, at Place, p nws.Point) (*MarineZone, error) {
	if at.Station == nil {
		return s.marineZone(ctx, at.Place, p)
	}
	return s.marine.zone(ctx, at.Station.ID, s.Now, func(ctx context.Context) (*MarineZone, error) {
		return s.marineZone(ctx, at.Place, p)
	})
}

// LandAt returns the public forecast zone of a place: the point's own, or for a point on
// water the nearest on the rings; nil if there is none.
func (s Set) LandAt(ctx context.Context, at Place, p nws.Point) (*MarineZone, error) {
	if !p.Marine {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	search := func(ctx context.Context) (*MarineZone, error) {
		return onRings(at.Place, func(latitude, longitude float64) (*nws.Zone, error) {
			v, err := s.Weather.LandZone(ctx, latitude, longitude)
			return v.Data, err
		})
	}
	if at.Station == nil {
		return search(ctx)
	}
	return s.land.zone(ctx, at.Station.ID, s.Now, search)
}

// Reach returns a note on the water that the alerts cover.
func (w Outlook) Reach() string {
	switch {
	case w.Water == nil:
		return "No marine zone lies within 10 km: alerts are those for the land."
	case w.Water.DistanceKm > 0:
		return fmt.Sprintf("Alerts and text for the water are those of marine zone %s, %g km away.",
			w.Water.ID, w.Water.DistanceKm)
	}
	return fmt.Sprintf("Alerts and text for the water are those of marine zone %s.", w.Water.ID)
}
