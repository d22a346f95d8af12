// Command gen writes the embedded station directory, internal/stations/stations.bin,
// from the pinned version of the package @neaps/tide-database:
//
//	go run ./internal/stations/gen                 # fetches the package with npm
//	go run ./internal/stations/gen -from FOLDER    # takes it from FOLDER/node_modules
//	go run ./internal/stations/gen -check          # compares instead of writing
//
// It takes the fields that NOTICE lists from NOAA's rows, sorts the rows by id and
// restores NOAA's decimals. The same package always produces the same file, byte for
// byte. It needs node and npm; nothing else of Leadline does.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"leadline/internal/npm"
)

// database is the pinned package. Its version ends with the day on which it was built;
// the constant built repeats that day.
var database = npm.Package{
	Name: "@neaps/tide-database", Version: "0.10.20260924",
	Integrity: "sha512-2iUZXhMNUhjQcSG4AYVW038aXWzy2bObN0RbONuRJZuimUOF3/OsL3LJFasKSYCGyyEa2tBU" +
		"2Ch9vF4uPqt3Eg==",
}

const built = 20260924

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
	from := flags.String("from", "",
		"`folder` whose node_modules has the package; without it npm fetches the package into a "+
			"temporary one")
	out := flags.String("o", "internal/stations/stations.bin", "`file` to write or to check")
	checking := flags.Bool("check", false,
		"write nothing: compare the file and every answer of the directory with the package")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dump, err := npm.Dump(*from, dumpScript, stderr, database)
	if err != nil {
		return err
	}
	rows, err := readRows(bytes.NewReader(dump))
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
