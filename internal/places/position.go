package places

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// marks writes the signs of degrees, minutes, seconds and minus in one way, and the names of the
// hemispheres as letters. Names of the numbers and brackets around them are dropped.
var marks = strings.NewReplacer("º", "°", "degrees", "°", "deg", "°", "′", "'", "’", "'", "‘", "'",
	"″", `"`, "”", `"`, "“", `"`, "''", `"`, "\u2212", "-", "\u2013", "-", "\u00a0", " ",
	"north", "n", "south", "s", "east", "e", "west", "w", "geo:", "", "(", "", ")", "", "[", "",
	"]", "", "latitude", "", "longitude", "", "long", "", "lat", "", "lon", "", "lng", "",
	":", " ", "=", " ", "/", ",")

// The forms of a position: decimal degrees with signs, or degrees, minutes and seconds with the
// letters of the hemispheres before or behind each.
type positionForms struct{ signed, northFirst, eastFirst, hyphen *regexp.Regexp }

var forms = sync.OnceValue(func() positionForms {
	return positionForms{
		signed: regexp.MustCompile(
			`^([+-]?\d{1,3}(?:\.\d+)?)°?(?: *[,;] *| +)([+-]?\d{1,3}(?:\.\d+)?)°?$`),
		northFirst: regexp.MustCompile("^" + ofLatitude + "[ ,;]*" + ofLongitude + "$"),
		eastFirst:  regexp.MustCompile("^" + ofLongitude + "[ ,;]*" + ofLatitude + "$"),
		hyphen:     regexp.MustCompile(`(\d)-(\d)`), // 42-21.3N
	}
})

// The parts of a position with letters. Each has five groups: the letter, degrees, minutes,
// seconds, the letter.
const (
	ofLatitude  = `([ns]?) *(\d{1,2}(?:\.\d+)?)` + sixtieths + `([ns]?)`
	ofLongitude = `([ew]?) *(\d{1,3}(?:\.\d+)?)` + sixtieths + `([ew]?)`
	sixtieths   = `(?:[° ] *(\d{1,2}(?:\.\d+)?))?(?:[' ] *(\d{1,2}(?:\.\d+)?))?[°'" ]*`
)

// Position reads a position in degrees as people write it: "42.35, -71.05", "42.35N 71.05W",
// "42°21'N 71°3'W", "N42 21.3 W071 03.1".
func Position(text string) (latitude, longitude float64, ok bool) {
	latitude, longitude, ok = Pair(text)
	return latitude, longitude, ok && math.Abs(latitude) <= 90
}

// Pair reads a position as Position does. Its latitude may be beyond 90 degrees, as that of a pair
// whose longitude comes first.
func Pair(text string) (latitude, longitude float64, ok bool) {
	form := forms()
	text = strings.TrimSpace(marks.Replace(strings.ToLower(text)))
	if m := form.signed.FindStringSubmatch(text); m != nil {
		latitude, _ = strconv.ParseFloat(m[1], 64)
		longitude, _ = strconv.ParseFloat(m[2], 64)
		// Two whole numbers with a blank between them may be anything.
		ok = strings.ContainsAny(text, ",;") || strings.Count(text, ".") == 2
		return latitude, longitude, ok && math.Abs(latitude) <= 180 && math.Abs(longitude) <= 180
	}
	text = form.hyphen.ReplaceAllString(text, "$1 $2")
	if m := form.northFirst.FindStringSubmatch(text); m != nil {
		return lettered(m[1:6], m[6:11])
	}
	if m := form.eastFirst.FindStringSubmatch(text); m != nil {
		return lettered(m[6:11], m[1:6])
	}
	return 0, 0, false
}

// lettered returns a position from its parts, each of which has one letter.
func lettered(north, east []string) (latitude, longitude float64, ok bool) {
	if (north[0] == "") == (north[4] == "") || (east[0] == "") == (east[4] == "") {
		return 0, 0, false
	}
	latitude, okNorth := angle(north[1:4], 90)
	longitude, okEast := angle(east[1:4], 180)
	if north[0]+north[4] == "s" {
		latitude = -latitude
	}
	if east[0]+east[4] == "w" {
		longitude = -longitude
	}
	return latitude, longitude, okNorth && okEast
}

// angle returns the sum of degrees, minutes and seconds, and whether it is at most most.
func angle(parts []string, most float64) (degrees float64, ok bool) {
	ok = true
	for i, unit := range []float64{1, 60, 3600} {
		v, _ := strconv.ParseFloat(parts[i], 64)
		ok = ok && (i == 0 || v < 60)
		degrees += v / unit
	}
	return degrees, ok && degrees <= most
}
