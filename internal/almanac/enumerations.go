package almanac

// LunarPhase names a phase of the moon.
type LunarPhase string

// SchemaName returns the name in OpenAPI documents.
func (LunarPhase) SchemaName() string { return "MoonPhase" }

// Values returns all values.
func (LunarPhase) Values() []string {
	return []string{
		"new_moon", "waxing_crescent", "first_quarter", "waxing_gibbous", "full_moon",
		"waning_gibbous", "last_quarter", "waning_crescent",
	}
}

// LunarEvent names a principal phase of the moon, or an extreme of its distance.
type LunarEvent string

// SchemaName returns the name in OpenAPI documents.
func (LunarEvent) SchemaName() string { return "MoonEventType" }

// Values returns all values.
func (LunarEvent) Values() []string {
	return []string{
		"new_moon", "first_quarter", "full_moon", "last_quarter", "perigee", "apogee",
	}
}

// SunState names whether the sun crosses the horizon on a day.
type SunState string

// Values returns all values.
func (SunState) Values() []string { return []string{"rises_and_sets", "polar_day", "polar_night"} }

// MoonState names whether the moon crosses the horizon on a day.
type MoonState string

// Values returns all values.
func (MoonState) Values() []string { return []string{"rises_and_sets", "always_up", "always_down"} }

// TwilightState names whether the sun crosses an altitude of twilight on a day.
type TwilightState string

// Values returns all values.
func (TwilightState) Values() []string { return []string{"crosses", "always_up", "always_down"} }
