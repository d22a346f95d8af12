package place

import (
	"leadline/internal/coast"
)

// StationMatch names what a search has matched.
type StationMatch string

// Values returns all values.
func (StationMatch) Values() []string { return []string{"id", "exact", "alias", "place", "fuzzy"} }

// WaterSide names one of the two waters of a place: the open coast, or what lies behind it.
type WaterSide string

// Values returns all values.
func (WaterSide) Values() []string { return []string{"ocean", "inside"} }

// Faces names the water that a place faces.
type Faces string

// Values returns all values.
func (Faces) Values() []string {
	return append([]string{"both"}, coast.Water("").Values()...)
}
