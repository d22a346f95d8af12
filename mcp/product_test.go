package mcp

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"leadline/internal/access"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/prompts"
	"leadline/resources"
	"leadline/tools"
)

// newProduct is the door with the real catalogue behind it, on a fixed day.
func newProduct(t testing.TB) *Server {
	t.Helper()
	return newProductBehind(t, nil)
}

// newProductBehind is the same behind a gate.
func newProductBehind(t testing.TB, gate *access.Gate) *Server {
	t.Helper()
	directory, err := stations.Open()
	if err != nil {
		t.Fatal(err)
	}
	topics := resources.New(resources.Facts{})
	now := func() time.Time { return time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC) }
	set := tools.New(tools.Config{
		Stations: directory, Topics: topics, Now: now,
		Overlay: overlay.New(overlay.Config{Stations: directory, Now: now}),
	})
	s, err := New(Config{
		Version: "0", BaseURL: "http://127.0.0.1:8080",
		Tools: set.Catalog(), Topics: topics, Prompts: prompts.All(),
		Complete: set.CompleteStation, Card: set.StationCard,
		Gate: gate, Log: slog.New(slog.DiscardHandler), Observe: func(string, string, time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every conversation of every client begins with the list: 10,000 tokens of
// four characters are what it may take of the model's attention.
func TestCatalogueIsShort(t *testing.T) {
	bothEras(t, newProduct(t), request("tools/list", "{}"), func(t *testing.T, got reply, _ bool) {
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(got.Result, &list); err != nil {
			t.Fatal(err)
		}
		if got, want := len(list.Tools), 26; got != want {
			t.Errorf("%d tools, want %d", got, want)
		}
		if tokens := len(got.body) / 4; tokens > 10_000 {
			t.Errorf("tools/list has %d tokens, want at most 10000", tokens)
		}
	})
}

// Two days of high and low water are what is asked most.
func TestTwoDaysAreShort(t *testing.T) {
	s := newProduct(t)
	for _, format := range []string{"markdown", "json"} {
		got := post(t, s, request("tools/call", `{"name":"noaa_get_tide_predictions","arguments":{"station":"8443970","response_format":"`+format+`"}}`))
		var result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
		for form, length := range map[string]int{"text": len(result.Content[0].Text), "structured": len(result.StructuredContent)} {
			if tokens := length / 4; tokens > 900 {
				t.Errorf("%s as %s has %d tokens, want at most 900", form, format, tokens)
			}
		}
	}
}

// A long answer is cut to the first part and says how to get the next.
func TestLongAnswerIsCut(t *testing.T) {
	got := post(t, newProduct(t), request("tools/call", `{"name":"noaa_get_tide_predictions","arguments":{"station":"8443970","hours":8760}}`))
	var result struct {
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(got.Result, &result); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	var part struct {
		Truncated bool
		Total     int
		Next      map[string]any
	}
	if err := json.Unmarshal(result.StructuredContent, &part); err != nil {
		t.Fatal(err)
	}
	if result.IsError || len(result.StructuredContent) > mostCharacters || !part.Truncated || part.Total < 1000 || len(part.Next) == 0 {
		t.Errorf("%d characters, %+v", len(result.StructuredContent), part)
	}
}
