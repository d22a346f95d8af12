package provider

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// zoneAlert is an alert with its zone.
type zoneAlert struct {
	Alert
	zone nwsZone
}

// alertsIn returns the alerts of a zone at a time, from a setting or else the built-in ones.
func (s *settings) alertsIn(zone string, at time.Time) []zoneAlert {
	alerts, isSet := setFor(s, &s.alerts, zone)
	if !isSet {
		alerts = builtInAlerts(zone, at)
	}
	var out []zoneAlert
	for _, a := range alerts {
		if !a.Sent.After(at) && a.Expires.After(at) {
			out = append(out, zoneAlert{a, zoneOf(zone)})
		}
	}
	return out
}

// permanent are the built-in alerts. Charleston's is listed twice, because the service sometimes
// repeats an alert.
var permanent = []struct{ zones, event, code, severity, what, instruction string }{
	{
		"ANZ230 ANZ251", "Small Craft Advisory", "SC.Y", "", "Winds 15 to 20 kt with gusts up to 25 kt.",
		"Inexperienced mariners should avoid\nnavigating in hazardous conditions.",
	},
	{
		"ANZ150 ANZ152", "Gale Warning", "GL.W", "Severe", "Winds 25 to 35 kt with gusts up to 45 kt.",
		"Mariners should alter plans to avoid\nthese hazardous conditions.",
	},
	{"ANZ152", "Storm Watch", "SR.A", "Severe", "Winds 35 to 45 kt possible.", ""},
	{
		"SCZ050 SCZ050", "Coastal Flood Advisory", "CF.Y", "Minor", "Minor coastal flooding.",
		"If travel is required, allow extra time\nas some roads may be closed.",
	},
	{
		"FLZ173", "Rip Current Statement", "RP.S", "", "Dangerous rip currents.",
		"Swim near a lifeguard. Don't swim\nagainst the current.",
	},
}

// builtInAlerts returns the built-in alerts of a zone. They are renewed every six hours and never
// end. A watch is for tomorrow.
func builtInAlerts(zone string, at time.Time) (list []Alert) {
	sent := at.UTC().Truncate(6 * time.Hour)
	for _, row := range permanent {
		times := strings.Count(row.zones, zone)
		a := Alert{
			Event: row.event, Code: row.code, Severity: row.severity, Instruction: row.instruction,
			Description: "* WHAT..." + row.what + "\n\n* WHERE..." + zoneOf(zone).name +
				".\n\n* WHEN...Until further notice.",
			Sent: sent, Onset: sent, Expires: sent.Add(14 * time.Hour),
			Ends: sent.Add(30 * time.Hour),
		}
		if strings.HasSuffix(row.code, ".A") {
			a.Certainty, a.Urgency = "Possible", "Future"
			a.Onset, a.Ends = sent.Add(24*time.Hour), sent.Add(42*time.Hour)
		}
		list = append(list, slices.Repeat([]Alert{a}, times)...)
	}
	return list
}

// activeAlerts serves /alerts/active?point= and ?zone=.
func (s *weatherService) activeAlerts(r *http.Request) (reply, *problem) {
	q := r.URL.Query()
	if !q.Has("point") {
		return s.alertFeed(strings.Split(q.Get("zone"), ",")), nil
	}
	latitude, longitude, ok := readPoint(q.Get("point"))
	if !ok {
		return badParameter()
	}
	return s.alertFeed(s.alertZones(latitude, longitude)), nil
}

// alertZones returns the zones that cover a point. On land they do not include the zones of the
// water nearby.
func (a *atlas) alertZones(latitude, longitude float64) []string {
	if c, ok := a.locate(latitude, longitude); ok && c.afloat() {
		return []string{c.forecastZone()}
	} else if ok {
		return []string{c.office.Land, c.office.County}
	}
	if a.surfaceAt(latitude, longitude) == highSeas {
		_, w := centerOf(latitude, longitude)
		return []string{w.ID}
	}
	return nil
}

// alertFeed lists the alerts of some zones. Without alerts the feed was last changed two days ago:
// its time is not a measure of its age.
func (s *weatherService) alertFeed(zones []string) reply {
	var list []object
	updated := s.now().Add(-38 * time.Hour).Truncate(time.Hour).Add(128 * time.Second)
	for _, z := range zones {
		for _, a := range s.settings.alertsIn(z, s.now()) {
			if len(list) == 0 || a.Sent.After(updated) {
				updated = a.Sent
			}
			list = append(list, a.properties())
		}
	}
	return collection(list, member{"updated", stamp(updated.UTC())})
}

// urn returns the id of the alert.
func (a zoneAlert) urn() string {
	x := newUUID("alert", a.zone.id, a.Event, a.MessageType, stamp(a.Sent))
	return "urn:oid:2.49.0.1.840.0." + strings.ReplaceAll(x, "-", "") + ".001.1"
}

func (a zoneAlert) properties() object {
	zone := zoneNamed(a.zone.office.Zone)
	local := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return stamp(t.In(zone))
	}
	return object{
		{"id", a.urn()},
		{"areaDesc", a.zone.name},
		{"geocode", object{{"UGC", []string{a.zone.id}}}},
		{"references", a.references(local)},
		{"sent", local(a.Sent)},
		{"effective", local(a.Sent)},
		{"onset", local(a.Onset)},
		{"expires", local(a.Expires)},
		{"ends", local(a.Ends)},
		{"status", "Actual"},
		{"messageType", cmp.Or(a.MessageType, "Alert")},
		{"severity", cmp.Or(a.Severity, "Moderate")},
		{"certainty", cmp.Or(a.Certainty, "Likely")},
		{"urgency", cmp.Or(a.Urgency, "Expected")},
		{"event", a.Event},
		{"headline", a.headline(zone)},
		{"description", a.Description},
		{"instruction", orNull(a.Instruction)},
		{"parameters", a.parameters(zone)},
	}
}

// references lists the alerts that this one replaces.
func (a zoneAlert) references(local func(time.Time) any) []object {
	list := []object{}
	for _, r := range a.Replaces {
		id := zoneAlert{r, a.zone}.urn()
		list = append(list, object{
			{"@id", "https://api.weather.gov/alerts/" + id}, {"identifier", id},
			{"sender", "w-nws.webmaster@noaa.gov"}, {"sent", local(r.Sent)},
		})
	}
	return list
}

func (a zoneAlert) headline(zone *time.Location) string {
	const form = "January 2 at 3:04PM MST"
	text := a.Event + " issued " + a.Sent.In(zone).Format(form)
	if !a.Ends.IsZero() {
		text += " until " + a.Ends.In(zone).Format(form)
	}
	return text + " by NWS " + a.zone.office.Place
}

func (a zoneAlert) parameters(zone *time.Location) object {
	p := object{}
	if !a.Ends.IsZero() {
		headline := strings.ToUpper(a.Event) + " IN EFFECT UNTIL " + headlineTime(a.Ends.In(zone))
		p = append(p, member{"NWSheadline", []string{headline}})
	}
	if code := a.vtec(a.zone.office); code != "" {
		p = append(p, member{"VTEC", []string{code}})
	}
	return p
}

// headlineTime formats a time for a headline: 3 PM PDT SUNDAY.
func headlineTime(local time.Time) string {
	form := "304 PM MST Monday"
	if local.Minute() == 0 {
		form = "3 PM MST Monday"
	}
	return strings.ToUpper(local.Format(form))
}

// vtec returns the valid time event code, "" for an alert without a code.
func (a zoneAlert) vtec(o *office) string {
	phenomenon, significance, ok := strings.Cut(a.Code, ".")
	if !ok {
		return ""
	}
	const form = "060102T1504Z"
	begin, end, action := "000000T0000Z", "000000T0000Z", "NEW"
	if a.Onset.After(a.Sent) {
		begin = a.Onset.UTC().Format(form)
	}
	if !a.Ends.IsZero() {
		end = a.Ends.UTC().Format(form)
	}
	switch a.MessageType {
	case "Update":
		action = "CON"
	case "Cancel":
		action = "CAN"
	}
	number := 1 + scramble(a.urn())%200
	return fmt.Sprintf("/O.%s.%s.%s.%s.%04d.%s-%s/",
		action, o.Issuer, phenomenon, significance, number, begin, end)
}
