package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Alert is a watch, warning, advisory or statement for a zone.
type Alert struct {
	Event       string // Small Craft Advisory
	Code        string // phenomenon and significance: SC.Y; empty for none
	Severity    string // Extreme, Severe, Moderate, Minor or Unknown; Moderate if empty
	Certainty   string // Likely if empty
	Urgency     string // Expected if empty
	MessageType string // Alert, Update or Cancel; Alert if empty
	Description string
	Instruction string    // null if empty
	Sent        time.Time // before that it is not there
	Onset       time.Time // null if zero
	Expires     time.Time // from then on it is not there any more
	Ends        time.Time // null if zero
}

// posted is an alert in its zone.
type posted struct {
	Alert
	zone string
}

// board is what SetAlerts has put up, by zone.
type board struct {
	mu    sync.Mutex
	zones map[string][]Alert
}

func (b *board) set(zone string, alerts []Alert) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.zones == nil {
		b.zones = map[string][]Alert{}
	}
	b.zones[zone] = slices.Clone(alerts)
}

// in returns what stands in a zone at a time, the built-in alerts where
// nothing else has been put up.
func (b *board) in(zone string, at time.Time) []posted {
	b.mu.Lock()
	alerts, ours := b.zones[zone]
	b.mu.Unlock()
	if !ours {
		alerts = standing(zone, at)
	}
	var out []posted
	for _, a := range alerts {
		if !a.Sent.After(at) && a.Expires.After(at) {
			out = append(out, posted{a, zone})
		}
	}
	return out
}

// standing are the built-in alerts: in a few zones the weather is always bad.
// They are renewed each six hours and never end.
func standing(zone string, at time.Time) []Alert {
	sent := at.UTC().Truncate(6 * time.Hour)
	a := Alert{Sent: sent, Onset: sent, Expires: sent.Add(14 * time.Hour), Ends: sent.Add(30 * time.Hour)}
	switch zone {
	case "ANZ230", "ANZ251":
		a.Event, a.Code = "Small Craft Advisory", "SC.Y"
		a.Description = "* WHAT...Winds 15 to 20 kt with gusts up to 25 kt and rough waters.\n\n* WHERE...The coastal waters off Boston.\n\n* WHEN...Until further notice.\n\n* IMPACTS...Conditions will be hazardous to small craft."
		a.Instruction = "Inexperienced mariners, especially those operating smaller\nvessels, should avoid navigating in hazardous conditions."
	case "ANZ150", "ANZ152":
		a.Event, a.Code, a.Severity = "Gale Warning", "GL.W", "Severe"
		a.Description = "* WHAT...Winds 25 to 35 kt with gusts up to 45 kt and very rough\nseas.\n\n* WHERE...Waters off the coast of Maine.\n\n* WHEN...Until further notice.\n\n* IMPACTS...Strong winds will cause hazardous seas which could\ncapsize or damage vessels and reduce visibility."
		a.Instruction = "Mariners should alter plans to avoid these hazardous conditions.\nRemain in port, seek safe harbor, alter course, and/or secure the\nvessel for severe conditions."
		if zone == "ANZ152" {
			return []Alert{a, stormWatch(sent)}
		}
	case "SCZ050":
		a.Event, a.Code, a.Severity = "Coastal Flood Advisory", "CF.Y", "Minor"
		a.Description = "* WHAT...Minor coastal flooding.\n\n* WHERE...Charleston County.\n\n* WHEN...Around high tide.\n\n* IMPACTS...Some roads and parking lots may be flooded."
		a.Instruction = "If travel is required, allow extra time as some roads may be\nclosed."
		return []Alert{a, a}
	case "FLZ173":
		a.Event, a.Code = "Rip Current Statement", "RP.S"
		a.Description = "* WHAT...Dangerous rip currents.\n\n* WHERE...Coastal Miami-Dade County.\n\n* WHEN...Through this evening.\n\n* IMPACTS...Rip currents can sweep even the best swimmers away from\nshore into deeper water."
		a.Instruction = "Swim near a lifeguard. If caught in a rip current, relax and\nfloat. Don't swim against the current."
	default:
		return nil
	}
	return []Alert{a}
}

// stormWatch is for tomorrow.
func stormWatch(sent time.Time) Alert {
	return Alert{
		Event: "Storm Watch", Code: "SR.A", Severity: "Severe", Certainty: "Possible", Urgency: "Future",
		Description: "* WHAT...Northeast winds 35 to 45 kt with gusts up to 55 kt possible.\n\n* WHERE...Waters off the coast of Maine.\n\n* WHEN...From tomorrow through the day after.\n\n* IMPACTS...Very strong winds and very high waves could capsize or\ndamage vessels.",
		Sent:        sent, Onset: sent.Add(24 * time.Hour), Expires: sent.Add(14 * time.Hour), Ends: sent.Add(42 * time.Hour),
	}
}

// Alerts are asked for in one of these ways.
var (
	zoneCode = regexp.MustCompile(`^[A-Z]{2}[CZ][0-9]{3}$`)
	areaCode = regexp.MustCompile(`^[A-Z]{2}$`)
)

// activeAlerts answers /alerts/active?point=|zone=|area=; without any it lists all.
func (s *weatherService) activeAlerts(r *http.Request) (reply, *problem) {
	q := r.URL.Query()
	switch {
	case q.Has("point"):
		return s.pointAlerts(q.Get("point"))
	case q.Has("zone"):
		return s.alertsOf(strings.Split(q.Get("zone"), ","))
	case q.Has("area"):
		area := q.Get("area")
		if !areaCode.MatchString(area) {
			return reply{}, badRequest("area", fmt.Sprintf("%q is not a valid area", area))
		}
		return s.alertFeed(s.zonesWith(area), area), nil
	}
	return s.alertFeed(s.zonesWith(""), "the United States"), nil
}

func (s *weatherService) zoneAlerts(r *http.Request) (reply, *problem) {
	return s.alertsOf([]string{r.PathValue("zone")})
}

// pointAlerts are those of the zones that cover a point: on land not those of
// the water beside it.
func (s *weatherService) pointAlerts(text string) (reply, *problem) {
	latitude, longitude, ok := readPoint(text)
	if !ok {
		return reply{}, badRequest("point", fmt.Sprintf("%q does not appear to be a valid coordinate", text))
	}
	title := compass(latitude, "N", "S") + ", " + compass(longitude, "E", "W")
	var zones []string
	if c, ok := s.locate(latitude, longitude); ok && c.afloat() {
		zones = []string{c.forecastZone()}
	} else if ok {
		zones = []string{c.office.land, c.office.county}
	} else if s.surface(latitude, longitude) == gridless {
		_, zone := nearestCentre(latitude, longitude)
		zones = []string{zone.id}
	}
	return s.alertFeed(zones, title), nil
}

// compass writes a coordinate as titles do: 74.006 W.
func compass(degrees float64, positive, negative string) string {
	if degrees < 0 {
		return decimal(-degrees) + " " + negative
	}
	return decimal(degrees) + " " + positive
}

func (s *weatherService) alertsOf(zones []string) (reply, *problem) {
	var titles []string
	for _, z := range zones {
		if !zoneCode.MatchString(z) {
			return reply{}, badRequest("zone", fmt.Sprintf("%q is not a valid zone", z))
		}
		_, name := zoneName(z)
		titles = append(titles, name+" ("+z+")")
	}
	return s.alertFeed(zones, strings.Join(titles, ", ")), nil
}

// zonesWith returns the zones of the tables whose codes begin with prefix.
func (s *weatherService) zonesWith(prefix string) []string {
	var zones []string
	for _, z := range zoneList() {
		if strings.HasPrefix(z.id, prefix) && !slices.Contains(zones, z.id) {
			zones = append(zones, z.id)
		}
	}
	return zones
}

// alertFeed lists what stands in zones. Where nothing does, the feed says that
// it was last changed two days ago: its time is no measure of its age.
func (s *weatherService) alertFeed(zones []string, where string) reply {
	features, updated := []object{}, s.now().Add(-38*time.Hour).Truncate(time.Hour).Add(128*time.Second)
	var latest time.Time
	for _, z := range zones {
		for _, a := range s.board.in(z, s.now()) {
			features = append(features, a.feature())
			if a.Sent.After(latest) {
				latest = a.Sent
			}
		}
	}
	context := any(object{{"@version", "1.1"}})
	if len(features) > 0 {
		context, updated = ldContext(`"@version":"1.1","wx":"https://api.weather.gov/ontology#","@vocab":"https://api.weather.gov/ontology#"`), latest
	}
	return reply{
		body: object{
			{"@context", context},
			{"type", "FeatureCollection"},
			{"features", features},
			{"title", "Current watches, warnings, and advisories for " + where},
			{"updated", stamp(updated.UTC())},
		},
		age: 30 * time.Second, shared: 30 * time.Second,
	}
}

func (a posted) id() string {
	x := newUUID("alert", a.zone, a.Event, a.MessageType, stamp(a.Sent))
	return "urn:oid:2.49.0.1.840.0." + strings.ReplaceAll(x, "-", "") + ".001.1"
}

func (a posted) feature() object {
	url := api + "/alerts/" + a.id()
	return object{
		{"id", url},
		{"type", "Feature"},
		{"geometry", nil},
		{"properties", append(object{{"@id", url}, {"@type", "wx:Alert"}, {"id", a.id()}}, a.properties()...)},
	}
}

func (a posted) properties() object {
	o, name := zoneName(a.zone)
	zone := location(o.zone)
	local := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return stamp(t.In(zone))
	}
	sender := "NWS " + o.place
	return object{
		{"areaDesc", name},
		{"geocode", object{{"SAME", []string{sameCode(a.zone)}}, {"UGC", []string{a.zone}}}},
		{"affectedZones", []string{api + "/zones/" + zoneFolder(a.zone) + "/" + a.zone}},
		{"references", []string{}},
		{"sent", local(a.Sent)},
		{"effective", local(a.Sent)},
		{"onset", local(a.Onset)},
		{"expires", local(a.Expires)},
		{"ends", local(a.Ends)},
		{"status", "Actual"},
		{"messageType", or(a.MessageType, "Alert")},
		{"category", "Met"},
		{"severity", or(a.Severity, "Moderate")},
		{"certainty", or(a.Certainty, "Likely")},
		{"urgency", or(a.Urgency, "Expected")},
		{"event", a.Event},
		{"sender", "w-nws.webmaster@noaa.gov"},
		{"senderName", sender},
		{"headline", a.headline(zone, sender)},
		{"description", a.Description},
		{"instruction", orNull(a.Instruction)},
		{"response", "Avoid"},
		{"parameters", a.parameters(o, zone)},
		{"scope", "Public"},
		{"code", "IPAWSv1.0"},
		{"language", "en-US"},
		{"web", "http://www.weather.gov"},
		{"eventCode", object{{"SAME", []string{"NWS"}}, {"NationalWeatherService", []string{strings.ReplaceAll(a.Code, ".", "")}}}},
	}
}

func or(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}

// sameCode is the place of a zone in the codes of the radio network.
func sameCode(zone string) string { return fmt.Sprintf("%06d", 70000+scramble(zone)%9000) }

func (a posted) headline(zone *time.Location, sender string) string {
	const form = "January 2 at 3:04PM MST"
	text := a.Event + " issued " + a.Sent.In(zone).Format(form)
	if !a.Ends.IsZero() {
		text += " until " + a.Ends.In(zone).Format(form)
	}
	return text + " by " + sender
}

func (a posted) parameters(o *office, zone *time.Location) object {
	p := object{{"AWIPSidentifier", []string{"MWW" + o.id}}, {"WMOidentifier", []string{"WHUS71 " + o.issuer + " " + a.Sent.UTC().Format("021504")}}}
	if !a.Ends.IsZero() {
		p = append(p, member{"NWSheadline", []string{strings.ToUpper(a.Event) + " IN EFFECT UNTIL " + until(a.Ends.In(zone))}})
	}
	p = append(p, member{"BLOCKCHANNEL", []string{"EAS", "NWEM", "CMAS"}})
	if code := a.vtec(o); code != "" {
		p = append(p, member{"VTEC", []string{code}})
	}
	if !a.Ends.IsZero() {
		p = append(p, member{"eventEndingTime", []string{stamp(a.Ends.In(zone))}})
	}
	return p
}

// vtec is the valid time event code, empty where the alert has no code.
func (a posted) vtec(o *office) string {
	phenomenon, significance, ok := strings.Cut(a.Code, ".")
	if !ok {
		return ""
	}
	const form = "060102T1504Z"
	begin, end := "000000T0000Z", "000000T0000Z"
	if a.Onset.After(a.Sent) {
		begin = a.Onset.UTC().Format(form)
	}
	if !a.Ends.IsZero() {
		end = a.Ends.UTC().Format(form)
	}
	action := map[string]string{"Update": "CON", "Cancel": "CAN"}[a.MessageType]
	return fmt.Sprintf("/O.%s.%s.%s.%s.%04d.%s-%s/", or(action, "NEW"), o.issuer, phenomenon, significance, 1+scramble(a.id())%200, begin, end)
}

// hazards are the codes of the alerts of a cell's zone, each from its onset
// to its end, as the grid has them.
func (s *weatherService) hazards(c cell, start time.Time, hours int) []object {
	alerts := s.board.in(c.forecastZone(), s.now())
	return merged(start, hours, func(i int) string {
		at := start.Add(time.Duration(i) * time.Hour)
		var codes []string
		for _, a := range alerts {
			phenomenon, significance, ok := strings.Cut(a.Code, ".")
			code := fmt.Sprintf(`{"phenomenon":%q,"significance":%q,"event_number":null}`, phenomenon, significance)
			if ok && !a.Onset.After(at) && at.Before(a.end()) && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
		return "[" + strings.Join(codes, ",") + "]"
	})
}

// end is when the event is over, as far as is known.
func (a Alert) end() time.Time {
	if a.Ends.IsZero() {
		return a.Expires
	}
	return a.Ends
}
