package mcp

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/operation"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/prompts"
	"leadline/resources"
	"leadline/tools"
)

// newProduct returns a server with the real tools, on a fixed day.
func newProduct(t testing.TB) *Server {
	t.Helper()
	return newProductBehind(t, nil)
}

// newProductBehind returns a server with the real tools behind a gate.
func newProductBehind(t testing.TB, gate *access.Gate) *Server {
	t.Helper()
	return newProductWith(t, gate)
}

// newProductOffering returns a server with the real tools and other default tool sets.
func newProductOffering(t testing.TB, sets ...string) *Server {
	t.Helper()
	return newProductWith(t, nil, sets...)
}

func newProductWith(t testing.TB, gate *access.Gate, sets ...string) *Server {
	t.Helper()
	set := newTools(t)
	s, err := New(Config{
		Version: "0", BaseURL: "http://127.0.0.1:8080",
		Toolsets: set.Toolsets(), Offer: sets, Topics: set.Topics, Prompts: prompts.All(),
		Complete: set.Directory.CompleteStation, CompletePlace: set.Directory.CompletePlace,
		Card: set.Directory.StationCard,
		Gate: gate, Log: slog.New(slog.DiscardHandler),
		Observe: func(string, string, time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// newTools returns the real tools, on a fixed day.
func newTools(t testing.TB) *tools.Set {
	t.Helper()
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }
	return tools.New(tools.Config{
		Stations: directory, Topics: resources.New(resources.Facts{}), Now: now,
		Overlay: overlay.New(overlay.Config{Stations: directory, Now: now}),
	})
}

// namesOf returns the names of tools in the order of tools/list.
func namesOf(list []operation.Tool) []string {
	var names []string
	for _, tool := range list {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestCatalogueIsShort checks that the list of tools has at most 8,600 tokens of
// four characters. Every conversation begins with it.
func TestCatalogueIsShort(t *testing.T) {
	s := newProduct(t)
	bothEras(t, s, request("tools/list", "{}"), func(t *testing.T, got reply, _ bool) {
		if tokens := len(got.body) / 4; tokens > 8_600 {
			t.Errorf("tools/list has %d tokens, want at most 8600", tokens)
		}
	})
}

// TestListedSchemas checks that the list of all tools has no anyOf, with which some clients lose
// every tool, and no argument that is only accepted.
func TestListedSchemas(t *testing.T) {
	s := newProduct(t)
	for _, query := range []string{"", "?toolsets=planning", "?toolsets=core,planning"} {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080/mcp"+query,
			strings.NewReader(request("tools/list", "{}")))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		list := w.Body.String()
		if !strings.Contains(list, `"outputSchema":{"type":"object"}`) {
			t.Errorf("%s: no output schema in %.300s", query, list)
		}
		for _, word := range []string{`"anyOf"`, `"oneOf"`, `"response_format"`} {
			if strings.Contains(list, word) {
				t.Errorf("%s: %s in the list", query, word)
			}
		}
	}
}

// TestTwoDaysAreShort checks the length of the most common result: two days of high
// and low water.
func TestTwoDaysAreShort(t *testing.T) {
	s := newProduct(t)
	for _, format := range []string{"markdown", "json"} {
		got := post(t, s, call("noaa_get_tide_predictions",
			`{"station":"8443970","response_format":"`+format+`"}`))
		var result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
		for name, length := range map[string]int{
			"text":       len(result.Content[0].Text),
			"structured": len(result.StructuredContent),
		} {
			if tokens := length / 4; tokens > 900 {
				t.Errorf("%s as %s has %d tokens, want at most 900", name, format, tokens)
			}
		}
	}
}

// TestLongResultIsPaged checks that a long result is reduced to its first page and
// describes how to get the next one.
func TestLongResultIsPaged(t *testing.T) {
	got := post(t, newProduct(t),
		call("noaa_get_tide_predictions", `{"station":"8443970","hours":8760}`))
	var result struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(got.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	var page struct {
		Total int
		Next  map[string]any
	}
	if err := json.Unmarshal(result.StructuredContent, &page); err != nil {
		t.Fatal(err)
	}
	if result.IsError || len(result.StructuredContent) > maxCharacters ||
		page.Total < 1000 || len(page.Next) == 0 {
		t.Errorf("%d characters, %+v", len(result.StructuredContent), page)
	}
}

// TestInstructions checks the length of the server instructions, which some clients load
// alone, and that they name only tools and arguments in the list.
func TestInstructions(t *testing.T) {
	s := newProduct(t)
	var result struct{ Instructions string }
	if err := json.Unmarshal(post(t, s, handshake).Result, &result); err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(result.Instructions, "\n\n")
	if n := len(first); n > 512 {
		t.Errorf("the first paragraph has %d characters; some clients show 512", n)
	}
	if n := len(result.Instructions); n < 1500 || n > 1900 {
		t.Errorf("%d characters, want 1500 to 1900", n)
	}
	for _, name := range toolName.FindAllString(result.Instructions, -1) {
		if s.calls[name] == nil {
			t.Errorf("the instructions name %s, which is not a tool", name)
		}
	}
}

var toolName = regexp.MustCompile(`\b(noaa|nws|astro|leadline)_\w+`)

// TestFirstTools checks that clients which load tools on demand load the tools that most
// questions begin with, and that these tools and the server have an icon.
func TestFirstTools(t *testing.T) {
	s := newProduct(t)
	var list struct {
		Tools []struct {
			Name  string
			Icons []struct{ Src string }
			Meta  map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal(post(t, s, request("tools/list", "{}")).Result, &list); err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, tool := range list.Tools {
		if tool.Meta["anthropic/alwaysLoad"] != true {
			continue
		}
		first = append(first, tool.Name)
		if len(tool.Icons) != 1 || !strings.HasPrefix(tool.Icons[0].Src, "data:image/svg+xml,") ||
			strings.ContainsAny(tool.Icons[0].Src, " <>\"{}|^`\\") { // RFC 3986 does not allow these
			t.Errorf("%s has icons %v, want one data: URI", tool.Name, tool.Icons)
		}
	}
	want := []string{"noaa_get_tide_predictions", "noaa_search_stations"}
	if !slices.Equal(first, want) {
		t.Errorf("tools that are always loaded = %v, want %v", first, want)
	}
	if got := post(t, s, handshake); !strings.Contains(string(got.Result), `"icons":[{"src":"data:`) {
		t.Errorf("initialize = %s, want an icon of the server", got.Result)
	}
}

// TestCompletedPlaces checks that a client can complete the location of a prompt as a person types
// it, and that each value, used as place, gives a station.
func TestCompletedPlaces(t *testing.T) {
	s := newProduct(t)
	for typed, want := range map[string]string{
		"bost": "Boston, MA", "half m": "Half Moon Bay, CA", "portland, or": "Portland, OR",
		"homer": "Homer, AK", "zzzz": "",
	} {
		got := post(t, s, request("completion/complete", `{"ref":{"type":"ref/prompt",`+
			`"name":"tide_report"},"argument":{"name":"location","value":"`+typed+`"}}`))
		var result struct{ Completion struct{ Values []string } }
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
		values := result.Completion.Values
		if len(values) > 100 || want == "" && len(values) > 0 ||
			want != "" && !slices.Contains(values, want) {
			t.Errorf("%q is completed to %q, want %q among them", typed, values, want)
		}
		for _, value := range values {
			args, _ := json.Marshal(map[string]string{"place": value})
			used := post(t, s, call("noaa_get_tide_predictions", string(args)))
			if bytes.Contains(used.body, []byte(`"isError":true`)) {
				t.Errorf("%q leads to %s", value, used.body)
			}
		}
	}
}
