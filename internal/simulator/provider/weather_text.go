package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A dialect is how an office words its forecasts.
type dialect int

const (
	eastern      dialect = iota // N winds 10 to 15 kt. Seas 3 to 4 ft.
	gulf                        // North winds 10 to 15 knots. Seas 3 to 4 feet.
	western                     // N wind 10 to 15 kt. Seas 3 to 4 ft. Wave Detail: ...
	southwestern                // Wind N 10 to 15 kt. Seas 3 to 4 ft. Wave Detail: ...
	alaskan                     // N winds 15 kt. Seas 4 ft.
	lakes                       // North winds 10 to 15 knots. Waves 3 to 4 feet.
)

// long reports whether days, directions and units are spelled out.
func (d dialect) long() bool { return d == gulf || d == lakes }

// textWidth is where lines are broken.
const textWidth = 66

// local is the time of issue as texts have it: 243 PM PDT Sat Sep 26 2026.
func (b bulletin) local() string { return b.here(b.issued).Format("304 PM MST Mon Jan 2 2006") }

func (b bulletin) here(t time.Time) time.Time { return t.In(location(b.office.zone)) }

// write writes the whole text.
func (s *weatherService) write(b bulletin) string {
	var text strings.Builder
	o := b.office
	fmt.Fprintf(&text, "\n000\n%s %s %s\n%s%s\n\n", o.bureau, o.issuer, b.issued.Format("021504"), b.kind, or(o.grid, o.id))
	title := fill(bulletinNames[b.kind] + " for " + or(o.region, o.place))
	fmt.Fprintf(&text, "%s\nNational Weather Service %s\n%s\n\n", title, o.place, b.local())
	if b.kind == "SRF" {
		s.writeSurf(&text, b)
		return text.String()
	}
	text.WriteString(o.area + "\n\n")
	if o.synopsis != "" {
		b.writeSynopsis(&text)
	}
	for _, group := range s.groups(b) {
		s.writeSegment(&text, b, group)
	}
	return text.String()
}

// expiry ends the line of zones: when the next issue is due, day and time UTC.
func (b bulletin) expiry() string {
	if !b.expires.IsZero() {
		return b.expires.UTC().Format("021504") + "-"
	}
	return b.issued.Add(12*time.Hour+30*time.Minute).Truncate(15*time.Minute).Format("021504") + "-"
}

// writeHead writes the zones, their names and the time of a segment.
func (b bulletin) writeHead(text *strings.Builder, codes, names []string, below string) {
	text.WriteString(breakAt(ranges(codes)+"-"+b.expiry(), '-') + "\n")
	for _, name := range names {
		text.WriteString(fill(name+"-") + "\n")
	}
	text.WriteString(below + b.local() + "\n\n")
}

// ranges writes codes as texts do: a prefix once for the codes that share
// it, GMZ370>375 for three or more without a gap.
func ranges(codes []string) string {
	var out []string
	prefix := ""
	for i := 0; i < len(codes); {
		end := i + 1
		for end < len(codes) && codes[end][:3] == codes[i][:3] && number(codes[end]) == number(codes[end-1])+1 {
			end++
		}
		if end-i < 3 {
			end = i + 1
		}
		text := codes[i]
		if text[:3] == prefix {
			text = text[3:]
		}
		prefix = codes[i][:3]
		if end-i > 1 {
			text += ">" + codes[end-1][3:]
		}
		out = append(out, text)
		i = end
	}
	return strings.Join(out, "-")
}

func number(code string) int {
	n, _ := strconv.Atoi(code[3:]) // three digits in every row of the tables
	return n
}

// groups are the waters that share a segment: inshore ones without warnings
// where there are three or more of them; the others stand alone, those with
// an order too. GLF is for
// the open lakes, NSH for the waters before their shores.
func (s *weatherService) groups(b bulletin) [][]*seaZone {
	var inshore []*seaZone
	var groups [][]*seaZone
	for i := range b.office.waters {
		w := &b.office.waters[i]
		order, given := s.orders.text(w.id)
		switch {
		case b.kind == "GLF" && w.exposure == bay, b.kind == "NSH" && w.exposure == openSea, order.Missing:
		case w.exposure == bay && !given && len(s.board.in(w.id, b.issued)) == 0:
			inshore = append(inshore, w)
		default:
			groups = append(groups, []*seaZone{w})
		}
	}
	if len(inshore) >= 3 {
		return append([][]*seaZone{inshore}, groups...)
	}
	for _, w := range slices.Backward(inshore) {
		groups = append([][]*seaZone{{w}}, groups...)
	}
	return groups
}

func (b bulletin) writeSynopsis(text *strings.Builder) {
	o := b.office
	b.writeHead(text, []string{o.synopsis}, nil, "")
	high := fmt.Sprintf("A %d mb high was %d nautical miles off the coast, moving slowly east...with a weak trough behind it.",
		1018+scramble("high", o.id)%12, 200+scramble("off", stamp(b.issued))%5*100)
	switch o.dialect {
	case gulf, lakes, eastern:
		text.WriteString(fill(".SYNOPSIS..." + high))
	default: // now and then they leave it at the heading
		text.WriteString(fill(".Synopsis for the waters of " + o.region + "..."))
		if scramble("heading alone", b.id())%4 > 0 {
			text.WriteString("\n" + fill(high))
		}
	}
	text.WriteString("\n\n$$\n\n")
}

// writeSegment writes the forecast that some waters share: its ranges hold
// for all of them. Headlines are those of any of them.
func (s *weatherService) writeSegment(text *strings.Builder, b bulletin, group []*seaZone) {
	var codes, names []string
	for _, w := range group {
		codes, names = append(codes, w.id), append(names, w.name)
	}
	order, _ := s.orders.text(codes[0]) // who has an order stands alone
	b.expires = order.Expires
	b.writeHead(text, codes, names, "")
	if headlines := s.headlines(b, codes); headlines != "" {
		text.WriteString(headlines + "\n")
	}
	for _, p := range b.periods(group) {
		text.WriteString(fill("."+p.name+"..."+order.say(b.office.dialect, group[0], p)) + "\n")
	}
	text.WriteString("\n")
	if b.office.dialect == western && group[0].exposure == openSea {
		text.WriteString(fill("Seas are reported as significant wave height, which is the average of the highest third of the waves. Individual wave heights may be more than twice the significant wave height.") + "\n\n")
	}
	text.WriteString("$$\n\n")
}

// headlines are the warnings that were known when the text was issued.
func (s *weatherService) headlines(b bulletin, codes []string) string {
	var lines []string
	for _, code := range codes {
		for _, a := range s.board.in(code, b.issued) {
			line := strings.ToUpper(a.Event) + " IN EFFECT"
			if a.Onset.After(b.issued) {
				line += " FROM " + until(b.here(a.Onset))
			}
			if !a.Ends.IsZero() {
				line += map[bool]string{true: " THROUGH ", false: " UNTIL "}[a.Onset.After(b.issued)] + until(b.here(a.Ends))
			}
			if line = fill("..."+line+"...") + "\n"; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "")
}

// until is a time as headlines have it: 3 PM PDT SUNDAY.
func until(local time.Time) string {
	form := "304 PM MST Monday"
	if local.Minute() == 0 {
		form = "3 PM MST Monday"
	}
	return strings.ToUpper(local.Format(form))
}

// A stretch is a named span of a text, in two parts that may differ.
type stretch struct {
	name          string
	from, to      time.Time
	first, second []conditions
	day, today    bool
	both          bool // day and night
}

// periods are the stretches of a text: what is left of today or tonight, then
// days and nights, at last days and nights together.
func (b bulletin) periods(group []*seaZone) []stretch {
	issued := b.here(b.issued)
	from := issued.Truncate(time.Hour)
	var out []stretch
	for len(out) < 8 {
		to := nextHalf(from)
		name := b.name(issued, from)
		if len(out) == 0 && (from.Hour() == 17 || from.Hour() == 4 || from.Hour() == 5) {
			to = nextHalf(to) // an hour or two before six belong to what follows
		}
		if len(out) >= 5 && from.Hour() == 6 {
			to = nextHalf(to)
			name += " AND " + name + " NIGHT"
		}
		p := b.stretch(group, name, from, to)
		p.today, p.both = len(out) == 0, to.Sub(from) > 16*time.Hour
		out = append(out, p)
		from = to
	}
	return out
}

func (b bulletin) stretch(group []*seaZone, name string, from, to time.Time) stretch {
	p := stretch{name: name, from: from, to: to, day: from.Hour() >= 4 && from.Hour() < 17}
	middle := from.Add(to.Sub(from) / 2)
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		half := &p.first
		if !at.Before(middle) {
			half = &p.second
		}
		for _, w := range group {
			*half = append(*half, b.office.conditionsOf(w, at))
		}
	}
	if p.second == nil {
		p.second = p.first // a stretch of one hour
	}
	return p
}

// conditionsOf are the conditions of a zone: those of the cell of its spot.
func (o *office) conditionsOf(w *seaZone, at time.Time) conditions {
	latitude, longitude := w.latitude, w.longitude
	if o.grid != "" {
		latitude, longitude = o.middle(o.cellOf(latitude, longitude))
	}
	return o.conditions(latitude, longitude, w.exposure, at)
}

// name is that of a stretch which begins at from.
func (b bulletin) name(issued, from time.Time) string {
	first := from.Equal(issued.Truncate(time.Hour))
	switch hour := from.Hour(); {
	case first && hour < 4:
		return "OVERNIGHT"
	case first && hour < 10:
		return "TODAY"
	case first && hour < 13:
		return "REST OF TODAY"
	case first && hour < 17:
		return "THIS AFTERNOON"
	case first, hour == 18 && from.YearDay() == issued.YearDay():
		return "TONIGHT"
	case hour == 18:
		return b.dayName(from) + " NIGHT"
	}
	return b.dayName(from)
}

func (b bulletin) dayName(t time.Time) string {
	name := strings.ToUpper(t.Weekday().String())
	if b.office.dialect.long() {
		return name
	}
	return name[:3]
}

// gustsFrom is the gust from which on texts speak of gusts, knots.
const gustsFrom = 25

// words is the forecast of a stretch.
func (d dialect) words(e exposure, p stretch) string {
	all := slices.Concat(p.first, p.second)
	text := d.windWords(p) + "."
	if gust := most(all, func(c conditions) int { return c.gust }); gust >= gustsFrom && d != alaskan {
		text += fmt.Sprintf(" Gusts up to %d %s.", gust, d.knots())
	}
	text += " " + d.seaWords(e, all) + "."
	if (d == western || d == southwestern) && e == openSea {
		text += waveDetail(all[len(all)/2])
	}
	return text + weatherWords(all)
}

// weatherWords are the sentences about rain and fog, each after a blank.
func weatherWords(all []conditions) (text string) {
	switch rain := most(all, func(c conditions) int { return c.rain }); {
	case rain >= 60:
		text = " Showers and a slight chance of thunderstorms."
	case rain >= 30:
		text = " A chance of showers."
	}
	if all[0].fog {
		text += " Patchy fog. Vsby 1 NM or less."
	}
	return text
}

func most(list []conditions, f func(conditions) int) int { return period{conditions: list}.most(f) }

func least(list []conditions, f func(conditions) int) int { return period{conditions: list}.least(f) }

func (d dialect) knots() string {
	if d.long() {
		return "knots"
	}
	return "kt"
}

func (d dialect) feet() string {
	if d.long() {
		return "feet"
	}
	return "ft"
}

// windWords says what the wind does: direction and speed, and how it changes.
func (d dialect) windWords(p stretch) string {
	if d == alaskan {
		return fmt.Sprintf("%s winds %d kt", p.first[0].name(d), max(5, (max(most(p.first, wind), most(p.second, wind))+4)/5*5))
	}
	before, after := speedRange(p.first, d), speedRange(p.second, d)
	from, to := p.first[0].name(d), p.second[0].name(d)
	text := d.opening(from, before)
	if before == after && from == to {
		return text
	}
	when := p.when()
	if d == southwestern && from != to {
		return text + "...becoming " + to + " " + after + " " + when
	}
	if before == after {
		return text + ", becoming " + lowerLong(to, d) + " " + when
	}
	change := ", increasing to "
	if most(p.second, wind)+least(p.second, wind) < most(p.first, wind)+least(p.first, wind) {
		change = map[bool]string{true: ", diminishing to ", false: ", easing to "}[d.long() || d == eastern]
	}
	return text + change + after + " " + when
}

func (c conditions) name(d dialect) string {
	if d.long() {
		return longWinds[eighth(c.direction)]
	}
	return eighth(c.direction)
}

// lowerLong writes a spelled-out direction within a sentence.
func lowerLong(name string, d dialect) string {
	if d.long() {
		return strings.ToLower(name)
	}
	return name
}

func (d dialect) opening(from, speed string) string {
	switch d {
	case southwestern:
		if strings.HasPrefix(speed, "less") {
			return "Wind variable " + speed
		}
		return "Wind " + from + " " + speed
	case western:
		return from + " wind " + speed
	}
	return from + " winds " + speed
}

// when is when the second part of a stretch begins.
func (p stretch) when() string {
	switch {
	case p.both:
		return "at night"
	case p.day && p.today:
		return "this afternoon"
	case p.day:
		return "in the afternoon"
	}
	return "after midnight"
}

// speedRange is a range of speeds in steps of five knots that holds them all,
// but for a lull.
func speedRange(list []conditions, d dialect) string {
	low, high := least(list, wind)/5*5, (most(list, wind)+4)/5*5
	low = max(low, high-10, 5)
	switch {
	case d == southwestern && high <= 10:
		return "less than 10 kt"
	case high <= 5:
		return "around 5 " + d.knots()
	case low >= high && d.long():
		return fmt.Sprintf("around %d %s", high, d.knots())
	case low >= high:
		return fmt.Sprintf("%d %s", high, d.knots())
	}
	return fmt.Sprintf("%d to %d %s", low, high, d.knots())
}

// seaWords says how high the sea is: seas offshore, waves inland.
func (d dialect) seaWords(e exposure, list []conditions) string {
	sea := func(c conditions) int { return c.sea }
	low, high, noun := least(list, sea), most(list, sea), d.seaNoun(e)
	switch {
	case d == alaskan:
		return fmt.Sprintf("%s %d %s", noun, high, d.feet())
	case high <= 1:
		return noun + " 1 " + map[bool]string{true: "foot", false: "ft"}[d.long()] + " or less"
	case low == high:
		return fmt.Sprintf("%s %d %s", noun, high, d.feet())
	}
	return fmt.Sprintf("%s %d to %d %s", noun, low, high, d.feet())
}

func (d dialect) seaNoun(e exposure) string {
	if e == bay || d == lakes {
		return "Waves"
	}
	return "Seas"
}

// waveDetail parts the sea into wind waves or swell by direction and period.
func waveDetail(c conditions) string {
	text := fmt.Sprintf(" Wave Detail: %s %d ft at %d seconds", eighth(c.swellFrom), c.swell, c.period)
	if c.swell2 > 0 {
		text += fmt.Sprintf(" and %s %d ft at %d seconds", eighth(c.swell2From), c.swell2, c.period+3)
	}
	return text + "."
}

// writeSurf writes the surf zone forecast, for the beaches of the office's land zone.
func (s *weatherService) writeSurf(text *strings.Builder, b bulletin) {
	o := b.office
	order, _ := s.orders.surf(o.land)
	if !order.Expires.IsZero() {
		b.expires = order.Expires
	}
	zone := o.land
	if order.Missing {
		zone = o.land[:3] + "999"
	}
	b.writeHead(text, []string{zone}, []string{o.landName}, fill("Including the beaches of "+o.town.name)+"\n")
	star := ""
	if o.dialect == gulf {
		star = "*"
	}
	w, issued := b.beach(), b.here(b.issued)
	risky := len(s.board.in(o.land, b.issued)) > 0
	for day := range 2 {
		from := time.Date(issued.Year(), issued.Month(), issued.Day()+day+issued.Hour()/16, 6, 0, 0, 0, issued.Location())
		p := b.stretch([]*seaZone{w}, strings.ToUpper(from.Weekday().String()), from, nextHalf(from))
		if from.YearDay() == issued.YearDay() {
			p.name = "TODAY"
		}
		all := slices.Concat(p.first, p.second)
		fmt.Fprintf(text, ".%s...\n", p.name)
		risk := ripRisk(all, risky)
		if order.Risk != nil {
			risk = order.Risk(p.name)
		}
		if risk != "" {
			entry(text, "Rip Current Risk"+star, risk)
		}
		entry(text, "Surf Height", surfHeight(all))
		entry(text, "Winds", all[0].name(gulf)+" winds "+speedRange(all, gulf))
		text.WriteString("\n")
	}
	if star != "" {
		text.WriteString("* " + fill("There are three rip current risk categories: low, moderate and high.") + "\n\n")
	}
	text.WriteString("&&\n\n$$\n")
}

// beach is the open water nearest to the office, or any that it has.
func (b bulletin) beach() *seaZone {
	best := &b.office.waters[0]
	for i := range b.office.waters {
		w := &b.office.waters[i]
		near := func(w *seaZone) float64 {
			return kilometers(b.office.latitude, b.office.longitude, w.latitude, w.longitude)
		}
		if w.exposure == openSea && (best.exposure != openSea || near(w) < near(best)) {
			best = w
		}
	}
	return best
}

// entry writes a row whose dots lead to the value.
func entry(text *strings.Builder, name, value string) {
	fmt.Fprintf(text, "%s%s%s.\n", name, strings.Repeat(".", max(3, 28-len(name))), value)
}

// surfHeight is the sea without the wind's part of it: breakers of the swell.
func surfHeight(list []conditions) string {
	breaker := func(c conditions) int { return max(1, c.swell+c.windSea/3) }
	low, high := least(list, breaker), most(list, breaker)
	switch {
	case high == 1:
		return "Around 1 foot"
	case low == high:
		return fmt.Sprintf("Around %d feet", high)
	}
	return fmt.Sprintf("%d to %d feet", low, high)
}

// ripRisk goes by the surf, and is high under a statement.
func ripRisk(list []conditions, statement bool) string {
	surf := most(list, func(c conditions) int { return c.swell + c.windSea/3 })
	switch {
	case statement || surf >= 7:
		return "High"
	case surf >= 3:
		return "Moderate"
	}
	return "Low"
}

// fill breaks a paragraph into lines.
func fill(text string) string {
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

// breakAt breaks a line of codes after a separator.
func breakAt(text string, separator byte) string {
	var out strings.Builder
	for len(text) > textWidth {
		at := strings.LastIndexByte(text[:textWidth], separator) + 1
		out.WriteString(text[:at] + "\n")
		text = text[at:]
	}
	return out.String() + text
}
