package nws

import (
	"strconv"
	"strings"
	"time"
)

// A segment of a text product begins with its zones and its expiry, as in
// PZZ750-753>755-PZZ760-271015-. The letters apply until others follow, > is a range, and the
// last six digits are day, hour and minute in UTC. Long lists wrap. The format is the Universal
// Geographic Code, NWS Instruction 10-1702.

// maxZoneLines limits the lines of a list of zones (ours).
const maxZoneLines = 12

// zoneHeader reads the zones and the expiry at the beginning of lines, and returns how many lines
// they take: 0 if there are none.
func zoneHeader(lines []string) (zones []string, expiry string, used int) {
	if len(lines[0]) < 7 || !ugc(lines[0][:6]) || !strings.ContainsRune("->", rune(lines[0][6])) {
		return nil, "", 0
	}
	text := ""
	for i, line := range lines[:min(len(lines), maxZoneLines)] {
		text += line
		if list, day, ok := cutExpiry(text); ok {
			if zones = expand(list); zones == nil {
				return nil, "", 0
			}
			return zones, day, i + 1
		}
		if !zoneLine(line) {
			break
		}
	}
	return nil, "", 0
}

// zoneLine reports whether a list of zones can continue after the line.
func zoneLine(line string) bool {
	return strings.TrimLeft(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789->") == "" &&
		(strings.HasSuffix(line, "-") || strings.HasSuffix(line, ">"))
}

// cutExpiry removes the expiry from the end of a complete list. The hyphen after it is missing in
// old products.
func cutExpiry(text string) (list, expiry string, ok bool) {
	text = strings.TrimSuffix(text, "-")
	i := strings.LastIndexByte(text, '-')
	if i < 0 || len(text)-i != 7 || !digits(text[i+1:]) {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

// expand returns the zones one by one; nil if the format is unknown.
func expand(list string) (zones []string) {
	prefix := ""
	for token := range strings.SplitSeq(list, "-") {
		if len(token) > 3 && upper(token[:3]) {
			prefix, token = token[:3], token[3:]
		}
		first, last, ranged := strings.Cut(token, ">")
		if !ranged {
			last = first
		}
		from, to, ok := numbers(first, strings.TrimPrefix(last, prefix))
		if !ok || !ugc(prefix+first) {
			return nil
		}
		for n := from; n <= to; n++ {
			zones = append(zones, prefix+strconv.Itoa(1000 + n)[1:])
		}
	}
	return zones
}

// numbers parses the two ends of a range, of three digits each.
func numbers(first, last string) (from, to int, ok bool) {
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	return from, to, err1 == nil && err2 == nil && len(first) == 3 && len(last) == 3 &&
		digits(first+last) && from <= to
}

// maxExpiry limits the time between issue and expiry: products are valid for hours or days. Within
// it, a day of the month is unique.
const maxExpiry = 10 * 24 * time.Hour

// expires returns the time of ddhhmm in UTC that is nearest to the issue, in the same month or in
// one of its neighbors. It is zero if there is none within ten days.
func expires(ddhhmm string, issued time.Time) time.Time {
	n, err := strconv.Atoi(ddhhmm)
	if err != nil || issued.IsZero() {
		return time.Time{}
	}
	day, hour, minute := n/10000, n/100%100, n%100
	var best time.Time
	for month := issued.Month() - 1; month <= issued.Month()+1; month++ {
		t := time.Date(issued.Year(), month, day, hour, minute, 0, 0, time.UTC)
		real := t.Day() == day && t.Hour() == hour && t.Minute() == minute
		if off := t.Sub(issued).Abs(); real && off <= maxExpiry &&
			(best.IsZero() || off < best.Sub(issued).Abs()) {
			best = t
		}
	}
	return best
}

// The seas of zones, by the first letters of their codes. Their text products are, in the order
// in which to try them: CWF for coastal waters, OFF for offshore waters, NSH for the nearshore
// waters of a lake, GLF for the open lake.
const (
	ocean = "AMZ ANZ GMZ PZZ PKZ PHZ PMZ PSZ"
	lakes = "LEZ LHZ LMZ LOZ LSZ LCZ SLZ"
)

// seaOf returns the sea of a marine zone, ocean or lakes; empty for land.
func seaOf(zone string) string {
	for _, sea := range []string{ocean, lakes} {
		if len(zone) == 6 && strings.Contains(sea, zone[:3]) {
			return sea
		}
	}
	return ""
}

// ProductsFor returns the text products that can forecast a marine zone, in
// the order in which to try them; nil for a zone on land.
func ProductsFor(zone string) []string {
	switch seaOf(zone) {
	case ocean:
		return []string{"CWF", "OFF"}
	case lakes:
		return []string{"NSH", "GLF", "CWF"}
	}
	return nil
}
