package account

import (
	"html/template"
	"net/http"
	"slices"

	"leadline/internal/access"
	"leadline/internal/page"
	"leadline/tools"
)

var overviewView = view[overviewPage]("overview")

// overviewPage is the first page of an account: its plan, its month, and what to do first.
type overviewPage struct {
	page.AccountFrame
	Plan     access.Plan
	Month    monthView
	FirstKey bool // the account has no active key
}

// monthView is the running month of an account.
type monthView struct {
	Used, Limit int
	Resets      template.HTML
	Warning     access.Warning
}

// overview shows the first page of an account.
func (v *visit) overview() {
	usage, err := tools.Run(v.ctx(), v.c.Set.Usage, tools.UsageInput{})
	if err != nil {
		v.fail(err)
		return
	}
	keys, err := tools.Run(v.ctx(), v.c.Set.ListKeys, tools.ListKeysInput{})
	if err != nil {
		v.fail(err)
		return
	}
	plan, _ := access.PlanFrom(v.ctx())
	isActive := func(k tools.APIKey) bool { return k.State == access.Active }
	overviewView.Write(v.w, http.StatusOK, overviewPage{
		AccountFrame: v.frame(), Plan: plan, FirstKey: !slices.ContainsFunc(keys.Keys, isActive),
		Month: monthView{
			usage.Month.Used, usage.Month.Limit, moment(usage.Month.ResetsAt), usage.Month.Warning,
		},
	})
}
