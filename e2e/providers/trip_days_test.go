package providers

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
)

// TestTripDays has the spans of days without a night, almost without light, and with a change of
// the clock. Times are those of the stations' clocks. Without an hour, the first one in daylight is
// the first whole hour after dawn.
func TestTripDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, query, from, to, note string }{
		{"2027-06-20T20:00:00Z", "station=9497645&date=tomorrow", // Prudhoe Bay: the sun does not set
			"2027-06-21T00:00:00-08:00", "2027-06-22T00:00:00-08:00", ""},
		{"2026-12-20T20:00:00Z", "station=9494935&date=tomorrow", // Barrow: 11:58 to 14:52 of twilight
			"2026-12-21T12:00:00-09:00", "2026-12-21T14:52:00-09:00", ""},
		{"2026-10-31T16:00:00Z", "station=8443970&date=tomorrow&from=00:00&hours=25",
			"2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00", ""},
		{"2026-10-31T16:00:00Z", "station=8443970&date=tomorrow&from=01:30&until=03:00",
			"2026-11-01T01:30:00-04:00", "2026-11-01T03:00:00-05:00", "comes twice that day"},
		{"2026-11-20T17:00:00Z", "station=1630000&date=weekend", // Apra Harbor, where it is Saturday 3 AM
			"2026-11-21T07:00:00+10:00", "2026-11-22T18:13:00+10:00", "weekend: Sat 2026-11-21"},
		{"2026-11-20T17:00:00Z", "station=8443970&date=saturday&from=22:00&until=02:00",
			"2026-11-21T22:00:00-05:00", "2026-11-22T02:00:00-05:00", ""},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		clock := func() time.Time { return now }
		_, root := product.Simulate(t, clock)
		base := product.Setup{Root: root, Now: clock}.Start(t).URL
		var trip struct {
			From, To time.Time
			Hours    []struct{ From, To time.Time }
			Notes    []string
		}
		product.Decode(t, product.OverREST(t, base+"/api/planning/trip?"+c.query), &trip)
		from, to := trip.From.Format(time.RFC3339), trip.To.Format(time.RFC3339)
		if from != c.from || to != c.to {
			t.Errorf("%s at %s: %s to %s, want %s to %s", c.query, c.now, from, to, c.from, c.to)
		}
		if notes := strings.Join(trip.Notes, " "); !strings.Contains(notes, c.note) {
			t.Errorf("%s: the notes are %s, want %q", c.query, notes, c.note)
		}
		reached := trip.From
		for _, h := range trip.Hours {
			if !h.From.Equal(reached) {
				t.Errorf("%s: no hours from %v to %v", c.query, reached, h.From)
			}
			reached = h.To
		}
		if !reached.Equal(trip.To) {
			t.Errorf("%s: the hours end at %v, want %v", c.query, reached, trip.To)
		}
	}
	p := product.Mounted(t)
	skipped, err := http.Get(p.URL + "/api/planning/trip?station=8443970&date=2027-03-14&from=02:30")
	if err != nil {
		t.Fatal(err)
	}
	skipped.Body.Close()
	if skipped.StatusCode != http.StatusBadRequest {
		t.Errorf("a time that the clock skips: status %d, want 400", skipped.StatusCode)
	}
}
