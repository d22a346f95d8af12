package manual

import (
	"bytes"
	"flag"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the documented requests in clients")

// fenceOf returns the first block of code of a language in Markdown.
func fenceOf(t *testing.T, p *Page, language string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)\n```" + language + "\n(.*?)\n```").FindStringSubmatch(p.Twin)
	if m == nil {
		t.Fatalf("%s has no code in %s", p.Path, language)
	}
	return m[1]
}

// TestDocumentedRequests compares the requests of all operations with two files in clients, where
// the tests of the libraries check their types.
func TestDocumentedRequests(t *testing.T) {
	m := newManual(t)
	script := bytes.NewBufferString("// The requests of the documentation, by go test " +
		"./internal/web/manual -update.\nimport { Leadline } from \"leadline\";\n")
	python := bytes.NewBufferString(`"""The requests of the documentation, by go test ` +
		"./internal/web/manual -update.\"\"\"\n\nimport json\nimport os\nimport urllib.request\n\n" +
		"from leadline import Leadline\n")
	n := 0
	for _, p := range m.Pages() {
		id := path.Base(p.Path)
		if path.Dir(p.Path) != "/docs/rest" {
			continue
		}
		n++
		body := func(language, indent string) string {
			code := regexp.MustCompile(`(?m)^(import|from) .*\n`).
				ReplaceAllString(fenceOf(t, p, language), "")
			return regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(strings.TrimSpace(code), indent+"$1")
		}
		script.WriteString("\nexport async function " + id + "(): Promise<void> {\n" +
			body("ts", "  ") + "\n}\n")
		python.WriteString("\n\ndef " + snake(id) + "() -> None:\n" + body("python", "    ") + "\n")
	}
	if n < 30 {
		t.Errorf("%d operations, want at least 30", n)
	}
	for file, got := range map[string]*bytes.Buffer{
		"typescript/test/documented.ts": script, "python/tests/documented.py": python,
	} {
		file = "../../../clients/" + file
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s differs, %v: review it after go test ./internal/web/manual -update", file, err)
		}
	}
}
