package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"leadline/internal/access"
	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/status"
	"leadline/store"
)

// New returns the handler of the administrative API. It logs the route and the duration of each
// request, and neither its values nor its error: the operator may type a key.
func New(c Config) http.Handler {
	h := &handler{c, http.NewServeMux()}
	route(h, "GET /health", h.health)
	route(h, "POST /accounts", h.createAccount)
	route(h, "GET /accounts", h.listAccounts)
	route(h, "POST /accounts/{email}/plan", h.setPlan)
	route(h, "POST /accounts/{email}/password-reset", h.resetPassword)
	route(h, "DELETE /accounts/{email}", h.removeAccount)
	route(h, "POST /invitations", h.invite)
	route(h, "POST /keys", h.createKey)
	route(h, "GET /keys", h.listKeys)
	route(h, "POST /keys/revoke", h.revokeKey)
	route(h, "POST /keys/replace", h.replaceKey)
	for _, kind := range []Kind{Incidents, Maintenance} {
		route(h, "GET /"+string(kind), h.listNotices(kind))
		route(h, "POST /"+string(kind), h.createNotice(kind))
		route(h, "POST /"+string(kind)+"/{id}", h.updateNotice(kind))
	}
	route(h, "POST /backup", h.backup)
	route(h, "POST /check", h.check)
	route(h, "POST /stations/refresh", h.refresh)
	h.mux.HandleFunc("/", h.unknown)
	return h.mux
}

// unknown refuses a request that has no route.
func (h *handler) unknown(w http.ResponseWriter, r *http.Request) {
	write(w, nil, coast.Errorf(coast.NotFound, "the server does not know %s %s: it may be of another "+
		"version than the command", r.Method, r.URL.Path))
}

func (h *handler) health(r *http.Request, _ none) (Health, error) {
	return h.Health(r.Context()), nil
}

func (h *handler) createAccount(r *http.Request, in NewAccount) (Account, error) {
	a, err := h.Accounts.Create(r.Context(), in.Email, in.Plan)
	return accountOf(accounts.Summary{Account: a}), err
}

func accountOf(a accounts.Summary) Account {
	return Account{
		ID: a.ID, Email: a.Email, Plan: a.Plan, ActiveKeys: a.ActiveKeys, Used: a.Used,
		CreatedAt: a.Created,
	}
}

func (h *handler) listAccounts(r *http.Request, _ none) ([]Account, error) {
	all, err := h.Accounts.List(r.Context())
	list := []Account{}
	for _, a := range all {
		list = append(list, accountOf(a))
	}
	return list, err
}

func (h *handler) setPlan(r *http.Request, in planName) (PlanChange, error) {
	was, err := h.Accounts.SetPlan(r.Context(), r.PathValue("email"), in.Plan)
	return PlanChange{Email: was.Email, From: was.Plan, To: in.Plan}, err
}

func (h *handler) removeAccount(r *http.Request, _ none) (Account, error) {
	a, err := h.Accounts.Remove(r.Context(), r.PathValue("email"))
	return accountOf(accounts.Summary{Account: a}), err
}

func (h *handler) invite(r *http.Request, in NewAccount) (Link, error) {
	l, err := h.Accounts.InvitationLink(r.Context(), in.Email, in.Plan)
	return Link{URL: l.URL, Email: l.Email, Plan: l.Plan, ExpiresAt: l.Expires}, err
}

func (h *handler) resetPassword(r *http.Request, _ none) (Link, error) {
	l, err := h.Accounts.ResetLink(r.Context(), r.PathValue("email"))
	return Link{URL: l.URL, Email: l.Email, Plan: l.Plan, ExpiresAt: l.Expires}, err
}

func (h *handler) createKey(r *http.Request, in NewKey) (CreatedKey, error) {
	expires, err := accounts.ParseExpiry(in.Expires, h.Now())
	if err != nil {
		return CreatedKey{}, err
	}
	made, err := h.Accounts.CreateKey(r.Context(), accounts.NewKey{
		Email: in.Email, Plan: in.Plan, Name: in.Name, Scopes: in.Scopes, Expires: expires,
	})
	return CreatedKey{
		Secret: made.Secret, Key: h.key(made.Key), NewAccount: made.Was.ID == "",
		PlanBefore: made.Was.Plan,
	}, err
}

func (h *handler) key(k accounts.Key) Key {
	out := Key{
		ID: k.ID, Email: k.Owner.Email, Plan: k.Owner.Plan, Name: k.Name, Scopes: k.Scopes,
		State: access.State(k.Key, h.Now()), CreatedAt: k.Created, ExpiresAt: known(k.Expires),
		RevokedAt: known(k.Revoked), LastNetwork: k.LastAddress, Replaces: k.From,
	}
	if !k.LastUsed.IsZero() {
		out.LastUsedOn = k.LastUsed.Format(time.DateOnly)
	}
	return out
}

// known returns nil for the zero time.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (h *handler) listKeys(r *http.Request, _ none) ([]Key, error) {
	all, err := h.Accounts.Keys(r.Context(), r.FormValue("account"))
	list := []Key{}
	for _, k := range all {
		list = append(list, h.key(k))
	}
	return list, err
}

func (h *handler) revokeKey(r *http.Request, in keyID) (RevokedKey, error) {
	k, now, err := h.Accounts.RevokeKey(r.Context(), in.ID)
	return RevokedKey{Key: h.key(k), Before: !now}, err
}

func (h *handler) replaceKey(r *http.Request, in keyID) (ReplacedKey, error) {
	grace, err := accounts.ParseGrace(in.Grace)
	if err != nil {
		return ReplacedKey{}, err
	}
	made, err := h.Accounts.ReplaceKey(r.Context(), in.ID, grace)
	return ReplacedKey{Secret: made.Secret, Key: h.key(made.Key), Old: h.key(made.Old)}, err
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
		return in, coast.Errorf(coast.InvalidRequest, "this store has no backup of its own: use the "+
			"tools of its database")
	case !filepath.IsAbs(in.File):
		return in, coast.Errorf(coast.InvalidRequest, "invalid file %q: must be an absolute path", in.File)
	}
	err := s.BackupFile(r.Context(), in.File)
	if errors.Is(err, fs.ErrExist) {
		return in, fmt.Errorf("a backup overwrites no file: %w", err)
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
		return Report{}, coast.Errorf(coast.InvalidRequest, "this store has no integrity check of its "+
			"own: use the tools of its database")
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
