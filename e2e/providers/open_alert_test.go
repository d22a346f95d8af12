package providers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/decide"
	"leadline/internal/simulator/provider"
)

// TestOpenAlert checks an alert without an end whose message expires before the day that is asked
// about. It counts without an end, and every front end says so. Without a code the event ends with
// its message.
func TestOpenAlert(t *testing.T) {
	sim, root := product.Simulate(t, product.Noon)
	noon := product.Noon()
	message := provider.Alert{Event: "Flood Warning", Sent: noon.Add(-3 * time.Hour),
		Onset: noon.Add(-2 * time.Hour), Expires: noon.Add(4 * time.Hour), Description: "High water."}
	open := message
	open.Code = "FL.W"
	statement := message
	statement.Event = "Tropical Cyclone Statement"
	sim.SetAlerts("MAZ015", open, statement)
	p := product.Setup{Root: root, Now: product.Noon, Deadline: time.Minute,
		Patience: time.Minute}.Start(t)

	const tomorrow = `{"stationId":"8443970","activity":"coastal-living",` +
		`"localDate":"2026-11-21","localTime":"12:00"}`
	d := ask(p.URL, tomorrow)
	code := func(c string) *decide.Reason {
		i := slices.IndexFunc(d.Reasons, func(r decide.Reason) bool { return r.Code == c })
		if i < 0 {
			return nil
		}
		return &d.Reasons[i]
	}
	flood := code("alert_flood_warning")
	if d.err != nil || d.State != decide.ActionNeeded || flood == nil ||
		!strings.Contains(flood.Message, "until further notice") {
		t.Errorf("%v: %s, %+v, want the warning of today", d.err, d.State, d.Reasons)
	}
	if r := code("alert_tropical_cyclone_statement"); r != nil {
		t.Errorf("the message that has expired by then counts: %s", r.Message)
	}

	var forecast struct {
		Alerts []struct {
			Event              string
			Ends, Expires      *time.Time
			UntilFurtherNotice bool
		}
	}
	got := callTool(t, p.URL, call{"nws_get_marine_forecast", `{"station":"8443970"}`})
	product.Decode(t, string(got.StructuredContent), &forecast)
	seen := 0
	for _, a := range forecast.Alerts {
		switch a.Event {
		case "Flood Warning":
			seen++
			if a.Ends != nil || !a.UntilFurtherNotice || a.Expires == nil {
				t.Errorf("the warning is %+v", a)
			}
		case "Tropical Cyclone Statement":
			seen++
			if a.Ends != nil || !a.Expires.Equal(message.Expires) || a.UntilFurtherNotice {
				t.Errorf("the statement is %+v", a)
			}
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 alerts in %+v", seen, forecast.Alerts)
	}
	const asked = `{"station":"8443970","date":"2026-11-21","include":["alerts"]}`
	var day struct{ Result toolResult }
	product.Decode(t, product.PostTo(t, p.URL+"/mcp?toolsets=planning&view=full",
		product.CallOf("leadline_get_day", asked)), &day)
	for where, text := range map[string]string{
		"text of the forecast": got.Content[0].Text,
		"text of the day":      day.Result.Content[0].Text,
		"page":                 product.OverREST(t, p.URL+"/stations/8443970"),
	} {
		at := strings.Index(text, "Flood Warning")
		if at < 0 || !strings.Contains(text[at:], "until further notice") {
			t.Errorf("%s does not have the open end: %.300s", where, text[max(0, at):])
		}
	}
	if !strings.Contains(string(day.Result.StructuredContent), `"event":"Flood Warning","until":null`) {
		t.Errorf("the day: %.600s", day.Result.StructuredContent)
	}
}
