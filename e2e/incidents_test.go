package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/status"
	"leadline/tools"
)

// TestStatusReports checks that the status lists the incidents and the maintenance
// of the operator.
func TestStatusReports(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	at(t, r.folder, "incidents", "create", "--title", "Slow", "--message", "NOAA answers late.",
		"--from", "2026-01-01 10:00")
	at(t, r.folder, "maintenance", "schedule", "--title", "Cable", "--message", "A new one.", "--from",
		"2099-01-01 10:00", "--until", "2099-01-01 11:00")
	var got tools.Status
	decode(t, overREST(t, r.base+"/api/developer/status"), &got)
	if len(got.Incidents) != 1 || got.Incidents[0].Title != "Slow" || got.Incidents[0].Until != nil {
		t.Errorf("the status lists the incidents %+v", got.Incidents)
	}
	if len(got.Maintenance) != 1 || got.Maintenance[0].Status != status.Scheduled ||
		got.Maintenance[0].Until == nil {
		t.Errorf("the status lists the maintenance %+v", got.Maintenance)
	}
}

// TestIncidentUpdates checks that the command line prints all updates of an incident.
func TestIncidentUpdates(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at(t, folder, "accounts", "add", "mate@example.org")
	id := strings.TrimSpace(at(t, folder, "incidents", "create", "--title", "Slow", "--message",
		"NOAA is late.\nWe wait.", "--from", "2026-01-01 10:00"))
	at(t, folder, "incidents", "update", id, "--status", "resolved", "--message", "It is back.")
	got := regexp.MustCompile(`20[2-9]\d-\d\d-\d\d \d\d:\d\d`).
		ReplaceAllString(at(t, folder, "incidents", "show", id[:8]), "TIME")
	const want = "Slow: resolved, from TIME until TIME (UTC)\n\nTIME resolved\n  It is back.\n\n" +
		"TIME investigating\n  NOAA is late.\n  We wait.\n"
	if got != want {
		t.Errorf("incidents show prints %q, want %q", got, want)
	}
	var report status.Report
	decode(t, at(t, folder, "incidents", "show", id, "--json"), &report)
	if len(report.Updates) != 2 || report.Updates[1].Message != "NOAA is late.\nWe wait." {
		t.Errorf("incidents show --json prints %+v", report)
	}
}

// TestIncidentFaults checks that errors have the value and the rule.
func TestIncidentFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at(t, folder, "accounts", "add", "mate@example.org")
	for _, test := range []refusedLine{
		{
			"incidents create --title x --message y --status resolved",
			`status must be one of investigating, identified, monitoring, not "resolved"`,
		},
		{"incidents create --title x", "missing --message"},
		{
			"incidents create --title x --message y --from tomorrow",
			`invalid --from "tomorrow": must be a time such as 2026-11-30 22:00`,
		},
		{"incidents update abc --status resolved", "at least the first 4 characters of the id"},
		{"incidents show abcd", `no id of incidents begins with "abcd"`},
		{"incidents update abcd --status resolved", `no id of incidents begins with "abcd"`},
		{
			"maintenance schedule --title x --message y --from 2099-01-01T00:00:00Z",
			"missing --until",
		},
		{
			"maintenance schedule --title x --message y --from 2020-01-01T00:00:00Z --until " +
				"2020-01-02T00:00:00Z", "2020-01-02 00:00 UTC is past",
		},
	} {
		test.in(t, folder)
	}
	if got := at(t, folder, "incidents", "list", "--json"); got != "[]\n" {
		t.Errorf("there are incidents now: %s", got)
	}
}

// TestHealthRoutes checks that /livez and /readyz are served and cost nothing, and
// that the store is a component of the status.
func TestHealthRoutes(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	for _, path := range []string{"/livez", "/readyz"} {
		for range 40 { // more than the rate limit of an address
			if got := overREST(t, r.base+path); got != `{"status":"ok"}` {
				t.Fatalf("%s returns %s", path, got)
			}
		}
	}
	var got tools.Status
	decode(t, overREST(t, r.base+"/api/developer/status"), &got)
	if !slices.ContainsFunc(got.Components, func(c status.Component) bool {
		return c.Name == status.StoreName && c.Status == status.Operational
	}) {
		t.Errorf("the status has the components %+v", got.Components)
	}
}
