package pages

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/e2e/product"
	"leadline/internal/server"
)

// questionnaire is the format of questions.json. scripts/clients/questions.mjs asks the
// questions.
type questionnaire struct {
	Simulator []struct {
		Set string          `json:"set"` // the last part of a path of the simulator
		To  json.RawMessage `json:"to"`  // the body that is posted there
	} `json:"simulator"`
	Questions []modelQuestion `json:"questions"`
}

// modelQuestion is a question about a coast that a model may get.
type modelQuestion struct {
	Question string      `json:"question"`
	Source   string      `json:"source"` // of the expected values
	Calls    []modelCall `json:"calls"`  // the shortest sequence that answers it
}

// modelCall is a call of a tool and what its result must contain.
type modelCall struct {
	Tool      string          `json:"tool"`
	Toolsets  string          `json:"toolsets"` // in the address, "" for the default tools
	Arguments json.RawMessage `json:"arguments"`
	Error     string          `json:"error"` // expected code, "" for none
	Text      []string        `json:"text"`  // regular expressions that the text must match
	Values    []struct {
		At     string          `json:"at"` // a JSON pointer into the structured content
		Is     json.RawMessage `json:"is"`
		Within float64         `json:"within"` // of a number its unit, of a time minutes
	} `json:"values"`
}

func readQuestions(t *testing.T) questionnaire {
	t.Helper()
	text, err := os.ReadFile("../questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var q questionnaire
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestQuestions checks that each question has a source, known tools, and something that its
// results must contain.
func TestQuestions(t *testing.T) {
	set, err := server.Offline(product.Now)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]string{} // the tool set of each tool
	for _, toolset := range slices.Backward(set.Toolsets()) {
		for _, tool := range toolset.Tools {
			tools[tool.Name] = toolset.Name
		}
	}
	all, seen := readQuestions(t), map[string]bool{}
	for _, q := range all.Questions {
		if q.Source == "" || len(q.Calls) == 0 || seen[q.Question] {
			t.Errorf("%q is twice, or without a source or a call", q.Question)
		}
		seen[q.Question] = true
		for _, c := range q.Calls {
			want := strings.Replace(tools[c.Tool], "core", "", 1)
			if tools[c.Tool] == "" || c.Toolsets != want {
				t.Errorf("%q calls %s of the tool sets %q, want %q", q.Question, c.Tool, c.Toolsets, want)
			}
			if len(c.Text)+len(c.Values) == 0 {
				t.Errorf("%q expects nothing of %s %s", q.Question, c.Tool, c.Arguments)
			}
			for _, pattern := range c.Text {
				if _, err := regexp.Compile(pattern); err != nil {
					t.Errorf("%q: %v", q.Question, err)
				}
			}
			for _, v := range c.Values {
				if !strings.HasPrefix(v.At, "/") || v.Is == nil {
					t.Errorf("%q: no value at %q", q.Question, v.At)
				}
			}
		}
	}
	for _, setting := range all.Simulator {
		if setting.Set == "" || setting.To == nil {
			t.Errorf("a setting of the simulator has no path or no value")
		}
	}
}

// TestAgentsTable checks that the table of docs/agents.md has the questions, their tools and
// calls, and that the text before it has its totals.
func TestAgentsTable(t *testing.T) {
	page := product.Document(t, "agents.md")
	table := product.RowsOf(t, page, "# | question")
	questions := readQuestions(t).Questions
	if len(table) != len(questions) || len(questions) != 60 {
		t.Fatalf("docs/agents.md has %d rows for %d questions, want 60", len(table), len(questions))
	}
	calls, tokens := 0, 0
	for i, q := range questions {
		var tools []string
		for _, c := range q.Calls {
			if !slices.Contains(tools, c.Tool) {
				tools = append(tools, c.Tool)
			}
		}
		want := []string{
			strconv.Itoa(i + 1), q.Question, strings.Join(tools, ", "), strconv.Itoa(len(q.Calls)),
		}
		row := table[i]
		if !slices.Equal(row[:4], want) {
			t.Errorf("docs/agents.md has %v, want %v", row[:4], want)
		}
		n, err := strconv.Atoi(row[4])
		if err != nil || n <= 0 {
			t.Errorf("question %d has %q tokens", i+1, row[4])
		}
		calls, tokens = calls+len(q.Calls), tokens+n
	}
	hundreds := (tokens + 50) / 100
	want := fmt.Sprintf("take %d calls and about %d,%d00 tokens", calls, hundreds/10, hundreds%10)
	if text := strings.Join(strings.Fields(page), " "); !strings.Contains(text, want) {
		t.Errorf("docs/agents.md does not say that the questions %s", want)
	}
}
