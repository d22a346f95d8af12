package waters

import (
	"math"
	"slices"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// Tide is the largest part of a tide: the constituents by which waters differ.
type Tide [3]struct {
	Amplitude float64 // meters
	Phase     float64 // phase lag in GMT, degrees
}

// parts are the constituents of a Tide: half-daily, and daily for coasts on which pairs of high
// waters mean nothing, as most of the Gulf of Mexico.
var parts = [3]string{"M2", "K1", "O1"}

// TideOf returns the tide of a station, and whether it has predictions. That of a subordinate
// station is that of its reference, later by the mean of its offsets and larger by the ratio of
// its mean range.
func TideOf(d *stations.Directory, s stations.Station) (t Tide, ok bool) {
	reference, ok := d.Reference(s)
	if !ok || !reference.HasConstants() {
		return t, false
	}
	for _, h := range reference.Harmonics() {
		if i := slices.Index(parts[:], tide.Constituents()[h.Constituent].Name); i >= 0 {
			t[i].Amplitude, t[i].Phase = h.Amplitude, h.Phase
		}
	}
	o, sum := s.TideOffsets(), t.size()
	if o == nil || sum == 0 {
		return t, sum > 0 && !s.Subordinate()
	}
	level := sum
	if predicted, ok := d.Tides(reference, "MLLW"); ok {
		level = predicted.Level
	}
	high, low := (level+sum)*o.High, (level-sum)*o.Low
	if o.Fixed {
		high, low = level+sum+o.High, level-sum+o.Low
	}
	ratio, hours := math.Max((high-low)/2/sum, 0.01), float64(o.HighMinutes+o.LowMinutes)/120
	for i, name := range parts {
		t[i].Amplitude *= ratio
		t[i].Phase += hours * speedOf(name)
	}
	return t, true
}

// speedOf returns the speed of a constituent, degrees an hour.
func speedOf(name string) float64 {
	i, _ := tide.Lookup(name)
	return tide.Constituents()[i].Speed
}

// size returns half of the range when all parts coincide, meters.
func (t Tide) size() float64 { return t[0].Amplitude + t[1].Amplitude + t[2].Amplitude }

// Alike reports whether two tides are the same for a person, so that the nearer station answers.
// The limits are ours.
func Alike(minutes, ratio float64) bool {
	return math.Abs(minutes) <= 15 && ratio > 0.87 && ratio < 1.15
}

// small is the range in meters below which wind moves the water more than the tide. Ours.
const small = 0.2

// Small reports whether there is hardly any tide.
func (t Tide) Small() bool { return 2*t.size() < small }

// Against returns by how many minutes a tide follows another, and the ratio of their ranges. The
// shift is that at which the two curves are most alike: each constituent counts with the product of
// its amplitudes and the square of its speed, the second derivative of their correlation. More than
// six hours of a half-daily tide look like as many before.
func (t Tide) Against(other Tide) (minutes, ratio float64) {
	weights := 0.0
	for i, name := range parts {
		speed := speedOf(name)
		weight := t[i].Amplitude * other[i].Amplitude * speed * speed
		minutes += weight * math.Remainder(t[i].Phase-other[i].Phase, 360) / speed * 60
		weights += weight
	}
	return minutes / weights, t.size() / other.size()
}

// The tides of two waters differ for a person from these values on. The agencies name none; ours.
const (
	differentMinutes = 30
	differentRatio   = 4.0 / 3
)

// Differ reports whether a person who asks for one of two tides must know of the other.
func Differ(minutes, ratio float64) bool {
	return math.Abs(minutes) > differentMinutes || ratio > differentRatio || ratio < 1/differentRatio
}
