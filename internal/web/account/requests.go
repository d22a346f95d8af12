package account

import (
	"html/template"
	"net/http"
	"strings"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/internal/page"
)

var requestsView = view[requestsPage]("requests")

// requestsPage lists the requests of an account that were refused or failed.
type requestsPage struct {
	page.AccountFrame
	Refused []refusedRow
}

// refusedRow is a request that was refused or failed.
type refusedRow struct {
	At                 template.HTML
	Surface, Operation string
	Status             int
	Code               coast.Code
	Message            string
	By                 string // key or app, or ""
	ID                 string // of the request
}

// requests lists the refused requests.
func (v *visit) requests() {
	requestsView.Write(v.w, http.StatusOK, requestsPage{v.frame(), v.refused()})
}

// refused returns the newest requests that were refused or failed.
func (v *visit) refused() (rows []refusedRow) {
	for _, r := range v.c.Gate.Refusals(v.account) {
		row := refusedRow{
			At: second(r.At), Surface: strings.ToUpper(r.Surface.Name()), Operation: r.Operation,
			Status: r.Status, Code: r.Code, Message: r.Message, ID: r.RequestID,
		}
		switch {
		case r.Key != "":
			row.By = credential.Shown(r.Key)
		case r.App != "":
			row.By = r.App
		}
		rows = append(rows, row)
	}
	return rows
}
