package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// program is the program of one platform.
type program struct {
	os, arch string
	content  []byte
	info     *debug.BuildInfo
}

func (p *program) platform() string { return p.os + "/" + p.arch }

// file returns the name of the program on its platform.
func (p *program) file() string {
	if p.os == "windows" {
		return "leadline.exe"
	}
	return "leadline"
}

// setting returns a setting of the build, such as vcs.revision.
func (p *program) setting(key string) string {
	for _, s := range p.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// release is the programs of all platforms, built from one commit.
type release struct {
	version  string // the tag without its v
	revision string
	time     time.Time // of the commit
	programs []*program
}

// name returns the name of the archive of a program, without its extension.
func (r *release) name(p *program) string {
	return fmt.Sprintf("leadline_%s_%s_%s", r.version, p.os, p.arch)
}

// program returns the program of a platform, nil if there is none.
func (r *release) program(platform string) *program {
	for _, p := range r.programs {
		if p.platform() == platform {
			return p
		}
	}
	return nil
}

// openRelease reads the programs of a folder. It returns an error unless all are stamped with the
// same commit, without changes.
func openRelease(folder string) (*release, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_*", "leadline*"))
	if err != nil || len(files) == 0 {
		return nil, errors.Join(fmt.Errorf("no programs in %s", folder), err)
	}
	r := &release{}
	for _, file := range files {
		p, err := openProgram(file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		if err := r.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	slices.SortFunc(r.programs, func(a, b *program) int {
		return cmp.Compare(a.platform(), b.platform())
	})
	return r, nil
}

func openProgram(file string) (*program, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := &program{content: content, info: info}
	p.os, p.arch = p.setting("GOOS"), p.setting("GOARCH")
	return p, nil
}

// add adds a program after checking its stamps.
func (r *release) add(p *program) error {
	version, ok := strings.CutPrefix(p.info.Main.Version, "v")
	revision := p.setting("vcs.revision")
	committed, err := time.Parse(time.RFC3339, p.setting("vcs.time"))
	switch {
	case !ok || revision == "" || err != nil:
		return errors.New("not stamped with a commit: build it in a clone with -buildvcs=true")
	case p.setting("vcs.modified") != "false":
		return errors.New("built from files that differ from the commit")
	case len(r.programs) > 0 && (version != r.version || revision != r.revision):
		return fmt.Errorf("built from %s, the others from %s", revision, r.revision)
	}
	r.version, r.revision, r.time = version, revision, committed.UTC()
	r.programs = append(r.programs, p)
	return nil
}

// digest returns the SHA-256 of content in hexadecimal digits.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// checksums is the file with the checksums of all files of a release.
const checksums = "checksums.txt"

// writeChecksums writes the SHA-256 of each file of a folder, as sha256sum prints it.
func writeChecksums(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, entry := range entries {
		if entry.Name() == checksums {
			continue
		}
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", digest(content), entry.Name())
	}
	return os.WriteFile(filepath.Join(folder, checksums), []byte(b.String()), 0o644)
}
