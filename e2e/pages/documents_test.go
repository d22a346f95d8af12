package pages

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/access"
	"leadline/internal/config"
)

// column returns one column of a table.
func column(table [][]string, i int) []string {
	var out []string
	for _, row := range table {
		out = append(out, row[i])
	}
	return out
}

func TestDocumentedTools(t *testing.T) {
	table := product.TableRows(t, "mcp.md", "group | tool")
	catalogue := product.OfflineTools(t).Catalog()
	if len(table) != len(catalogue) {
		t.Fatalf("docs/mcp.md has %d tools, the catalogue %d: %v",
			len(table), len(catalogue), column(table, 1))
	}
	for i, tool := range catalogue {
		row := table[i]
		live := strings.Contains(row[2], "*provider*")
		if row[0] != string(tool.Group) || row[1] != tool.Name || live != tool.Live {
			t.Errorf(
				"row %d is %v, want %s %s, provider %v",
				i,
				row,
				tool.Group,
				tool.Name,
				tool.Live,
			)
		}
	}
}

// TestDocumentedToolsets compares the table of docs/mcp.md with the set planning, and its list with
// the set everyday.
func TestDocumentedToolsets(t *testing.T) {
	sets := product.OfflineTools(t).Toolsets()
	var want, everyday []string
	for _, tool := range sets[1].Tools {
		want = append(want, sets[1].Name+" "+tool.Name)
	}
	for _, tool := range sets[2].Tools {
		everyday = append(everyday, "`"+tool.Name+"`")
	}
	list := "The set `everyday` has " + strings.Join(everyday, ", ") + "."
	if !strings.Contains(strings.Join(strings.Fields(product.Document(t, "mcp.md")), " "), list) {
		t.Errorf("docs/mcp.md lacks %q", list)
	}
	var got []string
	for _, row := range product.TableRows(t, "mcp.md", "set | tool") {
		got = append(got, row[0]+" "+row[1])
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/mcp.md has %v, the tool sets %v", got, want)
	}
}

func TestDocumentedFlags(t *testing.T) {
	table := product.TableRows(t, "configuration.md", "flag | default")
	settings := config.New().Settings()
	for i, s := range settings {
		want := []string{"--" + s.Name, s.Default, s.Usage}
		if i >= len(table) || !slices.Equal(table[i], want) {
			t.Errorf("docs/configuration.md lacks | %s |", strings.Join(want, " | "))
		}
	}
	if len(table) != len(settings) {
		t.Errorf("docs/configuration.md has %d flags, the program %d", len(table), len(settings))
	}
}

func TestDocumentedCommandList(t *testing.T) {
	help, _, err := product.RunCommand(t, nil, "help")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(help, "\nFlags:")
	var want []string
	line := regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`)
	for _, line := range line.FindAllStringSubmatch(list, -1) {
		want = append(want, line[1])
	}
	got := column(product.TableRows(t, "configuration.md", "command | does"), 0)
	if !slices.Equal(got, want) || len(want) < 15 {
		t.Errorf("docs/configuration.md has commands %v, the program %v", got, want)
	}
}

// unserved matches the responses of REST, of the pages and of the server to unknown
// paths.
var unserved = regexp.MustCompile("no such route|no such page|nothing is served")

// TestDocumentedRoutes checks that each documented route is served, and that each operation of the
// OpenAPI documents is documented.
func TestDocumentedRoutes(t *testing.T) {
	base := product.ServeOn(t, t.TempDir()).Base // where people can sign in
	inside := column(product.TableRows(t, "rest.md", "route | returns"), 0)
	outside := column(product.TableRows(t, "rest.md", "route outside"), 0)
	for document, table := range map[string][]string{
		"/openapi.json": inside, "/api/developer/openapi.json": outside,
		"/api/planning/openapi.json": outside,
	} {
		for _, operation := range operationsOf(t, base, document) {
			if !slices.Contains(table, operation) {
				t.Errorf("docs/rest.md lacks a row of %s, which %s has", operation, document)
			}
		}
	}
	for _, route := range append(inside, outside...) {
		method, path, _ := strings.Cut(route, " ")
		path = strings.ReplaceAll(path, "{id}", "8443970")
		if path == "/mcp" {
			got := product.Post(t, base, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			if method != "POST" || !strings.Contains(got, `"result"`) {
				t.Errorf("%s: %s", route, got)
			}
			continue
		}
		status, _, got := product.Exchange(t, method, base+path)
		if status == http.StatusMethodNotAllowed || unserved.Match(got) {
			t.Errorf("%s: %d %s", route, status, got)
		}
	}
}

// operationsOf returns the operations of an OpenAPI document: GET /api/v1/stations.
func operationsOf(t *testing.T, base, document string) (list []string) {
	t.Helper()
	for path, methods := range product.ReadDocument(t, base, document).Paths {
		for method := range methods.(map[string]any) {
			list = append(list, strings.ToUpper(method)+" "+path)
		}
	}
	return list
}

// TestDocumentedNumbers compares the numbers of tools and of REST operations in all documents
// with the default list and the contract.
func TestDocumentedNumbers(t *testing.T) {
	for text, want := range map[string]int{
		"(?:MCP )?tools":  len(product.OfflineTools(t).Catalog()),
		"REST operations": len(operationsOf(t, product.Mounted(t).URL, "/openapi.json")),
	} {
		found := 0
		number := regexp.MustCompile(`\b(\d+)\s+` + text + `\b`)
		for _, file := range product.Documents(t) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range number.FindAllSubmatch(content, -1) {
				found++
				if string(got[1]) != strconv.Itoa(want) {
					t.Errorf("%s has %q, want %d", file, got[0], want)
				}
			}
		}
		if found == 0 {
			t.Errorf("no document has a number of %s", text)
		}
	}
}

// TestDocumentLinks checks that each link from one document to a file has an existing
// target.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	links := 0
	for _, file := range product.Documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], ":") {
				continue // an address
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", file, found[1], err)
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links, want at least 20", links)
	}
}

// TestDocumentedTiers checks that the documented tiers are those of the code.
func TestDocumentedTiers(t *testing.T) {
	for _, row := range product.TableRows(t, "keys-and-limits.md", "tier | requests") {
		p, ok := access.BuiltIn().Of(access.Tier(row[0]))
		if !ok {
			t.Errorf("docs/keys-and-limits.md has a tier %s", row[0])
			continue
		}
		month := "no figure"
		if p.PerMonth > 0 {
			month = strconv.Itoa(p.PerMonth)
		}
		want := []string{string(p.Tier), strconv.Itoa(p.PerMinute), month, p.By()}
		if !slices.Equal(row, want) {
			t.Errorf("docs/keys-and-limits.md says %v, want %v", row, want)
		}
	}
}

// TestNotice checks that every module of go.mod is credited.
func TestNotice(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	modules := regexp.MustCompile(`(?m)^\t(\S+) v`).FindAllStringSubmatch(string(mod), -1)
	for _, module := range modules {
		if !strings.Contains(string(notice), module[1]) {
			t.Errorf("NOTICE lacks %s", module[1])
		}
	}
	if len(modules) < 8 {
		t.Errorf("%d modules in go.mod, want all of them", len(modules))
	}
}

// clients lists the clients for which docs/mcp.md describes how to sign in.
var clients = []string{"Claude", "Claude Code", "ChatGPT", "VS Code", "Cursor", "MCP Inspector"}

// block matches a fenced block, with its language.
var block = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```")

// TestDocumentedClients checks that each client has blocks that can be pasted
// unchanged, with the address of the endpoint for sign-in.
func TestDocumentedClients(t *testing.T) {
	_, section, _ := strings.Cut(product.Document(t, "mcp.md"), "## Sign in\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, client := range clients {
		_, own, found := strings.Cut(section, "\n**"+client+"**")
		own, _, _ = strings.Cut(own, "\n**")
		blocks := block.FindAllStringSubmatch(own, -1)
		if !found || len(blocks) == 0 || !strings.Contains(own, "/pro/mcp") {
			t.Errorf("%s has no block that leads to /pro/mcp", client)
		}
		for _, b := range blocks {
			if err := parses(b[1], b[2]); err != nil {
				t.Errorf("%s: %v in\n%s", client, err, b[2])
			}
		}
	}
}

// parses returns an error if the syntax of a block is wrong.
func parses(language, text string) error {
	switch language {
	case "json":
		return json.Unmarshal([]byte(text), &map[string]any{})
	case "sh":
		shell := exec.Command("sh", "-n")
		shell.Stdin = strings.NewReader(text)
		said, err := shell.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return err
	case "text":
		u, err := url.Parse(strings.TrimSpace(text))
		if err == nil && (u.Host == "" || u.Path != "/pro/mcp") {
			err = errors.New("no address of the endpoint")
		}
		return err
	}
	return fmt.Errorf("a block of %q", language)
}
