package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"leadline/internal/coast"
	"leadline/internal/status"
	"leadline/store"
)

// New returns the handler of the administrative API. It logs the route and the duration of each
// request, but neither its values nor its error, because the operator may have typed a key.
func New(c Config) http.Handler {
	h := &handler{c, http.NewServeMux()}
	route(h, "GET /health", h.health)
	route(h, "POST /accounts", fromBody(c.Accounts.Create))
	route(h, "GET /accounts", h.listAccounts)
	route(h, "POST /accounts/{email}/plan", h.setPlan)
	route(h, "POST /accounts/{email}/password-reset", h.resetPassword)
	route(h, "DELETE /accounts/{email}", h.removeAccount)
	route(h, "POST /invitations", fromBody(c.Accounts.InvitationLink))
	route(h, "POST /keys", fromBody(c.Accounts.CreateKey))
	route(h, "GET /keys", h.listKeys)
	route(h, "POST /keys/revoke", h.revokeKey)
	route(h, "POST /keys/replace", h.replaceKey)
	h.routeEvents()
	for _, kind := range []Kind{Incidents, Maintenance} {
		route(h, "GET /"+string(kind), h.listNotices(kind))
		route(h, "POST /"+string(kind), h.createNotice(kind))
		route(h, "GET /"+string(kind)+"/{id}", h.showNotice(kind))
		route(h, "POST /"+string(kind)+"/{id}", h.updateNotice(kind))
	}
	route(h, "POST /backup", h.backup)
	route(h, "POST /check", h.check)
	route(h, "POST /stations/refresh", h.refresh)
	h.mux.HandleFunc("/", h.unknown)
	return h.mux
}

// fromBody returns the route function for an operation that needs only the body of the request.
func fromBody[In, Out any](
	do func(context.Context, In) (Out, error),
) func(*http.Request, In) (Out, error) {
	return func(r *http.Request, in In) (Out, error) { return do(r.Context(), in) }
}

// unknown refuses a request that does not match a route.
func (h *handler) unknown(w http.ResponseWriter, r *http.Request) {
	write(w, nil, coast.Errorf(coast.NotFound, "the server has no route %s %s: its version may "+
		"differ from that of the command", r.Method, r.URL.Path))
}

func (h *handler) health(r *http.Request, _ none) (Health, error) {
	return h.Health(r.Context()), nil
}

func (h *handler) listAccounts(r *http.Request, _ none) ([]Account, error) {
	return h.Accounts.List(r.Context())
}

func (h *handler) setPlan(r *http.Request, in planName) (PlanChange, error) {
	return h.Accounts.SetPlan(r.Context(), r.PathValue("email"), in.Plan)
}

func (h *handler) resetPassword(r *http.Request, _ none) (Link, error) {
	return h.Accounts.ResetLink(r.Context(), r.PathValue("email"))
}

func (h *handler) removeAccount(r *http.Request, _ none) (Account, error) {
	return h.Accounts.Remove(r.Context(), r.PathValue("email"))
}

func (h *handler) listKeys(r *http.Request, _ none) ([]Key, error) {
	return h.Accounts.Keys(r.Context(), r.FormValue("account"))
}

func (h *handler) revokeKey(r *http.Request, in keyID) (RevokedKey, error) {
	return h.Accounts.RevokeKey(r.Context(), in.ID)
}

func (h *handler) replaceKey(r *http.Request, in keyID) (ReplacedKey, error) {
	return h.Accounts.ReplaceKey(r.Context(), in.ID, in.Grace)
}

func (h *handler) listNotices(kind Kind) func(*http.Request, none) ([]Notice, error) {
	return func(r *http.Request, _ none) ([]Notice, error) {
		list, err := h.Notices.List(r.Context(), kind, r.FormValue("all") == "true")
		return status.Public(list), err
	}
}

func (h *handler) createNotice(kind Kind) func(*http.Request, NoticeDraft) (Notice, error) {
	create := h.Notices.CreateIncident
	if kind == Maintenance {
		create = h.Notices.ScheduleMaintenance
	}
	return func(r *http.Request, in NoticeDraft) (Notice, error) {
		return notice(create(r.Context(), status.Draft(in)))
	}
}

func (h *handler) showNotice(kind Kind) func(*http.Request, none) (NoticeReport, error) {
	return func(r *http.Request, _ none) (NoticeReport, error) {
		i, err := h.Notices.Find(r.Context(), kind, r.PathValue("id"))
		return status.NewReport(i), err
	}
}

func (h *handler) updateNotice(kind Kind) func(*http.Request, NoticeDraft) (Notice, error) {
	return func(r *http.Request, in NoticeDraft) (Notice, error) {
		return notice(h.Notices.Update(r.Context(), kind, r.PathValue("id"), status.Draft(in)))
	}
}

func notice(i store.Incident, err error) (Notice, error) {
	return status.Public([]store.Incident{i})[0], err
}

func (h *handler) backup(r *http.Request, in Backup) (Backup, error) {
	s, ok := h.Store.(store.Backuper)
	switch {
	case !ok:
		return in, coast.Errorf(coast.InvalidRequest, "the store is a PostgreSQL database, "+
			"which leadline does not back up: use pg_dump, or the backups of its provider")
	case !filepath.IsAbs(in.File):
		return in, coast.Errorf(coast.InvalidRequest, "invalid file %q: must be an absolute path",
			in.File)
	}
	err := s.BackupFile(r.Context(), in.File)
	if errors.Is(err, fs.ErrExist) {
		return in, fmt.Errorf("a backup does not overwrite files: %w", err)
	}
	if err != nil {
		return in, fmt.Errorf("write the backup: %w", err)
	}
	info, err := os.Stat(in.File)
	if err != nil {
		return in, err
	}
	return Backup{File: in.File, Bytes: info.Size()}, nil
}

func (h *handler) check(r *http.Request, _ none) (Report, error) {
	s, ok := h.Store.(store.Checker)
	if !ok {
		return Report{}, coast.Errorf(coast.InvalidRequest, "the store is a PostgreSQL database, "+
			"which leadline does not check: use pg_amcheck, or restore a pg_dump to try it")
	}
	report, err := s.Check(r.Context())
	if errors.Is(err, store.ErrDamaged) {
		err = fmt.Errorf("%w; leadline restore replaces a damaged store by a backup", err)
	}
	return report, err
}

func (h *handler) refresh(r *http.Request, in stationList) (Refreshed, error) {
	began := h.Now()
	report, err := h.Refresh(r.Context(), in.Stations)
	out := Refreshed{
		Stations: report.Stations, Renewed: report.Renewed, Seconds: h.Now().Sub(began).Seconds(),
		Failed: []string{},
	}
	for _, failure := range report.Failed {
		text := failure.Error()
		if e, known := coast.AsError(failure); known {
			text = e.Message
		}
		out.Failed = append(out.Failed, text)
	}
	return out, err
}
