package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Weather and water come to order through the same answers as the built-in
// ones. An order is put under a name: a point, a cell, a zone or a station. A
// second one for the same name replaces the first, and Restore takes them
// back. Functions in orders are called by several requests at once.

// Grid is the numeric forecast of a place to order. What it does not name
// stays built-in.
type Grid struct {
	Hour      func(Hour) Hour // changes what the grid says of each hour
	Updated   time.Time       // when the office last sent it: it begins with that hour
	Until     time.Time       // where it ends: a whole hour after Updated
	Without   []string        // layers that are not even there empty
	Uncovered bool            // neither the point nor the cell exists
	Afloat    bool            // the cell is on the water: its points are marine
}

// Hour is what a grid says of one hour. What is nil is null in the grid, and
// a layer that is null throughout is empty. A sea that an order changes is
// all wind sea, without swell but the one that it names.
type Hour struct {
	At         time.Time   // its beginning, UTC; changing it changes nothing
	Wind, Gust *float64    // knots
	From       *float64    // where the wind comes from, degrees
	Seas       *float64    // feet
	Period     *float64    // seconds
	Swell      *float64    // feet, of the primary swell; built-in nil
	Visibility *float64    // metres; built-in nil where the office does not send it
	Weather    []Condition // empty: none worth a word; nil: no span covers the hour
}

// Condition is a kind of weather in the service's words: chance, thunderstorms,
// heavy. What is empty is null.
type Condition struct{ Coverage, Weather, Intensity string }

// orders are those for grids and texts.
type orders struct {
	mu    sync.Mutex
	grids map[string]Grid      // by cell (BOX/71,90) or zone
	texts map[string]textOrder // by zone
	surfs map[string]surfOrder // by land zone
	count int                  // of the orders of texts ever given
}

// gridOrder is what holds for a cell.
type gridOrder struct {
	Grid
	given bool
}

// SetGrid orders the grid of a place: a point (42.3548,-71.0534), which
// stands for its cell; a cell (BOX/71,90); a forecast zone (ANZ230, MAZ015),
// for those of its cells that have no order of their own. The text of the
// zone stays as it is. Any other name is an error.
func (p *Provider) SetGrid(place string, g Grid) error {
	name, ok := p.nws.name(place)
	if !ok {
		return fmt.Errorf("%q is no point with a grid, no cell and no forecast zone", place)
	}
	put(&p.nws.orders.mu, &p.nws.orders.grids, name, g)
	return nil
}

// Restore takes orders back: grids, texts, water, alerts, revisions and epochs under
// the names given, all of them without names. Faults stay: those Heal takes
// back.
func (p *Provider) Restore(names ...string) {
	all := len(names) == 0
	ordered := map[string]bool{}
	for _, name := range names {
		place, _ := p.nws.name(name)
		ordered[name], ordered[place] = true, true
	}
	under := func(name string) bool { return all || ordered[name] }
	p.nws.orders.forget(under)
	forget(&p.nws.board.mu, &p.nws.board.zones, under)
	forget(&p.mu, &p.revised, under)
	forget(&p.mu, &p.epochs, under)
	forget(&p.mu, &p.ordered, under)
}

// forget removes the orders under some names. The map is read under its lock.
func forget[V any](mu *sync.Mutex, m *map[string]V, under func(name string) bool) {
	mu.Lock()
	defer mu.Unlock()
	maps.DeleteFunc(*m, func(name string, _ V) bool { return under(name) })
}

func (o *orders) forget(under func(name string) bool) {
	forget(&o.mu, &o.grids, under)
	forget(&o.mu, &o.texts, under)
	forget(&o.mu, &o.surfs, under)
}

// put puts an order under a name.
func put[V any](mu *sync.Mutex, m *map[string]V, name string, v V) {
	mu.Lock()
	defer mu.Unlock()
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[name] = v
}

// name is the name of a place in orders: of a cell, or of a forecast zone.
func (s *weatherService) name(place string) (string, bool) {
	if office, rest, ok := strings.Cut(place, "/"); ok {
		a, b, _ := strings.Cut(rest, ",")
		x, err1 := strconv.Atoi(a)
		y, err2 := strconv.Atoi(b)
		c, ok := s.at(officeOf(office), x, y)
		return place, ok && err1 == nil && err2 == nil && c.id() == place
	}
	if latitude, longitude, ok := readPoint(place); ok {
		c, ok := s.locate(latitude, longitude)
		if !ok {
			return "", false
		}
		return c.id(), true
	}
	return place, slices.ContainsFunc(zoneList(), func(z zoneEntry) bool {
		return z.id == place && slices.Contains(folders["forecast"], z.kind)
	})
}

// grid is what is ordered for a cell, or for its zone.
func (o *orders) grid(c cell) gridOrder {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, name := range []string{c.id(), c.forecastZone()} {
		if g, ok := o.grids[name]; ok {
			return gridOrder{g, true}
		}
	}
	return gridOrder{}
}

// updated is when the office last sent the grid.
func (c cell) updated(now time.Time) time.Time {
	if !c.order.Updated.IsZero() {
		return c.order.Updated.UTC()
	}
	return c.office.updated(now)
}

// reach is how many hours the grid has.
func (c cell) reach(start time.Time) int {
	if c.order.Until.IsZero() {
		return gridHours
	}
	return max(1, int(c.order.Until.Sub(start)/time.Hour))
}

// modified is the date that a client may ask by again: none under an order,
// which changes the grid and not its date.
func (c cell) modified(updated time.Time) time.Time {
	if c.order.given {
		return time.Time{}
	}
	return updated
}

// saying is an ordered hour, and whether its sea is the order's.
type saying struct {
	Hour
	sea bool
}

// hour is what the built-in grid says. A calm has no gust.
func (c conditions) hour(at time.Time, visibility layer) Hour {
	number := func(n int) *float64 { return new(float64(n)) }
	h := Hour{At: at.UTC(), Wind: number(c.wind), From: number(c.direction), Seas: number(c.sea), Period: number(c.period), Weather: c.weather()}
	if c.wind >= gustyFrom {
		h.Gust = number(c.gust)
	}
	if visibility.hours > 0 {
		h.Visibility = new(c.visibility())
	}
	return h
}

// obey changes the conditions as ordered. Words know whole numbers alone, and
// take what is not said for nothing.
func (c *conditions) obey(change func(Hour) Hour, before Hour) {
	h := change(before)
	c.said = &saying{Hour: h, sea: !equal(h.Seas, before.Seas) || !equal(h.Period, before.Period) || h.Swell != nil}
	c.wind, c.gust = nearest(h.Wind), nearest(h.Gust)
	c.direction = nearest(h.From)
	if c.said.sea {
		c.sea, c.period = nearest(h.Seas), nearest(h.Period)
		c.windSea, c.windPeriod, c.swell, c.swell2 = c.sea, c.period, nearest(h.Swell), 0
	}
	c.fog = slices.ContainsFunc(h.Weather, func(w Condition) bool { return w.Weather == "fog" })
}

func equal(a, b *float64) bool { return a == b || a != nil && b != nil && *a == *b }

func nearest(v *float64) int {
	if v == nil {
		return 0
	}
	return int(math.Round(*v))
}

// figure writes what is said in the unit of a layer, null for nothing.
func figure(v *float64, unit func(float64) float64) string {
	if v == nil {
		return "null"
	}
	return numeral(unit(*v))
}

// saidLayers are the layers that orders change, and what they say of an hour:
// "" where no span covers it.
var saidLayers = map[string]struct {
	unit string
	read reading
}{
	"windSpeed":     {speed, func(c conditions) string { return figure(c.said.Wind, kilometersPerHour) }},
	"windGust":      {speed, func(c conditions) string { return figure(c.said.Gust, kilometersPerHour) }},
	"windDirection": {trueDegrees, func(c conditions) string { return figure(c.said.From, same) }},
	"visibility":    {metre, func(c conditions) string { return figure(c.said.Visibility, same) }},
	"waveHeight":    {metre, func(c conditions) string { return figure(c.said.Seas, metres) }},
	"wavePeriod":    {seconds, func(c conditions) string { return figure(c.said.Period, same) }},
	"primarySwellHeight": {metre, func(c conditions) string {
		if c.said.Swell != nil {
			return figure(c.said.Swell, metres)
		}
		return c.said.train(c.swell)
	}},
	"secondarySwellHeight": {metre, func(c conditions) string { return c.said.train(c.swell2) }},
	"windWaveHeight": {metre, func(c conditions) string {
		if c.said.sea {
			return figure(c.said.Seas, metres)
		}
		return numeral(metres(c.windSea))
	}},
	"wavePeriod2": {seconds, func(c conditions) string {
		if c.said.sea {
			return figure(c.said.Period, same)
		}
		return numeral(float64(c.windPeriod))
	}},
	"weather": {"", func(c conditions) string {
		if c.said.Weather == nil {
			return ""
		}
		return weatherEntries(c.said.Weather)
	}},
}

// train is one of the parts of a sea: unsaid with it.
func (s saying) train(feet int) string {
	if s.Seas == nil {
		return "null"
	}
	return numeral(metres(feet))
}

// revised are the layers of a grid as ordered.
func (o gridOrder) revised(layers object, weather []conditions, start time.Time) object {
	for i := range layers {
		if l, ok := saidLayers[layers[i].name]; ok && o.Hour != nil {
			layers[i].value = layer{unit: l.unit, hours: len(weather)}.said(weather, start, func(hour int) string {
				if strings.HasPrefix(layers[i].name, "wavePeriod") && hour >= periodHours && !weather[hour].said.sea {
					return ""
				}
				return l.read(weather[hour])
			})
		}
	}
	return slices.DeleteFunc(layers, func(m member) bool { return slices.Contains(o.Without, m.name) })
}

// said is the layer of what is said hour by hour, without unit or spans
// where nothing is.
func (l layer) said(weather []conditions, start time.Time, text func(hour int) string) object {
	nothing := true
	for hour := range weather {
		nothing = nothing && (text(hour) == "" || text(hour) == "null")
	}
	if nothing {
		return object{{"values", []object{}}}
	}
	return l.body(slices.DeleteFunc(merged(start, len(weather), text), func(run object) bool {
		value, ok := run[1].value.(json.RawMessage)
		return ok && len(value) == 0
	}))
}

// Text is what the texts of marine forecasts (CWF, OFF, NSH, GLF) say of a zone
// to order. What it does not name stays built-in.
type Text struct {
	Passage func(Passage) Passage // changes what is said of each period
	Issued  time.Time             // of the newest text of the zone's office, the earlier ones each six hours before
	Expires time.Time             // of the zone's segment
	Missing bool                  // no text has a segment for the zone
}

// Passage is what a text says of one period. Where an order changes Text,
// that is written as it is; where it changes another part, all parts are put
// into the office's words; else the built-in words stay.
type Passage struct {
	Name       string    // TODAY, SUN NIGHT; changing it changes nothing, as with the times
	From, To   time.Time // UTC
	Direction  string    // where the wind comes from: N, NE and so on
	Wind, Seas [2]int    // least and most, knots and feet; zero where nothing is said
	Gust       int       // knots, 0 where nothing is said
	Weather    string    // further sentences
	Text       string    // the whole
}

// textOrder is a Text with its number among them all.
type textOrder struct {
	Text
	revision int
}

// SetText orders what the texts say of a marine zone (ANZ230), which then has
// a segment of its own. Any other name is an error.
func (p *Provider) SetText(zone string, t Text) error {
	if !slices.ContainsFunc(zoneList(), func(z zoneEntry) bool { return z.id == zone && z.water != nil }) {
		return fmt.Errorf("%q is no marine zone", zone)
	}
	o := &p.nws.orders
	o.mu.Lock()
	o.count++
	order := textOrder{t, o.count}
	o.mu.Unlock()
	put(&o.mu, &o.texts, zone, order)
	return nil
}

// text is what is ordered for a zone.
func (o *orders) text(zone string) (t Text, given bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	order, given := o.texts[zone]
	return order.Text, given
}

// issue is when the newest text of an office was issued by order, the latest
// of the orders for its zones, and the number of the last order; zero without any.
// The surf forecast is for the land.
func (o *orders) issue(kind string, of *office) (issued time.Time, revision int) {
	if kind == "SRF" {
		order, _ := o.surf(of.land)
		return order.Issued.UTC(), order.revision
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range of.waters {
		order := o.texts[w.id]
		revision = max(revision, order.revision)
		if order.Issued.After(issued) {
			issued = order.Issued.UTC()
		}
	}
	return issued, revision
}

// say is what the text says of a stretch.
func (t Text) say(d dialect, w *seaZone, p stretch) string {
	words := d.words(w.exposure, p)
	if t.Passage == nil {
		return words
	}
	before := d.passage(p, words)
	after := t.Passage(before)
	after.Name, after.From, after.To = before.Name, before.From, before.To
	if after.Text != before.Text || after == before {
		return after.Text
	}
	return after.words(d, w.exposure)
}

// passage is a stretch in numbers.
func (d dialect) passage(p stretch, words string) Passage {
	all := slices.Concat(p.first, p.second)
	sea := func(c conditions) int { return c.sea }
	out := Passage{
		Name: p.name, From: p.from.UTC(), To: p.to.UTC(), Direction: eighth(p.first[0].direction),
		Wind: [2]int{least(all, wind), most(all, wind)}, Seas: [2]int{least(all, sea), most(all, sea)},
		Weather: strings.TrimSpace(weatherWords(all)), Text: words,
	}
	if gust := most(all, func(c conditions) int { return c.gust }); gust >= gustsFrom && d != alaskan {
		out.Gust = gust
	}
	return out
}

// words puts a passage into the words of an office: E winds 10 to 15 kt with
// gusts to 20 kt. Seas 3 to 4 ft.
func (p Passage) words(d dialect, e exposure) string {
	var sentences []string
	if p.Wind[1] > 0 {
		from := p.Direction
		if long, ok := longWinds[from]; ok && d.long() {
			from = long
		}
		text := d.opening(from, span(p.Wind, d.knots()))
		if p.Gust > 0 {
			text += fmt.Sprintf(" with gusts to %d %s", p.Gust, d.knots())
		}
		sentences = append(sentences, text+".")
	}
	if p.Seas[1] > 0 {
		sentences = append(sentences, d.seaNoun(e)+" "+span(p.Seas, d.feet())+".")
	}
	return strings.TrimSpace(strings.Join(append(sentences, p.Weather), " "))
}

// span writes a range with its unit.
func span(of [2]int, unit string) string {
	switch {
	case of[0] >= of[1]:
		return fmt.Sprintf("%d %s", of[1], unit)
	case of[0] <= 0:
		return fmt.Sprintf("%d %s or less", of[1], unit)
	}
	return fmt.Sprintf("%d to %d %s", of[0], of[1], unit)
}
