package nws

import (
	"regexp"
	"strconv"
	"strings"
)

// The forecasters' phrases for wind and sea are few: "SW winds 10 to 15 kt
// with gusts up to 25 kt, becoming W 5 kt or less", "Seas 3 to 5 ft, building
// to 6 ft", "Waves 1 foot or less". Of all that a period says the largest
// number counts.

var (
	// speed is a number or a range of knots, length one of feet. The group is
	// the upper end, or the only number.
	speed  = regexp.MustCompile(`(?i)\b(?:[\d.]+ ?(?:to|-) ?)?(\d{1,3}(?:\.\d+)?) ?(?:kts?|knots?)\b`)
	length = regexp.MustCompile(`(?i)\b(?:[\d.]+ ?(?:to|-) ?)?(\d{1,3}(?:\.\d+)?) ?(?:ft|feet|foot)\b`)
	stop   = regexp.MustCompile(`[.;](?:\s|$)`)

	gustWord    = regexp.MustCompile(`(?i)\bgust(?:s|ing)?\b`)
	streamWord  = regexp.MustCompile(`(?i)\b(?:currents?|ebb|flood|tidal|stream)\b`)
	changeWord  = regexp.MustCompile(`(?i)\b(?:increasing|rising|building|decreasing|diminishing|easing|subsiding|lowering)\b`)
	windWord    = regexp.MustCompile(`(?i)\b(?:winds?|gales?|becoming|variable|[ns]?[ns][ew]|north\w*|south\w*|east\w*|west\w*|[nsew])\b`)
	seaWord     = regexp.MustCompile(`(?i)\b(?:seas|waves)\b`)
	partialWave = regexp.MustCompile(`(?i)\b(?:wave detail|swells?|wind waves?)\b`)
)

// Wind is the largest sustained wind that the period's text gives, in knots;
// nil where it gives none in numbers. The upper end of a range counts, and
// the limit of "10 kt or less".
func (p Period) Wind() *float64 { return p.speeds(sustained) }

// Gust is the largest gust that the period's text gives, in knots; nil where
// it speaks of none, which does not mean that there are none.
func (p Period) Gust() *float64 { return p.speeds(gust) }

// kind is what a speed is of.
type kind int

const (
	sustained kind = iota
	gust
	stream // of water
)

// speeds is the largest speed of one kind.
func (p Period) speeds(of kind) *float64 {
	var most *float64
	for _, sentence := range sentences(p.Text) {
		found := speed.FindAllStringSubmatchIndex(sentence, -1)
		before, is := 0, sustained
		for i, m := range found {
			after := len(sentence)
			if i+1 < len(found) {
				after = found[i+1][0]
			}
			if is = kindOf(sentence[before:m[0]], sentence[m[1]:after], is); is == of {
				most = larger(most, sentence[m[2]:m[3]])
			}
			before = m[1]
		}
	}
	return most
}

// kindOf tells what a speed is of by the words between the speed before and
// it, those after it, and what the speed before was. "Gusts to 20 kt,
// increasing to 30 kt" goes on with gusts, unless gusts of its own follow:
// "increasing to 20 kt with gusts to 30 kt".
func kindOf(between, after string, was kind) kind {
	switch {
	case streamWord.MatchString(between):
		return stream
	case gustWord.MatchString(between) || foldPrefix(strings.TrimSpace(after), "gusts"):
		return gust
	case changeWord.MatchString(between) && !windWord.MatchString(between) && !gustWord.MatchString(after):
		return was
	}
	return sustained
}

// Seas is the largest height of the seas that the period's text gives, in
// feet; nil where it gives none in numbers. On inland waters it is that of
// the waves. Single trains of waves ("Wave Detail", swell) do not count: the
// seas are what they make together.
func (p Period) Seas() *float64 {
	var most *float64
	for _, sentence := range sentences(p.Text) {
		before := 0
		for _, m := range length.FindAllStringSubmatchIndex(sentence, -1) {
			if seaWord.MatchString(sentence[:m[0]]) && !partialWave.MatchString(sentence[before:m[0]]) {
				most = larger(most, sentence[m[2]:m[3]])
			}
			before = m[1]
		}
	}
	return most
}

// sentences parts a text. Three dots are a comma.
func sentences(text string) []string {
	return stop.Split(strings.ReplaceAll(text, "...", ", "), -1)
}

// larger is the larger of a number that may be missing and one in digits.
func larger(most *float64, text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || most != nil && *most >= n {
		return most
	}
	return &n
}
