package pages

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"leadline/e2e/product"
	"leadline/internal/coast"
	"leadline/internal/config"
	"leadline/internal/operation"
)

// submission is dist/chatgpt-app-submission.json, in the form of its $schema.
type submission struct {
	Schema  string                   `json:"$schema"`
	Version int                      `json:"schema_version"`
	App     submittedApp             `json:"app_info"`
	Tools   map[string]submittedTool `json:"tools"`
	Cases   []submittedCase          `json:"test_cases"`
	Not     []submittedCase          `json:"negative_test_cases"`
}

type submittedApp struct {
	Name        string `json:"display_name"`
	Subtitle    string `json:"subtitle"` // at most 30 characters
	Description string `json:"description"`
	Category    string `json:"category"`
}

type submittedTool struct {
	Annotations struct {
		ReadOnly    bool `json:"readOnlyHint"`
		OpenWorld   bool `json:"openWorldHint"`
		Destructive bool `json:"destructiveHint"`
	} `json:"annotations"`
	Justifications struct {
		ReadOnly    string `json:"read_only_justification"`
		OpenWorld   string `json:"open_world_justification"`
		Destructive string `json:"destructive_justification"`
	} `json:"justifications"`
}

type submittedCase struct {
	Description string   `json:"description"`
	Prompt      string   `json:"user_prompt"`
	Files       []string `json:"file_attachment_urls"`
	Tools       *string  `json:"tools_triggered"`
	Expected    string   `json:"expected_output"`
	URL         *string  `json:"expected_output_url"`
}

const submissionFile = "../../dist/chatgpt-app-submission.json"

// justified returns what the submission says about a tool, with the sentences of
// docs/directories.md.
func justified(t *testing.T, tool operation.Tool) (s submittedTool) {
	t.Helper()
	for _, row := range product.TableRows(t, "directories.md", "hint | value") {
		switch hint, value := row[0], row[1] == "true"; {
		case hint == "readOnlyHint":
			s.Annotations.ReadOnly, s.Justifications.ReadOnly = value, row[2]
		case hint == "destructiveHint":
			s.Annotations.Destructive, s.Justifications.Destructive = value, row[2]
		case hint == "openWorldHint" && value == tool.Quotes:
			s.Annotations.OpenWorld, s.Justifications.OpenWorld = value, row[2]
		}
	}
	return s
}

// TestSubmission compares the submission to ChatGPT with the tools and the sentences of
// docs/directories.md. With -update it writes them.
func TestSubmission(t *testing.T) {
	text, err := os.ReadFile(submissionFile)
	if err != nil {
		t.Fatal(err)
	}
	var got submission
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]submittedTool{}
	for _, tool := range product.OfflineTools(t).Catalog() {
		want[tool.Name] = justified(t, tool)
	}
	if *product.Update {
		got.Tools = want
		if text, err = json.MarshalIndent(got, "", "  "); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(submissionFile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, tool := range want {
		if got.Tools[name] != tool {
			t.Errorf("%s: %+v, want %+v; -update writes it", name, got.Tools[name], tool)
		}
		if j := tool.Justifications; j.ReadOnly == "" || j.OpenWorld == "" || j.Destructive == "" {
			t.Errorf("%s lacks a sentence: %+v", name, j)
		}
	}
	if len(got.Tools) != len(want) || len(got.Cases) != 5 || len(got.Not) != 3 ||
		utf8.RuneCountInString(got.App.Subtitle) > 30 {
		t.Errorf("%d tools, %d and %d cases, subtitle %q", len(got.Tools), len(got.Cases),
			len(got.Not), got.App.Subtitle)
	}
	for _, c := range got.Cases {
		if c.Tools == nil || c.Prompt == "" || c.Expected == "" {
			t.Errorf("incomplete: %+v", c)
			continue
		}
		for name := range strings.SplitSeq(*c.Tools, ", ") {
			if _, ok := want[name]; !ok {
				t.Errorf("%q names the tool %q", c.Prompt, name)
			}
		}
	}
	for _, c := range got.Not {
		if c.Tools != nil || c.Prompt == "" || c.Expected == "" {
			t.Errorf("a case that must not use tools: %+v", c)
		}
	}
}

// TestSubmissionHints compares the hints of docs/directories.md with those that clients get.
func TestSubmissionHints(t *testing.T) {
	server := product.Mounted(t)
	var list struct {
		Result struct {
			Tools []struct {
				Name        string
				Annotations map[string]any
			}
		}
	}
	product.Decode(
		t,
		product.Post(t, server.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`),
		&list,
	)
	quotes := map[string]bool{}
	for _, tool := range product.OfflineTools(t).Catalog() {
		quotes[tool.Name] = tool.Quotes
	}
	for _, tool := range list.Result.Tools {
		for hint, want := range map[string]bool{
			"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
			"openWorldHint": quotes[tool.Name],
		} {
			if got := tool.Annotations[hint]; got != want {
				t.Errorf("%s of %s is %v, want %v", hint, tool.Name, got, want)
			}
		}
	}
	if len(list.Result.Tools) != len(quotes) {
		t.Errorf("%d tools are listed, want %d", len(list.Result.Tools), len(quotes))
	}
}

// TestExtensions checks the descriptions for Gemini CLI and Claude Code: they start the program
// as docs/install.md says, with one version, and the skill names tools that exist.
func TestExtensions(t *testing.T) {
	var gemini, plugin struct {
		Name, Version   string
		ContextFileName string
		MCPServers      map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	var market struct {
		Plugins []struct{ Name, Source string }
	}
	for file, to := range map[string]any{
		"../../gemini-extension.json": &gemini, "../../.claude-plugin/plugin.json": &plugin,
		"../../.claude-plugin/marketplace.json": &market,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, to); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	for name, servers := range map[string]any{
		"gemini": gemini.MCPServers, "claude": plugin.MCPServers,
	} {
		text, err := json.Marshal(servers)
		if err != nil || string(text) != `{"leadline":{"Command":"leadline","Args":["stdio"]}}` {
			t.Errorf("%s starts %s, %v", name, text, err)
		}
	}
	if gemini.Version != plugin.Version || gemini.Name != plugin.Name ||
		len(market.Plugins) != 1 || market.Plugins[0].Name != plugin.Name ||
		market.Plugins[0].Source != "./" {
		t.Errorf("%+v, %+v, %+v", gemini, plugin, market)
	}
	skill, err := os.ReadFile("../../" + gemini.ContextFileName)
	if err != nil {
		t.Fatal(err)
	}
	known := product.NamesOf(product.OfflineTools(t).Toolsets()...)
	named := regexp.MustCompile(`\b(noaa|nws|astro)_\w+`).FindAllString(string(skill), -1)
	for _, name := range named {
		if !slices.Contains(known, name) {
			t.Errorf("the skill names %s, which is not a tool", name)
		}
	}
	if len(named) < 8 || !strings.Contains(string(skill), "not for navigation") {
		t.Errorf("the skill names %d tools; %q must be in it", len(named), coast.Disclaimer)
	}
}

// TestDeployedSettings checks that compose files, the unit, images and the desktop bundle set
// variables that exist.
func TestDeployedSettings(t *testing.T) {
	known := []string{"LEADLINE_IMAGE"} // of compose files
	for _, s := range config.New().Settings() {
		known = append(known, s.Variable())
	}
	for _, file := range []string{
		"compose.yaml", "Dockerfile", "dist/Containerfile", "dist/leadline.service",
		"dist/manifest.json", "dist/postgres/compose.yaml",
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		variables := regexp.MustCompile(`\bLEADLINE_[A-Z_]+`).FindAllString(string(text), -1)
		if len(variables) == 0 {
			t.Errorf("%s sets nothing", file)
		}
		for _, name := range variables {
			if !slices.Contains(known, name) {
				t.Errorf("%s has %s, which is not a setting", file, name)
			}
		}
	}
}
