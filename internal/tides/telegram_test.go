package tides

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/telegram"
)

// TestDaysThatFit checks the advice for messages of which no day or only the first fits.
func TestDaysThatFit(t *testing.T) {
	day := func(events int) (d telegram.Day) {
		d.Date = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		for i := range events {
			d.Events = append(d.Events, telegram.Event{Time: d.Date.Add(time.Duration(i) * time.Hour)})
		}
		return d
	}
	for _, test := range []struct {
		days []telegram.Day
		want string
	}{
		{[]telegram.Day{day(4), day(12)}, `Ask for 1 day. Example: "days": 1.`},
		{[]telegram.Day{day(20), day(1)}, "Not even the first of them fits"},
	} {
		m := telegram.Message{Station: "1", Unit: telegram.Feet, Datum: "MLLW", Days: test.days}
		text, err := shortEnough(m, len(m.Days), 0)
		if text != "" || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("shortEnough = %q, %v, want %q", text, err, test.want)
		}
	}
}
