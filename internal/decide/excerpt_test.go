package decide

import (
	"strings"
	"testing"
	"time"
)

// TestExcerpt checks the fields: reasons at watch and action in full, information by its code.
func TestExcerpt(t *testing.T) {
	f := warned(blown(quiet()), "Gale Warning")
	f.Zone = zones[1]
	f.Tide.Heights.atNoon(-0.5)
	d := Decide(asked(Boating), f)
	d.EvaluatedAt = d.EvaluatedAt.Add(123 * time.Millisecond)
	want := `{"decisionId":"018f0000-0000-7000-8000-000000000000","state":"action-needed",` +
		`"confidence":"high","headline":` + string(encode(d.Headline)) + `,` +
		`"evaluatedAt":"2026-07-09T11:00:00Z","requestedFor":"2026-07-09T12:00:00Z","reasons":[` +
		strings.Join([]string{
			`{"code":"alert_gale_warning","severity":"action","message":` +
				string(encode(d.Reasons[0].Message)) +
				`,"sourceId":"marine-alerts","stationId":"8443970","at":"2026-07-09T12:00:00Z"}`,
			`{"code":"wind","severity":"watch","message":` + string(encode(d.Reasons[1].Message)) +
				`,"sourceId":"wind-forecast","stationId":"8443970","value":16,"unit":"kn",` +
				`"threshold":15,"margin":1,"at":"2026-07-09T12:00:00Z"}`,
			`{"code":"low_water","severity":"info"}`,
		}, ",") + `],"missingInputs":[]}`
	if got := string(encode(d.excerpt(16 << 10))); got != want {
		t.Errorf("excerpt %s\nwant %s", got, want)
	}
}

// TestExcerptSize fits the worst decision of each activity into fewer and fewer bytes. No
// reason is left out, and alerts are in full as long as another reason is.
func TestExcerptSize(t *testing.T) {
	for _, a := range Activities() {
		d := Decide(asked(a), worstOfAll(""))
		whole := d.excerpt(1 << 20)
		for most := len(encode(whole)); most >= leastExcerpt; most -= 500 {
			x := d.excerpt(most)
			if got := len(encode(x)); got > most {
				t.Errorf("%s: %d bytes, want %d at most", a, got, most)
			}
			for i, r := range x.Reasons {
				if w := whole.Reasons[i]; r.Code != w.Code || r.Severity != w.Severity {
					t.Errorf("%s, %d bytes: reason %d is %s, want %s", a, most, i, r.Code, w.Code)
				}
			}
			others, alerts := texts(x)
			if _, all := texts(whole); others > 0 && alerts < all {
				t.Errorf("%s, %d bytes: an alert by its code before other reasons", a, most)
			}
		}
		if got := len(encode(d.excerpt(0))); got > leastExcerpt {
			t.Errorf("%s: the shortest excerpt has %d bytes, want %d at most", a, got, leastExcerpt)
		}
	}
}

// texts returns the lengths of the messages of alerts and of other reasons.
func texts(x Excerpt) (others, alerts int) {
	for _, r := range x.Reasons {
		if strings.HasPrefix(r.Code, alertPrefix) {
			alerts += len(r.Message)
		} else {
			others += len(r.Message)
		}
	}
	return others, alerts
}

// worstOfAll returns facts that reach every limit, with four alerts of each severity whose
// names are as long as providers may make them.
func worstOfAll(prefix string) *Facts {
	f := everythingBad()
	f.Alerts.List = nil
	for i := range 12 {
		name := prefix + strings.Repeat("<&>", 40) + strings.Repeat("long ", 20) + string(rune('a'+i))
		kind := []string{" Warning", " Watch", " Outlook"}[i/4]
		f.Alerts.List = append(f.Alerts.List, Alert{Event: name + kind})
	}
	return f
}
