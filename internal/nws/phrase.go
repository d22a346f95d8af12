package nws

import (
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
)

// Forecasters use few phrases for wind and sea, such as "SW winds 10 to 15 kt with gusts up to 25
// kt, becoming W 5 kt or less" and "Seas 3 to 5 ft, building to 6 ft". The largest number of a
// period counts.

var (
	// speed matches a number or a range of knots, length one of feet. The groups are the ends, of
	// which the first may be empty and either may be the upper one.
	speed  = coast.Pattern(`(?i)` + ends + ` ?(?:kts?|knots?)\b`)
	length = coast.Pattern(`(?i)` + ends + ` ?(?:ft|feet|foot)\b`)
	stop   = coast.Pattern(`[.;](?:\s|$)`)

	gustWord   = coast.Pattern(`(?i)\bgust(?:s|ing)?\b`)
	streamWord = coast.Pattern(`(?i)\b(?:currents?|ebb|flood|tidal|stream)\b`)
	// streamName matches names of places, which occur with winds.
	streamName = coast.Pattern(`(?i)\b(?:gulf stream|loop current)\b`)
	airWord    = coast.Pattern(`(?i)\b(?:winds?|gales?|gust(?:s|ing)?)\b`)
	changeWord = coast.Pattern(
		`(?i)\b(?:increasing|rising|building|decreasing|diminishing|easing|subsiding|lowering)\b`)
	riseWord = coast.Pattern(`(?i)\b(?:increasing|rising|building)\b`)
	restWord = coast.Pattern(
		`(?i)^[\s,(]*(?:(?:and )?occasionally(?: up)?(?: to)?|(?:or )?up to|to|or|-)\s*$`)
	windWord = coast.Pattern(
		`(?i)\b(?:winds?|gales?|becoming|variable|` +
			`[ns]?[ns][ew]|north\w*|south\w*|east\w*|west\w*|[nsew])\b`)
	seaWord = coast.Pattern(`(?i)\b(?:seas?|waves?|swells?)\b`)
	// goingOn matches the beginning of a sentence that continues the subject of the previous one.
	goingOn = coast.Pattern(
		`(?i)[.;]\s+((?:(?:increasing|rising|locally|up) to|building|occasionally)\b)`)
	// spelled matches a number in letters before feet, or before another number.
	spelled = coast.Pattern(
		`(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|ten)(?: (?:to|ft|feet|foot)\b)`)
)

// ends matches a number or a range, such as "10", "10 to 15" and "15-10".
const ends = `\b(?:(\d[\d.]*) ?(?:to|-) ?)?(\d{1,3}(?:\.\d+)?)`

// largerEnd returns the larger end of a range, of which the first may be empty.
func largerEnd(first, second string) float64 {
	n, _ := strconv.ParseFloat(second, 64) // digits
	if m, err := strconv.ParseFloat(first, 64); err == nil {
		n = max(n, m)
	}
	return n
}

// Wind returns the largest sustained wind in the period's text, in knots; nil if it has no
// number. The upper end of a range counts, and the limit of "10 kt or less".
func (p Period) Wind() *float64 { return p.speeds(sustained) }

// Gust returns the largest gust in the period's text, in knots; nil if it does not mention gusts,
// which does not mean that there are none.
func (p Period) Gust() *float64 { return p.speeds(gust) }

// kind is the kind of movement that a speed describes.
type kind int

const (
	sustained kind = iota
	gust
	stream // of water
)

// speeds returns the largest speed of one kind.
func (p Period) speeds(of kind) *float64 {
	var most *float64
	for _, sentence := range sentences(streamName().ReplaceAllString(plain(p.Text), "")) {
		found := speed().FindAllStringSubmatchIndex(sentence, -1)
		before, is, last := 0, sustained, 0.0
		for i, m := range found {
			after := len(sentence)
			if i+1 < len(found) {
				after = found[i+1][0]
			}
			n := largerEnd(within(sentence, m, 1), within(sentence, m, 2))
			between := sentence[before:m[0]]
			is = kindOf(between, sentence[m[1]:after], is)
			if is == gust && n <= last && riseWord().MatchString(between) &&
				!gustWord().MatchString(between) {
				is = sustained // a rise to less is the wind's, not the gusts'
			}
			if is == of {
				most = larger(most, n)
			}
			before, last = m[1], n
		}
	}
	return most
}

// within returns a group of a match by its indices; empty if it matched nothing.
func within(text string, match []int, group int) string {
	if match[2*group] < 0 {
		return ""
	}
	return text[match[2*group]:match[2*group+1]]
}

// kindOf returns the kind of a speed. It depends on the words between the previous speed and this
// one, the words after it, and the kind of the previous speed. "Gusts to 20 kt, increasing to 30
// kt" continues with gusts, unless separate gusts follow: "increasing to 20 kt with gusts to 30
// kt". So does "25 kt, occasionally to 30 kt".
func kindOf(between, after string, was kind) kind {
	switch {
	case ofWater(between):
		return stream
	case gustWord().MatchString(between) || foldPrefix(strings.TrimSpace(after), "gusts"):
		return gust
	case restWord().MatchString(between):
		return was
	case changeWord().MatchString(between) && !windWord().MatchString(between) &&
		!gustWord().MatchString(after):
		return was
	}
	return sustained
}

// ofWater reports whether words mention moving water, and no wind after that.
func ofWater(text string) bool {
	for _, m := range streamWord().FindAllStringIndex(text, -1) {
		if !airWord().MatchString(text[m[1]:]) {
			return true
		}
	}
	return false
}

// Seas returns the largest height of the seas in the period's text, in feet; nil if it has no
// number. On inland waters it is the height of the waves. Single wave trains ("Wave Detail",
// swell, wind waves) count, too: the seas are the root of the sum of their squares, so that none
// is higher, and many texts give no other height.
func (p Period) Seas() *float64 {
	var most *float64
	for _, sentence := range sentences(goingOn().ReplaceAllString(plain(p.Text), ", $1")) {
		before := 0
		for _, m := range length().FindAllStringSubmatchIndex(sentence, -1) {
			if seaWord().MatchString(sentence[:m[0]]) && !sighted(sentence[before:m[0]]) {
				most = larger(most, largerEnd(within(sentence, m, 1), within(sentence, m, 2)))
			}
			before = m[1]
		}
	}
	return most
}

// sighted reports whether words before a length mention visibility, and no waves after that.
func sighted(text string) bool {
	m := sight().FindStringIndex(text)
	return m != nil && !otherWord().MatchString(text[m[1]:])
}

// Swell is a wave train with its height and period.
type Swell struct {
	Feet, Seconds float64
}

var (
	// train matches a height with its period: "W swell 6 to 8 ft at 15 seconds", "Seas 8 ft in S
	// swell. Period 16 seconds". The groups are the ends of the ranges.
	train = coast.Pattern(`(?i)` + ends + ` ?(?:ft|feet|foot)` +
		`(?:,|(?: \w+)? (?:at|every|with an?)|(?: in [a-z ]{1,30}swells?)?[.,;]?` + periodWords +
		`)?[ @/]+` +
		`(?:around |near |about )*` + seconds)
	// lasting matches a period of waves. One that follows no height is that of the combined seas.
	lasting = coast.Pattern(`(?i)\b` + seconds)
)

const (
	// seconds matches a number or a range of seconds; the groups are the ends.
	seconds = `(?:(\d+) ?(?:to|-) ?)?(\d{1,2})[ -]?(?:seconds?|secs?)\b`
	// periodWords matches the words between a height and its period.
	periodWords = `(?:^| )(?:with )?(?:an? |the )?(?:dominant |average |wave |swell )*periods?(?: of)?`
)

// Swells returns the wave trains whose height and period the text gives, and the combined seas if
// it gives their period.
func (p Period) Swells() []Swell {
	text := plain(p.Text)
	var list []Swell
	for _, m := range train().FindAllStringSubmatch(text, -1) {
		list = append(list, Swell{largerEnd(m[1], m[2]), largerEnd(m[3], m[4])})
	}
	if seas := p.Seas(); seas != nil {
		for _, m := range lasting().FindAllStringSubmatch(train().ReplaceAllString(text, ""), -1) {
			list = append(list, Swell{*seas, largerEnd(m[1], m[2])})
		}
	}
	return list
}

var (
	// force matches winds in words, and alerts of gales, which are no wind.
	force = coast.Pattern(`(?i)\bgale (?:warning|watch)(?:es|s)?\b|` +
		`\b(tropical storm|gale|storm|hurricane|typhoon)[ -](?:force|conditions)\b|\b(gale)s?\b`)
	// land matches a speed in statute miles; the groups are the ends of a range.
	land     = coast.Pattern(`(?i)` + ends + ` ?mph\b`)
	thousand = coast.Pattern(`(\d),(\d{3})\b`)
	// metric matches a length in meters, or a speed of meters a second; the groups are the ends of a
	// range.
	metric = coast.Pattern(
		`(?i)\b(?:(\d{1,4}(?:\.\d+)?) ?(?:to|-) ?)?(\d{1,4}(?:\.\d+)?) ?(?:met(?:er|re)s?|m)\b(/s)?`)
)

// forces are the least winds of the words, in knots (National Weather Service, glossary: gale,
// storm, hurricane force winds; tropical storm).
var forces = map[string]string{
	"gale": "34 kt", "tropical storm": "34 kt", "storm": "48 kt", "hurricane": "64 kt",
	"typhoon": "64 kt",
}

// plain writes the forces of the wind and statute miles an hour as knots, meters as feet, and
// numbers in digits.
func plain(text string) string {
	text = force().ReplaceAllStringFunc(text, func(words string) string {
		m := force().FindStringSubmatch(words)
		if name := strings.ToLower(m[1] + m[2]); name != "" {
			return forces[name]
		}
		return words
	})
	text = land().ReplaceAllStringFunc(text, func(words string) string {
		m := land().FindStringSubmatch(words)
		return strconv.FormatFloat(largerEnd(m[1], m[2])*1609.344/1852, 'f', 1, 64) + " kt"
	})
	text = metric().ReplaceAllStringFunc(thousand().ReplaceAllString(text, "$1$2"), inFeet)
	return spelled().ReplaceAllStringFunc(text, digitsFor)
}

// inFeet writes a length in meters, or a range, in feet.
func inFeet(meters string) string {
	m := metric().FindStringSubmatch(meters)
	if m[3] != "" {
		return meters
	}
	feet := ""
	for _, number := range m[1:3] {
		if number != "" {
			n, _ := strconv.ParseFloat(number, 64) // digits
			decimals := 1
			if n/0.3048 >= 100 { // a visibility
				decimals = 0
			}
			feet += strconv.FormatFloat(n/0.3048, 'f', decimals, 64) + " to "
		}
	}
	return strings.TrimSuffix(feet, " to ") + " ft"
}

// digitsFor replaces the number at the beginning of a phrase by digits.
func digitsFor(phrase string) string {
	word, rest, _ := strings.Cut(phrase, " ")
	n := slices.Index(
		[]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"},
		strings.ToLower(word))
	return strconv.Itoa(n+1) + " " + rest
}

// sentences splits a text into sentences. Three dots count as a comma.
func sentences(text string) []string {
	return stop().Split(strings.ReplaceAll(text, "...", ", "), -1)
}

// larger returns the larger of a number that may be missing and another.
func larger(most *float64, n float64) *float64 {
	if most != nil && *most >= n {
		return most
	}
	return &n
}
