package tides

// TideType names the kind of a tide event.
type TideType string

// Values returns all values.
func (TideType) Values() []string { return []string{"high", "low"} }

// TideState names what the tide does at an instant.
type TideState string

// Values returns all values.
func (TideState) Values() []string {
	return []string{
		"rising", "falling", "high_stand", "low_stand",
	}
}

// TideSide names a side of a level.
type TideSide string

// Values returns all values.
func (TideSide) Values() []string { return []string{"below", "above"} }

// TideRanking names what tides are ranked by.
type TideRanking string

// Values returns all values.
func (TideRanking) Values() []string { return []string{"lowest", "highest", "king", "springs"} }

// SpringKind names a kind of range of the tide.
type SpringKind string

// Values returns all values.
func (SpringKind) Values() []string { return []string{"spring", "neap", "tropic", "equatorial"} }

// SpringPhase names when the range of the tide is greatest or smallest: at a phase of the moon, or
// at its declination where that determines the tide.
type SpringPhase string

// Values returns all values.
func (SpringPhase) Values() []string {
	return []string{
		"new_moon", "first_quarter", "full_moon", "last_quarter", "greatest_declination",
		"over_the_equator",
	}
}

// Apsis names an extreme of the moon's distance.
type Apsis string

// Values returns all values.
func (Apsis) Values() []string { return []string{"perigee", "apogee"} }
