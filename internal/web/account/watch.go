package account

import (
	"html/template"
	"net/http"
	"slices"

	"leadline/internal/page"
	"leadline/internal/selfservice"
)

var (
	watchView       = view[watchPage]("watch", "marks")
	deleteWatchView = view[deleteWatchPage]("deletewatch")
)

// watchPage is the page of a watch.
type watchPage struct {
	page.AccountFrame
	Watch                   watchRow
	For, Created, Evaluated template.HTML
	Confidence              string
	Reasons                 []reasonView
	Missing                 []string // facts
	Steps                   []stepView
}

// reasonView is a reason of the last announced decision.
type reasonView struct {
	About, Severity, Fact string
	Carried               bool // its fact is missing: it is as last known
}

// stepView is a change that a watch has announced.
type stepView struct {
	Number           int
	At               template.HTML
	Direction, Event string
}

// directions describes the directions of changes.
var directions = map[string]string{
	"worse":    "worse",
	"better":   "better",
	"changed":  "changed, neither worse nor better",
	"lost":     "a fact that it needs is no longer available",
	"known":    "a fact that it needs is available for the first time",
	"restored": "the facts are back, and the result is as before",
}

// watch shows a watch.
func (v *visit) watch() {
	o, ok := v.ownWatch()
	if !ok {
		return
	}
	w := o.Watch
	p := watchPage{
		AccountFrame: v.frame(), Watch: v.watchRow(o), For: moment(w.RequestedFor),
		Created: moment(w.CreatedAt), Evaluated: known(w.LastAt),
		Confidence: string(w.Summary.Confidence),
	}
	for _, r := range w.Summary.Reasons {
		p.Reasons = append(p.Reasons, reasonOf(r.Code, string(r.Severity), r.SourceID, false))
	}
	for _, r := range w.Carried {
		p.Reasons = append(p.Reasons, reasonOf(r.Code, string(r.Severity), r.SourceID, true))
	}
	for _, id := range w.Summary.MissingInputs {
		p.Missing = append(p.Missing, plain(id))
	}
	for _, s := range slices.Backward(w.Steps) {
		p.Steps = append(p.Steps,
			stepView{s.Number, moment(s.At), directions[string(s.Direction)], s.Event})
	}
	watchView.Write(v.w, http.StatusOK, p)
}

// reasonOf returns a reason in words.
func reasonOf(code, severity, fact string, carried bool) reasonView {
	return reasonView{plain(code), severity, plain(fact), carried}
}

// ownWatch returns the watch that the path names. If the account does not have it, ownWatch
// responds with an error page and returns false.
func (v *visit) ownWatch() (o selfservice.OneWatch, ok bool) {
	o, err := ask(v, v.c.Set.Watching.Watch, "id", v.r.PathValue("id"))
	if err != nil {
		v.fail(err)
	}
	return o, err == nil
}

// deleteWatchPage asks whether a watch is to be deleted.
type deleteWatchPage struct {
	page.AccountFrame
	Watch watchRow
}

// askDeleteWatch shows the form that deletes a watch.
func (v *visit) askDeleteWatch() {
	if o, ok := v.ownWatch(); ok {
		deleteWatchView.Write(v.w, http.StatusOK, deleteWatchPage{v.frame(), v.watchRow(o)})
	}
}

// deleteWatch deletes a watch.
func (v *visit) deleteWatch() {
	if _, err := perform(v, v.c.Set.Watching.DeleteWatch, "id", v.r.PathValue("id")); err != nil {
		v.fail(err)
		return
	}
	v.goTo(watchesPath)
}
