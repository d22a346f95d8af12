package selfservice

import (
	"context"
	"time"
)

// UsageDaysInput is empty.
type UsageDaysInput struct{}

// UsageDays lists the days of an account on which requests were counted.
type UsageDays struct {
	Days []UsageDay `json:"days" doc:"Days of the running UTC month and the 13 before it, in order. Days without requests are not listed."`
}

// UsageDay counts the requests of a day on a surface. The counts are for people to look at: units
// of the month are counted apart from them, and exactly.
type UsageDay struct {
	Day     time.Time `json:"day" doc:"Its begin, in UTC."`
	Surface string    `json:"surface" doc:"Front end." enum:"rest mcp"`
	Served  int       `json:"served" doc:"Requests that were served, those that cost no unit too."`
	Refused int       `json:"refused" doc:"Requests that a limit, a scope or the plan did not allow."`
}

// UsageDays returns the requests of the caller's account by day and surface. No route serves it: it
// is for the pages of an account.
func (s Operations) UsageDays(ctx context.Context, _ UsageDaysInput) (UsageDays, error) {
	caller, ctx, cancel, err := accountCaller(ctx)
	defer cancel()
	if err != nil {
		return UsageDays{}, err
	}
	list, err := s.accounts.UseDays(ctx, caller)
	if err != nil {
		return UsageDays{}, err
	}
	out := UsageDays{Days: []UsageDay{}}
	for _, u := range list {
		out.Days = append(out.Days,
			UsageDay{u.Day.Start(), u.Surface, int(u.Served), int(u.Refused)})
	}
	return out, nil
}
