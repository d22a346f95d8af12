package postgres

import (
	"context"
	"maps"
	"slices"
)

// requeueAll updates the numbers of pending deliveries of endpoints by what was added to them, and
// the times at which their first deliveries are due. A direct delivery is due at its time. Any
// other is due no earlier than the pause of its endpoint ends, and only if it is enabled.
const requeueAll = `update endpoint e set pending = e.pending + q.added, next_due = q.due
	from (
		select p.id, x.added, least(
			case when p.state in ('enabled', 'pending') then (
				select coalesce(due, '-infinity') from delivery
				where endpoint = p.id and state = 'pending' and direct
				order by due nulls first limit 1) end,
			case when p.state = 'enabled' then (
				select greatest(coalesce(due, '-infinity'), p.pause_until) from delivery
				where endpoint = p.id and state = 'pending' and not direct
				order by due nulls first limit 1) end) due
		from unnest($1::text[], $2::int[]) x(id, added) join endpoint p on p.id = x.id) q
	where e.id = q.id`

// requeue updates the queues of endpoints that are locked, after their deliveries, their states or
// their pauses have changed. added has the changes of their numbers of pending deliveries.
func (tx *transaction) requeue(ctx context.Context, added map[string]int) error {
	if len(added) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(added))
	var counts []int
	for _, id := range ids {
		counts = append(counts, added[id])
	}
	return tx.run(ctx, requeueAll, ids, counts)
}
