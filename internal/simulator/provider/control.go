package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fail makes the paths that begin with prefix fail: the longest prefix that
// fits decides. The names of services (Data, Metadata, Derived, Weather) are
// prefixes too. A second call for the same prefix replaces the first.
func (p *Provider) Fail(prefix string, f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[prefix] = fault{f, time.Now()}
}

// Heal ends all faults. Settings stay: Restore removes those.
func (p *Provider) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.faults)
}

// Restore removes all settings. Faults stay: Heal ends those.
func (p *Provider) Restore() { p.settings.clearAll() }

// SetGrid sets the grid of a place: a point (42.3548,-71.0534), which
// names its cell; a cell (BOX/71,90); a forecast zone (ANZ230, MAZ015),
// for those of its cells that have no setting of their own. The text of the
// zone stays as it is. Any other name is an error.
func (p *Provider) SetGrid(place string, g Grid) error {
	name, ok := p.nws.gridName(place)
	if !ok {
		return fmt.Errorf("invalid place %q: must be a point with a grid, a cell or a forecast zone", place)
	}
	setIn(p.settings, &p.settings.grids, name, g)
	return nil
}

// gridName is the name of a place in settings: of a cell, or of a forecast zone.
func (s *weatherService) gridName(place string) (string, bool) {
	if office, rest, ok := strings.Cut(place, "/"); ok {
		var x, y int
		fmt.Sscanf(rest, "%d,%d", &x, &y) // what cannot be read names another cell
		c, ok := s.cellAt(officeOf(office), x, y)
		return place, ok && c.name() == place
	}
	if latitude, longitude, ok := readPoint(place); ok {
		c, ok := s.locate(latitude, longitude)
		if !ok {
			return "", false
		}
		return c.name(), true
	}
	return place, slices.ContainsFunc(zoneList, func(z nwsZone) bool {
		return z.id == place && slices.Contains(zoneTypes["forecast"], z.kind)
	})
}

// SetText sets a marine zone's segment (ANZ230) of the texts. Any other name is
// an error.
func (p *Provider) SetText(zone string, t Text) error {
	if !slices.ContainsFunc(zoneList, func(z nwsZone) bool { return z.id == zone && z.water != nil }) {
		return fmt.Errorf("invalid zone %q: must be a marine zone", zone)
	}
	setIn(p.settings, &p.settings.texts, zone, t)
	p.settings.newText()
	return nil
}

// SetSurf sets the surf zone forecast of a land zone (MAZ015). Any other name
// is an error.
func (p *Provider) SetSurf(zone string, s Surf) error {
	if !slices.ContainsFunc(offices, func(o *office) bool { return o.Land == zone }) {
		return fmt.Errorf("invalid zone %q: must be the land zone of an office", zone)
	}
	setIn(p.settings, &p.settings.surfs, zone, s)
	p.settings.newText()
	return nil
}

// SetAlerts replaces the alerts of a zone (a UGC code: ANZ230, MAZ015), the
// built-in ones too; none empties it. An alert given twice is listed twice
// under one id, as happens.
func (p *Provider) SetAlerts(zone string, alerts ...Alert) {
	setIn(p.settings, &p.settings.alerts, zone, slices.Clone(alerts))
}

// SetWater sets what a station measures. Without Sensors it must be a gauge;
// with them a station of tide predictions can become one, whose water level
// can be measured if its datums are known. Anything else is an error.
func (p *Provider) SetWater(station string, w Water) error {
	if _, err := p.gaugeWith(station, w); err != nil {
		return err
	}
	setIn(p.settings, &p.settings.waters, station, w)
	return nil
}

// SetEpoch revises the datums of a station: a tide station with datums of its own.
func (p *Provider) SetEpoch(station string, e Epoch) error {
	s, ok := p.predictedStation(station)
	if !ok || len(s.Datums()) == 0 || e.First <= 0 || e.Last < e.First {
		return fmt.Errorf("invalid epoch %d-%d of %q: name a tide station with datums, such as 8443970, and two years", e.First, e.Last, station)
	}
	setIn(p.settings, &p.settings.epochs, station, e)
	return nil
}

// Revise makes the metadata service newer than the embedded directory: the
// amplitude of M2 of the station grows by so many meters. Predictions follow
// the embedded constants all the same. Zero ends a revision.
func (p *Provider) Revise(station string, meters float64) {
	setIn(p.settings, &p.settings.amplitude, station, meters)
}

const controlPath = "/-/"

// control serves the simulator's own paths. A POST takes one JSON object; wrong
// ones are refused with 400 and the reason.
//
//	POST /-/fail     {"path": "data", "kind": "hang", "retryAfter": 5, "delay": "1s", "for": "2s", "every": "6s"}
//	POST /-/heal     ends all faults
//	POST /-/weather  {"place": "42.3548,-71.0534", "hour": {"wind": 22, "gust": 30, "seas": null}, "updated": "2026-11-20T12:00:00Z"}
//	POST /-/text     {"zone": "ANZ230", "passage": {"wind": [15, 20], "gust": 30}}
//	POST /-/water    {"station": "8443970", "residual": 0.4, "temperature": 12.8, "floods": {"nwsMinor": 4.5}}
//	POST /-/alert    {"zone": "ANZ230", "alerts": [{"event": "Gale Warning", "code": "GL.W"}]}
//	POST /-/epoch    {"station": "8443970", "first": 2002, "last": 2020, "raise": 0.06, "mean": 0.08}
//	POST /-/restore  removes all settings
//	GET  /-/requests how many requests there were, by path
func (p *Provider) control(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method + " " + r.URL.Path {
	case "POST /-/fail":
		err = p.postFault(r)
	case "POST /-/heal":
		p.Heal()
	case "POST /-/weather":
		err = p.postWeather(r)
	case "POST /-/text":
		err = p.postText(r)
	case "POST /-/water":
		err = p.postWater(r)
	case "POST /-/alert":
		err = p.postAlert(r)
	case "POST /-/epoch":
		err = p.postEpoch(r)
	case "POST /-/restore":
		p.Restore()
	case "GET /-/requests":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p.counts())
		return
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// readStrict reads a JSON object without unknown members.
func readStrict(from io.Reader, into any) error {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// changing returns what applies the members of a JSON object to a value. The
// error is that of the object.
func changing[T any](body json.RawMessage) (func(T) T, error) {
	if body == nil {
		return func(v T) T { return v }, nil
	}
	change := func(v T) T {
		readStrict(bytes.NewReader(body), &v) // read without an error before
		return v
	}
	return change, readStrict(bytes.NewReader(body), new(T))
}

// wait is a duration in JSON: "90s", "6h".
type wait time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *wait) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = wait(parsed)
	return err
}

func (p *Provider) postFault(r *http.Request) error {
	var f struct {
		Path              string
		Kind              Kind
		RetryAfter        int
		Delay, For, Every wait
	}
	if err := readStrict(r.Body, &f); err != nil {
		return err
	}
	if !slices.Contains(kinds, f.Kind) {
		return fmt.Errorf("unknown kind %q: must be one of %q", f.Kind, kinds)
	}
	p.Fail(serviceNamed(f.Path), Fault{f.Kind, f.RetryAfter, time.Duration(f.Delay), time.Duration(f.For), time.Duration(f.Every)})
	return nil
}

// postWeather sets every hour of a grid. Members that are left out stay as they are.
func (p *Provider) postWeather(r *http.Request) error {
	var g struct {
		Place          string
		Hour           json.RawMessage
		Updated, Until time.Time
		Afloat         bool
	}
	if err := readStrict(r.Body, &g); err != nil {
		return err
	}
	change, err := changing[Hour](g.Hour)
	if err != nil {
		return err
	}
	return p.SetGrid(g.Place, Grid{change, g.Updated, g.Until, g.Afloat})
}

// postText sets every period of a zone's text, likewise.
func (p *Provider) postText(r *http.Request) error {
	var t struct {
		Zone            string
		Passage         json.RawMessage
		Issued, Expires time.Time
		Missing         bool
	}
	if err := readStrict(r.Body, &t); err != nil {
		return err
	}
	change, err := changing[Passage](t.Passage)
	if err != nil {
		return err
	}
	return p.SetText(t.Zone, Text{change, t.Issued, t.Expires, t.Missing})
}

func (p *Provider) postWater(r *http.Request) error {
	var w struct {
		Station               string
		Residual, Temperature *float64
		Newest                time.Time
		Empty, Sensors        []string
		Floods                *Floods
	}
	if err := readStrict(r.Body, &w); err != nil {
		return err
	}
	set := Water{Newest: w.Newest, Sensors: w.Sensors, Floods: w.Floods}
	if w.Residual != nil {
		set.Residual = Steady(*w.Residual)
	}
	if w.Temperature != nil {
		set.Temperature = Steady(*w.Temperature)
	}
	if w.Empty != nil {
		set.Empty = func(product string, _ time.Time) bool { return slices.Contains(w.Empty, product) }
	}
	return p.SetWater(w.Station, set)
}

// postAlert sets the alerts of a zone. Those without times begin now and last
// twelve hours.
func (p *Provider) postAlert(r *http.Request) error {
	var a struct {
		Zone   string
		Alerts []Alert
	}
	if err := readStrict(r.Body, &a); err != nil {
		return err
	}
	if !zoneCode.MatchString(a.Zone) {
		return fmt.Errorf("invalid zone %q: must be a code such as ANZ230", a.Zone)
	}
	for i := range a.Alerts {
		if alert := &a.Alerts[i]; alert.Sent.IsZero() && alert.Expires.IsZero() {
			alert.Sent, alert.Expires = p.now(), p.now().Add(12*time.Hour)
			alert.Onset, alert.Ends = alert.Sent, alert.Expires
		}
	}
	p.SetAlerts(a.Zone, a.Alerts...)
	return nil
}

func (p *Provider) postEpoch(r *http.Request) error {
	var e struct {
		Station string
		Epoch
	}
	if err := readStrict(r.Body, &e); err != nil {
		return err
	}
	return p.SetEpoch(e.Station, e.Epoch)
}
