package access

import (
	"testing"

	"leadline/internal/coast"
)

func TestDeciding(t *testing.T) {
	if e, _ := coast.AsError(Deciding(t.Context())); e.Code != coast.CredentialRequired {
		t.Errorf("Deciding where no door has named a caller = %v, want %s", e, coast.CredentialRequired)
	}
	for tier, want := range map[Tier]coast.Code{Anonymous: coast.CredentialRequired, "": coast.CredentialRequired, Free: coast.PlanRequired, Pro: "", Local: ""} {
		err := Deciding(With(t.Context(), Caller{Tier: tier}))
		if want == "" && err != nil {
			t.Errorf("Deciding(%s) = %v, want nil", tier, err)
		}
		if e, _ := coast.AsError(err); want != "" && e.Code != want {
			t.Errorf("Deciding(%s) = %v, want %s", tier, err, want)
		}
	}
}
