package provider

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is the parameters of an order. It keeps the first error, which names
// those that are known.
type form struct {
	values url.Values
	known  []string
	err    error
}

// readForm reads the parameters of a request.
func readForm(r *http.Request, known ...string) *form {
	f := &form{known: known}
	if err := r.ParseForm(); err != nil {
		f.refuse("the parameters cannot be read: %v", err)
	}
	f.values = r.Form
	for name := range f.values {
		if !slices.Contains(known, name) {
			f.refuse("%q is no parameter", name)
		}
	}
	return f
}

func (f *form) refuse(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format+"; the parameters are %s", append(args, strings.Join(f.known, ", "))...)
	}
}

// text is a parameter, empty where it is not given.
func (f *form) text(name string) string { return f.values.Get(name) }

// number reads a number, or none: nil. given says whether there is a parameter.
func (f *form) number(name string) (v *float64, given bool) {
	text := f.text(name)
	if text == "" || text == "none" {
		return nil, text != ""
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		f.refuse("%s=%s is no number", name, text)
	}
	return &n, true
}

// quantity reads a number with one of some units, and converts it; nil where
// the parameter is not given.
func (f *form) quantity(name string, units map[string]func(float64) float64) *float64 {
	text := f.text(name)
	if text == "" {
		return nil
	}
	for unit, convert := range units {
		if digits, ok := strings.CutSuffix(text, unit); ok {
			if n, err := strconv.ParseFloat(digits, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
				return new(convert(n))
			}
		}
	}
	f.refuse("%s=%s is no number with its unit, as 1.2ft, 0.37m, 55F or 12.8C", name, text)
	return nil
}

var (
	lengths      = map[string]func(float64) float64{"m": same, "ft": func(x float64) float64 { return x * metresPerFoot }}
	temperatures = map[string]func(float64) float64{"C": same, "F": func(x float64) float64 { return (x - 32) * 5 / 9 }}
)

// ago reads a duration as a time before now, zero where it is not given.
func (f *form) ago(name string, now time.Time) time.Time {
	text := f.text(name)
	if text == "" {
		return time.Time{}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		f.refuse("%s=%s is no duration, as 90m or 6h", name, text)
	}
	return now.Add(-d)
}

// orderWeather reads an order for the cell of a point and for the text of its
// coastal zone: wind and gust in knots, from in degrees, seas in feet, period
// in seconds, visibility in metres, each of them or none; thunder and fog, how
// widespread (likely, patchy, none); hours, for how long from the hour that
// runs, always if not given; age of the grid. It replaces the order before it; without
// parameters those for all grids and texts end.
func (p *Provider) orderWeather(r *http.Request) error {
	f := readForm(r, "latitude", "longitude", "wind", "gust", "from", "seas", "period", "visibility", "thunder", "fog", "hours", "age")
	if f.err == nil && len(f.values) == 0 {
		p.nws.orders.forget(func(string) bool { return true })
		return nil
	}
	latitude, _ := f.number("latitude")
	longitude, _ := f.number("longitude")
	if latitude == nil || longitude == nil {
		f.refuse("an order needs latitude and longitude")
	}
	change := f.hour()
	hours, _ := f.number("hours")
	begin := p.now().Truncate(time.Hour)
	holds := func(from, to time.Time) bool {
		return hours == nil || to.After(begin) && from.Before(begin.Add(time.Duration(*hours*float64(time.Hour))))
	}
	order := Grid{Updated: f.ago("age", p.now()), Hour: func(h Hour) Hour {
		if holds(h.At, h.At.Add(time.Hour)) {
			return change(h)
		}
		return h
	}}
	if f.err != nil {
		return f.err
	}
	point := pointName(*latitude, *longitude)
	if err := p.SetGrid(point, order); err != nil {
		return err
	}
	c, _ := p.nws.locate(*latitude, *longitude)
	if c.water == nil {
		return nil
	}
	return p.SetText(c.water.id, Text{Passage: func(w Passage) Passage {
		if holds(w.From, w.To) {
			return w.as(change(w.hour()))
		}
		return w
	}})
}

// hour reads how an hour is to change.
func (f *form) hour() func(Hour) Hour {
	var changes []func(*Hour)
	for name, at := range map[string]func(*Hour) **float64{
		"wind": func(h *Hour) **float64 { return &h.Wind }, "gust": func(h *Hour) **float64 { return &h.Gust },
		"from": func(h *Hour) **float64 { return &h.From }, "seas": func(h *Hour) **float64 { return &h.Seas },
		"period": func(h *Hour) **float64 { return &h.Period }, "visibility": func(h *Hour) **float64 { return &h.Visibility },
	} {
		if v, given := f.number(name); given {
			changes = append(changes, func(h *Hour) { *at(h) = v })
		}
	}
	weather := []Condition{}
	for _, kind := range []struct{ name, weather string }{{"thunder", "thunderstorms"}, {"fog", "fog"}} {
		if coverage := f.text(kind.name); coverage != "" && coverage != "none" {
			weather = append(weather, Condition{Coverage: coverage, Weather: kind.weather})
		}
	}
	if f.values.Has("thunder") || f.values.Has("fog") {
		changes = append(changes, func(h *Hour) { h.Weather = weather })
	}
	gusty := f.values.Has("gust")
	return func(h Hour) Hour {
		for _, change := range changes {
			change(&h)
		}
		if !gusty && h.Gust != nil && h.Wind != nil && *h.Gust < *h.Wind {
			h.Gust = nil // the built-in gust of a lighter wind
		}
		return h
	}
}

// hour is a passage as an hour, by the most that it says.
func (p Passage) hour() Hour {
	said := func(n int) *float64 {
		if n == 0 {
			return nil
		}
		return new(float64(n))
	}
	h := Hour{Wind: said(p.Wind[1]), Gust: said(p.Gust), Seas: said(p.Seas[1])}
	if at := slices.Index(winds, p.Direction); at >= 0 {
		h.From = new(float64(at) * 45)
	}
	return h
}

// as is the passage with what an hour says in whole numbers, rounded up, and
// its weather; a range stays where the hour says its most.
func (p Passage) as(h Hour) Passage {
	change := func(of *[2]int, v *float64) {
		if most := ceiling(v); most != of[1] {
			*of = [2]int{most, most}
		}
	}
	change(&p.Wind, h.Wind)
	change(&p.Seas, h.Seas)
	p.Gust = ceiling(h.Gust)
	if h.From != nil {
		p.Direction = eighth(tens(*h.From))
	}
	if h.Weather == nil {
		return p
	}
	var words []string
	for _, c := range h.Weather {
		name := strings.ReplaceAll(c.Coverage+" "+c.Weather, "_", " ")
		words = append(words, strings.ToUpper(name[:1])+name[1:]+".")
	}
	p.Weather = strings.Join(words, " ")
	return p
}

func ceiling(v *float64) int {
	if v == nil {
		return 0
	}
	return int(math.Ceil(*v))
}

// floodNames are the flood levels as parameters.
var floodNames = []string{"nos-minor", "nos-moderate", "nos-major", "nws-minor", "nws-moderate", "nws-major", "action"}

// orderWater reads an order for a station: residual (1.2ft, -0.3m),
// temperature (55F, 12.8C), age of the newest row, empty and sensors, which
// list products (none for no sensors), and flood levels above the station's
// datum, with floods=none for no others than are named. It replaces the order
// before it; without parameters the orders for all stations end.
func (p *Provider) orderWater(r *http.Request) error {
	f := readForm(r, append([]string{"station", "residual", "temperature", "age", "empty", "sensors", "floods"}, floodNames...)...)
	if f.err == nil && len(f.values) == 0 {
		forget(&p.mu, &p.ordered, func(string) bool { return true })
		return nil
	}
	order := Water{Newest: f.ago("age", p.now()), Floods: f.floods()}
	if v := f.quantity("residual", lengths); v != nil {
		order.Residual = Steady(*v)
	}
	if v := f.quantity("temperature", temperatures); v != nil {
		order.Temperature = Steady(*v)
	}
	if f.values.Has("empty") {
		empty := f.products("empty")
		order.Empty = func(product string, _ time.Time) bool { return slices.Contains(empty, product) }
	}
	if f.values.Has("sensors") {
		order.Sensors = f.products("sensors")
	}
	if f.err != nil {
		return f.err
	}
	return p.SetWater(f.text("station"), order)
}

// products reads a list of products, empty for none.
func (f *form) products(name string) []string {
	list := []string{}
	if text := f.text(name); text != "none" {
		list = strings.Split(text, ",")
	}
	for _, product := range list {
		if !slices.Contains(sensorProducts(), product) {
			f.refuse("%s=%s is none, nor a list of %s", name, product, strings.Join(sensorProducts(), " "))
		}
	}
	return list
}

// floods reads the flood levels, nil where none is named.
func (f *form) floods() *Floods {
	if text := f.text("floods"); text != "" && text != "none" {
		f.refuse("floods=%s is not none", text)
	}
	var out Floods
	given := f.values.Has("floods")
	for i, at := range []**float64{&out.NOSMinor, &out.NOSModerate, &out.NOSMajor, &out.NWSMinor, &out.NWSModerate, &out.NWSMajor, &out.Action} {
		*at = f.quantity(floodNames[i], lengths)
		given = given || *at != nil
	}
	if !given {
		return nil
	}
	return &out
}

// orderAlert reads zone, event, code, severity, certainty and urgency: the
// one alert in the zone, from now on for so many hours (12). Without an event
// the zone is empty; without parameters the built-in alerts are back.
func (p *Provider) orderAlert(r *http.Request) error {
	f := readForm(r, "zone", "event", "hours", "code", "severity", "certainty", "urgency")
	if f.err == nil && len(f.values) == 0 {
		forget(&p.nws.board.mu, &p.nws.board.zones, func(string) bool { return true })
		return nil
	}
	zone, now := f.text("zone"), p.now()
	if !zoneCode.MatchString(zone) {
		f.refuse("zone=%s is no code of a zone", zone)
	}
	length := 12.0
	if hours, _ := f.number("hours"); hours != nil {
		length = *hours
	}
	if f.err != nil {
		return f.err
	}
	var alerts []Alert
	if event := f.text("event"); event != "" {
		end := now.Add(time.Duration(length * float64(time.Hour)))
		alerts = append(alerts, Alert{
			Event: event, Code: f.text("code"), Severity: f.text("severity"), Certainty: f.text("certainty"), Urgency: f.text("urgency"),
			Description: event + ".", Sent: now, Onset: now, Expires: end, Ends: end,
		})
	}
	p.SetAlerts(zone, alerts...)
	return nil
}

// orderRestore reads name, any number of times: what orders are under.
func (p *Provider) orderRestore(r *http.Request) error {
	f := readForm(r, "name")
	if f.err == nil {
		p.Restore(f.values["name"]...)
	}
	return f.err
}
