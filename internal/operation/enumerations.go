package operation

// Interval names a form of tide predictions: high and low waters, or heights at a step of an hour
// (h) or of minutes.
type Interval string

// Values returns all values.
func (Interval) Values() []string {
	return []string{
		"hilo", "h", "1", "5", "6", "10", "15", "30", "60",
	}
}

// TimeZone names the zone that times are written in: one of Known, or an IANA name.
type TimeZone string

// SchemaName returns the name of the known values in OpenAPI documents.
func (TimeZone) SchemaName() string { return "TimeZoneMode" }

// Known returns the values that are not IANA names: the clock of the station, its standard time,
// and UTC.
func (TimeZone) Known() []string { return []string{"lst_ldt", "lst", "gmt"} }
