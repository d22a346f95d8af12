package nws

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAlertEnd reads the end of an alert from its members, with codes in and out of their form.
func TestAlertEnd(t *testing.T) {
	const ends, expires = "2026-11-21T18:00:00-05:00", "2026-11-20T20:00:00-05:00"
	for _, row := range []struct {
		name, ends, expires string
		codes               string // action and end of each, or as they are
		want                string // UTC; empty: until further notice
	}{
		{"ends", ends, expires, "NEW 261121T2300Z", "2026-11-21T23:00Z"},
		{"open code", "", expires, "CON 000000T0000Z", ""},
		{"no code", "", expires, "", "not stated"},
		{"neither", "", "", "", "not stated"},
		{"end in the code", "", expires, "EXT 261122T0600Z", "2026-11-22T06:00Z"},
		{"two ends", "", expires, "NEW 261122T0600Z,NEW 261121T0600Z", "2026-11-22T06:00Z"},
		{"one of two open", "", expires, "NEW 261122T0600Z,NEW 000000T0000Z", ""},
		{"replaced", "", expires, "UPG 261121T0600Z,NEW 261122T0600Z", "2026-11-22T06:00Z"},
		{"cancelled", "", expires, "CAN 000000T0000Z", "not stated"},
		{"impossible end", "", expires, "CON 261322T0600Z", ""},
		{"small letters", "", expires,
			" /o.con.kbox.fl.w.0007.000000t0000z-261122t0600z/ ", "2026-11-22T06:00Z"},
		{"other form", "", expires, "/O.CON.KBOX.FL.W.7.000000T0000Z-261122T0600Z", ""},
		{"words", "", expires, "until further notice", ""},
		{"hydrology only", "", expires,
			"/CHFM3.1.ER.261120T0000Z.261121T0000Z.261122T0000Z.NO/", ""},
	} {
		quoted := func(text string) string {
			if text == "" {
				return "null"
			}
			return fmt.Sprintf("%q", text)
		}
		var codes []string
		for code := range strings.SplitSeq(row.codes, ",") {
			if action, end, ok := strings.Cut(code, " "); ok && len(action) == 3 {
				code = "/O." + action + ".KBOX.FL.W.0007.000000T0000Z-" + end + "/"
			}
			if code != "" {
				codes = append(codes, fmt.Sprintf("%q", code))
			}
		}
		body := fmt.Sprintf(`{"features":[{"properties":{"id":"a","event":"Flood Warning","sent":null,`+
			`"effective":null,"onset":null,"references":[{"identifier":"urn:none"}],"ends":%s,`+
			`"expires":%s,"parameters":{"VTEC":[%s]}}}]}`,
			quoted(row.ends), quoted(row.expires), strings.Join(codes, ","))
		got, err := readAlerts(response(body))
		if err != nil || len(got.Alerts) != 1 {
			t.Errorf("%s: %v, %v", row.name, got, err)
			continue
		}
		text := "not stated"
		if end, stated := got.Alerts[0].End(); end != nil {
			text = end.UTC().Format("2006-01-02T15:04Z")
		} else if stated {
			text = ""
		}
		if text != row.want {
			t.Errorf("%s: the end is %q, want %q", row.name, text, row.want)
		}
	}
}

// TestAlertTimes reads alerts whose times contradict each other: they are in force.
func TestAlertTimes(t *testing.T) {
	const open = "/O.NEW.KBOX.GL.W.0007.261121T0000Z-261122T0600Z/"
	const cancelled = "/O.CAN.KBOX.GL.W.0007.261121T0000Z-261122T0600Z/"
	for _, row := range []struct{ name, onset, ends, expires, code, begin, end string }{
		{"in order", "21T10", "21T18", "21T12", "", "21T10", "21T18"},
		{"end before onset", "21T10", "21T05", "21T23", "", "", "open"},
		{"end at onset", "21T10", "21T10", "21T23", "", "", "open"},
		{"code ends before onset", "23T10", "", "21T23", open, "", "open"},
		{"cancelled before onset", "23T10", "21T05", "21T23", cancelled, "23T10", "21T05"},
		{"message expires before onset", "21T10", "", "21T09", "", "21T10", "open"},
		{"message expires after onset", "21T10", "", "21T23", "", "21T10", "expires"},
	} {
		at := func(text string) *time.Time {
			if v, err := time.Parse("02T15", text); err == nil {
				v = v.AddDate(2026, 10, 0)
				return &v
			}
			return nil
		}
		a := Alert{Onset: at(row.onset), Ends: at(row.ends), Expires: at(row.expires),
			VTEC: strings.Fields(row.code)}
		var begin string
		if v := a.Begin(); v != nil {
			begin = v.Format("02T15")
		}
		end := "expires"
		if v, stated := a.End(); v != nil {
			end = v.Format("02T15")
		} else if stated {
			end = "open"
		}
		if begin != row.begin || end != row.end {
			t.Errorf("%s: %q to %q, want %q to %q", row.name, begin, end, row.begin, row.end)
		}
	}
}

// TestIdle checks which statuses of CAP 1.2 do not count, and that an unknown one does.
func TestIdle(t *testing.T) {
	for status, want := range map[string]bool{"Actual": false, "actual": false, "": false,
		"Live": false, "Exercise": true, "System": true, "Test": true, "test": true, "Draft": true} {
		if got := (Alert{Status: status}).Idle(); got != want {
			t.Errorf("%q: %t, want %t", status, got, want)
		}
	}
}

// TestPages checks that the first page of a list of alerts is not the list.
func TestPages(t *testing.T) {
	got, err := readAlerts(response(
		`{"features":[],"pagination":{"next":"https://api.weather.gov/alerts/active?cursor=a"}}`))
	if err == nil {
		t.Errorf("a first page: %v, want an error", got)
	}
}

// TestRecordedEnds checks that the codes of recorded alerts have the form that is read, and the
// ends of the alerts.
func TestRecordedEnds(t *testing.T) {
	count := 0
	for name, body := range recorded(t, ".",
		func(path string) bool { return strings.Contains(path, "alerts_active") }) {
		got, err := readAlerts(response(body))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range got.Alerts {
			for _, code := range a.VTEC {
				count++
				if end := endIn(code); end == nil || a.Ends == nil || !end.Equal(*a.Ends) {
					t.Errorf("%s: the code %s ends at %v, the alert at %v", name, code, end, a.Ends)
				}
			}
		}
	}
	if count == 0 {
		t.Error("no recorded code")
	}
}
