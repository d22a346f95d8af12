package planning

import (
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/sky"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// Inputs holds the facts for decisions about a station. Gather requests the facts of providers
// concurrently, each within its own deadline. The facts apply to all times that are judged
// together. At computes the other facts for each time.
type Inputs struct {
	facts.Set
	station  stations.Station
	at       *sky.Place // whose light and weather count; nil for the station itself
	Zone     facts.Zone
	Activity decide.Activity
	tides    tide.Tides
	datum    string // of the heights
	facts    decide.Facts
	current  *tide.Currents // of the nearby station; nil if none is known

	// Notes by fact. Each is written by one of the methods that Gather runs.
	aboutAlerts, aboutGauge, aboutCurrent, aboutWater string
	aboutFlood                                        []string
}

// NewInputs returns the fact set of a station. Decisions can only be made about stations with a
// predicted tide. If at is not nil, light, wind, waves and alerts are those of that place.
func NewInputs(s facts.Set, id, activity string, at *sky.Place) (*Inputs, error) {
	st, err := s.TideStation(id)
	if err != nil {
		return nil, err
	}
	d := &Inputs{Set: s, station: st, at: at, Activity: decide.Activity(activity),
		datum: decide.ChartDatum}
	if has := s.Stations.TideDatums(st); len(has) > 0 && !slices.Contains(has, d.datum) {
		d.datum = has[0]
	}
	if d.tides, err = s.Tides(st, d.datum); err != nil {
		return nil, err
	}
	d.Zone, err = s.Zone(st, "lst_ldt")
	return d, err
}

// Of the Great Lakes: the datum of their levels, and why facts about the tide do not apply.
const (
	lakeDatum = "IGLD"
	noTides   = "NOAA predicts no tide on the Great Lakes, whose level follows rain, wind and outflow"
)

// newLakeInputs returns the fact set of a station of the Great Lakes. Facts about the tide and the
// level do not apply there, and the others decide.
func newLakeInputs(
	s facts.Set, st stations.Station, activity decide.Activity, at *sky.Place,
) (d *Inputs, err error) {
	d = &Inputs{Set: s, station: st, at: at, Activity: activity, datum: lakeDatum}
	d.Zone, err = s.Zone(st, "lst_ldt")
	return d, err
}

// onLake reports whether the station is one of the Great Lakes.
func (d *Inputs) onLake() bool { return stations.GreatLakes(d.station.ID) }

// place returns the place whose light and weather count.
func (d *Inputs) place() facts.Place {
	if d.at != nil {
		return facts.Place{Place: *d.at, Zone: d.Zone}
	}
	card := facts.Card(d.station)
	at := sky.Place{Latitude: card.Latitude, Longitude: card.Longitude}
	return facts.Place{Place: at, Zone: d.Zone, Station: card}
}

// fact returns a fact that could be obtained.
func fact(s coast.Source) decide.Fact { return decide.Fact{Source: s} }

// lost returns a fact that could not be obtained.
func (d *Inputs) lost(o facts.Origin, err error) decide.Fact {
	e, _ := coast.AsError(err)
	return decide.Fact{Source: d.Unavailable(o), Absent: phrase(e.Message)}
}

// waived returns a fact that does not apply.
func (d *Inputs) waived(o facts.Origin, why string) decide.Fact {
	return decide.Fact{Source: d.Unavailable(o), Waived: why}
}

// noneExists marks a lost fact as nonexistent if the provider responded that it has no value.
func noneExists(f decide.Fact, err error) decide.Fact {
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Absent, f.None = "", f.Absent
	}
	return f
}

// phrase returns the first sentence of an error's message as part of another: without its
// period, and in lower case unless it begins with a name in capitals.
func phrase(message string) string {
	first, _, _ := strings.Cut(strings.TrimSuffix(message, "."), ". ")
	if len(first) > 1 && first[1] >= 'a' && first[1] <= 'z' {
		return strings.ToLower(first[:1]) + first[1:]
	}
	return first
}

// weatherLost is like lost. It also marks facts that the weather service does not have because it
// does not cover the station.
func (d *Inputs) weatherLost(o facts.Origin, err error) decide.Fact {
	f := d.lost(o, err)
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Code = decide.WeatherNotOffered
	}
	return f
}

// hoursBack limits the age of the newest value of a sensor that has not reported lately (ours):
// an observed level is informative for that long.
const hoursBack = 6

// reported reports whether NOAA had a newest value, or may have had one although the request
// failed. Newest values are from the last 18 minutes: if a sensor is late, its value is aging
// before it is lost.
func reported(has bool, err error) bool {
	e, _ := coast.AsError(err)
	return has || err != nil && e.Code != coast.ProductUnavailable
}

// maxGaugeKilometers is the distance up to which a gauge is informative (ours).
const maxGaugeKilometers = 25 // km
