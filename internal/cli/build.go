package cli

import (
	"cmp"
	"runtime/debug"
	"strings"
	"time"
)

// build describes how the program was built, as the Go command recorded it.
type build struct {
	version  string // the tag without its v, such as 0.2.0, or devel
	revision string // abbreviated commit, "" if it was not recorded
	date     string // day of the commit, "" if it was not recorded
	modified bool   // whether files differed from the commit
}

// thisBuild returns the build of this program.
func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return newBuild(info)
}

// abbreviated is the number of digits of a commit that are printed.
const abbreviated = 7

func newBuild(info *debug.BuildInfo) build {
	b := build{version: strings.TrimPrefix(info.Main.Version, "v")}
	b.version, _, b.modified = strings.Cut(b.version, "+dirty")
	if b.version = cmp.Or(b.version, "devel"); b.version == "(devel)" {
		b.version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.revision = s.Value[:min(len(s.Value), abbreviated)]
		case "vcs.time":
			b.date, _, _ = strings.Cut(s.Value, "T")
		case "vcs.modified":
			b.modified = b.modified || s.Value == "true"
		}
	}
	return b
}

// day returns the day of the commit, and false if it was not recorded.
func (b build) day() (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, b.date)
	return day, err == nil
}

// String returns the version and, if they were recorded, the commit and its day.
func (b build) String() string {
	var from []string
	for _, part := range []string{b.revision, b.date} {
		if part != "" {
			from = append(from, part)
		}
	}
	if b.modified {
		from = append(from, "modified")
	}
	if from == nil {
		return b.version
	}
	return b.version + " (" + strings.Join(from, ", ") + ")"
}
