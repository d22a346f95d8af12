package provider

import (
	"strconv"
	"time"
)

// bulletin is one issue of a text.
type bulletin struct {
	kind    string
	office  *office
	issued  time.Time // UTC
	edition int       // of the settings, 0 without any: the text of an id never changes
}

// bulletinNames are the names of the texts by kind.
var bulletinNames = map[string]string{
	"CWF": "Coastal Waters Forecast",
	"SRF": "Surf Zone Forecast",
	"NSH": "Nearshore Marine Forecast",
	"GLF": "Great Lakes Forecast",
	"OFF": "Offshore Waters Forecast",
}

// Texts are issued every six hours and listed for seven days.
const (
	issueEvery   = 6 * time.Hour
	issuesListed = 28
)

// writes reports whether an office writes a kind of text.
func (o *office) writes(kind string) bool {
	switch kind {
	case "CWF":
		return o.ocean()
	case "SRF":
		return o.ocean() && !o.writesFor("PK") // none in Alaska
	case "NSH", "GLF":
		return o.onLakes()
	case "OFF":
		return o.GridID == ""
	}
	return false
}

// covers reports whether a kind of text has a segment for a zone. GLF covers the open lakes, NSH
// the waters along their shores.
func (w *marineZone) covers(kind string) bool {
	return !(kind == "GLF" && w.Exposure == bay || kind == "NSH" && w.Exposure == openSea)
}

// bulletins returns the issues of a kind of text, newest first; none if the office does not write
// it.
func (n *bulletinWriter) bulletins(kind string, o *office) []bulletin {
	if o == nil || !o.writes(kind) {
		return nil
	}
	surf, _ := setFor(n.settings, &n.settings.surfs, o.Land)
	if kind == "SRF" && surf.None {
		return nil
	}
	shift := time.Duration(scramble(kind, o.ID)%360) * time.Minute
	newest := n.now().Add(-shift).Truncate(issueEvery).Add(shift).UTC()
	if set := n.issuedBySetting(kind, o, surf); !set.IsZero() {
		newest = set
	}
	list := make([]bulletin, issuesListed)
	for i := range list {
		list[i] = bulletin{kind, o, newest.Add(-time.Duration(i) * issueEvery), n.settings.textEdition()}
	}
	return list
}

// issuedBySetting returns the latest time of issue in the settings of an office's zones, zero
// without any. The surf forecast covers the land zone.
func (n *bulletinWriter) issuedBySetting(kind string, o *office, surf Surf) time.Time {
	if kind == "SRF" {
		return surf.Issued.UTC()
	}
	var issued time.Time
	for _, w := range o.Waters {
		if text, _ := setFor(n.settings, &n.settings.texts, w.ID); text.Issued.After(issued) {
			issued = text.Issued.UTC()
		}
	}
	return issued
}

// uuid returns the id of the issue, which is always the same.
func (b bulletin) uuid() string {
	parts := []string{"bulletin", b.kind, b.office.ID, stamp(b.issued)}
	if b.edition > 0 {
		parts = append(parts, strconv.Itoa(b.edition))
	}
	return newUUID(parts...)
}
