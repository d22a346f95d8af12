package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"leadline/store"
)

// MarkMinute implements store.Store.
func (s *Store) MarkMinute(ctx context.Context, now time.Time, states map[string]string) error {
	now = now.UTC()
	day, minute := store.DayOf(now), now.Hour()*60+now.Minute()+1
	components := slices.Sorted(maps.Keys(states))
	var ok, degraded, down []int
	for _, c := range components {
		if err := store.CheckName(c); err != nil {
			return err
		}
		n := map[string][3]int{
			store.ComponentOK:       {1, 0, 0},
			store.ComponentDegraded: {0, 1, 0},
			store.ComponentDown:     {0, 0, 1},
		}[states[c]]
		if n == [3]int{} {
			return fmt.Errorf("%w: invalid state %.50q of a component", store.ErrUnavailable, states[c])
		}
		ok, degraded, down = append(ok, n[0]), append(degraded, n[1]), append(down, n[2])
	}
	_, err := s.exec(ctx, "MarkMinute", `insert into component_day as d
			(component, day, ok, degraded, down, last)
		select c, $5, o, g, w, $6 from unnest($1::text[], $2::int[], $3::int[], $4::int[]) t(c, o, g, w)
		on conflict (component, day) do update set ok = d.ok + excluded.ok,
			degraded = d.degraded + excluded.degraded, down = d.down + excluded.down,
			last = excluded.last
		where d.last < excluded.last`, components, ok, degraded, down, int64(day), minute)
	return err
}

// ComponentDays implements store.Store.
func (s *Store) ComponentDays(ctx context.Context, from store.Day) ([]store.ComponentDay, error) {
	return rows(ctx, s, s.hot, "ComponentDays", componentDayTable.scan,
		componentDayTable.read+"where day >= $1 order by component, day", int64(from))
}
