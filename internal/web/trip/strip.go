package trip

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/decide"
)

// look shows a state: a class of the style sheet, with a shape and words of its own, so
// that nothing depends on color.
type look string

// The looks. Hollow is a normal state that is not known well enough.
const (
	nothing look = "state-nothing"
	hollow  look = "state-hollow"
	care    look = "state-care"
	against look = "state-against"
	unknown look = "state-unknown"
)

// lookOf returns the look of a state: below moderate confidence, nothing against it is hollow.
func lookOf(s decide.State, c decide.Confidence) look {
	switch {
	case s == decide.Normal && c == decide.Low:
		return hollow
	case s == decide.Normal:
		return nothing
	case s == decide.WatchState:
		return care
	case s == decide.ActionNeeded:
		return against
	}
	return unknown
}

// Words returns the look in words.
func (l look) Words() string {
	return map[look]string{
		nothing: "nothing against it", hollow: "nothing known against it yet", care: "take care",
		against: "reasons against", unknown: "cannot tell",
	}[l]
}

// Shape returns the shape of the look as SVG: a tick, a triangle, a square or a broken circle.
func (l look) Shape() template.HTML {
	path := map[look]string{
		nothing: `<path d="M4 10.5 8.5 15 16 6" class="stroke"/>`,
		hollow:  `<path d="M4 10.5 8.5 15 16 6" class="stroke" stroke-dasharray="2 3"/>`,
		care:    `<path d="M10 3 18 17H2z" class="lead"/>`,
		against: `<path d="M3 3h14v14H3z" class="lead"/>`,
		unknown: `<circle cx="10" cy="10" r="7" class="stroke" stroke-dasharray="3 3"/>`,
	}[l]
	return template.HTML(`<svg class="shape ` + string(l) +
		`" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">` + path + `</svg>`)
}

// strip is a picture of the runs of a span.
type strip struct {
	from, to time.Time
	width    float64 // units of its view box
	runs     []decide.Run
	best     *decide.Best
	light    []chart.Span // civil daylight; what is not light is marked as dark
	labels   bool         // hours above it, and the best run below it
	clock    func(time.Time) string
}

// x returns the place of a time.
func (s strip) x(t time.Time) float64 {
	share := t.Sub(s.from).Seconds() / s.to.Sub(s.from).Seconds()
	return s.width * min(max(share, 0), 1)
}

// The heights of the parts of a strip.
const (
	labelHeight = 18.0
	barHeight   = 30.0
	belowHeight = 24.0
	letterWidth = 7.5 // of the words in a run, about
)

// HTML returns the strip as SVG. Its name has the runs in words.
func (s strip) HTML() template.HTML {
	top, height := 0.0, barHeight
	if s.labels {
		top, height = labelHeight, labelHeight+barHeight+belowHeight
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %g %g" role="img" aria-label="%s">`, s.width,
		height, template.HTMLEscapeString(s.Words()))
	for _, r := range s.runs {
		from, to := s.x(r.From), s.x(r.To)
		if to <= from {
			continue
		}
		l := lookOf(r.State, r.Confidence)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%g" width="%.1f" height="%g" rx="3" class="run %s"/>`, from,
			top, to-from, barHeight, l)
		if words := l.Words(); s.labels && float64(len(words))*letterWidth < to-from {
			fmt.Fprintf(&b, `<text x="%.1f" y="%g" class="%s">%s</text>`, from+6, top+20, l, words)
		}
	}
	if s.labels {
		s.hours(&b)
	}
	if s.labels {
		s.dark(&b)
	}
	if s.best != nil && s.labels {
		from, to := s.x(s.best.From), s.x(s.best.To)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%g" width="%.1f" height="%g" rx="4" class="best"/>`, from,
			top-1, to-from, barHeight+2)
		anchor := min(max((from+to)/2, 110), s.width-110)
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle" class="bestname">`+
			`least against it: %s</text>`, anchor, height-4, template.HTMLEscapeString(s.best.Text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// dark marks what is not light, below the strip.
func (s strip) dark(b *strings.Builder) {
	from := s.from
	for _, light := range append(slices.Clone(s.light), chart.Span{From: s.to, To: s.to}) {
		if x := s.x(from); s.x(light.From) > x {
			fmt.Fprintf(b, `<rect x="%.1f" y="%g" width="%.1f" height="4" rx="2" class="dark"/>`, x,
				labelHeight+barHeight+2, s.x(light.From)-x)
		}
		from = light.To
	}
}

// hours writes the hours above the strip: every six, and the day at midnight.
func (s strip) hours(b *strings.Builder) {
	const room = 60 // units that a label takes
	last := -room
	for t := s.from.Truncate(time.Hour); t.Before(s.to); t = t.Add(time.Hour) {
		x := s.x(t)
		if t.Before(s.from) || t.Hour()%6 != 0 || int(x) < last+room || x > s.width-room {
			continue
		}
		last = int(x)
		label, class := s.clock(t), "hour"
		if t.Hour() == 0 {
			label, class = t.Format("Mon 2"), "hour day"
		}
		fmt.Fprintf(b, `<text x="%.1f" y="12" class="%s">%s</text>`, x, class, label)
		fmt.Fprintf(b, `<path d="M%.1f %gv%g" class="grid"/>`, x, labelHeight, barHeight)
	}
}

// Words returns the runs as text: reasons against from 9 AM to 1 PM; take care from 1 to 5 PM.
func (s strip) Words() string {
	var list []string
	for _, r := range s.runs {
		if r.To.After(s.from) && r.From.Before(s.to) {
			list = append(list, fmt.Sprintf("%s from %s to %s", lookOf(r.State, r.Confidence).Words(),
				s.clock(r.From), s.clock(r.To)))
		}
	}
	if list == nil {
		return "no hours are assessed"
	}
	return strings.Join(list, "; ")
}
