package provider

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// textWidth is the maximum length of a line.
const textWidth = 66

// segment is the head of a part of a text: a zone, its name, and when it expires.
type segment struct {
	zone, name, below string
	expires           time.Time // zero for the default of 12.5 hours after the issue
}

func (b bulletin) head() object {
	return object{
		{"id", b.uuid()},
		{"issuanceTime", stamp(b.issued)},
		{"productCode", b.kind},
	}
}

// listProducts serves /products/types/{type}/locations/{office}. The list is empty for an unknown
// office and for one without such texts.
func (s *weatherService) listProducts(r *http.Request) (reply, *problem) {
	graph := []object{}
	for _, b := range s.bulletins(r.PathValue("type"), officeOf(r.PathValue("office"))) {
		graph = append(graph, b.head())
	}
	return reply{body: object{{"@graph", graph}}, linked: true}, nil
}

// product serves /products/{id}, for the issues that are still listed.
func (s *weatherService) product(r *http.Request) (reply, *problem) {
	id := r.PathValue("id")
	for kind := range bulletinNames {
		for _, o := range slices.Concat(offices, centers) {
			for _, b := range s.bulletins(kind, o) {
				if b.uuid() == id {
					body := append(b.head(), member{"productText", s.write(b)})
					return reply{body: body, linked: true}, nil
				}
			}
		}
	}
	return noSuchPage(r)
}

// write writes the whole text of a bulletin.
func (n *bulletinWriter) write(b bulletin) string {
	var text strings.Builder
	o := b.office
	location := cmp.Or(o.GridID, o.ID)
	fmt.Fprintf(&text, "\n000\n%s %s %s\n%s%s\n\n",
		o.Heading, o.Issuer, b.issued.Format("021504"), b.kind, location)
	title := fillLines(bulletinNames[b.kind] + " for the waters of " + o.Place)
	fmt.Fprintf(&text, "%s\nNational Weather Service %s\n%s\n\n", title, o.Place, b.issuedLocal())
	if b.kind == "SRF" {
		n.writeSurf(&text, b)
		return text.String()
	}
	text.WriteString(fillLines("Seas given as significant wave height, which is the average "+
		"height of the highest 1/3 of the waves.") + "\n\n")
	if o.Synopsis != "" {
		b.writeHead(&text, segment{zone: o.Synopsis})
		high := fmt.Sprintf(".SYNOPSIS...A %d mb high was %d nautical miles off the coast, "+
			"moving slowly east...with a weak trough behind it.",
			1018+scramble("high", o.ID)%12, 200+scramble("off", stamp(b.issued))%5*100)
		text.WriteString(fillLines(high) + "\n\n$$\n\n")
	}
	for i := range o.Waters {
		w := &o.Waters[i]
		if set, _ := setFor(n.settings, &n.settings.texts, w.ID); w.covers(b.kind) && !set.Missing {
			n.writeSegment(&text, b, w, set)
		}
	}
	return text.String()
}

// issuedLocal formats the time of issue: 243 PM PDT Sat Sep 26 2026.
func (b bulletin) issuedLocal() string {
	return b.local(b.issued).Format("304 PM MST Mon Jan 2 2006")
}

func (b bulletin) local(t time.Time) time.Time { return t.In(zoneNamed(b.office.Zone)) }

// writeHead writes the zone, its name and the time of a segment.
func (b bulletin) writeHead(text *strings.Builder, s segment) {
	if s.expires.IsZero() {
		s.expires = b.issued.Add(12*time.Hour + 30*time.Minute).Truncate(15 * time.Minute)
	}
	text.WriteString(s.zone + "-" + s.expires.UTC().Format("021504") + "-\n")
	if s.name != "" {
		text.WriteString(fillLines(s.name+"-") + "\n")
	}
	text.WriteString(s.below + b.issuedLocal() + "\n\n")
}

// writeSegment writes the forecast for a zone.
func (n *bulletinWriter) writeSegment(text *strings.Builder, b bulletin, w *marineZone, set Text) {
	b.writeHead(text, segment{zone: w.ID, name: w.Name, expires: set.Expires})
	if headlines := n.headlines(b, w.ID); headlines != "" {
		text.WriteString(headlines + "\n")
	}
	for _, p := range b.passages(w) {
		if set.Passage != nil {
			changed := set.Passage(p)
			changed.Name = p.Name
			p = changed
		}
		text.WriteString(fillLines("."+p.Name+"..."+p.sentences()) + "\n")
	}
	text.WriteString("\n$$\n\n")
}

// headlines returns the alerts that were in effect or announced when the text was issued.
func (n *bulletinWriter) headlines(b bulletin, zone string) string {
	var lines []string
	for _, a := range n.settings.alertsIn(zone, b.issued) {
		line, ends := strings.ToUpper(a.Event)+" IN EFFECT", " UNTIL "
		if a.Onset.After(b.issued) {
			line, ends = line+" FROM "+headlineTime(b.local(a.Onset)), " THROUGH "
		}
		if !a.Ends.IsZero() {
			line += ends + headlineTime(b.local(a.Ends))
		}
		if line = fillLines("..."+line+"...") + "\n"; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// passages returns the periods of a text: the rest of today or tonight, then days and nights, and
// finally days combined with nights.
func (b bulletin) passages(w *marineZone) []Passage {
	issued := b.local(b.issued).Truncate(time.Hour)
	from := issued
	var out []Passage
	for len(out) < 8 {
		to, name := nextHalf(from), strings.ToUpper(periodName(issued, from))
		if len(out) == 0 && (from.Hour() == 17 || from.Hour() == 4 || from.Hour() == 5) {
			to = nextHalf(to) // the last hours before six belong to the next period
		}
		if len(out) >= 5 && from.Hour() == 6 {
			to, name = nextHalf(to), name+" AND "+name+" NIGHT"
		}
		out = append(out, b.office.passage(w, name, from, to))
		from = to
	}
	return out
}

// over returns the conditions of a zone, hour by hour.
func (o *office) over(w *marineZone, from, to time.Time) (list weatherSpan) {
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		list = append(list, o.conditionsOver(w, at))
	}
	return list
}

// Texts mention gusts of at least gustsFrom knots. Winds are in steps of windStep knots, in a range
// of at most windRange knots.
const gustsFrom, windStep, windRange = 25, 5, 10

// passage returns a period without settings.
func (o *office) passage(w *marineZone, name string, from, to time.Time) Passage {
	list := o.over(w, from, to)
	p := Passage{
		Name: name, From: from.UTC(), To: to.UTC(), Direction: compassName(list[0].direction),
		Wind: list.windRange(), Seas: [2]int{list.least(seaOf), list.most(seaOf)},
	}
	if gust := list.most(func(c conditions) int { return c.gust }); gust >= gustsFrom {
		p.Gust = gust
	}
	switch rain := list.most(rainOf); {
	case rain >= 60:
		p.Weather = "Showers and a slight chance of thunderstorms."
	case rain >= 30:
		p.Weather = "A chance of showers."
	}
	if list[0].fog {
		p.Weather = strings.TrimSpace(p.Weather + " Patchy fog. Vsby 1 NM or less.")
	}
	return p
}

// windRange returns the range of the winds. Lulls may be below it.
func (list weatherSpan) windRange() [2]int {
	low, high := list.least(windOf)/windStep*windStep, (list.most(windOf)+windStep-1)/windStep*windStep
	return [2]int{max(low, high-windRange), max(high, windStep)}
}

// sentences describes a period: E winds 10 to 15 kt with gusts to 20 kt. Seas 3 to 4 ft.
func (p Passage) sentences() string {
	if p.Text != "" {
		return p.Text
	}
	var out []string
	if p.Wind[1] > 0 {
		text := p.Direction + " winds " + rangeWords(p.Wind, "kt")
		if p.Gust > 0 {
			text += fmt.Sprintf(" with gusts to %d kt", p.Gust)
		}
		out = append(out, text+".")
	}
	if p.Seas[1] > 0 {
		out = append(out, "Seas "+rangeWords(p.Seas, "ft")+".")
	}
	return strings.TrimSpace(strings.Join(append(out, p.Weather), " "))
}

// rangeWords describes a range with its unit.
func rangeWords(of [2]int, unit string) string {
	switch {
	case of[0] >= of[1]:
		return fmt.Sprintf("%d %s", of[1], unit)
	case of[0] <= 0:
		return fmt.Sprintf("%d %s or less", of[1], unit)
	}
	return fmt.Sprintf("%d to %d %s", of[0], of[1], unit)
}

// writeSurf writes the surf zone forecast, for the beaches of the office's land zone.
func (n *bulletinWriter) writeSurf(text *strings.Builder, b bulletin) {
	o := b.office
	set, _ := setFor(n.settings, &n.settings.surfs, o.Land)
	zone := o.Land
	if set.Missing {
		zone = o.Land[:3] + "999"
	}
	below := fillLines("Including the beaches of "+o.Town) + "\n"
	b.writeHead(text, segment{zone, o.LandName, below, set.Expires})
	w, issued := o.beach(), b.local(b.issued)
	statement := len(n.settings.alertsIn(o.Land, b.issued)) > 0
	for day := range 2 {
		date := issued.AddDate(0, 0, day+issued.Hour()/16)
		from := time.Date(date.Year(), date.Month(), date.Day(), 6, 0, 0, 0, issued.Location())
		list, name := o.over(w, from, nextHalf(from)), strings.ToUpper(from.Weekday().String())
		if from.YearDay() == issued.YearDay() {
			name = "TODAY"
		}
		risk := ripRisk(list, statement)
		if set.Risk != nil {
			risk = set.Risk(name)
		}
		fmt.Fprintf(text, ".%s...\n", name)
		if risk != "" {
			fmt.Fprintf(text, "Rip Current Risk............%s.\n", risk)
		}
		surf := [2]int{list.least(breakers), max(1, list.most(breakers))}
		fmt.Fprintf(text, "Surf Height.................%s.\n", rangeWords(surf, "ft"))
		fmt.Fprintf(text, "Winds.......................%s winds %s.\n\n",
			compassName(list[0].direction), rangeWords(list.windRange(), "kt"))
	}
	text.WriteString("&&\n\n$$\n")
}

// beach returns the open water nearest to the office, or its nearest bay if it has no open water.
func (o *office) beach() *marineZone {
	far := func(w marineZone) float64 {
		km := kilometers(o.Latitude, o.Longitude, w.Latitude, w.Longitude)
		if w.Exposure != openSea {
			km += 1e6
		}
		return km
	}
	best := 0
	for i := range o.Waters {
		if far(o.Waters[i]) < far(o.Waters[best]) {
			best = i
		}
	}
	return &o.Waters[best]
}

// breakers returns the height of the surf: the swell and a third of the wind sea.
func breakers(c conditions) int { return c.swell + c.windSea/3 }

// ripRisk returns the risk of rip currents: it grows with the surf and is high during a statement.
func ripRisk(list weatherSpan, statement bool) string {
	switch surf := list.most(breakers); {
	case statement || surf >= 7:
		return "High"
	case surf >= 3:
		return "Moderate"
	}
	return "Low"
}

// fillLines breaks a paragraph into lines.
func fillLines(text string) string {
	var out strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > textWidth:
			out.WriteByte('\n')
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(word)
		column += len(word)
	}
	return out.String()
}
