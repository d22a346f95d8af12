package chart

import (
	"bytes"
	"math"
	"strconv"
)

// nbsp keeps a number and its unit on one line.
const nbsp = "\u00a0"

// Number writes a value with so many decimals, and with a minus sign that is as wide as a plus.
// It never writes minus zero.
func Number(v float64, decimals int) string {
	return string(appendNumber(make([]byte, 0, 16), v, decimals))
}

func appendNumber(b []byte, v float64, decimals int) []byte {
	before := len(b)
	b = append(b, "\u2212"...)
	digits := len(b)
	b = strconv.AppendFloat(b, math.Abs(v), 'f', decimals, 64)
	if v < 0 && bytes.ContainsAny(b[digits:], "123456789") {
		return b
	}
	return append(b[:before], b[digits:]...)
}

// Decimals returns the number of decimals of values of a unit: two for meters, none for units
// that are small or whole in their sources, one for all others, such as feet and knots.
func Decimals(unit string) int {
	switch unit {
	case "m":
		return 2
	case "cm/s", "km/h", "km", "s", "degrees", "°":
		return 0
	}
	return 1
}

// Quantity writes a value with the decimals of its unit, a space that does not break, and the
// unit.
func Quantity(v float64, unit string) string {
	return string(appendQuantity(make([]byte, 0, 24), v, unit))
}

func appendQuantity(b []byte, v float64, unit string) []byte {
	return append(append(appendNumber(b, v, Decimals(unit)), nbsp...), unit...)
}
