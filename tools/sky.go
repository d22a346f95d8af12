package tools

import (
	"fmt"
	"math"
	"regexp"
	"time"

	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/internal/sky"
)

// AtPlace is the argument of operations about a point: coordinates, or a
// station's.
type AtPlace struct {
	Latitude  *float64 `json:"latitude,omitempty" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Longitude *float64 `json:"longitude,omitempty" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Station   string   `json:"station,omitempty" pattern:"^[A-Za-z0-9_]{4,16}$" doc:"Instead of coordinates." example:"8443970"`
}

// check holds the ways to name a place to exactly one, or none where allowed.
func (p AtPlace) check(required bool) error {
	switch {
	case (p.Latitude == nil) != (p.Longitude == nil):
		missing := "latitude"
		if p.Longitude == nil {
			missing = "longitude"
		}
		return fault(missing, "required", `latitude and longitude go together; %s is missing. Example: "latitude": 42.35, "longitude": -71.05.`, missing)
	case p.Latitude != nil && p.Station != "":
		return fault("station", "place", `give latitude and longitude, or station, not both. Example: "station": "8443970".`)
	case required && p.Latitude == nil && p.Station == "":
		return fault("latitude", "required", `a place is needed: latitude and longitude, or station. Example: "latitude": 42.35, "longitude": -71.05.`)
	}
	return nil
}

func (p AtPlace) given() bool { return p.Latitude != nil || p.Station != "" }

// InPlaceZone is the argument of sky operations that write times.
type InPlaceZone struct {
	TimeZone string `json:"time_zone,omitempty" doc:"IANA name or gmt; else the place's own." example:"America/New_York"`
}

// spot is a place, its zone and how the zone was found.
type spot struct {
	sky.Place
	zone    zone
	station *coast.Station
	notes   []string
}

// zoneReach is how far a station's zone is taken for a point's (ours).
const zoneReach = 100 // km

// spot finds the place and its zone.
func (m moment) spot(p AtPlace, in InPlaceZone) (spot, error) {
	out := spot{notes: []string{}}
	name := "Etc/UTC"
	switch {
	case p.Station != "":
		st, err := m.anyStation(p.Station)
		if err != nil {
			return out, err
		}
		out.Place, out.station, name = sky.Place{Latitude: degrees(st.Latitude), Longitude: degrees(st.Longitude)}, card(st), st.Zone
	case p.Latitude != nil:
		out.Place = sky.Place{Latitude: *p.Latitude, Longitude: *p.Longitude}
		var note string
		name, note = m.zoneAt(out.Place)
		if in.TimeZone == "" {
			out.notes = append(out.notes, note)
		}
	}
	var err error
	out.zone, err = m.zones.named(in.TimeZone, name, m.now)
	return out, err
}

// zoneAt is the zone of the nearest station within zoneReach, else the
// nautical zone of the longitude (15 degrees an hour), and a note saying which.
func (s *Set) zoneAt(p sky.Place) (name, note string) {
	if near := s.Stations.Nearest(p.Latitude, p.Longitude, 1, nil); len(near) > 0 && near[0].Kilometers <= zoneReach {
		st := near[0].Station
		return st.Zone, fmt.Sprintf("Time zone %s is that of the nearest station, %s (%s), %.0f km away.", st.Zone, st.ID, st.Name, near[0].Kilometers)
	}
	hours := int(math.Round(p.Longitude / 15))
	name = fmt.Sprintf("Etc/GMT%+d", -hours) // the sign of these names runs the other way
	if hours == 0 {
		name = "Etc/GMT"
	}
	return name, fmt.Sprintf("Time zone %s, UTC%+03d:00, is that of the longitude: no station lies within %d km.", name, hours, zoneReach)
}

// zoneName is what names of zones look like; other files of a machine's zone
// database, such as localtime, are not the same everywhere.
var zoneName = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*)+)$`)

// named is the zone that a caller asks for by name, or the place's.
func (z *zones) named(asked, place string, now time.Time) (zone, error) {
	switch asked {
	case "", "lst_ldt":
		return z.at(place, "lst_ldt", now)
	case "gmt", "lst":
		return z.at(place, asked, now)
	}
	named, err := z.at(asked, "lst_ldt", now)
	if err != nil || !zoneName.MatchString(asked) {
		return named, fault("time_zone", "zone", `time_zone must be an IANA name or gmt, not %s. Example: "time_zone": "America/New_York".`, schema.Quote(asked))
	}
	return named, nil
}

// skySource is where a body's series come from.
type skySource struct{ id, label, page string }

// VSOP87: Bretagnon and Francou, Astronomy and Astrophysics 202 (1988). The
// moon is Meeus' chapter 47, by a library of that name.
var (
	sunSource  = skySource{"sun", "Sun, computed here from VSOP87", "https://ui.adsabs.harvard.edu/abs/1988A%26A...202..309B"}
	moonSource = skySource{"moon", "Moon, computed here after Meeus, Astronomical Algorithms", "https://github.com/soniakeys/meeus"}
)

// skyFrame is the frame of what is computed from place and time.
func (m moment) skyFrame(sp spot, of skySource) coast.Frame {
	return coast.Frame{
		Station: sp.station, TimeZone: sp.zone.label, Provenance: coast.Provenance{
			Sources: []coast.Source{m.calculated(of.id, of.label, of.page)}, Missing: []coast.Missing{}, Notes: sp.notes,
		},
	}
}

const horizonNote = "Rise and set are for the upper limb at a sea-level horizon with 34' of refraction; real air and terrain can shift them by minutes."

// days resolves the days asked for; a day is the zone's civil day.
func (m moment) days(name, date string, count int, z zone) ([]interval, error) {
	first := m.now.In(z.Location)
	if date != "" && date != "today" {
		day, err := skyDay(name, date, z)
		if err != nil {
			return nil, err
		}
		first = day
	}
	list := make([]interval, count)
	for i := range list {
		list[i].from, list[i].to = nextDay(first, i), nextDay(first, i+1)
	}
	return list, nil
}

// skyDay reads an argument that names a day.
func skyDay(name, text string, z zone) (time.Time, error) {
	day, ok := readDay(text, z)
	if !ok {
		return day, fault(name, "date", `%s must be a day that the calendar has, as 2026-11-20 or 20261120, not %s.`, name, schema.Quote(text))
	}
	return day, checkYear(name, day)
}
