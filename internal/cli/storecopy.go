package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/server"
)

// storeCommand returns leadline store.
func (p *program) storeCommand() *cobra.Command {
	return group("store", "Copy or migrate a store", p.storeCopyCommand(), p.storeMigrateCommand())
}

// storeCopyCommand returns leadline store copy.
func (p *program) storeCopyCommand() *cobra.Command {
	var o server.Copying
	c := uses(&cobra.Command{
		Use:   "copy --from STORE --to STORE",
		Short: "Copy everything in a store to another one, such as a database",
		Long: "Copy everything in a store to another one that is empty, while no server uses either. " +
			"A store is bolt:FOLDER, the file in a data folder, or the URL of a PostgreSQL database, " +
			"postgres://USER@HOST/DATABASE. At the end both stores are compared. After an interruption, " +
			"repeat the command: it continues, and until it is complete no server starts on the copy. " +
			"Copy the pepper file yourself, first: without it no key works.",
		Args: takes(),
		RunE: p.run(func(ctx context.Context, _ []string) error { return p.copyStore(ctx, o) }),
	}, "pepper-file", "data", "store-password-file")
	c.Flags().StringVar(&o.From, "from", "", "store to copy")
	c.Flags().StringVar(&o.To, "to", "", "empty store that receives the copy")
	c.Flags().BoolVar(&o.Force, "force", false,
		"copy although other instances use the database; their changes meanwhile may be lost")
	return requires(p.addYes(c), "from", "to")
}

// storeMigrateCommand returns leadline store migrate.
func (p *program) storeMigrateCommand() *cobra.Command {
	var dry bool
	c := uses(&cobra.Command{
		Use: "migrate [STORE]", Short: "Migrate a store to the schema of this version",
		Long: "Migrate a store to the schema of this version, as its next start would. STORE is " +
			"bolt:FOLDER or postgres://USER@HOST/DATABASE; without it, it is the one of the settings.",
		Args: takesOptional("STORE"),
		RunE: p.run(func(ctx context.Context, args []string) error {
			return p.migrateStore(ctx, append(args, "")[0], dry)
		}),
	}, "data", "store", "store-password-file")
	c.Flags().BoolVar(&dry, "dry-run", false, "print what would be done, and change nothing")
	return c
}

func (p *program) migrateStore(ctx context.Context, store string, dry bool) error {
	m, err := server.MigrateStore(ctx, p.parts(p.config), store, dry)
	switch {
	case err != nil:
		return err
	case m.From == m.To:
		return p.printf("%s is up to date: schema %d\n", m.Store, m.To)
	case dry:
		return p.printf("%s has schema %d and would be migrated to %d\n", m.Store, m.From, m.To)
	}
	return p.printf("%s was migrated from schema %d to %d\n", m.Store, m.From, m.To)
}

// copyStore copies a store. It prints how far it is every few seconds.
func (p *program) copyStore(ctx context.Context, o server.Copying) error {
	if folder, ok := strings.CutPrefix(o.To, "bolt:"); ok && folder != "" {
		if err := p.askFolder(folder); err != nil {
			return err
		}
	}
	began := time.Now()
	next := began.Add(5 * time.Second)
	o.Progress = func(kind string, records int) {
		if now := time.Now(); now.After(next) {
			next = now.Add(5 * time.Second)
			p.notef("%d records are copied, at %s\n", records, kind)
		}
	}
	copied, err := server.CopyStore(ctx, p.parts(p.config), o)
	if err != nil {
		return err
	}
	total := 0
	var list []string
	for _, c := range copied {
		total += c.Records
		if c.Records > 0 {
			list = append(list, fmt.Sprintf("%s %d", c.Kind, c.Records))
		}
	}
	return p.printf("both stores have the same records, %d after %s: %s\n",
		total, time.Since(began).Round(time.Second), strings.Join(list, ", "))
}
