package rest

import (
	"testing"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/coast"
)

// TestRefusalsAreRecorded checks that the owner of an account finds each refused request with the
// error that its response had.
func TestRefusalsAreRecorded(t *testing.T) {
	api := newGated(t)
	account := api.gate.Account(t, access.Free)
	key, narrow := api.gate.Key(t, account), api.gate.Key(t, account, credential.UsageRead)
	for _, test := range []struct {
		method, target, key, operation string
		code                           coast.Code
	}{
		{"GET", "/api/v1/stations/0000000", key, "GET /api/v1/stations/0000000", coast.StationNotFound},
		{"GET", "/api/v1/stations?q=x&limit=0", key, "GET /api/v1/stations", coast.InvalidRequest},
		{"GET", "/api/v1/stations", narrow, "GET /api/v1/stations", coast.InsufficientScope},
		{"GET", "/api/v1/stationz", key, "GET /api/v1/stationz", coast.NotFound},
		{"PUT", "/api/v1/stations", key, "PUT /api/v1/stations", coast.MethodNotAllowed},
		{"POST", "/api/developer/keys", key, "POST /api/developer/keys", coast.InsufficientScope},
	} {
		before := len(api.gate.Refusals(account))
		w := ask(api, test.method, test.target, "Authorization", "Bearer "+test.key)
		all := api.gate.Refusals(account)
		if len(all) != before+1 {
			t.Fatalf("%s %s: %d refusals, want %d: %s", test.method, test.target, len(all), before+1, w.Body)
		}
		got := all[0]
		if got.Operation != test.operation || got.Code != test.code || got.Status != w.Code ||
			got.RequestID != w.Header().Get("X-Request-Id") || got.Key == "" {
			t.Errorf("%s %s is recorded as %+v, want %s and %d", test.method, test.target, got,
				test.code, w.Code)
		}
	}
	before := len(api.gate.Refusals(account))
	ask(api, "GET", "/api/v1/stations/8443970", "Authorization", "Bearer "+key)
	if got := api.gate.Refusals(account); len(got) != before {
		t.Errorf("a served request is recorded as %+v", got[0])
	}
}
