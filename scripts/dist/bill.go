package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// The types of a CycloneDX document, as far as it is used here.
type (
	bill struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Serial     string      `json:"serialNumber"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version"`
		Hashes   []hash    `json:"hashes,omitempty"`
		Licenses []license `json:"licenses"`
		Package  string    `json:"purl"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	license struct {
		Expression string `json:"expression"`
	}
)

// bill returns the bill of materials of a program, as CycloneDX: each module that is linked into
// it, and the standard library, with its license.
func (r *release) bill(p *program, licenses map[string]string) ([]byte, error) {
	sum := digest(p.content)
	b := bill{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		// A serial number names a document. The same program has the same document.
		Serial: fmt.Sprintf("urn:uuid:%s-%s-5%s-8%s-%s", sum[:8], sum[8:12], sum[13:16], sum[17:20],
			sum[20:32]),
		Metadata: metadata{
			Timestamp: r.time.Format(time.RFC3339),
			Component: component{
				Type: "application", Name: "leadline", Version: r.version,
				Hashes: []hash{{"SHA-256", sum}}, Licenses: []license{{"Apache-2.0"}},
			}.identified(p.info.Main.Path),
		},
	}
	library := component{
		Type: "library", Name: "std", Version: strings.TrimPrefix(p.info.GoVersion, "go"),
		Licenses: []license{{"BSD-3-Clause"}},
	}
	b.Components = []component{library.identified("std")}
	for _, m := range p.info.Deps {
		c, err := componentOf(m, licenses)
		if err != nil {
			return nil, err
		}
		b.Components = append(b.Components, c)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// componentOf describes a module.
func componentOf(m *debug.Module, licenses map[string]string) (component, error) {
	if m.Replace != nil {
		return component{}, fmt.Errorf("%s is replaced by %s", m.Path, m.Replace.Path)
	}
	expression, ok := licenses[m.Path]
	if !ok {
		return component{}, fmt.Errorf("NOTICE lacks the license of %s", m.Path)
	}
	c := component{
		Type: "library", Name: m.Path, Version: m.Version, Licenses: []license{{expression}},
	}
	return c.identified(m.Path), nil
}

// identified sets the package URL.
func (c component) identified(path string) component {
	c.Package = "pkg:golang/" + path + "@" + url.PathEscape(c.Version)
	c.Ref = c.Package
	return c
}

// identifiers are the SPDX identifiers of the licenses in NOTICE.
var identifiers = map[string]string{
	"MIT License":                "MIT",
	"BSD 2-Clause License":       "BSD-2-Clause",
	"BSD 3-Clause License":       "BSD-3-Clause",
	"Apache License 2.0":         "Apache-2.0",
	"Mozilla Public License 2.0": "MPL-2.0",
}

// modulesHeading begins the part of NOTICE that lists modules by license.
const modulesHeading = "Go modules linked into the program"

// readLicenses returns the license expressions of the modules in NOTICE. A module is on a line
// that is indented by two spaces; lines below with "its PART: LICENSE" add licenses.
func readLicenses(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, list, ok := bytes.Cut(text, []byte("\n"+modulesHeading+"\n"))
	if !ok {
		return nil, fmt.Errorf("%s has no list of modules", file)
	}
	licenses := map[string]string{}
	var group, module string
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		line := lines.Text()
		heading, isHeading := strings.CutSuffix(line, ":")
		switch {
		case strings.HasPrefix(line, "    its "):
			_, rest, _ := strings.Cut(line, ": ")
			name, _, _ := strings.Cut(rest, ",")
			licenses[module] += " AND " + identifiers[name]
		case strings.HasPrefix(line, "    "):
		case strings.HasPrefix(line, "  "):
			module, _, _ = strings.Cut(strings.TrimSpace(line), ",")
			module, _, _ = strings.Cut(module, " ")
			licenses[module] = group
		case isHeading:
			if group, err = expression(heading); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return licenses, nil
}

// expression returns the SPDX expression of a heading such as "MIT License and Apache License 2.0".
func expression(heading string) (string, error) {
	var parts []string
	for name := range strings.SplitSeq(heading, " and ") {
		parts = append(parts, identifiers[name])
	}
	if slices.Contains(parts, "") {
		return "", fmt.Errorf("unknown license %q", heading)
	}
	return strings.Join(parts, " AND "), nil
}
