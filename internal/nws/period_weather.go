package nws

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file reads the weather in the text of a period: kinds of weather with their likelihood, and
// visibility.

// weatherKinds maps the forecasters' words to the kinds of weather of the grid that matter on the
// water.
var weatherKinds = map[string]string{
	"thunderstorm": "thunderstorms", "thunderstorms": "thunderstorms", "tstm": "thunderstorms",
	"tstms": "thunderstorms", "tstorm": "thunderstorms", "tstorms": "thunderstorms",
	"t-storm": "thunderstorms", "t-storms": "thunderstorms", "thunder": "thunderstorms",
	"lightning": "thunderstorms", "thundershowers": "thunderstorms",
	"fog": "fog", "freezing spray": "freezing_spray", "ice accretion": "freezing_spray",
	"waterspout": "water_spouts", "waterspouts": "water_spouts",
}

// coverageWords maps the forecasters' words before the weather to the coverages of the grid.
// Weather that "may" come has a chance (ours), and so has weather that only qualifies something
// else: "winds and seas higher in and near tstms".
var coverageWords = map[string]string{
	"slight chance": "slight_chance", "chance": "chance", "chances": "chance", "patchy": "patchy",
	"patches": "patchy", "isolated": "isolated", "scattered": "scattered", "areas": "areas",
	"numerous": "numerous", "widespread": "widespread", "occasional": "occasional",
	"frequent": "frequent", "periods": "periods", "intermittent": "intermittent", "brief": "brief",
	"near": "chance", "around": "chance", "vicinity": "chance", "higher in": "chance",
	"some": "chance", "any": "chance", "may": "chance", "could": "chance", "strongest": "chance",
}

// likelihoodWords maps words after the weather.
var likelihoodWords = map[string]string{
	"likely": "likely", "possible": "chance", "expected": "definite", "probable": "likely",
	"may": "chance", "could": "chance",
}

// commonWords are other words of forecasts that say nothing of its kind, and kinds that decisions
// have no limit for because they do not endanger by themselves. A sentence with any other word is
// reported as unread.
var commonWords = wordSet(`
	a an and or of the with in on at to from by for then than less more as through during
	early late later mid morning afternoon evening night nights tonight today midnight noon
	overnight day days daybreak sunrise sunset before after until into mainly mostly partly
	becoming continuing developing ending increasing decreasing lifting dissipating forming
	throughout most likely possible expected probable may could be will some any times time
	light dense locally local reduced reducing visibility visibilities vsby vsbys north
	south east west northern southern eastern western n s e w half portion portions waters
	water offshore nearshore inland bay bays sound sounds intracoastal lake harbor chop
	choppy smooth otherwise elsewhere except near around vicinity higher lower winds wind
	seas nautical mile miles nm below under zero one two three quarter rain showers shower
	rainshowers drizzle sprinkles clear sunny cloudy fair sky skies overcast clouds clearing
	dry which produce sun mon tue wed thu fri sat sunday monday tuesday wednesday thursday
	friday saturday am pm first part second occasionally`)

// wordSet returns the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

var (
	// weatherToken matches words with meaning for the weather, the longest first, and marks that end
	// what a word before or after the weather refers to.
	weatherToken = regexp.MustCompile(`(?i)near zero|slight chance|freezing spray|` +
		`ice accretion|higher in|[a-z]+(?:-[a-z]+)?|,`)
	plainWord = regexp.MustCompile(`[a-z]+(?:[/'-][a-z]+)*`)
)

// sighting is weather in a sentence, with the coverage that the words before it give, if any.
type sighting struct{ kind, coverage string }

// Weather returns the weather in a period's text that decisions have limits for, in the words of
// the grid, and the sentences with words that are not known here. These may be about anything.
// Weather without a word about its likelihood has the coverage "definite".
func (p Period) Weather() (weather []Condition, unread []string) {
	for _, sentence := range sentences(p.Text) {
		for _, s := range weatherIn(sentence) {
			if s.coverage == "" {
				s.coverage = "definite"
			}
			weather = append(weather, Condition{Coverage: s.coverage, Weather: s.kind})
		}
		if sentence = strings.TrimSpace(sentence); unknown(sentence) {
			unread = append(unread, sentence)
		}
	}
	return weather, unread
}

// weatherIn reads one sentence. A word before the weather holds until the next such word: "a chance
// of rain, snow and tstms". A word after it is about the weather since then: "showers likely and a
// chance of tstms". What follows "then" has a likelihood of its own.
func weatherIn(sentence string) (list []sighting) {
	before, negated, open := "", false, 0
	for _, word := range weatherToken.FindAllString(strings.ToLower(sentence), -1) {
		kind, isKind := weatherKinds[word]
		likely, after := likelihoodWords[word]
		coverage, isBefore := coverageWords[word]
		switch {
		case isKind && !negated:
			list = append(list, sighting{kind, before})
		case after && len(list) > open:
			for i := range list[open:] {
				if list[open+i].coverage == "" {
					list[open+i].coverage = likely
				}
			}
			open, before = len(list), ""
		case after && word == "likely": // of something else than weather
			before = ""
		case isBefore:
			before, negated = coverage, false
		case word == "then":
			before, open = "", len(list)
		case word == "no":
			negated = true
		case word == ",":
			negated = false
		}
	}
	return list
}

// unknown reports whether a sentence that is not about wind or seas has a word that is not known.
func unknown(sentence string) bool {
	if speed.MatchString(sentence) || length.MatchString(sentence) || seaWord.MatchString(sentence) ||
		partialWave.MatchString(sentence) || windWord.MatchString(sentence) &&
		airWord.MatchString(sentence) || dominant.MatchString(sentence) ||
		wavePeriod.MatchString(sentence) {
		return hazard.MatchString(sentence)
	}
	text := weatherToken.ReplaceAllStringFunc(strings.ToLower(sentence), func(word string) string {
		if weatherKinds[word] != "" || coverageWords[word] != "" {
			return " "
		}
		return word
	})
	return slices.ContainsFunc(plainWord.FindAllString(text, -1),
		func(word string) bool { return !commonWords[word] })
}

var (
	// wavePeriod matches a sentence that only gives the period of the seas named before.
	wavePeriod = regexp.MustCompile(`(?i)^\s*period ` + seconds)
	// hazard matches words of weather without limits that matter in sentences about wind and seas.
	hazard = regexp.MustCompile(`(?i)\b(?:snow|sleet|ice|icing|hail|squalls?|smoke|ash|tornado\w*|` +
		`hurricane|tropical|typhoon|breakers?|bars?|lightning strikes)\b`)
)

// Visibility returns the least visibility in the period's text, in nautical miles; nil if it has no
// number. The lower end of a range counts, and the limit of "1 NM or less".
func (p Period) Visibility() *float64 {
	var least *float64
	for _, sentence := range sentences(p.Text) {
		for _, m := range sight.FindAllStringSubmatchIndex(sentence, -1) {
			rest := sentence[m[1]:]
			if near := nearZero.FindStringIndex(rest); near != nil {
				rest = "0 nm"
			}
			for _, v := range distance.FindAllStringSubmatch(rest, -1) {
				if miles, ok := milesOf(v[1]); ok && (least == nil || miles < *least) {
					least = &miles
				}
			}
		}
	}
	return least
}

// number of miles: 1/4, 1 1/2, 0.5, three, one half, a quarter.
const milesWord = `(?:\d+ \d/\d|\d/\d|\d*\.?\d+|(?:one|a)[ -](?:quarter|half)|three[ -]quarters?|` +
	`quarter|half|one|two|three|four|five|six)`

var (
	sight    = regexp.MustCompile(`(?i)\b(?:vsbys?|vis|visibility|visibilities)\b`)
	nearZero = regexp.MustCompile(`(?i)^[a-z ]{0,20}\b(?:near |to )?zero\b`)
	// distance matches a number of miles or the lower end of a range; the group is the number.
	distance = regexp.MustCompile(`(?i)\b(` + milesWord + `)(?: ?(?:to|-) ?` + milesWord + `)?` +
		`(?: of a| a)? ?(?:nm|nautical miles?|miles?)\b`)
)

// milesOf reads a number of miles.
func milesOf(text string) (float64, bool) {
	text = strings.ReplaceAll(strings.ToLower(text), "-", " ")
	if v, ok := map[string]float64{"one quarter": 0.25, "a quarter": 0.25, "quarter": 0.25,
		"one half": 0.5, "a half": 0.5, "half": 0.5, "three quarter": 0.75, "three quarters": 0.75,
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}[text]; ok {
		return v, true
	}
	sum := 0.0
	for _, part := range strings.Fields(text) {
		top, bottom, fraction := strings.Cut(part, "/")
		v, err := strconv.ParseFloat(top, 64)
		if fraction {
			var by float64
			if by, _ = strconv.ParseFloat(bottom, 64); by == 0 {
				return 0, false
			}
			v /= by
		}
		if err != nil {
			return 0, false
		}
		sum += v
	}
	return sum, true
}
