package facts

import (
	"context"
	"fmt"
	"math"

	"leadline/internal/coast"
	"leadline/internal/sky"
)

// AtPlace holds the arguments of operations about a point: coordinates or a station.
type AtPlace struct {
	Latitude  *float64 `json:"latitude,omitempty" min:"-90" max:"90" doc:"Degrees north; with longitude." example:"42.35"`
	Longitude *float64 `json:"longitude,omitempty" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Station   string   `json:"station,omitempty" pattern:"^\\w{4,16}$" form:"text of 4 to 16 letters, digits and underscores" doc:"Station id, or coordinates." example:"8443970"`
}

// Check requires exactly one way to name a place, or at most one.
func (p AtPlace) Check(required bool) error {
	switch {
	case (p.Latitude == nil) != (p.Longitude == nil):
		missing := "latitude"
		if p.Longitude == nil {
			missing = "longitude"
		}
		return Invalid(missing, "required", `latitude and longitude go together; %s is missing. `+
			`Example: "latitude": 42.35, "longitude": -71.05.`, missing)
	case p.Latitude != nil && p.Station != "":
		return Invalid("station", "place",
			`give latitude and longitude, or station, not both. Example: "station": "8443970".`)
	case required && p.Latitude == nil && p.Station == "":
		return Invalid("latitude", "required", `a place is needed: latitude and longitude, station `+
			`or place. Example: "latitude": 42.35, "longitude": -71.05.`)
	}
	return nil
}

// Given reports whether a place is named.
func (p AtPlace) Given() bool { return p.Latitude != nil || p.Station != "" }

// InPlaceZone holds the argument of sky operations that write times.
type InPlaceZone struct {
	TimeZone string `json:"time_zone,omitempty" doc:"IANA name or gmt; default: the place's own." example:"America/New_York"`
}

// Place is a point, its zone and notes on how the zone was found.
type Place struct {
	sky.Place
	Zone    Zone
	Station *coast.Station
	Notes   []string
	// Sea is the point off the shore whose waves count if the grid lacks them at the place itself, or
	// nil.
	Sea *sky.Place
}

// zoneReach limits how far a station's zone is used for a point (ours).
const zoneReach = 100 // km

// Place returns the point and its zone.
func (s Set) Place(p AtPlace, in InPlaceZone) (Place, error) {
	out := Place{Notes: []string{}}
	name, tables := "Etc/UTC", ""
	switch {
	case p.Station != "":
		st, err := s.AnyStation(p.Station)
		if err != nil {
			return out, err
		}
		out.Place, out.Station, name = sky.Place{Latitude: Degrees(st.Latitude),
			Longitude: Degrees(st.Longitude)}, Card(st), st.Zone
		tables = st.NOAAZone()
		if note := aboutZone(st); note != "" {
			out.Notes = append(out.Notes, note)
		}
	case p.Latitude != nil:
		out.Place = sky.Place{Latitude: *p.Latitude, Longitude: *p.Longitude}
		var note string
		name, note = s.zoneAt(out.Place)
		if in.TimeZone == "" {
			out.Notes = append(out.Notes, note)
		}
	}
	var err error
	out.Zone, err = s.zones.named(in.TimeZone, name, tables, s.Now)
	return out, err
}

// zoneAt returns the zone of the nearest station within zoneReach, else the nautical zone of the
// longitude (15 degrees an hour), and a note that names the source of the zone.
func (f Finder) zoneAt(p sky.Place) (name, note string) {
	if near := f.Stations.Nearest(p.Latitude, p.Longitude, 1, nil); len(near) > 0 &&
		near[0].Kilometers <= zoneReach {
		st := near[0].Station
		return st.Zone, fmt.Sprintf("Time zone %s is that of the nearest station, %s (%s), %.0f km away.",
			st.Zone, st.ID, st.Name, near[0].Kilometers)
	}
	hours := int(math.Round(p.Longitude / 15))
	name = fmt.Sprintf("Etc/GMT%+d", -hours) // these names have the opposite sign
	if hours == 0 {
		name = "Etc/GMT"
	}
	return name, fmt.Sprintf("Time zone %s, UTC%+03d:00, is that of the longitude: no station lies "+
		"within %d km.", name, hours, zoneReach)
}

// ForecastPlace returns the point of a forecast and its zone. It requests stations that are not
// in the directory.
func (s Set) ForecastPlace(ctx context.Context, p AtPlace, in InPlaceZone) (Place, error) {
	if p.Station != "" {
		if _, err := s.Listed(ctx, p.Station); err != nil {
			return Place{}, err
		}
	}
	sp, err := s.Place(p, in)
	if err == nil && p.Latitude != nil && in.TimeZone == "" {
		s.pointZone(ctx, &sp)
	}
	return sp, err
}

// pointZone sets the weather service's zone of a coordinate: its texts name days and nights in
// that zone. If it is not available, the zone of the nearest station or of the longitude remains.
func (s Set) pointZone(ctx context.Context, sp *Place) {
	point, err := s.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	name := point.Data.TimeZone
	if err != nil || !zoneName().MatchString(name) {
		return
	}
	if zone, err := s.zones.load(name); err == nil {
		sp.Zone = Zone{zone, name}
		sp.Notes = []string{fmt.Sprintf("Time zone %s is that of the point, by the weather service.",
			name)}
	}
}

// Frame returns the frame of a forecast without sources.
func (p Place) Frame(units coast.Units) coast.Frame {
	return coast.Frame{Station: p.Station, Units: units, TimeZone: p.Zone.Label,
		Provenance: coast.Provenance{Sources: []coast.Source{}, Missing: []coast.Missing{},
			Notes: p.Notes}}
}

// SkyFrame returns the frame of results that are computed from place and time.
func (s Set) SkyFrame(p Place, of Body) coast.Frame {
	return coast.Frame{
		Station: p.Station, TimeZone: p.Zone.Label, Provenance: coast.Provenance{
			Sources: []coast.Source{s.Calculated(of.id, of.Label, of.Page)}, Missing: []coast.Missing{},
			Notes: p.Notes,
		},
	}
}
