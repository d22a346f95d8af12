package account

import (
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/planning"
	"leadline/internal/selfservice"
)

var watchesView = view[watchesPage]("watches", "marks")

const watchesPath = page.AccountPath + "/watches"

// watchesPage lists the watches of an account and creates others.
type watchesPage struct {
	page.AccountFrame
	Watches  []watchRow
	Most     int    // watches that the plan allows
	Without  string // why no watch can be created, "" if one can
	Full     bool   // the plan allows no more
	Receives bool   // an endpoint receives what the watches announce
	Form     watchForm
	FormID   string
	Fault    string
}

// watchRow is a watch in a list.
type watchRow struct {
	ID, Name           string
	StationID, Station string // Station is its name, "" if the directory does not have it
	Activity           string
	Local              string // day and time at the station
	State              mark
	Announced          string // state of the last announced decision
	Next               template.HTML
	Used, Max          int
}

// watchForm has the fields of a watch.
type watchForm struct {
	StationID, Date, Time, Name string
	Activities                  []choice
	Refused                     bool // by the fault of the page
}

// activityNames are the names of activities where the identifier is not a word.
var activityNames = map[string]string{
	"surf-paddle": "surfing or paddling", "coastal-living": "living at the coast",
}

// activityName returns the name of an activity.
func activityName(activity string) string {
	if name := activityNames[activity]; name != "" {
		return name
	}
	return activity
}

// watches lists the watches.
func (v *visit) watches() { v.showWatches(http.StatusOK, "") }

// showWatches responds with the list of watches, with the fault of the form.
func (v *visit) showWatches(status int, fault string) {
	list, err := operation.Run(v.ctx(), v.c.Set.Watching.ListWatches, selfservice.ListWatchesInput{})
	if err != nil {
		v.fail(err)
		return
	}
	hooks, err := operation.Run(v.ctx(), v.c.Set.Hooks.ListWebhooks, selfservice.ListWebhooksInput{})
	if err != nil {
		v.fail(err)
		return
	}
	plan, _ := access.PlanFrom(v.ctx())
	p := watchesPage{
		AccountFrame: v.frame(), Most: plan.Watches, Without: v.withoutWatches(plan),
		Form: v.watchForm(fault != ""), FormID: v.c.Sessions.NewFormID(), Fault: fault,
	}
	open := 0
	for _, w := range list.Watches {
		p.Watches = append(p.Watches, v.watchRow(selfservice.OneWatch{Watch: w}))
		if w.State != "ended" {
			open++
		}
	}
	p.Full = open >= plan.Watches
	for _, e := range hooks.Endpoints {
		takes := slices.Contains(e.Events, allKinds) || slices.Contains(e.Events, materialChange)
		p.Receives = p.Receives || e.State == "enabled" && takes
	}
	watchesView.Write(v.w, status, p)
}

// materialChange is the kind of the events of watches.
const materialChange = "decision.material_change"

// withoutWatches returns why an account on a plan cannot create watches, "" if it can.
func (v *visit) withoutWatches(p access.Plan) string {
	switch {
	case !v.c.Watches:
		return "This server evaluates no watches: its operator has started it without providers or " +
			"without webhooks."
	case !p.Has(access.DecisionAPI), p.Watches == 0:
		return "The plan " + string(p.Tier) + " has no watches."
	}
	return ""
}

// watchForm returns the fields of a watch: empty, or as they were sent if the form was refused.
func (v *visit) watchForm(refused bool) watchForm {
	f := watchForm{Refused: refused}
	if refused {
		f.StationID, f.Name = v.r.PostFormValue("stationId"), v.r.PostFormValue("name")
		f.Date, f.Time = v.r.PostFormValue("localDate"), v.r.PostFormValue("localTime")
	}
	for _, activity := range (planning.TripHealthInput{}).Activity.Values() {
		f.Activities = append(f.Activities, choice{activity, activityName(activity), false})
	}
	f.Activities = chosen(f.Activities, v.r.PostForm["activity"])
	return f
}

// createWatch creates a watch and shows it. That costs one unit of the monthly quota, as over
// REST: the form has an id, so that it is not sent twice. The gate returns the unit if the form is
// refused.
func (v *visit) createWatch() {
	plan, _ := access.PlanFrom(v.ctx())
	if why := v.withoutWatches(plan); why != "" {
		v.showWatches(http.StatusForbidden, why)
		return
	}
	v.r.PostForm.Set("stationId", strings.TrimSpace(v.r.PostFormValue("stationId")))
	err := v.c.Sessions.UseForm(v.r, v.account)
	if err == nil {
		err = v.c.Gate.Spend(v.ctx())
	}
	var made selfservice.CreatedWatch
	if err == nil {
		made, err = perform(v, v.c.Set.Watching.CreateWatch)
	}
	switch fault := v.refusal(err); {
	case fault != "":
		v.showWatches(statusOf(err), fault)
	case err != nil:
		v.fail(err)
	default:
		v.goTo(watchesPath + "/" + made.Watch.ID)
	}
}

// watchRow returns the row of a watch.
func (v *visit) watchRow(o selfservice.OneWatch) watchRow {
	w := o.Watch
	row := watchRow{
		ID: w.ID, Name: w.Name, StationID: w.Request.StationID,
		Activity: activityName(string(w.Request.Activity)), State: watchState(o),
		Local:     localTime(w.Request.LocalDate, w.Request.LocalTime),
		Announced: plain(w.Summary.Verdict()), Next: known(w.NextAt),
		Used: w.Units.Used, Max: w.Units.Max,
	}
	if row.Name == "" {
		row.Name = "without a name"
	}
	if at, ok := v.c.Set.Stations.Station(row.StationID); ok {
		row.Station = at.Name
	}
	return row
}

// localTime writes a day and a time at a station.
func localTime(date, clock string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date + " " + clock
	}
	return day.Format("Mon "+dayFormat) + ", " + clock
}

// watchState returns the state of a watch in words.
func watchState(o selfservice.OneWatch) mark {
	w := o.Watch
	switch w.State {
	case "active":
		return mark{"active", "It is evaluated until its time has come.", "good"}
	case "waiting":
		about := "The server is behind with its evaluations."
		if w.WaitingFor != nil && *w.WaitingFor != "scheduler" {
			about = string(*w.WaitingFor) + " does not respond. Evaluations go on when it does."
		}
		return mark{"waiting", about, "care"}
	case "paused":
		return mark{"paused", "The monthly quota is used up, or the plan has no watches. It goes on " +
			"by itself when that has changed.", "care"}
	case "ended":
		return mark{"ended", "Its time is past. It is removed after seven days.", ""}
	}
	return mark{Word: string(w.State)}
}
