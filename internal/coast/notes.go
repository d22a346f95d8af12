package coast

import (
	"slices"
	"strings"
)

// Standing notes hold for all results of a kind. REST, pages and the command line have them in each
// result; a model reads them once, in the instructions of the server.
const (
	AstronomicalNote = "Astronomical prediction: weather, surge and river flow are not in it. " +
		Disclaimer
	HorizonNote = "Rise and set are for the upper limb at a sea-level horizon with 34' of " +
		"refraction; real air and terrain can shift them by minutes."
	DistanceNote = "Distances are straight lines over the earth: the nearest station may lie on " +
		"another body of water, which water names."
)

// ReadAs stands between a name and the station that was taken for it in a note. The first line of
// an answer says the same.
const ReadAs = " was read as station "

// Standing reports whether a note holds for all results of a kind.
func Standing(note string) bool {
	return slices.Contains([]string{AstronomicalNote, HorizonNote, DistanceNote}, note)
}

// Repeats reports whether a note repeats the first line of an answer.
func Repeats(note string) bool {
	return strings.HasPrefix(note, `"`) && strings.Contains(note, ReadAs)
}
