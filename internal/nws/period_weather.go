package nws

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
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
	"icing":      "freezing_spray",
	"waterspout": "water_spouts", "waterspouts": "water_spouts",
	"tropical": SevereWeather, "hurricane": SevereWeather, "hurricanes": SevereWeather,
	"typhoon": SevereWeather, "tornado": SevereWeather, "tornadoes": SevereWeather,
	"tornados": SevereWeather, "squall": SevereWeather, "squalls": SevereWeather,
	"squally": SevereWeather, "severe": SevereWeather, "damaging": SevereWeather,
	"destructive": SevereWeather, "violent": SevereWeather, "hail": SevereWeather,
	"dangerous": SevereWeather, "hazardous": SevereWeather, "life-threatening": SevereWeather,
	"breakers": SevereWeather, "breaking": SevereWeather,
}

// SevereWeather is the kind of the words for danger that no other kind has (ours: the grid has no
// such kind). Sentences with them are reported as unread as well, for these words say little.
const SevereWeather = "severe_weather"

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
	light dense locally local reduced reducing visibility visibilities vis vsby vsbys half
	portion portions waters water offshore nearshore inland bay bays sound sounds
	intracoastal lake harbor chop choppy smooth otherwise elsewhere except near around
	vicinity higher lower winds wind seas nautical mile miles nm below under zero one two
	three quarter rain showers shower rainshowers drizzle sprinkles clear sunny cloudy fair
	sky skies overcast clouds clearing dry which produce sun mon tue wed thu fri sat sunday
	monday tuesday wednesday thursday friday saturday am pm first part second occasionally
	up about nearly calm variable gust gusts gusting high building subsiding rising easing
	diminishing lowering shifting veering backing turning wave waves height heights detail
	swell swells period periods dominant combined significant mixed average primary
	secondary long short over open protected outside inside within beyond along coast shore
	coastal exposed out this that where when remaining current currents ebb tidal stream`)

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
	weatherToken = coast.Pattern(`(?i)near zero|slight chance|freezing spray|` +
		`ice accretion|higher in|[a-z]+(?:-[a-z]+)?|,`)
	plainWord = coast.Pattern(`(?i)[a-z]+(?:[/'-][a-z]+)*|\d+`)
	// direction matches a direction or a part of the waters by its direction.
	direction = coast.Pattern(
		`(?i)\b(?:[ns]?[ns]?[ew]|[ns]|[ew][ns][ew]|(?:north|south|east|west|-)+(?:ern|erly|ward)?)\b`)
	// hourWord matches a time of day.
	hourWord = coast.Pattern(`(?i)\b\d{1,2} ?[ap]m\b`)
	// explained matches words about winds and seas that only repeat what thunderstorms or a current
	// do to them.
	explained = coast.Pattern(
		`(?i)\bproduce gusty winds\b|\bduring (?:the |each )?strong ebb\b`)
	calmWord = coast.Pattern(`(?i)\b(?:light|calm|smooth)\b`)
	above    = coast.Pattern(
		`(?i)\b(?:or (?:more|greater|higher|above)|at least|in excess of|higher gusts|` +
			`(?:increasing|rising|building) by|(?:kts?|knots?|ft|feet|foot) higher)\b|\d\+`)
	higher   = coast.Pattern(`(?i)\bhigh(?:er)?\b`)
	surfWord = coast.Pattern(`(?i)\b(?:surf|breakers?)\b`)
)

// sighting is weather in a sentence, with the coverage that the words before it give, if any.
type sighting struct{ kind, coverage string }

// Weather returns the weather in a period's text that decisions have limits for, in the words of
// the grid, and the sentences of which a part was not read. These may be about anything. Weather
// without a word about its likelihood has the coverage "definite".
func (p Period) Weather() (weather []Condition, unread []string) {
	for _, sentence := range sentences(p.Text) {
		sightings := weatherIn(plain(sentence))
		for _, s := range sightings {
			if s.coverage == "" {
				s.coverage = "definite"
			}
			weather = append(weather, Condition{Coverage: s.coverage, Weather: s.kind})
		}
		sentence = strings.TrimSpace(sentence)
		if unknown(sentence) || unbounded(plain(sentence)) ||
			len(sightings) == 0 && unsaid(sentence) {
			unread = append(unread, sentence)
		}
	}
	return weather, unread
}

// Measured reports whether a sentence is about wind, seas or visibility.
func Measured(sentence string) bool {
	text := plain(sentence)
	return airWord().MatchString(text) || seaWord().MatchString(text) || sight().MatchString(text) ||
		surfWord().MatchString(text)
}

// WindRead reports whether the text says something of the wind, and all that it says is read: a
// number, or that it is light. Sentences about seas or visibility that are not read count, too.
func (p Period) WindRead() bool {
	_, unread := p.Weather()
	return (p.Wind() != nil || airWord().MatchString(p.Text)) && !slices.ContainsFunc(unread, Measured)
}

// weatherIn reads one sentence. A word before the weather holds until the next such word: "a chance
// of rain, snow and tstms". A word after it is about the weather since then: "showers likely and a
// chance of tstms". What follows "then" has a likelihood of its own.
func weatherIn(sentence string) (list []sighting) {
	before, negated, open := "", false, 0
	for _, word := range weatherToken().FindAllString(strings.ToLower(sentence), -1) {
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

// unknown reports whether a sentence has a word or a number that is not read. In a sentence with a
// quantity, words with a capital are names of places, unless all words have one.
func unknown(sentence string) bool {
	text := quantities(plain(sentence), " ")
	named := text != plain(sentence) && strings.ToUpper(sentence) != sentence
	text = explained().ReplaceAllString(hourWord().ReplaceAllString(text, " "), " ")
	text = weatherToken().ReplaceAllStringFunc(direction().ReplaceAllString(text, " "), known)
	for _, m := range plainWord().FindAllStringIndex(text, -1) {
		word := text[m[0]:m[1]]
		name := named && m[0] > 0 && word[0] >= 'A' && word[0] <= 'Z' &&
			weatherKinds[strings.ToLower(word)] == ""
		if !name && !commonWords[strings.ToLower(word)] {
			return true
		}
	}
	return false
}

// known replaces words of the weather that have a limit or a likelihood by a space.
func known(word string) string {
	lower := strings.ToLower(word)
	kind := weatherKinds[lower]
	if kind != "" && kind != SevereWeather || coverageWords[lower] != "" {
		return " "
	}
	return word
}

// quantities replaces what is read of wind, waves and visibility.
func quantities(text, by string) string {
	for _, quantity := range []*regexp.Regexp{speed(), length(), lasting(), distance()} {
		text = quantity.ReplaceAllString(text, by)
	}
	return text
}

// unsaid reports whether a sentence names wind, gusts, seas or visibility without how much: "Seas
// building" and "Seas 2 ft, locally higher" are not calm.
func unsaid(sentence string) bool {
	if sight().MatchString(sentence) {
		return Period{Text: sentence}.Visibility() == nil
	}
	text := plain(sentence)
	if !airWord().MatchString(text) && !seaWord().MatchString(text) {
		return false
	}
	return quantities(text, "") == text && !calmWord().MatchString(text) ||
		higher().MatchString(text) ||
		gustWord().MatchString(text) && Period{Text: sentence}.Gust() == nil
}

// unbounded reports whether a sentence says that wind or seas exceed its numbers: "8 kt or more",
// "8 kt, increasing in the afternoon".
func unbounded(text string) bool {
	if !Measured(text) {
		return false
	}
	if above().MatchString(text) {
		return true
	}
	rises := append(riseWord().FindAllStringIndex(text, -1), []int{len(text)})
	for i, rise := range rises[:len(rises)-1] {
		to := text[rise[1]:rises[i+1][0]]
		if !speed().MatchString(to) && !length().MatchString(to) {
			return true
		}
	}
	return false
}

// Visibility returns the least visibility in the period's text, in nautical miles; nil if it has no
// number. The lower end of a range counts, and the limit of "1 NM or less".
func (p Period) Visibility() *float64 {
	var least *float64
	for _, sentence := range sentences(p.Text) {
		sentence = plain(sentence)
		for _, m := range sight().FindAllStringSubmatchIndex(sentence, -1) {
			rest := sentence[m[1]:]
			if nearZero().MatchString(rest) || noSight().MatchString(sentence) {
				rest = "0 nm"
			}
			if other := otherWord().FindStringIndex(rest); other != nil {
				rest = rest[:other[0]]
			}
			for _, v := range distance().FindAllStringSubmatch(rest, -1) {
				for _, end := range v[1:3] {
					miles, ok := milesOf(end)
					miles = math.Round(miles*inMiles(v[3])*1000) / 1000 // as precise as any text
					if ok && (least == nil || miles < *least) {
						least = &miles
					}
				}
			}
		}
	}
	return least
}

// number of miles: 1/4, 1 1/2, 0.5, three, one half, a quarter, an eighth.
const milesWord = `(?:\d+ \d/\d|\d/\d|\d*\.?\d+|(?:one|an?)[ -](?:quarter|half|eighth)|` +
	`three[ -]quarters?|(?:three|five|seven)[ -]eighths?|` +
	`quarter|half|one|two|three|four|five|six)`

var (
	sight    = coast.Pattern(`(?i)\b(?:vsbys?|vis|visibility|visibilities)\b`)
	nearZero = coast.Pattern(`(?i)^[a-z ]{0,20}\b(?:(?:near |to )?zero|(?:near|to) 0)\b`)
	// noSight matches a visibility of none before the word.
	noSight = coast.Pattern(`(?i)\b(?:near |nearly )?(?:zero|0) (?:vsby|vis)`)
	// distance matches a distance or a range; the groups are the ends, of which the second may be
	// empty, and the unit.
	distance = coast.Pattern(`(?i)(\.\d+|\b` + milesWord + `)` +
		`(?: ?(?:to|-) ?(` + milesWord + `))?` +
		`(?: of an?| an?)? ?(nm|nautical miles?|sm|miles?|yards?|yds?|ft|feet|foot|` +
		`km|kilometers?)\b`)
	// otherWord matches words after which lengths are no longer those of the visibility.
	otherWord = coast.Pattern(`(?i)\b(?:winds?|seas|waves|swells?)\b`)
)

// inMiles returns the length of a unit of visibility in nautical miles.
func inMiles(unit string) float64 {
	const meters = 1852.0 // of a nautical mile
	switch unit = strings.ToLower(unit); unit[0] {
	case 'y':
		return 0.9144 / meters
	case 'f':
		return 0.3048 / meters
	case 'k':
		return 1000 / meters
	case 's':
		return 1609.344 / meters
	}
	return 1
}

// milesOf reads a number of miles.
func milesOf(text string) (float64, bool) {
	text = strings.ReplaceAll(strings.ToLower(text), "-", " ")
	if v, ok := map[string]float64{"one quarter": 0.25, "a quarter": 0.25, "quarter": 0.25,
		"one eighth": 0.125, "an eighth": 0.125, "three eighth": 0.375, "three eighths": 0.375,
		"five eighths": 0.625, "seven eighths": 0.875, "one half": 0.5,
		"a half": 0.5, "half": 0.5, "three quarter": 0.75, "three quarters": 0.75,
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}[text]; ok {
		return v, true
	}
	sum := 0.0
	parts := strings.Fields(text)
	for _, part := range parts {
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
	return sum, len(parts) > 0
}
