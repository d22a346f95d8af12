package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"leadline/internal/tides"
)

// TestShortSpans checks spans without a high or low water, at stations with constants of their own
// and at a subordinate one: the heights at both ends are those of the series, and the events around
// are those of a longer span.
func TestShortSpans(t *testing.T) {
	s := newSet(t)
	ask := func(station, more string) tides.TidePredictions {
		t.Helper()
		out := get(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"station":%q,%s}`, station, more))
		var p tides.TidePredictions
		text, err := json.Marshal(out)
		if err == nil {
			err = json.Unmarshal(text, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	checked := 0
	for _, station := range []string{"8443970", "8557863", "1612340", "8729840"} {
		all := ask(station, `"begin_date":"2026-11-27","range":96`).Extremes
		for i := 1; i+2 < len(all); i++ {
			from := all[i].Time.Add(7 * time.Minute).Truncate(time.Minute)
			hours := int(all[i+1].Time.Sub(from) / time.Hour)
			if hours < 1 {
				continue
			}
			checked++
			span := fmt.Sprintf(`"begin_date":%q,"range":%d`, from.Format(time.RFC3339), hours)
			p := ask(station, span)
			series := ask(station, span+`,"interval":"1"`).Series.Heights
			if p.Begin == nil || p.End == nil {
				t.Errorf("%s from %v for %d h: no begin or end", station, from, hours)
				continue
			}
			if p.Begin.Height != series[0] || p.End.Height != series[60*hours] ||
				*p.Begin.Previous != all[i] || *p.End.Next != all[i+1] {
				t.Errorf("%s from %v: %+v to %+v, want %v to %v between %v and %v", station, from, p.Begin,
					p.End, series[0], series[60*hours], all[i], all[i+1])
			}
			trend := "predicted rising from "
			if all[i].Type == "high" {
				trend = "predicted falling from "
			}
			text := textOf(t, s, "noaa_get_tide_predictions", fmt.Sprintf(`{"station":%q,%s}`, station, span))
			if !strings.Contains(text, trend) {
				t.Errorf("%s from %v: want %q in %s", station, from, trend, text)
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d spans were checked, want at least 15", checked)
	}
}
