package providers

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/e2e/product"
	"leadline/internal/operation"
	"leadline/prompts"
	"leadline/tools"
)

// startOnSimulator starts the product on simulated providers, both at the same
// fixed time.
func startOnSimulator(t *testing.T) (base string, set *tools.Set) {
	t.Helper()
	p := product.Live(t)
	return p.URL, p.Tools()
}

// TestTopicExamples calls every example of the guide and the topics. Each camelCase
// word of a page must be a field of a result.
func TestTopicExamples(t *testing.T) {
	base, set := startOnSimulator(t)
	pages := append(set.Topics.Topics(), set.Topics.Guide())
	seen, called := map[string]bool{}, 0
	for _, page := range pages {
		for _, example := range examples(page.Text) {
			tool, args, _ := strings.Cut(example, " ")
			result, err := resultOf(product.PostTo(t, base+"/mcp?view=full",
				fmt.Sprintf(
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`,
					tool,
					args,
				)))
			if err != nil {
				t.Errorf("%s: %s: %v", page.Name, example, err)
			}
			fields(result, seen)
			called++
		}
	}
	if called < 50 {
		t.Errorf("%d examples called, want at least 50", called)
	}
	fields(decisionFields(t, base), seen)
	word := regexp.MustCompile("`([a-z]+[A-Z][A-Za-z]*)(?:\\[\\])?[`:]")
	for _, page := range pages {
		for _, m := range word.FindAllStringSubmatch(page.Text, -1) {
			if !seen[m[1]] {
				t.Errorf("%s names a field %q, which no result of an example has", page.Name, m[1])
			}
		}
	}
}

// TestTopicsNameTools checks that every tool that a page names is in a tool set.
func TestTopicsNameTools(t *testing.T) {
	set := product.OfflineTools(t)
	var names []string
	for tool := range offeredTools(set) {
		names = append(names, tool.Name)
	}
	name, found := regexp.MustCompile(`\b(?:noaa|nws|astro|leadline)_[a-z_]+`), 0
	for _, page := range append(set.Topics.Topics(), set.Topics.Guide()) {
		for _, tool := range name.FindAllString(page.Text, -1) {
			found++
			if !slices.Contains(names, tool) && tool != "noaa_mean" { // a value of directionSource
				t.Errorf("%s names %q, which is not a tool", page.Name, tool)
			}
		}
	}
	if found < 50 {
		t.Errorf("the pages name %d tools, want at least 50", found)
	}
}

// offeredTools yields the tools of all tool sets with the names of their sets.
func offeredTools(set *tools.Set) iter.Seq2[operation.Tool, string] {
	return func(yield func(operation.Tool, string) bool) {
		for _, s := range set.Toolsets() {
			for _, tool := range s.Tools {
				if !yield(tool, s.Name) {
					return
				}
			}
		}
	}
}

// TestPromptsNameTools checks that every word in backticks of a prompt is a tool set, one of its
// tools, an argument of these, or a field of their results.
func TestPromptsNameTools(t *testing.T) {
	known := map[string]bool{}
	for tool, set := range offeredTools(product.OfflineTools(t)) {
		known[set], known[tool.Name] = true, true
		var input struct{ Properties map[string]any }
		product.Decode(t, string(tool.Input), &input)
		for name := range input.Properties {
			known[name] = true
		}
		result, err := tool.Call(t.Context(), []byte(`{"station":"8443970"}`))
		if err != nil {
			continue // it needs a provider, or other arguments
		}
		text, err := result.Structured()
		if err != nil {
			t.Fatal(err)
		}
		var content any
		product.Decode(t, string(text), &content)
		fields(content, known)
	}
	word, found := regexp.MustCompile("`([a-z_]+)`"), 0
	for _, p := range prompts.All() {
		required, all := map[string]string{}, map[string]string{}
		for _, a := range p.Arguments {
			all[a.Name] = "8443970"
			if a.Required {
				required[a.Name] = "8443970"
			}
		}
		for _, text := range []string{p.Render(required), p.Render(all)} {
			for _, m := range word.FindAllStringSubmatch(text, -1) {
				found++
				if !known[m[1]] {
					t.Errorf(
						"%s names %q, which is neither a tool nor an argument or field",
						p.Name,
						m[1],
					)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("the prompts name %d tools and arguments, want at least 20", found)
	}
}

// decisionFields returns a decision, whose fields do not occur in the result of any
// tool.
func decisionFields(t *testing.T, base string) any {
	t.Helper()
	body := fmt.Sprintf(
		`{"stationId":"8443970","activity":"fishing","localDate":%q,"localTime":"12:00"}`,
		product.Noon().AddDate(0, 0, 1).Format(time.DateOnly))
	answer, err := http.Post(base+"/api/v1/decisions/trip-health", "application/json",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var decision any
	if err := json.NewDecoder(answer.Body).Decode(&decision); err != nil ||
		answer.StatusCode != http.StatusOK {
		t.Fatalf("trip-health returns %d, %v: %v", answer.StatusCode, err, decision)
	}
	return decision
}

// examples returns the calls in the code blocks of a page. An indented line
// continues the call above it.
func examples(page string) []string {
	var list []string
	for i, block := range strings.Split(page, "```\n") {
		if i%2 == 1 {
			block = strings.ReplaceAll(strings.TrimSpace(block), "\n    ", " ")
			list = append(list, strings.Split(block, "\n")...)
		}
	}
	return list
}

// resultOf returns the structured content of a response, or its error.
func resultOf(answer string) (content any, err error) {
	var a struct {
		Error  json.RawMessage
		Result struct {
			IsError           bool
			StructuredContent any
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return nil, fmt.Errorf("reading %.300s: %w", answer, err)
	}
	if a.Error != nil || a.Result.IsError || a.Result.StructuredContent == nil {
		return nil, fmt.Errorf("answered %.300s", answer)
	}
	return a.Result.StructuredContent, nil
}

// fields adds the names of all members in a result to seen.
func fields(result any, seen map[string]bool) {
	switch r := result.(type) {
	case []any:
		for _, one := range r {
			fields(one, seen)
		}
	case map[string]any:
		for name, one := range r {
			seen[name] = true
			fields(one, seen)
		}
	}
}
