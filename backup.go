package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"leadline/internal/server"
	"leadline/store"
)

func backupVerbs() []verb {
	return []verb{
		{name: "backup", takes: "FILE", words: 1, bind: backup, here: nameFile,
			about: "Writes the store as it is now into a new file, also while the server runs. The pepper file is not part of it."},
		{name: "restore", takes: "FILE", words: 1, with: closed, bind: restore, here: nameFile,
			about: "Puts a backup in the place of the store, which is kept under another name. The server must be stopped."},
		{name: "check", bind: check,
			about: "Looks through the whole store, also while the server runs, tells what it holds, and fails where it does not hold together."},
	}
}

// nameFile names the file of an order so that a process in another folder
// finds it.
func nameFile(o *order, _ streams) (err error) {
	o.words[0], err = filepath.Abs(o.words[0])
	return err
}

func backup(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		file := words[0]
		engine, ok := d.store.(store.Backuper)
		if !ok {
			return server.ErrNoBackup
		}
		err := engine.BackupFile(ctx, file)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("no file is overwritten by a backup: %w", err)
		}
		if err != nil {
			return fmt.Errorf("writing the backup: %w", err)
		}
		made, err := os.Stat(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s holds the store, %d bytes\n", file, made.Size())
		_, err = fmt.Fprintf(s.err, "%s is not part of it, and without that file no key in it is let in: keep a copy, but apart from the backup\n", d.path(server.PepperFile))
		return err
	}
}

// path is where a file of the data folder lies, for people, who may be in
// another folder than the server.
func (d *desk) path(file string) string {
	name := filepath.Join(d.config.Data, file)
	if whole, err := filepath.Abs(name); err == nil {
		return whole
	}
	return name
}

func restore(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, words []string, s streams) error {
		return server.Restore(ctx, serverConfig(d.config, s), words[0], s.out)
	}
}

func check(*flag.FlagSet) errand {
	return func(ctx context.Context, d *desk, _ []string, s streams) error {
		engine, ok := d.store.(store.Checker)
		if !ok {
			return server.ErrNoCheck
		}
		r, err := engine.Check(ctx)
		if err != nil {
			return fmt.Errorf("%w; leadline restore puts a backup in the place of a damaged store", err)
		}
		_, err = fmt.Fprintf(s.out, "%s holds together: schema %d, %d bytes\naccounts %d, keys %d, months in use %d, browser sessions %d, registered clients %d, connected apps %d, incidents and maintenance %d\n",
			d.path(server.StoreFile), r.Schema, r.Bytes, r.Accounts, r.Keys, r.Months, r.Sessions, r.Clients, r.Grants, r.Incidents)
		return err
	}
}
