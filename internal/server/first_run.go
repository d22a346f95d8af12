package server

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// firstRunFile is the name of a page in the data folder that leads a browser to the link of the
// first account. All users of a machine can read the arguments of its processes, so a browser gets
// the name of this file, which only its owner can read, and not the link.
const firstRunFile = "first-run.html"

// ownerEvery is the time between two looks for the first account.
const ownerEvery = time.Second

// openLink opens the link of the first account in a browser, if there is one. It returns a function
// that must be called at the end. The page with the link is removed then, or once an account
// exists. A failure is logged: the link was printed, too. In any case openLink removes the page of
// a server that was killed.
func (s *Server) openLink(ctx context.Context, link string) (stop func()) {
	file, err := filepath.Abs(filepath.Join(s.c.Settings.Data, firstRunFile))
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.Warn("the page with a link to the first account remains", "error", err)
	}
	if link == "" || s.c.Browse == nil {
		return func() {}
	}
	err = writeFirstRun(file, link)
	if err == nil {
		err = s.c.Browse(file)
	}
	if err != nil {
		os.Remove(file)
		s.log.Warn("the link does not open in a browser", "error", err)
		return func() {}
	}
	fmt.Fprint(s.c.Stderr, "It should open in your browser now; --browser off prevents that.\n\n")
	return background(ctx, func(ctx context.Context) {
		defer os.Remove(file)
		s.awaitOwner(ctx)
	})
}

// awaitOwner waits until an account exists, or ctx ends.
func (s *Server) awaitOwner(ctx context.Context) {
	ticker := time.NewTicker(ownerEvery)
	defer ticker.Stop()
	for {
		if has, err := s.storage.Store.HasAccounts(ctx); has && err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// writeFirstRun writes a page that redirects to a link, for the owner of the process only. The file
// must not exist.
func writeFirstRun(file, link string) error {
	link = html.EscapeString(link)
	page := `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=` + link + `">
<title>Leadline</title>
<p><a href="` + link + `">Create the first account</a></p>
`
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(page)
	return errors.Join(err, f.Close())
}
