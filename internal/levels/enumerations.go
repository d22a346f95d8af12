package levels

// Quality names how far NOAA has checked observed levels.
type Quality string

// Values returns all values.
func (Quality) Values() []string { return []string{"preliminary", "verified"} }
