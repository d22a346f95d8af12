// Command gen writes the embedded station directory, internal/stations/stations.bin,
// from the pinned version of the package @neaps/tide-database:
//
//	go run ./internal/stations/gen                 # fetches the package with npm
//	go run ./internal/stations/gen -from FOLDER    # takes it from FOLDER/node_modules
//	go run ./internal/stations/gen -check          # compares instead of writing
//
// It takes NOAA's rows and of them the fields that NOTICE accounts for, puts
// them in the order of their ids and restores NOAA's decimals. One package
// makes one file, byte for byte. It needs node and npm; nothing else of
// Leadline does.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// The pinned package. Its version ends in the day on which it was built,
// and integrity is the hash of its archive that npm checked on fetching it.
const (
	packageName = "@neaps/tide-database"
	packageVer  = "0.10.20260924"
	built       = 20260924
	integrity   = "sha512-2iUZXhMNUhjQcSG4AYVW038aXWzy2bObN0RbONuRJZuimUOF3/OsL3LJFasKSYCGyyEa2tBU2Ch9vF4uPqt3Eg=="
)

//go:embed dump.mjs
var dumpScript string

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("gen", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("from", "", "`folder` whose node_modules has the package; without it npm fetches the package into a temporary one")
	out := flags.String("o", "internal/stations/stations.bin", "`file` to write or to check")
	checking := flags.Bool("check", false, "write nothing: compare the file and every answer of the directory with the package")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rows, err := load(*from, stderr)
	if err != nil {
		return err
	}
	data, err := encode(rows, built)
	if err != nil {
		return fmt.Errorf("encoding: %w", err)
	}
	if *checking {
		return check(rows, data, *out)
	}
	return os.WriteFile(*out, data, 0o644)
}

// load reads the rows of the package in folder, or of one fetched for the purpose.
func load(folder string, stderr io.Writer) ([]row, error) {
	if folder == "" {
		temporary, err := os.MkdirTemp("", "leadline-gen-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temporary)
		if err := install(temporary, stderr); err != nil {
			return nil, err
		}
		folder = temporary
	}
	if err := verify(folder); err != nil {
		return nil, err
	}
	dump, err := dump(folder, stderr)
	if err != nil {
		return nil, err
	}
	return readRows(bytes.NewReader(dump))
}

func install(folder string, stderr io.Writer) error {
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, packageName+"@"+packageVer)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, stderr, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm install: %w", err)
	}
	return nil
}

// verify holds what npm noted on installing against the pinned version and hash.
func verify(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err != nil {
		return fmt.Errorf("reading npm's lock: %w", err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("reading npm's lock: %w", err)
	}
	got := lock.Packages["node_modules/"+packageName]
	if got.Version != packageVer || got.Integrity != integrity {
		return fmt.Errorf("%s is %q with integrity %q, want %q with %q", packageName, got.Version, got.Integrity, packageVer, integrity)
	}
	return nil
}

// dump runs dump.mjs as if it stood in folder.
func dump(folder string, stderr io.Writer) ([]byte, error) {
	cmd := exec.Command("node", "--input-type=module", "-e", dumpScript)
	cmd.Dir, cmd.Stderr = folder, stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("dumping the package: %w", err)
	}
	return out, nil
}
