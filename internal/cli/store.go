package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"leadline/internal/admin"
	"leadline/internal/config"
	"leadline/internal/server"
)

// need describes what a command needs from the data folder.
type need int

const (
	existing need = iota // a folder with a store must exist
	creating             // the store is created if it does not exist
)

// manage returns the RunE of a command that calls the administrative API: of the
// server that runs on the data folder, or of this process if none runs.
func (p *program) manage(
	n need, f func(ctx context.Context, c *admin.Client, args []string) error,
) runE {
	return p.run(func(ctx context.Context, args []string) (err error) {
		c, err := p.connect(ctx, n)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, c.Close()) }()
		return f(ctx, c, args)
	})
}

// connect returns a client of the administrative API. It prints the data folder.
func (p *program) connect(ctx context.Context, n need) (*admin.Client, error) {
	folder := p.dataFolder()
	p.notef("data folder: %s\n", folder)
	if p.config.Shared() {
		p.notef("store: %s\n", p.config.StoreShown())
	}
	open := func(ctx context.Context) (http.Handler, func() error, error) {
		if err := p.prepare(folder, n); err != nil {
			return nil, nil, err
		}
		return server.OpenAdmin(ctx, p.parts(p.config))
	}
	c, err := admin.Connect(ctx, p.config.Data, open)
	if err != nil {
		return nil, err
	}
	if ignored := p.ignoredSettings(); !c.Local() && len(ignored) > 0 {
		p.notef("ignored: %s; the running server uses its own settings\n", strings.Join(ignored, ", "))
	}
	return c, nil
}

// dataFolder returns the data folder as an absolute path.
func (p *program) dataFolder() string {
	if folder, err := filepath.Abs(p.config.Data); err == nil {
		return folder
	}
	return p.config.Data
}

// pepperFile returns the path of the pepper as an absolute path.
func (p *program) pepperFile() string {
	file := server.PepperPath(p.config)
	if path, err := filepath.Abs(file); err == nil {
		return path
	}
	return file
}

// prepare checks that the data folder has what a command needs, and asks before
// it creates a folder.
func (p *program) prepare(folder string, n need) error {
	if p.config.Shared() {
		return nil // the folder is not the store
	}
	if n == creating {
		return p.askFolder(folder)
	}
	_, err := os.Stat(filepath.Join(folder, server.StoreFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := server.CheckOrphaned(folder, server.PepperPath(p.config)); err != nil {
		return err
	}
	if err := server.CheckShared(folder); err != nil {
		return err
	}
	return fmt.Errorf("no store in %s yet: leadline serve and leadline keys create create one; "+
		"--data names another folder", folder)
}

// askFolder asks before a data folder is created.
func (p *program) askFolder(folder string) error {
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder = "the data folder " + folder
	return p.confirm("Create "+folder+"?", folder+" was not created")
}

// ignoredSettings lists the flags that a command ignores because the running
// server has its own settings.
func (p *program) ignoredSettings() (names []string) {
	local := []string{"data", "log-level", "log-format"}
	for _, s := range p.config.Settings() {
		if s.Origin() == config.Flag && !slices.Contains(local, s.Name) {
			names = append(names, "--"+s.Name)
		}
	}
	return names
}
