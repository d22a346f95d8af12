package tools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// TestSpanNotes checks that a note explains how ambiguous arguments were read.
func TestSpanNotes(t *testing.T) {
	s := newSet(t)
	for args, want := range map[string]string{
		`{"station":"8443970","begin_date":"2026-11-01 01:30","range":1}`:         "comes twice",
		`{"station":"8443970","begin_date":"2026-12-31","end_date":"2027-01-01"}`: "New Year",
		`{"station":"EPT0003","begin_date":"2026-12-31","end_date":"2027-01-01"}`: "New Year",
		`{"station":"8557863","begin_date":"2026-05-01","interval":"h"}`:          "interpolated",
	} {
		tool := "noaa_get_tide_predictions"
		if strings.Contains(args, "EPT") {
			tool = "noaa_get_current_predictions"
		}
		if notes := fmt.Sprint(get(t, s, tool, args)["notes"]); !strings.Contains(notes, want) {
			t.Errorf("%s: notes %s, want %q", args, notes, want)
		}
	}
}

// TestLatest checks that the latest value of a series is the value at the newest step.
func TestLatest(t *testing.T) {
	r := newRig(t, "", offline(t, coast.COOPS), offline(t, coast.NWS))
	s := r.Set
	r.clock.at = noon.Add(14*time.Minute + 47*time.Second)
	series := get(t, s, "noaa_get_tide_predictions",
		`{"station":"8443970","date":"latest","interval":"6","time_zone":"gmt"}`)["series"].(map[string]any)
	if series["start"] != "2026-11-20T17:12:00Z" || series["count"] != 1.0 {
		t.Errorf("latest = %v, want one value of 17:12", series)
	}
}
