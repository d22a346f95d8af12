package nws

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Bulletin is a text product, as an office issues it for all of its zones.
type Bulletin struct {
	Product  string // CWF, OFF, NSH, GLF, SRF
	Office   string // place of the request: an office, a part of it (AER), or a sea (NT4)
	ID       string // of the issue; empty for a text from elsewhere
	Issued   time.Time
	Segments []Segment // in the order of the text
}

// Segment is the part of a bulletin for some zones.
type Segment struct {
	Zones     []string  // one by one: GMZ370>372 is GMZ370, GMZ371, GMZ372
	Names     string    // of the zones, as written
	Beaches   string    // "Including the beaches of ...", in a surf forecast
	Expires   time.Time // UTC; zero if the text's day does not match a time near the issue
	Headlines []string  // without the dots around them
	Synopsis  string    // of the general weather; may be empty
	Periods   []Period  // in the order of the text
	Rip       []Rip     // in a surf forecast
}

// Period is the forecast for some hours. The name is the office's: TODAY, SUN NIGHT, SUN AND SUN
// NIGHT.
type Period struct {
	Name string
	Text string // in one line
}

// Segment returns the segment of a zone. If several list it, that is the one with periods,
// because a synopsis may list all zones.
func (b Bulletin) Segment(zone string) (Segment, bool) {
	of := func(s Segment) bool { return slices.Contains(s.Zones, zone) }
	i := slices.IndexFunc(b.Segments, func(s Segment) bool { return of(s) && len(s.Periods) > 0 })
	if i < 0 {
		i = slices.IndexFunc(b.Segments, of)
	}
	if i < 0 {
		return Segment{}, false
	}
	return b.Segments[i], true
}

// Synopsis returns the first synopsis of the bulletin, empty if there is none.
func (b Bulletin) Synopsis() string {
	for _, s := range b.Segments {
		if s.Synopsis != "" {
			return s.Synopsis
		}
	}
	return ""
}

// ParseBulletin parses a text product. issued supplies month and year of the days in the text.
// Product and Office are from the third line of the text; they may be empty. A text without
// segments is an error.
//
// These rules of the format are used: lines end in LF, CRLF or CRCRLF. A segment extends from its
// list of zones to $$ or the next list; text after && is a footnote. Headlines are enclosed in dots
// (...GALE WARNING...), and wrap. A period begins with a line that begins with one dot, a name and
// dots (.TONIGHT...); it ends at the next period or an empty line. Dots within a line have no
// meaning.
func ParseBulletin(text string, issued time.Time) (Bulletin, error) {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimRight(line, " \t\r"))
	}
	b := Bulletin{Issued: issued.UTC()}
	for at := 0; at < len(lines); {
		zones, expiry, used := zoneHeader(lines[at:])
		if used == 0 {
			if len(b.Segments) == 0 && b.Product == "" {
				b.Product, b.Office = productLine(lines[at])
			}
			at++
			continue
		}
		p := parser{lines: lines[at+used:],
			segment: Segment{Zones: zones, Expires: expires(expiry, b.Issued)}}
		at += used + p.parse()
		b.Segments = append(b.Segments, p.segment)
	}
	if len(b.Segments) == 0 {
		return Bulletin{}, errors.New("read bulletin: no segment")
	}
	return b, nil
}

// productLine reads the line that names the product and its place, as in CWFSGX or GLFLM.
func productLine(line string) (product, place string) {
	if (len(line) == 5 || len(line) == 6) && upper(line[:3]) && office(line[3:]) {
		return line[:3], line[3:]
	}
	return "", ""
}

// block is the kind of block that the current lines belong to.
type block int

const (
	prose block = iota // text that is not used
	headline
	synopsis
	period
)

// parser reads the lines of one segment after its zones.
type parser struct {
	lines   []string
	segment Segment
	open    block
	name    string   // of the open period
	text    []string // of the open block
	blank   bool     // the line before was empty
	rip     rips
}

// parse reads the segment and returns its number of lines.
func (p *parser) parse() int {
	at := p.head()
	footnote := false
	for ; at < len(p.lines); at++ {
		line := p.lines[at]
		if _, _, used := zoneHeader(p.lines[at:]); used > 0 {
			break
		}
		if line == "$$" {
			at++
			break
		}
		if footnote = footnote || line == "&&"; !footnote {
			at += p.line(at)
		}
	}
	p.close()
	p.segment.Rip = p.rip.list()
	return at
}

// head reads the lines between the zones and the forecast: codes of events, names, beaches, the
// local time of issue.
func (p *parser) head() (at int) {
	var names, beaches []string
	for ; at < len(p.lines) && !p.body(at); at++ {
		line := p.lines[at]
		switch {
		case strings.HasPrefix(line, "/"):
			continue // an event's code
		case beaches != nil || foldPrefix(line, "including the"):
			beaches = append(beaches, strings.TrimSpace(line))
		default:
			names = append(names, strings.TrimSpace(line))
		}
	}
	p.segment.Names = strings.TrimSuffix(strings.Join(names, " "), "-")
	p.segment.Beaches = strings.Join(beaches, " ")
	if at < len(p.lines) && issueTime(p.lines[at]) {
		at++
	}
	return at
}

// body reports whether the head ends before a line.
func (p *parser) body(at int) bool {
	line := p.lines[at]
	if line == "" || line[0] == '.' || line == "$$" || line == "&&" || issueTime(line) ||
		ripLabel(line) {
		return true
	}
	_, _, used := zoneHeader(p.lines[at:])
	return used > 0
}

// issueTime reports whether a line is the local time of issue, as in 243 PM PDT Sat Sep 26 2026.
func issueTime(line string) bool {
	hour, rest, _ := strings.Cut(line, " ")
	return (len(hour) == 3 || len(hour) == 4) && digits(hour) &&
		(strings.HasPrefix(rest, "AM ") || strings.HasPrefix(rest, "PM "))
}

// line reads a line of the forecast and returns the number of further lines that it took.
func (p *parser) line(at int) (more int) {
	line := p.lines[at]
	name, rest, more, ok := heading(p.lines[at:])
	switch {
	case line == "":
		p.empty()
	case ok && foldPrefix(name, ripWords):
		p.close()
		p.rip.line(p.name, name+"..."+rest)
	case ok:
		p.close()
		p.begin(name, rest)
	case strings.HasPrefix(line, "...") && (p.open == prose || p.blank):
		p.close()
		p.open = headline
		p.headline(line)
	case p.open == headline:
		p.headline(line)
	default:
		p.rip.line(p.name, line)
		if p.open != prose {
			p.text = append(p.text, strings.TrimSpace(line))
		}
	}
	p.blank = line == ""
	return more
}

// heading reads the heading of a period or a synopsis, and returns how many further lines it
// takes: the heading of a synopsis may wrap.
func heading(lines []string) (name, rest string, more int, ok bool) {
	line := lines[0]
	if len(line) < 2 || line[0] != '.' || line[1] == '.' || line[1] == ' ' {
		return "", "", 0, false
	}
	line = line[1:]
	about := foldPrefix(line, "synopsis")
	if about && !strings.Contains(line, "..") && len(lines) > 1 && strings.Contains(lines[1], "..") {
		line, more = line+" "+strings.TrimSpace(lines[1]), 1
	}
	name, rest, ok = strings.Cut(line, "..")
	if !ok || !about && !periodName(name) {
		return "", "", 0, false
	}
	return strings.TrimSpace(name), strings.TrimSpace(strings.TrimLeft(rest, ".")), more, true
}

// periodName reports whether a name can be a period's: a few words, as in NEW
// YEAR'S DAY.
func periodName(name string) bool {
	return len(name) <= 60 && only(name, func(b byte) bool {
		return b == ' ' || b == '/' || b == '-' || b == '\'' || b >= 'A' && b <= 'Z' || b >= 'a' &&
			b <= 'z' || digit(b)
	})
}

// begin opens a period or a synopsis.
func (p *parser) begin(name, rest string) {
	p.open = synopsis
	if !foldPrefix(name, "synopsis") {
		p.open, p.name = period, name
	}
	if rest != "" {
		p.text = append(p.text, rest)
	}
}

// headline adds a line to the open headline, which ends with its dots.
func (p *parser) headline(line string) {
	p.text = append(p.text, strings.Trim(line, ". "))
	if strings.HasSuffix(line, "...") && line != "..." {
		p.close()
	}
}

// empty reads an empty line, which ends a headline, and a period with text. A synopsis may have
// paragraphs.
func (p *parser) empty() {
	p.rip.close()
	if p.open == headline || p.open == period && len(p.text) > 0 {
		p.close()
	}
}

// close adds the open block to the segment.
func (p *parser) close() {
	p.rip.close()
	text := strings.TrimSpace(strings.Join(p.text, " "))
	switch p.open {
	case headline:
		if text != "" {
			p.segment.Headlines = append(p.segment.Headlines, text)
		}
	case synopsis:
		p.segment.Synopsis = text
	case period:
		p.segment.Periods = append(p.segment.Periods, Period{Name: p.name, Text: text})
	}
	p.open, p.text = prose, nil
}
