package access

import (
	"context"

	"leadline/internal/coast"
)

// Deciding returns nil where the caller may ask the decision operations that
// need a plan: Pro and Local. Else it is a coast.Error, credential_required
// where nobody has said who asks, plan_required where the plan lacks them.
func Deciding(ctx context.Context) error {
	caller, _ := CallerFrom(ctx)
	switch caller.Tier {
	case Pro, Local:
		return nil
	case Free:
		return coast.Errorf(coast.PlanRequired, "This operation needs a plan with decisions, which the plan %s is not. POST /api/v1/decisions/trip-health needs no plan.", Free)
	}
	return coast.Errorf(coast.CredentialRequired, "This operation needs the key of a plan with decisions, sent as Authorization: Bearer KEY or as x-api-key: KEY. POST /api/v1/decisions/trip-health needs none.")
}
