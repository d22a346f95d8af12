package accounts

import (
	"context"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/outage"
	"leadline/store"
)

// monthsBefore is the number of months before the running one whose days the store keeps.
const monthsBefore = 13

// UseDays returns the days of the caller's account on which requests were counted, by surface:
// those of the running UTC month and of the 13 months before it, in order. The counts of the last
// half minute are not in the store yet.
func (s *Service) UseDays(ctx context.Context, c access.Caller) ([]store.Use, error) {
	now := s.c.Now().UTC()
	from := time.Date(now.Year(), now.Month()-monthsBefore, 1, 0, 0, 0, 0, time.UTC)
	list, err := s.c.Store.UsesOf(ctx, c.Account, store.DayOf(from), store.DayOf(now))
	outage.Failure(&err)
	return list, err
}
