package operation

import (
	"cmp"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/stations"
)

// AtStation is the argument that most operations share.
type AtStation struct {
	Station string `json:"station" doc:"Station id, as 8443970 or ACT0091." pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" example:"8443970"`
}

// OnDatum is the datum argument of operations that return heights.
type OnDatum struct {
	Datum coast.Datum `json:"datum,omitempty" usual:"MLLW" also:"NAVD88=NAVD" doc:"Zero of heights: MLLW on charts, NAVD on land."`
}

// Of returns the requested datum; by default that of the station's charts.
func (d OnDatum) Of(st stations.Station) string {
	return cmp.Or(string(d.Datum), facts.UsualDatum(st))
}

// InUnits is the argument of operations that return quantities with units.
type InUnits struct {
	Units coast.Units `json:"units" default:"english" also:"feet=english ft=english imperial=english m=metric meters=metric metres=metric" doc:"ft, kn, F; m, kn, C; or m, m/s, C."`
}

// InZone is the argument of operations that return times.
type InZone struct {
	TimeZone TimeZone `json:"time_zone" default:"lst_ldt" doc:"lst_ldt: local clock; lst: NOAA's standard time; gmt; IANA name."`
}

// These arguments are resolved by package facts: a span of time, a place and its zone.
type (
	Span        = facts.Span
	AtPlace     = facts.AtPlace
	InPlaceZone = facts.InPlaceZone
)

// Typed returns strings as values of an enumeration.
func Typed[T ~string](list []string) []T {
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = T(v)
	}
	return out
}
