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

const controlPath = "/-/"

// ServeHTTP counts the request, then serves it or applies a fault.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, controlPath) {
		p.control(w, r)
		return
	}
	p.mu.Lock()
	p.requests[r.URL.Path]++
	failing := faultOf(p.faults, r.URL.Path)
	p.mu.Unlock()
	failing.serve(w, r, http.HandlerFunc(p.serve))
}

// control serves the simulator's own paths. A POST has one JSON object as its body. Invalid ones
// are refused with 400 and the reason.
//
//	POST /-/fail     {"path": "data", "kind": "slow", "delay": "1s", "for": "2s", "every": "6s"}
//	POST /-/heal     ends all faults
//	POST /-/weather  {"place": "42.3548,-71.0534", "hour": {"wind": 22, "gust": 30, "seas": null}}
//	POST /-/text     {"zone": "ANZ230", "passage": {"wind": [15, 20], "gust": 30}}
//	POST /-/water    {"station": "8443970", "residual": 0.4, "floods": {"nwsMinor": 4.5}}
//	POST /-/alert    {"zone": "ANZ230", "alerts": [{"event": "Gale Warning", "code": "GL.W"}]}
//	POST /-/epoch    {"station": "8443970", "first": 2002, "last": 2020, "raise": 0.06, "mean": 0.08}
//	POST /-/restore  removes all settings
//	GET  /-/requests returns the number of requests by path
func (p *Provider) control(w http.ResponseWriter, r *http.Request) {
	post := map[string]func(body io.Reader) error{
		"fail":    posted(p.postFault),
		"heal":    func(io.Reader) error { p.Heal(); return nil },
		"weather": posted(p.postWeather),
		"text":    posted(p.postText),
		"water":   posted(p.postWater),
		"alert":   posted(p.postAlert),
		"epoch":   posted(p.postEpoch),
		"restore": func(io.Reader) error { p.Restore(); return nil },
	}[strings.TrimPrefix(r.URL.Path, controlPath)]
	switch {
	case r.Method == http.MethodGet && r.URL.Path == controlPath+"requests":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p.counts())
	case r.Method != http.MethodPost || post == nil:
		http.NotFound(w, r)
	default:
		if err := post(r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// posted returns a function that decodes a JSON object without unknown members and calls use.
func posted[T any](use func(T) error) func(body io.Reader) error {
	return func(body io.Reader) error {
		var v T
		if err := readStrict(body, &v); err != nil {
			return err
		}
		return use(v)
	}
}

func readStrict(from io.Reader, into any) error {
	d := json.NewDecoder(from)
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// changing returns a function that sets the members of a JSON object in a value, and the error of
// the object.
func changing[T any](body json.RawMessage) (func(T) T, error) {
	if body == nil {
		return nil, nil
	}
	change := func(v T) T {
		readStrict(bytes.NewReader(body), &v) // changing has decoded it without an error
		return v
	}
	return change, readStrict(bytes.NewReader(body), new(T))
}

// wait is a duration in JSON: "90s", "6h".
type wait struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *wait) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

func (p *Provider) postFault(f struct {
	Path              string
	Kind              Kind
	RetryAfter        int
	Delay, For, Every wait
}) error {
	if !slices.Contains(kinds, f.Kind) {
		return fmt.Errorf("unknown kind %q: must be one of %q", f.Kind, kinds)
	}
	fault := Fault{f.Kind, f.RetryAfter, f.Delay.Duration, f.For.Duration, f.Every.Duration}
	p.Fail(serviceNamed(f.Path), fault)
	return nil
}

// postWeather sets every hour of a grid. Omitted members keep their built-in values.
func (p *Provider) postWeather(g struct {
	Place          string
	Hour           json.RawMessage
	Updated, Until time.Time
	Afloat         bool
}) error {
	change, err := changing[Hour](g.Hour)
	if err != nil {
		return err
	}
	return p.SetGrid(g.Place, Grid{change, g.Updated, g.Until, g.Afloat})
}

// postText sets every period of a zone's text. Omitted members keep their built-in values.
func (p *Provider) postText(t struct {
	Zone            string
	Passage         json.RawMessage
	Issued, Expires time.Time
	Missing         bool
}) error {
	change, err := changing[Passage](t.Passage)
	if err != nil {
		return err
	}
	return p.SetText(t.Zone, Text{change, t.Issued, t.Expires, t.Missing})
}

func (p *Provider) postWater(w struct {
	Station               string
	Residual, Temperature *float64
	Newest                time.Time
	Empty, Sensors        []string
	Floods                *Floods
}) error {
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

// postAlert sets the alerts of a zone. Alerts without times begin now and last twelve hours.
func (p *Provider) postAlert(a struct {
	Zone   string
	Alerts []Alert
}) error {
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

func (p *Provider) postEpoch(e struct {
	Station string
	Epoch
}) error {
	return p.SetEpoch(e.Station, e.Epoch)
}
