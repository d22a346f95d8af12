package main

import (
	"math"
	"slices"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// gauge is a station with tide predictions, and what tells its water.
type gauge struct {
	stations.Station
	point
	shore shore // the nearest one of the open sea; 99 km if there is none
	beat  beat
	seed  bool    // it shows the tide of the open coast
	lag   float64 // minutes after the open coast near it
	ratio float64 // of its range to that of the open coast
	alone bool    // there is no open coast near it
	water string
}

// beat is the largest part of a tide: amplitudes, meters, and phase lags, degrees, of the
// constituents in beats.
type beat [3]struct{ amplitude, phase float64 }

// beats are the constituents that tell one tide from another: half-daily, and daily for coasts where
// pairs of high waters mean nothing, as the Gulf.
var beats = [3]string{"M2", "K1", "O1"}

// beatOf returns the beat of a station. For a subordinate station it is that of its reference,
// later by the mean of its offsets and larger by the ratio of its mean range.
func beatOf(d *stations.Directory, s stations.Station) (b beat, ok bool) {
	reference, ok := d.Reference(s)
	if !ok || !reference.HasConstants() {
		return b, false
	}
	sum := 0.0
	for _, h := range reference.Harmonics() {
		if i := slices.Index(beats[:], tide.Constituents()[h.Constituent].Name); i >= 0 {
			b[i].amplitude, b[i].phase = h.Amplitude, h.Phase
			sum += h.Amplitude
		}
	}
	o := s.TideOffsets()
	if o == nil || sum == 0 {
		return b, sum > 0 && !s.Subordinate()
	}
	level := sum
	if t, ok := d.Tides(reference, "MLLW"); ok {
		level = t.Level
	}
	high, low := (level+sum)*o.High, (level-sum)*o.Low
	if o.Fixed {
		high, low = level+sum+o.High, level-sum+o.Low
	}
	ratio, hours := math.Max((high-low)/2/sum, 0.01), float64(o.HighMinutes+o.LowMinutes)/120
	for i, name := range beats {
		b[i].amplitude *= ratio
		b[i].phase += hours * speedOf(name)
	}
	return b, true
}

// speedOf returns the speed of a constituent, degrees an hour.
func speedOf(name string) float64 {
	i, _ := tide.Lookup(name)
	return tide.Constituents()[i].Speed
}

func (b beat) size() float64 { return b[0].amplitude + b[1].amplitude + b[2].amplitude }

// against returns by how many minutes a tide follows another, each constituent weighted by its
// size, and the ratio of their ranges.
func (b beat) against(other beat) (minutes, ratio float64) {
	weights := 0.0
	for i, name := range beats {
		weight := other[i].amplitude
		minutes += weight * math.Remainder(b[i].phase-other[i].phase, 360) / speedOf(name) * 60
		weights += weight
	}
	return minutes / weights, b.size() / other.size()
}
