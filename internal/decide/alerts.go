package decide

import (
	"slices"
	"strings"
)

// events is the table of alerts: what an event raises, by its name and never by
// the CAP severity alone. For some activities it is an action, for the others a
// watch; plain events are information for all.
var events = []struct {
	names  []string
	action []Activity // the others watch
	plain  bool       // information for all
}{
	{names: []string{"Tsunami Warning", "Tsunami Advisory", "Hurricane Warning", "Typhoon Warning",
		"Tropical Storm Warning", "Storm Surge Warning", "Extreme Wind Warning", "Tornado Warning",
		"Severe Thunderstorm Warning", "High Wind Warning", "High Surf Warning", "Coastal Flood Warning",
		"Evacuation - Immediate", "Shelter In Place Warning", "Civil Danger Warning",
		"Hazardous Materials Warning"}, action: Activities()},
	{names: []string{"Special Marine Warning", "Gale Warning", "Storm Warning",
		"Hurricane Force Wind Warning", "Hazardous Seas Warning", "Heavy Freezing Spray Warning",
		smallCraft, "Brisk Wind Advisory"}, action: []Activity{Fishing, Boating, SurfPaddle}},
	{names: []string{"Rip Current Statement"}, action: []Activity{SurfPaddle}},
	{names: []string{"Beach Hazards Statement", "High Surf Advisory"},
		action: []Activity{SurfPaddle, Beachcombing}},
	{names: []string{"Coastal Flood Advisory", "Coastal Flood Statement", "Flood Warning"},
		action: []Activity{CoastalLiving}},
	{names: []string{"Dense Fog Advisory", "Dense Smoke Advisory", "Low Water Advisory",
		"Freezing Spray Advisory", "Wind Advisory"}},
	{names: []string{"Freeze Warning", "Freeze Watch", "Hard Freeze Warning", "Hard Freeze Watch",
		"Flash Freeze Warning", "Heat Advisory", "Excessive Heat Warning", "Excessive Heat Watch",
		"Extreme Heat Warning", "Extreme Heat Watch", "Red Flag Warning", "Air Quality Alert"}},
	// Ours: by their names alone these would be information, although a cyclone
	// or an emergency is near; an abducted child would be an action at sea.
	{names: []string{"Hurricane Local Statement", "Typhoon Local Statement",
		"Tropical Storm Local Statement", "Tropical Depression Local Statement",
		"Tropical Cyclone Local Statement", "Tropical Cyclone Statement", "Civil Emergency Message", "911 Telephone Outage", "911 Telephone Outage Emergency"}},
	{names: []string{"Child Abduction Emergency"}, plain: true},
}

// smallCraft has further forms: For Hazardous Seas, For Rough Bar, For Winds.
const smallCraft = "Small Craft Advisory"

// alertSeverity returns what an alert of a name raises for an activity. An event
// that is not in the table is an action if it ends in Warning or Emergency, a
// watch if it ends in Watch or Advisory, else information. A CAP severity of
// Severe or Extreme raises information to watch; no severity lowers anything.
func alertSeverity(event, severity string, a Activity) Severity {
	raised := eventSeverity(event, a)
	if raised == Info && graveSeverity(severity) != "" {
		return Watch
	}
	return raised
}

// graveSeverity returns a CAP severity that raises information to watch, empty
// for the others.
func graveSeverity(severity string) string {
	for _, grave := range []string{"Severe", "Extreme"} {
		if strings.EqualFold(severity, grave) {
			return grave
		}
	}
	return ""
}

// eventSeverity returns what an event raises by its name alone.
func eventSeverity(event string, a Activity) Severity {
	for _, e := range events {
		switch {
		case !slices.ContainsFunc(e.names, func(name string) bool { return named(event, name) }):
		case e.plain:
			return Info
		case slices.Contains(e.action, a):
			return Action
		default:
			return Watch
		}
	}
	words := strings.Fields(plainName(event))
	if len(words) == 0 {
		return Info
	}
	switch words[len(words)-1] {
	case "warning", "emergency":
		return Action
	case "watch", "advisory":
		return Watch
	}
	return Info
}

// named reports whether an event has a name of the table.
func named(event, name string) bool {
	event, plain := plainName(event), plainName(name)
	return event == plain || name == smallCraft && strings.HasPrefix(event, plain+" ")
}

// plainName writes a name in lower case, its letters and digits in words: the
// service writes Evacuation - Immediate and Evacuation Immediate.
func plainName(event string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(event), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), " ")
}

// grave are the beginnings of events under whose action nothing else is worth a
// good word: tropical cyclones, tsunamis, and orders to leave or to hide.
var grave = []string{"hurricane", "typhoon", "tropical storm", "storm surge", "extreme wind",
	"tsunami", "evacuation", "shelter in place", "civil danger", "hazardous materials"}

// isGrave reports whether an event is one of those.
func isGrave(event string) bool {
	event = plainName(event)
	begins := func(name string) bool { return strings.HasPrefix(event, name) }
	return slices.ContainsFunc(grave, begins)
}

// isFlood reports whether an event is about water on land: floods, and what pushes
// the sea onto it.
func isFlood(event string) bool {
	event = plainName(event)
	surges := func(name string) bool { return strings.HasPrefix(event, name) }
	return slices.Contains(strings.Fields(event), "flood") ||
		slices.ContainsFunc([]string{"storm surge", "tsunami", "hurricane", "typhoon", "tropical storm"}, surges)
}

// alerts is the code of a reason that tells several alerts; the code of one
// begins with alertPrefix.
const (
	alerts      = "alerts"
	alertPrefix = "alert_"
)

// alertCode is the code of the reason that an alert raises:
// alert_small_craft_advisory.
func alertCode(event string) string {
	return alertPrefix + strings.ReplaceAll(plainName(event), " ", "_")
}
