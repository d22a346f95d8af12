package account

import (
	"html/template"
	"net/http"
	"slices"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var overviewView = charted[overviewPage]("overview", "copy")

// overviewPage is the first page of an account: what needs attention, what to do first, its month,
// its plan, and the requests that were refused.
type overviewPage struct {
	page.AccountFrame
	Troubles []trouble
	First    *firstSteps // nil once the account has an active key
	Base     string      // scheme and host of the endpoints
	Public   bool        // clients on the internet can connect
	Plan     access.Plan
	Without  int // requests a minute without a key
	Month    monthView
	Days     daysView
	Refused  []refusedRow // the newest
	All      int          // number of refused requests, if there are more
}

// trouble is something that has failed lately or is about to end.
type trouble struct {
	Text template.HTML
	Path string // of the page where it can be changed
	Link string // what to do there
}

// firstSteps holds the form of the first key.
type firstSteps struct {
	FormID string
	Scopes []string // of the first key
}

// refusedFirst is the number of refused requests on the first page.
const refusedFirst = 5

// overview shows the first page of an account.
func (v *visit) overview() {
	u, days, err := v.readUsage()
	if err != nil {
		v.fail(err)
		return
	}
	keys, err := operation.Run(v.ctx(), v.c.Set.Account.ListKeys, selfservice.ListKeysInput{})
	if err != nil {
		v.fail(err)
		return
	}
	p := overviewPage{
		AccountFrame: v.frame(), Base: v.c.Base, Public: v.c.Public,
		Without: v.c.PerMinute,
		Month:   monthOf(u.Month, v.c.Now()), Refused: v.refused(),
	}
	p.Plan, _ = access.PlanFrom(v.ctx())
	p.Days = v.daysOf(p.Month.begins, p.Month, u, days)
	if p.Troubles, err = v.troubles(keys.Keys); err != nil {
		v.fail(err)
		return
	}
	isActive := func(k selfservice.APIKey) bool { return k.State == credential.Active }
	if !slices.ContainsFunc(keys.Keys, isActive) {
		p.First = v.firstSteps(p.Plan)
	}
	if len(p.Refused) > refusedFirst {
		p.All, p.Refused = len(p.Refused), p.Refused[:refusedFirst]
	}
	overviewView.Write(v.w, http.StatusOK, p)
}

// firstSteps returns the form of the first key, for REST and MCP, and for decisions where the plan
// has them.
func (v *visit) firstSteps(plan access.Plan) *firstSteps {
	f := &firstSteps{v.c.Sessions.NewFormID(), []string{credential.RawRead, credential.MCPUse}}
	if plan.Has(access.DecisionAPI) {
		f.Scopes = append(f.Scopes, credential.DecisionRead)
	}
	return f
}

// endsSoon is the time before its end in which the overview reminds of a key.
const endsSoon = 14 * 24 * time.Hour

// troubles returns the webhook endpoints that are suspended or fail, the keys that end soon and the
// paused watches.
func (v *visit) troubles(keys []selfservice.APIKey) (list []trouble, err error) {
	hooks, err := operation.Run(v.ctx(), v.c.Set.Hooks.ListWebhooks, selfservice.ListWebhooksInput{})
	if err != nil {
		return nil, err
	}
	for _, e := range hooks.Endpoints {
		row := endpointRowOf(selfservice.Webhook{Endpoint: e})
		var what template.HTML
		switch {
		case e.State == "suspended" && e.DisabledReason != nil:
			what = " is suspended. " + template.HTML(suspensions[string(*e.DisabledReason)])
		case e.State != "disabled" && e.FailingSince != nil:
			what = " has failed since " + moment(*e.FailingSince) + ". Its last attempt: " +
				template.HTML(template.HTMLEscapeString(row.Outcome)) + "."
		default:
			continue
		}
		list = append(list, trouble{
			"The webhook " + quoted(row.Name) + what, webhooksPath + "/" + e.ID, "See its deliveries",
		})
	}
	now := v.c.Now()
	for _, k := range keys {
		if k.State == credential.Active && k.ExpiresAt != nil && k.ExpiresAt.Sub(now) <= endsSoon {
			list = append(list, trouble{
				"The key " + quoted(v.keyRow(k).Name) + " ends on " + moment(*k.ExpiresAt) + ".",
				page.AccountPath + "/keys/" + k.ID + "/replace", "Replace it",
			})
		}
	}
	watches, err := operation.Run(v.ctx(), v.c.Set.Watching.ListWatches,
		selfservice.ListWatchesInput{})
	if err != nil {
		return nil, err
	}
	for _, w := range watches.Watches {
		if w.State == "paused" {
			list = append(list, trouble{
				"The watch " + quoted(watchName(w.Name, w.Request.StationID)) + " is paused: the month’s " +
					"requests are used up, or the plan has no watches. It resumes by itself.",
				page.AccountPath + "/watches", "See the watches",
			})
		}
	}
	return list, nil
}

// watchName returns the name of a watch, or of its station.
func watchName(name, station string) string {
	if name == "" {
		return "of station " + station
	}
	return name
}
