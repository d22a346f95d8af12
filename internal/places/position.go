package places

import (
	"regexp"
	"strconv"
	"strings"
)

// marks writes the signs of degrees, minutes, seconds and minus in one way.
var marks = strings.NewReplacer("º", "°", "deg", "°", "′", "'", "’", "'", "‘", "'", "″", `"`,
	"”", `"`, "“", `"`, "''", `"`, "\u2212", "-", "\u2013", "-", "\u00a0", " ")

// The forms of a position: decimal degrees with signs, or degrees, minutes and seconds with the
// letters of the hemispheres before or behind each.
var (
	signed = regexp.MustCompile(
		`^([+-]?\d{1,2}(?:\.\d+)?)°?(?: *[,;] *| +)([+-]?\d{1,3}(?:\.\d+)?)°?$`)
	lettered = regexp.MustCompile(`^([ns]?) *(\d{1,2}(?:\.\d+)?)` + sixtieths + `([ns]?)[ ,;]*` +
		`([ew]?) *(\d{1,3}(?:\.\d+)?)` + sixtieths + `([ew]?)$`)
	hyphen = regexp.MustCompile(`(\d)-(\d)`) // 42-21.3N
)

const sixtieths = `(?:[° ] *(\d{1,2}(?:\.\d+)?))?(?:[' ] *(\d{1,2}(?:\.\d+)?))?[°'" ]*`

// Position reads a position in degrees as people write it: "42.35, -71.05", "42.35N 71.05W",
// "42°21'N 71°3'W", "N42 21.3 W071 03.1".
func Position(text string) (latitude, longitude float64, ok bool) {
	text = strings.TrimSpace(marks.Replace(strings.ToLower(text)))
	if m := signed.FindStringSubmatch(text); m != nil {
		latitude, _ = strconv.ParseFloat(m[1], 64)
		longitude, _ = strconv.ParseFloat(m[2], 64)
		// Two whole numbers with a blank between them may be anything.
		ok = strings.ContainsAny(text, ",;") || strings.Count(text, ".") == 2
		return latitude, longitude, ok && latitude >= -90 && latitude <= 90 &&
			longitude >= -180 && longitude <= 180
	}
	m := lettered.FindStringSubmatch(hyphen.ReplaceAllString(text, "$1 $2"))
	if m == nil || (m[1] == "") == (m[5] == "") || (m[6] == "") == (m[10] == "") {
		return 0, 0, false
	}
	latitude, north := angle(m[2:5], 90)
	longitude, east := angle(m[7:10], 180)
	if m[1]+m[5] == "s" {
		latitude = -latitude
	}
	if m[6]+m[10] == "w" {
		longitude = -longitude
	}
	return latitude, longitude, north && east
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
