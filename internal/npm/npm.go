// Package npm fetches pinned packages of the npm registry, from which generators
// produce embedded data. It needs node and npm; only generators use it.
package npm

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Package is one version of a package.
type Package struct {
	Name      string
	Version   string
	Integrity string // hash of its archive in npm's format
}

// Dump returns the output of a node script, which finds the packages in folder/node_modules.
// If folder is empty, npm installs them into a temporary folder. A version or hash that
// differs from the pinned one is an error.
func Dump(folder, script string, stderr io.Writer, packages ...Package) ([]byte, error) {
	if folder == "" {
		temporary, err := os.MkdirTemp("", "leadline-gen-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temporary)
		if err := install(temporary, stderr, packages); err != nil {
			return nil, err
		}
		folder = temporary
	}
	if err := verify(folder, packages); err != nil {
		return nil, err
	}
	cmd := exec.Command("node", "--input-type=module", "-e", script)
	cmd.Dir, cmd.Stderr = folder, stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("dump packages: %w", err)
	}
	return out, nil
}

func install(folder string, stderr io.Writer, packages []Package) error {
	args := []string{"install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder}
	for _, p := range packages {
		args = append(args, p.Name+"@"+p.Version)
	}
	cmd := exec.Command("npm", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, stderr, stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm install: %w", err)
	}
	return nil
}

// verify compares the installed versions and hashes, from npm's lock file, with the pinned
// ones.
func verify(folder string, packages []Package) error {
	text, err := os.ReadFile(filepath.Join(folder, "node_modules", ".package-lock.json"))
	if err != nil {
		return fmt.Errorf("read npm lock file: %w", err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("read npm lock file: %w", err)
	}
	for _, p := range packages {
		got := lock.Packages["node_modules/"+p.Name]
		if got.Version != p.Version || got.Integrity != p.Integrity {
			return fmt.Errorf("%s is %q with integrity %q, want %q with %q",
				p.Name, got.Version, got.Integrity, p.Version, p.Integrity)
		}
	}
	return nil
}
