package provider

import (
	"hash/fnv"
	"math"
	"time"
)

// hash returns a number that depends on an id only.
func hash(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return mix(h.Sum64())
}

// mix spreads the bits of a number: the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// scramble returns a number that depends on some texts only.
func scramble(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	x := h.Sum64() // FNV returns similar numbers for short texts
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// fraction returns a number from 0 to 1 that depends on a seed and a count.
func fraction(seed uint64, n int64) float64 {
	return float64(mix(seed^mix(uint64(n)+0x9e3779b97f4a7c15))>>11) / (1 << 53)
}

// swing is a smooth disturbance between -1 and 1: four waves with periods of hours to days, which
// depend, like their phases, on a seed.
type swing struct{ speed, phase [4]float64 }

var swingHours = [4]float64{9.7, 31, 77, 190}

func newSwing(seed uint64, salt string) swing {
	var s swing
	seed ^= mix(uint64(len(salt))*131 + uint64(salt[0]))
	for i, hours := range swingHours {
		s.speed[i] = 2 * math.Pi / (hours * (0.9 + 0.2*fraction(seed, int64(i))))
		s.phase[i] = 2 * math.Pi * fraction(seed, int64(i+8))
	}
	return s
}

var swingStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (s swing) at(t time.Time) float64 {
	hours := float64(t.Unix()-swingStart.Unix()) / 3600
	sum := 0.0
	for i, speed := range s.speed {
		sum += math.Cos(speed*hours + s.phase[i])
	}
	return sum / 4
}

// season returns the time of year as a cosine, 1 in the middle of July.
func season(t time.Time) float64 {
	return math.Cos(2 * math.Pi * (float64(t.YearDay()) - 196) / 365.25)
}
