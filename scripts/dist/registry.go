package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The entry of the MCP registry, to be completed, and the schema of the registry.
const (
	registryFile   = "dist/server.json"
	registrySchema = "dist/schemas/server.schema.json"
)

// registryEntry returns the entry of the MCP registry for a release: the template with the owner of
// the repository, the version and the checksum of the bundle. Without the address of a public
// server it has no remotes.
func (r *release) registryEntry(bundle, repository, base string) ([]byte, error) {
	template, err := os.ReadFile(registryFile)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(bundle)
	if err != nil {
		return nil, err
	}
	return fillRegistry(template, r.version, digest(content), repository, base)
}

// fillRegistry completes the template and validates the result.
func fillRegistry(template []byte, version, sum, repository, base string) ([]byte, error) {
	owner, name, ok := strings.Cut(repository, "/")
	if !ok || owner == "" || name == "" || strings.ContainsAny(name, `/"\`) {
		return nil, fmt.Errorf("invalid repository %q: must be OWNER/NAME", repository)
	}
	text := strings.NewReplacer(
		"OWNER", strings.ToLower(owner), "REPOSITORY", repository, "VERSION", version, "SHA256", sum,
		"BASE_URL", strings.TrimSuffix(base, "/"),
	).Replace(string(template))
	var entry map[string]any
	if err := json.Unmarshal([]byte(text), &entry); err != nil {
		return nil, err
	}
	if base == "" {
		delete(entry, "remotes")
	}
	if err := validate(entry, registrySchema); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(entry, "", "  ")
	return append(out, '\n'), err
}

// validate checks a JSON value against the schema in a file.
func validate(value any, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(file, schema); err != nil {
		return err
	}
	compiled, err := c.Compile(file)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
