package operation

import (
	"fmt"
	"time"

	"leadline/internal/render"
)

// Grid describes observed values at equal steps of time.
type Grid struct {
	Start       time.Time
	StepMinutes int
	Count       int
}

// At returns the time of a value.
func (g Grid) At(i int) time.Time { return At(g.Start, i, g.StepMinutes) }

// Thinned returns the values that an answer shows of a long span, in order: one in so many hours
// that they are at most 96, the newest value that NOAA does not flag among them. If hours do not
// suffice, or the values are few, it returns nil.
func (g Grid) Thinned(values []*float64, flags [][]string) []int {
	if g.Count <= TextRows {
		return nil
	}
	for _, hours := range []int{1, 2, 3, 6, 12, 24} {
		every := hours * 60 / g.StepMinutes
		if every <= 1 || g.Count/every >= TextRows {
			continue
		}
		var shown []int
		for i := newest(values, flags) % every; i < g.Count; i += every {
			shown = append(shown, i)
		}
		return shown
	}
	return nil
}

// ThinnedLine returns a line about the values that are shown of n.
func ThinnedLine(shown []int, n int, stepMinutes int) string {
	every := time.Duration((shown[1]-shown[0])*stepMinutes) * time.Minute
	return fmt.Sprintf(`One value in %.0f h of %d values; "view": "full" has all.`, every.Hours(), n)
}

// counts reports whether there is a value that NOAA does not flag: flagged ones can be wrong. Flags
// lists those of each value; it is nil for products without flags.
func counts(values []*float64, flags [][]string, i int) bool {
	return values[i] != nil && (flags == nil || len(flags[i]) == 0)
}

// newest returns the index of the newest value that counts; without one, that of the last step.
func newest(values []*float64, flags [][]string) int {
	for i := len(values) - 1; i >= 0; i-- {
		if counts(values, flags, i) {
			return i
		}
	}
	return len(values) - 1
}

// Extent returns the highest and the lowest of the observed values that count, with their times,
// and their mean and number, as text; "" for fewer than two. Number writes a value with two
// decimals.
func (g Grid) Extent(
	values []*float64, flags [][]string, number func(float64, int) string, now time.Time,
) string {
	high, low, n, sum := -1, -1, 0, 0.0
	for i, v := range values {
		if !counts(values, flags, i) {
			continue
		}
		n++
		sum += *v
		if high < 0 || *v > *values[high] {
			high = i
		}
		if low < 0 || *v < *values[low] {
			low = i
		}
	}
	if n < 2 {
		return ""
	}
	at := func(i int) string {
		return number(*values[i], 2) + " at " + render.Clock(g.At(i), now)
	}
	return fmt.Sprintf("highest %s, lowest %s, mean %s of %d values", at(high), at(low),
		number(sum/float64(n), 2), n)
}
