package tide

// Offsets convert the extrema of a reference station to those of a subordinate one.
type Offsets struct {
	HighMinutes, LowMinutes int     // added to the reference's unrounded times
	High, Low               float64 // ratio of heights, each above its MLLW; meters if Fixed
	Fixed                   bool
}

// reachBack and reachOn return the shortest and the longest delay of events after the
// reference's, in seconds. Without offsets both are 0.
func (o *Offsets) reachBack() float64 {
	if o == nil {
		return 0
	}
	return 60 * float64(min(o.HighMinutes, o.LowMinutes))
}

func (o *Offsets) reachOn() float64 {
	if o == nil {
		return 0
	}
	return 60 * float64(max(o.HighMinutes, o.LowMinutes))
}

// time returns the time of an event, given the reference's.
func (o *Offsets) time(at float64, high bool) float64 {
	switch {
	case o == nil:
		return at
	case high:
		return at + 60*float64(o.HighMinutes)
	}
	return at + 60*float64(o.LowMinutes)
}

// height returns the height of an event above the station's datum, given the reference's.
func (o *Offsets) height(reference float64, high bool) float64 {
	switch {
	case o == nil:
		return reference
	case o.Fixed && high:
		return reference + o.High
	case o.Fixed:
		return reference + o.Low
	case high:
		return reference * o.High
	}
	return reference * o.Low
}
