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
	English Units = "english"
	Metric  Units = "metric"
)

// Values returns all systems.
func (Units) Values() []string { return Strings(English, Metric) }

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

// ServiceStatus is the state of the service or of a component.
type ServiceStatus string

// Values returns all states.
func (ServiceStatus) Values() []string { return []string{"operational", "degraded", "down"} }

// ComponentName names a part that results depend on.
type ComponentName string

// Values returns all components.
func (ComponentName) Values() []string {
	return []string{"api", "mcp", "noaa-coops", "nws",
		"store"}
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
