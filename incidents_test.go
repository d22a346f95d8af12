package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/store"
	"leadline/store/bolt"
	"leadline/tools"
)

// TestWhatIsTold: open faults, and what was over for less than a day, the
// newest first; maintenance to come, too.
func TestWhatIsTold(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), storeFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &desk{keep: &keep{store: s}, now: noon}
	ago := func(hours int) time.Time { return noon().Add(-time.Duration(hours) * time.Hour) }
	for i, put := range []store.Incident{
		{Title: "open for long", Status: monitoring, From: ago(900)},
		{Title: "resolved lately", Status: resolved, From: ago(30), Until: ago(23)},
		{Title: "resolved a day ago", Status: resolved, From: ago(30), Until: ago(24)},
		{Title: "open", Status: investigating, From: ago(1)},
		{Title: "to come", Status: scheduled, From: ago(-900), Until: ago(-901), Maintenance: true},
		{Title: "goes on", Status: inProgress, From: ago(90), Until: ago(80), Maintenance: true}, // longer than planned
		{Title: "ended as planned", Status: scheduled, From: ago(10), Until: ago(9), Maintenance: true},
		{Title: "ended long ago", Status: scheduled, From: ago(50), Until: ago(49), Maintenance: true},
		{Title: "completed lately", Status: completed, From: ago(12), Until: ago(2), Maintenance: true},
		{Title: "completed long ago", Status: completed, From: ago(99), Until: ago(98), Maintenance: true},
		{Title: "called off", Status: cancelled, From: ago(-90), Until: ago(-91), Updated: ago(3), Maintenance: true},
		{Title: "called off long ago", Status: cancelled, From: ago(-90), Until: ago(-91), Updated: ago(25), Maintenance: true},
	} {
		put.ID = fmt.Sprint(i)
		if err := s.PutIncident(t.Context(), put); err != nil {
			t.Fatal(err)
		}
	}
	told, err := d.told(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range append(told.Incidents, told.Maintenance...) {
		got = append(got, i.Title)
	}
	want := []string{"open", "resolved lately", "open for long", "to come", "called off", "ended as planned", "completed lately", "goes on"}
	if !slices.Equal(got, want) {
		t.Errorf("told are %q, want %q", got, want)
	}
}

// TestUpdates: how a state changes the times of what is told.
func TestUpdates(t *testing.T) {
	hour := func(n int) time.Time { return noon().Add(time.Duration(n) * time.Hour) }
	was := store.Incident{Title: "Title", Message: "Message.", Status: scheduled, From: hour(-1), Until: hour(1), Maintenance: true}
	tests := []struct {
		change bulletin
		from   time.Time
		until  time.Time // zero: refused
	}{
		{bulletin{status: inProgress}, hour(-1), hour(1)},
		{bulletin{status: completed}, hour(-1), hour(0)},
		{bulletin{status: cancelled}, hour(-1), hour(1)},
		{bulletin{status: completed, from: hour(2).Format(time.RFC3339)}, hour(2), time.Time{}},
		{bulletin{until: hour(-2).Format(time.RFC3339)}, hour(-1), time.Time{}},
		{bulletin{status: "done"}, hour(-1), time.Time{}},
	}
	for _, test := range tests {
		i := was
		err := test.change.proceeds(&i, noon())
		if refused := test.until.IsZero(); refused != (err != nil) || !refused && (!i.From.Equal(test.from) || !i.Until.Equal(test.until)) {
			t.Errorf("%+v makes it %+v, %v; want %v to %v", test.change, i, err, test.from, test.until)
		}
	}
	ended := store.Incident{Title: "Title", Message: "Message.", Status: resolved, From: hour(-9), Until: hour(-5)}
	for status, want := range map[string]time.Time{resolved: hour(-5), monitoring: {}} {
		i, change := ended, bulletin{status: status}
		if err := change.goesOn(&i, noon()); err != nil || !i.Until.Equal(want) {
			t.Errorf("%s after resolved ends at %v, %v; want %v", status, i.Until, err, want)
		}
	}
}

// TestLegible: what terminals would obey is refused.
func TestLegible(t *testing.T) {
	for text, want := range map[string]bool{
		"Tides at Boston": true, "naïve ☂": true, strings.Repeat("é", 120): true,
		"": false, "  ": false, strings.Repeat("é", 121): false, "a\x1b[2J": false, "a\nb": false, "\xff": false,
	} {
		if err := legible("title", text, 120, ""); (err == nil) != want {
			t.Errorf("legible(%q) = %v", text, err)
		}
	}
	if err := legible("message", "a\nb", 2000, "\n"); err != nil {
		t.Error(err)
	}
}

// TestBulletinByPrefix: the beginning of an id names one, or says of which.
func TestBulletinByPrefix(t *testing.T) {
	s, err := bolt.Open(filepath.Join(t.TempDir(), storeFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := &desk{keep: &keep{store: s}, now: noon}
	for _, i := range []store.Incident{
		{ID: "abcd1111-", Title: "one"}, {ID: "abcd2222-", Title: "two"}, {ID: "abcd1112-", Title: "works", Maintenance: true},
	} {
		if err := s.PutIncident(t.Context(), i); err != nil {
			t.Fatal(err)
		}
	}
	if i, err := d.bulletin(t.Context(), "ABCD1", false); err != nil || i.Title != "one" {
		t.Errorf("ABCD1 is %+v, %v", i, err)
	}
	if _, err := d.bulletin(t.Context(), "abcd", false); err == nil || !strings.Contains(err.Error(), "abcd1111- (one)") || !strings.Contains(err.Error(), "abcd2222- (two)") {
		t.Errorf("abcd: %v", err)
	}
	if err := d.update(t.Context(), "abcd1", true, streams{out: io.Discard, err: io.Discard}, func(i *store.Incident, _ time.Time) error {
		i.Message = "Late."
		return nil
	}); err != nil {
		t.Error(err)
	}
	if i, err := s.Incident(t.Context(), "abcd1112-"); err != nil || i.Message != "Late." || !i.Updated.Equal(noon()) {
		t.Errorf("after its update it is %+v, %v", i, err)
	}
}

// TestStatusTells: what the operator announces stands in the status.
func TestStatusTells(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	at(t, r.folder, "incidents", "create", "-title", "Slow", "-message", "NOAA answers late.", "-from", "2026-01-01 10:00")
	at(t, r.folder, "maintenance", "schedule", "-title", "Cable", "-message", "A new one.", "-from", "2099-01-01 10:00", "-until", "2099-01-01 11:00")
	var got tools.Status
	decode(t, overREST(t, r.base+"/api/developer/status"), &got)
	if len(got.Incidents) != 1 || got.Incidents[0].Title != "Slow" || got.Incidents[0].Until != nil {
		t.Errorf("the status tells of the faults %+v", got.Incidents)
	}
	if len(got.Maintenance) != 1 || got.Maintenance[0].Status != scheduled || got.Maintenance[0].Until == nil {
		t.Errorf("the status tells of the maintenance %+v", got.Maintenance)
	}
}

// TestIncidentFaults: an error says what was wrong, what the rule is and what
// to do.
func TestIncidentFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at(t, folder, "accounts", "add", "mate@example.org")
	for _, test := range []refusedLine{
		{"incidents create -title x -message y -status resolved", `-status must be one of investigating, identified, monitoring, not "resolved"`},
		{"incidents create -title x", "-message must have 1 to 2000 characters"},
		{"incidents create -title x -message y -from tomorrow", "-from must be a time as 2026-11-30 22:00, in UTC, or RFC 3339"},
		{"incidents update abc -status resolved", "by at least 4 of its first characters"},
		{"incidents update abcd -status resolved", `no id begins with "abcd"`},
		{"maintenance schedule -title x -message y -from 2099-01-01T00:00:00Z", "needs -from and a later -until"},
		{"maintenance schedule -title x -message y -from 2020-01-01T00:00:00Z -until 2020-01-02T00:00:00Z", "2020-01-02 00:00 UTC is past"},
	} {
		test.in(t, folder)
	}
	if got := at(t, folder, "incidents", "list", "-json"); got != "[]\n" {
		t.Errorf("there are incidents now: %s", got)
	}
}
