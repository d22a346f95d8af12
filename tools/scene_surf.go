package tools

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/nws"
	"leadline/internal/sky"
	"leadline/internal/stations"
)

// This file gathers the facts about the water that people are in: its
// temperature, its swell, and its rip currents.

// thermometer returns the station whose sensor gives the temperature of the
// water: the station itself, else the nearest within reach, with its distance.
// ok is false where the list of sensors says that there is none.
func (sc *scene) thermometer() (near stations.Near, ok bool) {
	own := stations.Near{Station: sc.station}
	if kinds, known := sc.station.Observes("watertemp"); !known || len(kinds) > 0 {
		return own, true
	}
	senses := func(st stations.Station) bool {
		kinds, _ := st.Observes("watertemp")
		_, bin := st.Bin()
		return bin == 0 && len(kinds) > 0
	}
	list := sc.Stations.Nearest(sc.station.Latitude, sc.station.Longitude, 1, senses)
	if len(list) == 0 || list[0].Kilometers > farFromGauge {
		return own, false
	}
	return list[0], true
}

// water asks for the water's temperature.
func (sc *scene) water(ctx context.Context) {
	const product = "water_temperature"
	near, ok := sc.thermometer()
	st := near.Station
	o := origin{decide.WaterTemperature, "Observed water temperature", coast.COOPS, coast.Observation,
		"https://tidesandcurrents.noaa.gov/met.html?id=" + st.ID}
	if !ok {
		why := fmt.Sprintf("no thermometer in the water lies within %d km", farFromGauge)
		sc.facts.Water.Fact = sc.waived(o, why)
		return
	}
	if st.ID != sc.station.ID {
		o.label += " at " + st.ID
		sc.facts.Water.StationID = st.ID
		sc.aboutWater = fmt.Sprintf("The water temperature is that of %s (%s), %.1f km away.",
			st.Name, st.ID, near.Kilometers)
	}
	span := interval{from: sc.now, to: sc.now}
	got, err := sc.measured(ctx, st, product, false, span)
	newest, has := got.quantities[0].newest()
	if !reported(has, err) {
		span.from = sc.now.Add(-hoursBack * time.Hour)
		got, err = sc.measured(ctx, st, product, false, span)
		newest, has = got.quantities[0].newest()
	}
	if err == nil && !has {
		err = coast.Errorf(coast.ProductUnavailable,
			"NOAA has rows of the sensor but no value in them")
	}
	if err != nil {
		sc.facts.Water.Fact = sc.nobody(sc.lost(o, err), err)
		return
	}
	degrees := measuredIn(product, "english").of(*newest.value)
	sc.facts.Water.Fact = fact(sc.observation(o, slowShelf, got.newest, span, false, got.received))
	sc.facts.Water.Time, sc.facts.Water.Temperature = newest.time, &degrees
}

// nobody marks a lost fact as one that nobody has where the provider answered
// that it has no value.
func (m moment) nobody(f decide.Fact, err error) decide.Fact {
	if e, _ := coast.AsError(err); e.Code == coast.ProductUnavailable {
		f.Absent, f.None = "", f.Absent
	}
	return f
}

// swells returns the trains of swell of each hour. The periods of the grid are
// those of its two swells.
func (c hourColumns) swells() [][]decide.Swell {
	hours := make([][]decide.Swell, c.count)
	for _, layers := range [][2]string{
		{"primarySwellHeight", "wavePeriod"}, {"secondarySwellHeight", "wavePeriod2"},
	} {
		heights, periods := c.of(layers[0], ""), c.of(layers[1], "")
		for i := range hours {
			if heights[i] != nil {
				hours[i] = append(hours[i], decide.Swell{Height: heights[i], Period: periods[i]})
			}
		}
	}
	return hours
}

// wavesFrom returns where the waves of each hour come from: by the grid where it
// says so, else the direction of its highest part. Wind waves run with the wind
// (ours). It is nil where the grid does not give what that needs.
func (c hourColumns) wavesFrom() []*float64 {
	column, parts := c.of("waveDirection", ""), [][2][]*float64{}
	for _, layers := range [][2]string{
		{"primarySwellHeight", "primarySwellDirection"},
		{"secondarySwellHeight", "secondarySwellDirection"},
		{"windWaveHeight", "windDirection"},
	} {
		parts = append(parts, [2][]*float64{c.of(layers[0], ""), c.of(layers[1], "")})
	}
	for i := range column {
		if column[i] != nil {
			continue
		}
		highest := 0.0
		for _, part := range parts { // of equal ones the last: the wind's is known best
			if height := part[0][i]; height != nil && *height > 0 && *height >= highest {
				highest, column[i] = *height, part[1][i]
			}
		}
	}
	return column
}

// swellsOf returns the trains that a text gives.
func swellsOf(p nws.Period) []decide.Swell {
	var list []decide.Swell
	for _, s := range p.Swells() {
		list = append(list, decide.Swell{Height: &s.Feet, Period: &s.Seconds})
	}
	return list
}

// surfSource is the source of a surf zone forecast.
func (m moment) surfSource(
	o origin, b nws.Bulletin, s nws.Segment, received time.Time,
) coast.Source {
	source := m.had(o, surfShelf, &b.Issued, b.Issued, received)
	if !s.Expires.IsZero() && !m.now.Before(s.Expires) {
		source.Freshness = coast.Stale
	} else if source.Freshness == coast.Stale && !s.Expires.IsZero() {
		source.Freshness = coast.Aging
	}
	return source
}

// longOver is how long after its expiry a surf zone forecast counts as the last
// of its season (ours): offices issue one each day while they issue any.
const longOver = day

// surf asks for the surf zone forecast of the station's land zone. Offices that
// issue none, or none for the zone, make the fact not apply.
func (sc *scene) surf(ctx context.Context) {
	o := surfOrigin("")
	at := sky.Place{Latitude: degrees(sc.station.Latitude), Longitude: degrees(sc.station.Longitude)}
	sp := spot{Place: at, zone: sc.zone, station: card(sc.station)}
	point, err := sc.Weather.Point(ctx, sp.Latitude, sp.Longitude)
	if err != nil {
		sc.facts.Surf.Fact = sc.weatherLost(o, err)
		return
	}
	land, err := sc.landAt(ctx, sp, point.Data)
	switch {
	case err != nil:
		sc.facts.Surf.Fact = sc.lost(o, err)
		return
	case land == nil:
		sc.facts.Surf.Fact = sc.waived(o, "no land zone of the weather service lies within 10 km")
		return
	}
	o = surfOrigin(land.Office)
	bulletin, err := sc.Weather.Bulletin(ctx, "SRF", land.Office)
	if e, _ := coast.AsError(err); err != nil && e.Code == coast.ProductUnavailable {
		why := fmt.Sprintf("office %s issues no surf zone forecast at present", land.Office)
		sc.facts.Surf.Fact = sc.waived(o, why)
		return
	}
	if err != nil {
		sc.facts.Surf.Fact = sc.lost(o, err)
		return
	}
	segment, ok := bulletin.Data.Segment(land.ID)
	if !ok && point.Data.County != "" {
		segment, ok = bulletin.Data.Segment(point.Data.County)
	}
	if why := sc.surfless(bulletin.Data, bulletin.Stale, segment, ok, land); why != "" {
		sc.facts.Surf.Fact = sc.waived(o, why)
		return
	}
	source := sc.surfSource(o, bulletin.Data, segment, bulletin.ReceivedAt)
	risks := risksOf(segment, bulletin.Data.Issued, sc.zone.Location)
	sc.facts.Surf = decide.Surf{Fact: fact(source), Risks: risks}
	if len(risks) == 0 {
		sc.facts.Surf.None = fmt.Sprintf(
			"the surf zone forecast of office %s states no risk of rip currents for zone %s",
			land.Office, land.ID)
	}
}

// surfless says why a surf zone forecast does not apply to a zone: it has no
// segment for it, states no risk anywhere, or is the last of a season. Whether
// it is the last can be said of a list of now alone.
func (sc *scene) surfless(
	b nws.Bulletin, stale bool, s nws.Segment, has bool, land *MarineZone,
) string {
	states := func(s nws.Segment) bool { return len(s.Rip) > 0 }
	text := "the surf zone forecast of office " + land.Office
	switch {
	case !has:
		return text + " does not have zone " + land.ID
	case !slices.ContainsFunc(b.Segments, states):
		return text + " states no risks of rip currents"
	case !stale && !s.Expires.IsZero() && sc.now.Sub(s.Expires) > longOver:
		day := s.Expires.In(sc.zone.Location).Format("2 January 2006")
		return text + " is not issued at present; the last one expired on " + day
	}
	return ""
}

// The hours of the day for which offices state risks, by the station's clock.
const (
	surfDawn = 6
	surfDusk = 18
)

// risksOf returns the risks of rip currents in time, without gaps. A risk of
// several areas is that of the worst. Offices state risks for days: a night
// takes the higher of the days around it, and the last day lasts until midnight
// (ours). A day between others for which none is stated is unstated.
func risksOf(s nws.Segment, issued time.Time, zone *time.Location) []decide.RipRisk {
	levels := map[string]nws.Risk{}
	unread := map[string]bool{}
	for _, r := range s.Rip {
		levels[r.Period] = max(levels[r.Period], r.Level())
		unread[r.Period] = unread[r.Period] || r.Level() == nws.RiskUnstated
	}
	if len(s.Periods) == 0 && len(s.Rip) > 0 && s.Expires.After(issued) {
		level := ripLevel(levels[""], unread[""])
		return []decide.RipRisk{{From: issued, To: s.Expires, Level: level}}
	}
	var list []decide.RipRisk
	last := 0 // of those that state a risk, counted from 1
	for i, t := range s.Times(issued, zone) {
		name := s.Periods[i].Name
		level, stated := levels[name]
		if i == 0 {
			level = max(level, levels[""])
			stated = stated || levels[""] > nws.RiskUnstated
		}
		if !stated && atNight(t, zone) {
			continue
		}
		risk := decide.RipRisk{From: t.From, To: t.To, Level: ripLevel(level, unread[name])}
		list = append(list, risk)
		if stated {
			last = len(list)
		}
	}
	return joined(list[:last], zone)
}

// ripLevel is a level of the weather service as decisions have it. One of which
// a part could not be read is unstated, unless what could be read is high.
func ripLevel(level nws.Risk, unread bool) decide.RipLevel {
	if unread && level < nws.RiskHigh {
		return decide.RipUnstated
	}
	return map[nws.Risk]decide.RipLevel{
		nws.RiskLow: decide.RipLow, nws.RiskModerate: decide.RipModerate, nws.RiskHigh: decide.RipHigh,
	}[level]
}

// atNight reports whether no hour of a period is one that risks are stated for.
func atNight(t nws.Stretch, zone *time.Location) bool {
	for at := t.From; at.Before(t.To); at = at.Add(time.Hour) {
		if h := at.In(zone).Hour(); h >= surfDawn && h < surfDusk {
			return false
		}
	}
	return true
}

// joined fills the gaps between risks, and lets the last reach midnight.
func joined(list []decide.RipRisk, zone *time.Location) []decide.RipRisk {
	var out []decide.RipRisk
	for i, r := range list {
		if i > 0 && r.From.After(list[i-1].To) {
			before := list[i-1]
			night := decide.RipRisk{From: before.To, To: r.From, Level: max(before.Level, r.Level)}
			unstated := min(before.Level, r.Level) == decide.RipUnstated
			if unstated && night.Level < decide.RipHigh {
				night.Level = decide.RipUnstated
			}
			out = append(out, night)
		}
		out = append(out, r)
	}
	if n := len(out); n > 0 {
		if end := out[n-1].To.In(zone); end.Hour() == surfDusk {
			out[n-1].To = time.Date(end.Year(), end.Month(), end.Day()+1, 0, 0, 0, 0, zone).UTC()
		}
	}
	return out
}
