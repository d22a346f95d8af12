package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
	"leadline/internal/server"
)

// backupCommand returns leadline backup.
func (p *program) backupCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "backup FILE", Short: "Write the store to a new file, also while the server runs",
		Long: "Write the store as it is now to a new file, also while the server runs. The pepper file " +
			"is not part of the backup, and without it no key works: keep a copy in another place.",
		Args: takes("FILE"),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, args []string) error {
			b, err := c.Backup(ctx, args[0])
			if err != nil {
				return err
			}
			p.notef("%s is not part of it, and without that file no key works: "+
				"keep a copy in another place\n", p.pepperFile())
			return p.printf("%s contains the store, %d bytes\n", b.File, b.Bytes)
		}),
	}, "data")
}

// restoreCommand returns leadline restore.
func (p *program) restoreCommand() *cobra.Command {
	return p.addYes(uses(&cobra.Command{
		Use: "restore FILE", Short: "Replace the store by a backup while the server is stopped",
		Long: "Replace the store by a backup while the server is stopped. The replaced store is kept " +
			"under another name.",
		Args: takes("FILE"),
		RunE: p.run(func(ctx context.Context, args []string) error { return p.restore(ctx, args[0]) }),
	}, "data"))
}

func (p *program) restore(ctx context.Context, file string) error {
	if p.config.Shared() {
		return server.Restore(ctx, p.parts(p.config), file, p.streams.Out) // its error says what to use
	}
	folder := p.dataFolder()
	p.notef("data folder: %s\n", folder)
	c, err := admin.Dial(ctx, p.config.Data)
	if !errors.Is(err, admin.ErrNoServer) {
		if err == nil {
			err = fmt.Errorf("a server runs on %s: stop it before a restore", folder)
			c.Close()
		}
		return err
	}
	if err := p.askFolder(folder); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, server.StoreFile)); err == nil {
		question := "Replace the store in " + folder + " by " + file + "?"
		if err := p.confirm(question, "the store in "+folder+" was not replaced"); err != nil {
			return err
		}
	}
	return server.Restore(ctx, p.parts(p.config), file, p.streams.Out)
}

// checkCommand returns leadline check.
func (p *program) checkCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "check", Short: "Check the integrity of the store, also while the server runs",
		Long: "Check the integrity of the whole store, also while the server runs, and print what it " +
			"contains. The exit code is 1 if it is damaged.",
		Args: takes(),
		RunE: p.manage(existing, func(ctx context.Context, c *admin.Client, _ []string) error {
			r, err := c.Check(ctx)
			if err != nil {
				return err
			}
			file := filepath.Join(p.dataFolder(), server.StoreFile)
			return p.printf("%s is intact: schema %d, %d bytes\n"+
				"accounts %d, keys %d, months in use %d, browser sessions %d, registered clients %d, "+
				"connected apps %d, incidents and maintenance %d, webhook endpoints %d, events %d, "+
				"deliveries %d, watches %d\n",
				file, r.Schema, r.Bytes, r.Accounts, r.Keys, r.Months, r.Sessions, r.Clients,
				r.Grants, r.Incidents, r.Endpoints, r.Events, r.Deliveries, r.Watches)
		}),
	}, "data")
}

// stationsCommand returns leadline stations.
func (p *program) stationsCommand() *cobra.Command {
	return group("stations", "Manage station data", p.addYes(uses(&cobra.Command{
		Use: "refresh [STATION...]", Short: "Fetch the newest constants from NOAA and keep them",
		Long: "Fetch the newest constants of all stations, or of the given ones, from NOAA and keep " +
			"them. A running server uses them at once.",
		RunE: p.manage(creating, func(ctx context.Context, c *admin.Client, ids []string) error {
			r, err := c.RefreshStations(ctx, ids)
			if err != nil {
				return err
			}
			took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
			err = p.printf("%d of %d stations are up to date, after %s\n", r.Renewed, r.Stations, took)
			for _, reason := range r.Failed {
				err = errors.Join(err, p.printf("not refreshed: %s\n", reason))
			}
			return err
		}),
	}, "data", "coops-url", "contact", "offline", "log-level")))
}
