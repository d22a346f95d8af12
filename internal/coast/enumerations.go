package coast

// Strings returns the values of a string type as strings.
func Strings[S ~string](values ...S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}

// Provider names who a fact is from.
type Provider string

// The providers, as results name them.
const (
	COOPS    = "NOAA CO-OPS"
	NWS      = "NWS"
	Leadline = "Leadline"
)

// Values returns all providers.
func (Provider) Values() []string { return []string{COOPS, NWS, Leadline} }

// Units is a system of units.
type Units string

// The systems of units.
const (
	English  Units = "english"  // feet, knots, degrees Fahrenheit
	Nautical Units = "nautical" // meters, knots, degrees Celsius
	Metric   Units = "metric"   // meters, meters or centimeters a second, degrees Celsius
)

// Values returns all systems.
func (Units) Values() []string { return Strings(English, Nautical, Metric) }

// Meters reports whether heights and depths are in meters and temperatures in degrees Celsius.
// If not, they are in feet and degrees Fahrenheit.
func (u Units) Meters() bool { return u == Metric || u == Nautical }

// Knots reports whether speeds are in knots and visibilities in nautical miles. If not, they are
// in meters or centimeters a second, and in kilometers.
func (u Units) Knots() bool { return u != Metric }

// Datum is a level that heights are measured from, as requests name it.
type Datum string

// Values returns all datums, those of tides first.
func (Datum) Values() []string {
	return []string{
		"MHHW", "MHW", "MTL", "MSL", "MLW", "MLLW", "NAVD", "STND", "LAT", "HAT", "DTL", "IGLD", "LWD",
		"CRD",
	}
}

// HeightUnit is a unit of heights and depths.
type HeightUnit string

// Values returns all units of heights.
func (HeightUnit) Values() []string { return []string{"ft", "m"} }

// RateUnit is a unit of the rate of the tide.
type RateUnit string

// Values returns all units of rates.
func (RateUnit) Values() []string { return []string{"ft/h", "m/h"} }

// SpeedUnit is a unit of wind speeds.
type SpeedUnit string

// The units of wind speeds.
const (
	Knots           SpeedUnit = "kn"
	MetersPerSecond SpeedUnit = "m/s"
)

// Values returns all units of wind speeds.
func (SpeedUnit) Values() []string { return Strings(Knots, MetersPerSecond) }

// DirectionUnit is the unit of bearings and of the directions of flows and winds. It says which
// end of a flow the direction names.
type DirectionUnit string

// The units of directions.
const (
	DegreesTrue   DirectionUnit = "degrees true"
	DegreesToward DirectionUnit = "degrees true, toward"
	DegreesFrom   DirectionUnit = "degrees true, from"
)

// Values returns all units of directions.
func (DirectionUnit) Values() []string { return Strings(DegreesTrue, DegreesToward, DegreesFrom) }

// VisibilityUnit is a unit of visibilities.
type VisibilityUnit string

// The units of visibilities.
const (
	NauticalMiles VisibilityUnit = "nmi"
	Kilometers    VisibilityUnit = "km"
)

// Values returns all units of visibilities.
func (VisibilityUnit) Values() []string { return Strings(NauticalMiles, Kilometers) }

// PeriodUnit is the unit of the periods of waves.
type PeriodUnit string

// Seconds is the only unit of periods.
const Seconds PeriodUnit = "s"

// Values returns all units of periods.
func (PeriodUnit) Values() []string { return Strings(Seconds) }

// ServiceStatus is the state of the service or of a component.
type ServiceStatus string

// Values returns all states.
func (ServiceStatus) Values() []string { return []string{"operational", "degraded", "down"} }

// ComponentName names a part that results depend on.
type ComponentName string

// Values returns all components.
func (ComponentName) Values() []string {
	return []string{"api", "mcp", "noaa-coops", "nws", "store"}
}

// NoticeStatus is the state of an incident or of maintenance.
type NoticeStatus string

// Values returns all states, those of incidents first.
func (NoticeStatus) Values() []string {
	return []string{
		"investigating", "identified", "monitoring", "resolved",
		"scheduled", "in-progress", "completed", "cancelled",
	}
}
