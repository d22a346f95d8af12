// Dist makes the files of a release from built programs: an archive and a bill of materials for
// each platform, the desktop bundle, the entry of the MCP registry, and checksums of all. What
// comes in are programs that the Go command stamped with one commit; equal programs make equal
// files. scripts/release builds the programs and calls it.
//
//	go run ./scripts/dist --programs FOLDER --pages FOLDER --out FOLDER
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	var r request
	flag.StringVar(&r.programs, "programs", "", "`FOLDER` with OS_ARCH/leadline for each platform")
	flag.StringVar(&r.pages, "pages", "", "`FOLDER` with man and completions")
	flag.StringVar(&r.out, "out", "", "`FOLDER` that receives the files")
	flag.StringVar(&r.repository, "repository", "",
		"`OWNER/NAME` of the repository, for the entry of the MCP registry; empty to leave it out")
	flag.StringVar(&r.base, "base-url", "",
		"`URL` of a public server, for the entry of the MCP registry; empty for none")
	flag.Parse()
	if err := r.run(); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// request holds the flags.
type request struct {
	programs, pages, out string
	repository, base     string
}

// run makes the files.
func (r request) run() error {
	if r.programs == "" || r.pages == "" || r.out == "" || flag.NArg() > 0 {
		return errors.New("missing --programs, --pages or --out")
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	rel, err := openRelease(r.programs)
	if err != nil {
		return err
	}
	licenses, err := readLicenses("NOTICE")
	if err != nil {
		return err
	}
	for _, p := range rel.programs {
		if err := rel.writeArchive(p, r.pages, r.out); err != nil {
			return fmt.Errorf("archive of %s: %w", p.platform(), err)
		}
		bill, err := rel.bill(p, licenses)
		if err != nil {
			return fmt.Errorf("bill of materials of %s: %w", p.platform(), err)
		}
		name := filepath.Join(r.out, rel.name(p)+".cdx.json")
		if err := os.WriteFile(name, bill, 0o644); err != nil {
			return err
		}
	}
	if err := r.bundle(rel); err != nil {
		return err
	}
	return writeChecksums(r.out)
}

// bundle writes the desktop bundle, if the programs of all its platforms are there, and the entry
// of the MCP registry, which names it.
func (r request) bundle(rel *release) error {
	file := filepath.Join(r.out, bundleName)
	switch missing, err := rel.writeBundle(file); {
	case err != nil:
		return fmt.Errorf("write %s: %w", bundleName, err)
	case missing != "":
		fmt.Fprintf(os.Stderr, "dist: no %s, which needs %s\n", bundleName, missing)
		return nil
	}
	if r.repository == "" {
		return nil
	}
	entry, err := rel.registryEntry(file, r.repository, r.base)
	if err != nil {
		return fmt.Errorf("write server.json: %w", err)
	}
	return os.WriteFile(filepath.Join(r.out, "server.json"), entry, 0o644)
}
