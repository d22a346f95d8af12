package decide

import "strings"

// events say what an alert raises, by its name and never by its severity
// field: for all; for some an action and for the others watch.
var events = []struct {
	names  []string
	action []Activity // the others watch
}{
	{[]string{"Tsunami Warning", "Tsunami Advisory", "Hurricane Warning", "Typhoon Warning", "Tropical Storm Warning", "Storm Surge Warning", "Extreme Wind Warning",
		"Tornado Warning", "Severe Thunderstorm Warning", "High Wind Warning", "High Surf Warning", "Coastal Flood Warning"}, Activities()},
	{[]string{"Special Marine Warning", "Gale Warning", "Storm Warning", "Hurricane Force Wind Warning", "Hazardous Seas Warning", "Heavy Freezing Spray Warning",
		smallCraft, "Brisk Wind Advisory"}, []Activity{Fishing, Boating, SurfPaddle}},
	{[]string{"Rip Current Statement", "High Surf Advisory"}, []Activity{SurfPaddle}},
	{[]string{"Beach Hazards Statement"}, []Activity{SurfPaddle, Beachcombing}},
	{[]string{"Coastal Flood Advisory", "Coastal Flood Statement"}, []Activity{CoastalLiving}},
	{[]string{"Dense Fog Advisory", "Low Water Advisory"}, nil},
}

// smallCraft has further forms: For Hazardous Seas, For Rough Bar, For Winds.
const smallCraft = "Small Craft Advisory"

// alertSeverity is what an alert of a name raises. A watch of one of the
// events is a watch; of what the table does not name warnings are watches and
// the rest information: none is dropped.
func alertSeverity(event string, a Activity) Severity {
	event = strings.Join(strings.Fields(strings.ToLower(event)), " ")
	for _, e := range events {
		for _, name := range e.names {
			if !named(event, name) {
				continue
			}
			for _, activity := range e.action {
				if activity == a {
					return Action
				}
			}
			return Watch
		}
	}
	if of, ok := strings.CutSuffix(event, " watch"); ok && (known(of+" warning") || known(of+" advisory")) {
		return Watch
	}
	if strings.HasSuffix(event, " warning") {
		return Watch
	}
	return Info
}

// named reports whether an event in lower case has the name.
func named(event, name string) bool {
	name = strings.ToLower(name)
	return event == name || name == strings.ToLower(smallCraft) && strings.HasPrefix(event, name+" ")
}

func known(event string) bool {
	for _, e := range events {
		for _, name := range e.names {
			if named(event, name) {
				return true
			}
		}
	}
	return false
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
	words := strings.FieldsFunc(strings.ToLower(event), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return alertPrefix + strings.Join(words, "_")
}
