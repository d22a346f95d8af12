package chart

import (
	"fmt"
	"math"
	"time"
)

// SkyDay has the data of sun and moon on one civil day. Times that do not occur are zero.
type SkyDay struct {
	Place      string
	Start, End time.Time // midnights of the place
	Clock      Clock
	// Bands are the spans of the day in which the sun is above -18, -12 and -6 degrees, and up.
	// A span of the whole day means that the sun does not sink below. Where the sun sets after
	// midnight, a day has two.
	Bands        [4][]Span
	Noon         time.Time
	MoonUp       []Span
	Illumination float64 // 0 to 1
	Waxing       bool
	South        bool // seen from the southern hemisphere
	Phase        string
	Now          time.Time
}

// Positions of the parts of the band, in units.
const (
	bandTop, bandBottom = 22.0, 44.0
	moonX, moonY        = 30.0, 38.0
	moonRadius          = 20.0
)

// Draw lays out the band: the light of the day from left to right, the time when the
// moon is up below it, and the moon's face at the left.
func (d SkyDay) Draw(size Size) *Scene {
	s := &Scene{W: size.W, H: size.H, Title: "Sun and moon at " + d.Place}
	if !d.End.After(d.Start) {
		return s.empty("There is no day to draw.")
	}
	b := &band{Scene: s, SkyDay: d, x0: 64, x1: size.W - 12}
	b.rect(Sky0, box{b.x0, bandTop, b.x1, bandBottom}, 0)
	for i, spans := range d.Bands {
		for _, span := range spans {
			b.span(Sky1+Role(i), span, bandTop, bandBottom, 0)
		}
	}
	for _, up := range d.MoonUp {
		b.span(Soft, up, bandBottom+5, bandBottom+9, 2)
	}
	b.words()
	if d.Now.After(d.Start) && d.Now.Before(d.End) {
		x := b.x(d.Now)
		b.line(Now, 2, point{x, bandTop - 3}, point{x, bandBottom + 12})
	}
	b.face()
	s.Desc = d.describe()
	return s
}

// band is a sky band while it is drawn.
type band struct {
	*Scene
	SkyDay
	x0, x1 float64
	taken  boxes
}

func (b *band) x(t time.Time) float64 {
	share := t.Sub(b.Start).Seconds() / b.End.Sub(b.Start).Seconds()
	return b.x0 + (b.x1-b.x0)*min(max(share, 0), 1)
}

func (b *band) span(r Role, s Span, top, bottom, radius float64) {
	if x0, x1 := b.x(s.From), b.x(s.To); !s.From.IsZero() && x0 < x1 {
		b.rect(r, box{x0, top, x1, bottom}, radius)
	}
}

// words writes the times for which there is room, the most important first.
func (b *band) words() {
	const over, under = bandTop - 7, bandBottom + 24
	for _, day := range b.Bands[3] {
		b.word(day.From, over, "sunrise", true)
		b.word(day.To, over, "sunset", true)
	}
	b.word(b.Noon, over, "noon", false)
	for _, civil := range b.Bands[2] {
		b.word(civil.From, over, "dawn", false)
		b.word(civil.To, over, "dusk", false)
	}
	for _, up := range b.MoonUp {
		b.word(up.From, under, "moonrise", false)
		b.word(up.To, under, "moonset", false)
	}
}

// word writes a time within the day, at its place or close to it.
func (b *band) word(t time.Time, y float64, name string, bold bool) {
	if !t.After(b.Start) || !t.Before(b.End) {
		return
	}
	text := name + nbsp + b.Clock.time(t)
	half := room(text, axisSize, bold) / 2
	role := Soft
	if bold {
		role = Ink
	}
	for _, move := range [...]float64{0, 12, -12, 24, -24} {
		x := min(max(b.x(t)+move, b.x0+half), b.x1-half)
		if b.taken.take(box{x - half - 5, y - 10, x + half + 5, y + 3}) {
			b.text(role, point{x, y}, words{text: text, size: axisSize, bold: bold, anchor: middle})
			return
		}
	}
}

// face draws the moon with north up, or south up in the southern hemisphere: the lit half, and
// half an ellipse that is added to it or subtracted from it.
func (b *band) face() {
	b.dot(Sky1, point{moonX, moonY}, moonRadius)
	lit := 2*min(max(b.Illumination, 0), 1) - 1 // half-axis of the terminator over the radius
	side := 1.0
	if b.Waxing == b.South {
		side = -1
	}
	const steps = 32
	var p []point
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi * float64(i) / steps)
		p = append(p, point{moonX + side*moonRadius*sin, moonY - moonRadius*cos})
	}
	for i := range steps + 1 {
		sin, cos := math.Sincos(math.Pi * float64(steps-i) / steps)
		p = append(p, point{moonX - side*lit*moonRadius*sin, moonY - moonRadius*cos})
	}
	b.area(MoonLit, p)
}

func (d SkyDay) describe() string {
	text := fmt.Sprintf("%s, moon %s, %.0f %% lit; times in %s.",
		d.Start.In(d.Clock.Zone).Format("Monday 2 January"), d.Phase, d.Illumination*100,
		d.Clock.appendZones(nil, d.Start, d.End))
	for _, day := range d.Bands[3] {
		if day.From.After(d.Start) {
			text += " Sunrise " + d.Clock.time(day.From) + "."
		}
		if day.To.Before(d.End) {
			text += " Sunset " + d.Clock.time(day.To) + "."
		}
	}
	switch {
	case len(d.Bands[3]) == 0:
		text += " The sun does not rise."
	case !d.Bands[3][0].From.After(d.Start) && !d.Bands[3][0].To.Before(d.End):
		text += " The sun does not set."
	}
	for _, up := range d.MoonUp {
		if up.From.After(d.Start) {
			text += " Moonrise " + d.Clock.time(up.From) + "."
		}
		if up.To.Before(d.End) {
			text += " Moonset " + d.Clock.time(up.To) + "."
		}
	}
	return text
}
