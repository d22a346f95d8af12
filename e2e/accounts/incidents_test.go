package accounts

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/status"
	"leadline/tools"
)

// TestStatusReports checks that the status lists the incidents and the maintenance
// of the operator.
func TestStatusReports(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	product.At(
		t,
		r.Folder,
		"incidents",
		"create",
		"--title",
		"Slow",
		"--message",
		"NOAA answers late.",
		"--from",
		"2026-01-01 10:00",
	)
	product.At(
		t,
		r.Folder,
		"maintenance",
		"schedule",
		"--title",
		"Cable",
		"--message",
		"A new one.",
		"--from",
		"2099-01-01 10:00",
		"--until",
		"2099-01-01 11:00",
	)
	var got tools.Status
	product.Decode(t, product.OverREST(t, r.Base+"/api/developer/status"), &got)
	if len(got.Incidents) != 1 || got.Incidents[0].Title != "Slow" ||
		got.Incidents[0].Until != nil {
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
	product.At(t, folder, "accounts", "add", "mate@example.org")
	id := strings.TrimSpace(
		product.At(t, folder, "incidents", "create", "--title", "Slow", "--message",
			"NOAA is late.\nWe wait.", "--from", "2026-01-01 10:00"),
	)
	product.At(
		t,
		folder,
		"incidents",
		"update",
		id,
		"--status",
		"resolved",
		"--message",
		"It is back.",
	)
	got := regexp.MustCompile(`20[2-9]\d-\d\d-\d\d \d\d:\d\d`).
		ReplaceAllString(product.At(t, folder, "incidents", "show", id[:8]), "TIME")
	const want = "Slow: resolved, from TIME until TIME (UTC)\n\nTIME resolved\n  It is back.\n\n" +
		"TIME investigating\n  NOAA is late.\n  We wait.\n"
	if got != want {
		t.Errorf("incidents show prints %q, want %q", got, want)
	}
	var report status.Report
	product.Decode(t, product.At(t, folder, "incidents", "show", id, "--json"), &report)
	if len(report.Updates) != 2 || report.Updates[1].Message != "NOAA is late.\nWe wait." {
		t.Errorf("incidents show --json prints %+v", report)
	}
}

// TestIncidentFaults checks that errors have the value and the rule.
func TestIncidentFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
	for _, test := range []product.RefusedLine{
		{
			Line: "incidents create --title x --message y --status resolved",
			Says: `status must be one of investigating, identified, monitoring, not "resolved"`,
		},
		{Line: "incidents create --title x", Says: "missing --message"},
		{
			Line: "incidents create --title x --message y --from tomorrow",
			Says: `invalid --from "tomorrow": must be a time such as 2026-11-30 22:00`,
		},
		{
			Line: "incidents update abc --status resolved",
			Says: "at least the first 4 characters of the id",
		},
		{Line: "incidents show abcd", Says: `no id of incidents begins with "abcd"`},
		{Line: "incidents update abcd --status resolved", Says: `no id of incidents begins with "abcd"`},
		{
			Line: "maintenance schedule --title x --message y --from 2099-01-01T00:00:00Z",
			Says: "missing --until",
		},
		{
			Line: "maintenance schedule --title x --message y --from 2020-01-01T00:00:00Z --until " +
				"2020-01-02T00:00:00Z", Says: "2020-01-02 00:00 UTC is past",
		},
	} {
		test.In(t, folder)
	}
	if got := product.At(t, folder, "incidents", "list", "--json"); got != "[]\n" {
		t.Errorf("there are incidents now: %s", got)
	}
}

// TestHealthRoutes checks that /livez and /readyz are served and cost nothing, and
// that the store is a component of the status.
func TestHealthRoutes(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	for _, path := range []string{"/livez", "/readyz"} {
		for range 40 { // more than the rate limit of an address
			if got := product.OverREST(t, r.Base+path); got != `{"status":"ok"}` {
				t.Fatalf("%s returns %s", path, got)
			}
		}
	}
	var got tools.Status
	product.Decode(t, product.OverREST(t, r.Base+"/api/developer/status"), &got)
	if !slices.ContainsFunc(got.Components, func(c status.Component) bool {
		return c.Name == status.StoreName && c.Status == status.Operational
	}) {
		t.Errorf("the status has the components %+v", got.Components)
	}
}
