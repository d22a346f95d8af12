package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"leadline/internal/access/credential"
	"leadline/store"
	"leadline/store/bolt"
	"leadline/store/copier"
	"leadline/store/postgres"
)

// Copying configures CopyStore.
type Copying struct {
	From, To string // bolt:FOLDER or the URL of a PostgreSQL database
	Force    bool   // also while other instances use one of them
	// Progress is called with the kind of the records that were copied last and the number of all.
	Progress func(kind string, records int)
}

// Copied is the number of records of a kind.
type Copied struct {
	Kind    string
	Records int
}

// location is the place of a store.
type location struct {
	folder string // with a file of the embedded engine, absolute; "" for a database
	url    string // of a database
}

// parseLocation returns the location that a text describes.
func parseLocation(text string) (location, error) {
	if folder, ok := strings.CutPrefix(text, "bolt:"); ok && folder != "" {
		folder, err := filepath.Abs(folder)
		return location{folder: folder}, err
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		return location{url: text}, nil
	}
	return location{}, fmt.Errorf("invalid store %q: want bolt:FOLDER, such as bolt:./leadline-data, "+
		"or postgres://USER@HOST/DATABASE", postgres.Masked(text))
}

// String returns the location without a password.
func (l location) String() string {
	if l.folder != "" {
		return "bolt:" + l.folder
	}
	return postgres.Masked(l.url)
}

// pepper returns the path of the pepper for a store in this location.
func (l location) pepper(c Config) string {
	if l.folder == "" || c.Settings.PepperFile != "" {
		return PepperPath(c.Settings)
	}
	return filepath.Join(l.folder, PepperFile)
}

// open opens a store to copy. Only a target is created.
func (l location) open(ctx context.Context, c Config, target bool) (store.Store, error) {
	if l.url != "" {
		s, err := postgres.Open(ctx, l.options(c, target))
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	file := filepath.Join(l.folder, StoreFile)
	if target {
		if _, err := createFolder(l.folder); err != nil {
			return nil, err
		}
	} else if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("there is no store in %s: %w", l.folder, err)
	}
	s, err := bolt.Open(file, bolt.Options{Inspect: c.Inspect})
	if errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w: stop its server first", err)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// CopyStore copies everything in a store to another one, or continues a copy that was interrupted.
// It returns what both stores have.
func CopyStore(ctx context.Context, c Config, o Copying) ([]Copied, error) {
	c = c.withDefaults()
	from, err := parseLocation(o.From)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	to, err := parseLocation(o.To)
	if err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	source, err := from.open(ctx, c, false)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if err := checkCopiedPepper(ctx, c, source, to.pepper(c)); err != nil {
		return nil, err
	}
	target, err := to.open(ctx, c, true)
	if err != nil {
		return nil, err
	}
	sums, err := copier.Copy(ctx, copier.Config{
		From: source, To: target, Source: from.String(), Version: c.Version, Force: o.Force,
		Progress: o.Progress,
	})
	var list []Copied
	for _, kind := range store.Kinds() {
		list = append(list, Copied{strings.ReplaceAll(kind, "-", " "), sums[kind].Count})
	}
	return list, errors.Join(err, target.Close())
}

// Migration describes the schema of a store before and after a migration.
type Migration struct {
	Store    string // location
	From, To int    // versions of the schema; 0 for an empty database
}

// MigrateStore migrates a store, that of the settings for "", to the newest schema. With dry it
// only reports what it would do.
func MigrateStore(ctx context.Context, c Config, place string, dry bool) (Migration, error) {
	c = c.withDefaults()
	l, err := parseLocation(cmp.Or(place, c.Settings.Store, "bolt:"+c.Settings.Data))
	if err != nil {
		return Migration{}, err
	}
	m := Migration{Store: l.String()}
	if l.url != "" {
		m.From, m.To, err = postgres.SchemaOf(ctx, l.options(c, false))
	} else {
		m.From, m.To, err = bolt.SchemaOf(filepath.Join(l.folder, StoreFile))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no store in %s", l.folder)
	}
	if err != nil || dry || m.From == m.To {
		return m, err
	}
	s, err := l.open(ctx, c, true)
	if err != nil {
		return m, err
	}
	return m, s.Close()
}

// options returns the options of the engine for a database. No requests wait for its statements.
func (l location) options(c Config, migrate bool) postgres.Options {
	return postgres.Options{
		URL: l.url, PasswordFile: c.Settings.StorePasswordFile, Migrate: migrate,
		Instance: "leadline store", Timeout: 30 * time.Second, Log: NewLogger(c.Settings, c.Stderr),
	}
}

// checkCopiedPepper checks that a file has the pepper of a store, if the store has one.
func checkCopiedPepper(ctx context.Context, c Config, s store.Store, file string) error {
	known, err := credential.Peppered(ctx, s)
	if err != nil || !known {
		return err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: copy the pepper of the source there first; "+
			"without it no key works", file)
	}
	if err != nil {
		return err
	}
	pepper, err := credential.ReadPepper(string(text))
	if err == nil {
		err = credential.NewKeys(s, pepper, c.Now).Check(ctx)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// checkComplete returns an error for a store that is an unfinished copy.
func checkComplete(ctx context.Context, s store.Meta) error {
	source, err := copier.Unfinished(ctx, s)
	if err == nil && source != "" {
		err = fmt.Errorf("the store is an unfinished copy of %s: finish it with leadline store copy",
			source)
	}
	return err
}
