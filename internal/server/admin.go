package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"leadline/internal/accounts"
	"leadline/internal/admin"
	"leadline/internal/overlay"
	"leadline/internal/status"
	"leadline/tools"
)

// How many stations are requested at a time, within the limits of the providers. A server
// leaves room for the requests of its callers.
const (
	refreshAlone   = 8
	refreshServing = 2
)

// refresh returns the function that requests the newest constants of stations and stores
// the provider responses.
func refresh(o *overlay.Overlay, up providers, atOnce int) func(context.Context, []string) (overlay.Report, error) {
	return func(ctx context.Context, ids []string) (overlay.Report, error) {
		report, err := o.RefreshAll(ctx, ids, atOnce)
		return report, errors.Join(err, up.coops.Save())
	}
}

// health returns the function that describes the process.
func health(version, base string, set *tools.Set) func(context.Context) admin.Health {
	return func(ctx context.Context) admin.Health {
		s, err := set.Status(ctx, tools.StatusInput{})
		if err != nil { // of the notices alone, which a health check does not need
			s.Status = status.Down
		}
		return admin.Health{Version: version, URL: base, Status: s.Status, Components: s.Components}
	}
}

// openAdmin serves the administrative API on the admin socket until stop is called. If there
// can be no socket, the server works without.
func (s *Server) openAdmin(ctx context.Context) (stop func()) {
	l, err := admin.Listen(s.c.Settings.Data)
	if err != nil {
		s.log.Warn("while this server runs, commands that need the store cannot be used", "error", err)
		return func() {}
	}
	return background(context.WithoutCancel(ctx), func(ctx context.Context) {
		if err := admin.Serve(ctx, l, s.admin, s.log); err != nil {
			s.log.Error("serving the admin socket", "error", err)
		}
	})
}

// OpenAdmin opens the data folder for a command and returns the administrative API, which
// works on the store without a server, and a function that closes the store. It creates the
// folder and the store if there are none. If another process has the store open, the error
// wraps store.ErrInUse.
func OpenAdmin(ctx context.Context, c Config) (http.Handler, func() error, error) {
	c = c.withDefaults()
	storage, err := openStorage(ctx, c.Settings, c.Now, nil)
	if err != nil {
		return nil, nil, err
	}
	return admin.New(admin.Config{
		Accounts: accounts.New(accounts.Config{
			Store: storage.Store, Keys: storage.Keys, Plans: storage.Plans, Signup: c.Settings.Signup, Now: c.Now,
			Months: storage.Store.Months, Base: func() (string, error) { return LikelyURL(c.Settings) },
		}),
		Notices: &status.Notices{Store: storage.Store, Now: c.Now}, Store: storage.Store, Now: c.Now,
		Log: slog.New(slog.DiscardHandler),
		Health: func(context.Context) admin.Health {
			return admin.Health{Version: c.Version, Status: status.Operational}
		},
		Forget: storage.Keys.Forget,
		Refresh: func(ctx context.Context, ids []string) (overlay.Report, error) {
			live, err := OpenLive(c, storage.Plans)
			if err != nil {
				return overlay.Report{}, err
			}
			defer live.Close()
			return refresh(live.Set.Overlay, live.providers, refreshAlone)(ctx, ids)
		},
	}), storage.Close, nil
}
