package station

import (
	"context"
	"time"

	"leadline/internal/web/predicted"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// ExampleID is the station whose tide the front page shows: Boston.
const ExampleID = "8443970"

// examplePatience limits how long the front page waits for the gauge.
const examplePatience = 300 * time.Millisecond

// Example returns the tide of the example station, and whether nothing is missing that a later
// request may have.
func (s *Pages) Example(ctx context.Context, now time.Time) (v *Page, complete bool) {
	live, cancel := context.WithTimeout(ctx, min(examplePatience, s.Patience))
	defer cancel()
	p := view.ReadPrefs(nil, now)
	v = &Page{Gauge: &gaugeView{}}
	info, err := predicted.Describe(live, s.Set, ExampleID, p)
	if err != nil {
		return v, false
	}
	p.SetZone(view.ZoneOfStation(info.Station))
	v.Title, v.ID = words.WithState(info.Station.Name, info.Station.State), info.Station.ID
	b := s.newBuilder(info, &p, v, !s.Offline)
	g := s.Gather(ctx, live)
	b.askTide(g)
	b.lay(g)
	v.At = view.Instant(p.Now, p.Time(p.Now))
	v.Prefs = p
	return v, b.complete
}
