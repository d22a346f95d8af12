package planning

import (
	"context"
	"fmt"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/decide"
	"leadline/internal/facts"
	"leadline/internal/nws"
)

// maxSurfExpired is the time after its expiry from which a surf zone forecast counts as the last
// of its season (ours): offices issue one each day during the season.
const maxSurfExpired = facts.Day

// surf requests the surf zone forecast of the station's land zone. If the office issues
// none, or none for the zone, the fact does not apply.
func (d *Inputs) surf(ctx context.Context) {
	o := facts.SurfOrigin("")
	at := d.place()
	point, err := d.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		d.facts.Surf.Fact = d.weatherLost(o, err)
		return
	}
	land, err := d.LandAt(ctx, at, point.Data)
	switch {
	case err != nil:
		d.facts.Surf.Fact = d.lost(o, err)
		return
	case land == nil:
		d.facts.Surf.Fact = d.waived(o, "no land zone of the weather service lies within 10 km")
		return
	}
	o = facts.SurfOrigin(land.Office)
	bulletin, err := d.Weather.Bulletin(ctx, "SRF", land.Office)
	if e, _ := coast.AsError(err); err != nil && e.Code == coast.ProductUnavailable {
		why := fmt.Sprintf("office %s issues no surf zone forecast at present", land.Office)
		d.facts.Surf.Fact = d.waived(o, why)
		return
	}
	if err != nil {
		d.facts.Surf.Fact = d.lost(o, err)
		return
	}
	segment, ok := bulletin.Data.Segment(land.ID)
	if !ok && point.Data.County != "" {
		segment, ok = bulletin.Data.Segment(point.Data.County)
	}
	if why := d.noSurf(bulletin.Data, bulletin.Stale, segment, ok, land); why != "" {
		d.facts.Surf.Fact = d.waived(o, why)
		return
	}
	source := d.Bulletin(o, facts.SurfLifetime, bulletin.Data, segment, bulletin.ReceivedAt)
	risks := risksOf(segment, bulletin.Data.Issued, d.Zone.Location)
	d.facts.Surf = decide.Surf{Fact: fact(source), Risks: risks}
	if len(risks) == 0 {
		d.facts.Surf.None = fmt.Sprintf(
			"the surf zone forecast of office %s states no risk of rip currents for zone %s",
			land.Office, land.ID)
	}
}

// noSurf returns why a surf zone forecast does not apply to a zone: it has no segment for
// it, states no risk anywhere, or is the last of a season. Only a current list shows
// whether it is the last.
func (d *Inputs) noSurf(
	b nws.Bulletin, stale bool, s nws.Segment, has bool, land *facts.MarineZone,
) string {
	states := func(s nws.Segment) bool { return len(s.Rip) > 0 }
	text := "the surf zone forecast of office " + land.Office
	switch {
	case !has:
		return text + " does not have zone " + land.ID
	case !slices.ContainsFunc(b.Segments, states):
		return text + " states no risks of rip currents"
	case !stale && !s.Expires.IsZero() && d.Now.Sub(s.Expires) > maxSurfExpired:
		day := s.Expires.In(d.Zone.Location).Format("2 January 2006")
		return text + " is not issued at present; the last one expired on " + day
	}
	return ""
}

// The hours of the day for which offices state risks, by the station's clock.
const (
	surfDawn = 6
	surfDusk = 18
)

// risksOf returns the risks of rip currents in time, without gaps. If several areas have a risk,
// the worst counts. Offices state risks for days: a night gets the higher risk of the days around
// it, and the last day lasts until midnight (ours). A day without a risk between others is
// unstated.
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
	last := 0 // index of the last period that states a risk, counted from 1
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
	return joinRisks(list[:last], zone)
}

// ripLevel converts a level of the weather service to a level of decisions. If a part of it could
// not be read, the level is unstated, unless the readable part is high.
func ripLevel(level nws.Risk, unread bool) decide.RipLevel {
	if unread && level < nws.RiskHigh {
		return decide.RipUnstated
	}
	return map[nws.Risk]decide.RipLevel{
		nws.RiskLow: decide.RipLow, nws.RiskModerate: decide.RipModerate, nws.RiskHigh: decide.RipHigh,
	}[level]
}

// atNight reports whether risks are stated for no hour of a period.
func atNight(t nws.Stretch, zone *time.Location) bool {
	for at := t.From; at.Before(t.To); at = at.Add(time.Hour) {
		if h := at.In(zone).Hour(); h >= surfDawn && h < surfDusk {
			return false
		}
	}
	return true
}

// joinRisks fills the gaps between risks, and extends the last to midnight.
func joinRisks(list []decide.RipRisk, zone *time.Location) []decide.RipRisk {
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
