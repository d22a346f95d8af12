package events

import (
	"encoding/json"
	"testing"

	"leadline/internal/access/quota"
)

// TestQuotaNotices checks the levels of the warnings.
func TestQuotaNotices(t *testing.T) {
	f := newFixture(t)
	for _, test := range []struct{ limit, first, second uint64 }{
		{250_000, 200_000, 237_500}, {10_000, 8_000, 9_500}, {7, 6, 7}, {1, 1, 1},
	} {
		got := f.QuotaNotices("pro", "pro", 202611, test.limit)
		if len(got) != 2 || got[0].At != test.first || got[1].At != test.second {
			t.Errorf("QuotaNotices(%d) = %+v, want at %d and %d", test.limit, got, test.first, test.second)
		}
		for i, level := range []quota.Warning{quota.Approaching, quota.Critical} {
			e, err := got[i].Event()
			var body struct{ Data QuotaWarningData }
			if err != nil || json.Unmarshal(e.Body, &body) != nil || body.Data.Level != level ||
				body.Data.Used != int(got[i].At) {
				t.Errorf("the event at %d is %s, %v, want %s", got[i].At, e.Body, err, level)
			}
		}
	}
}
