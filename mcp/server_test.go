package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/render"
	"leadline/prompts"
	"leadline/resources"
	"leadline/tools"
)

const tideTool = "noaa_get_tide_predictions"

// stationSchema is the schema of the tools of the tests.
const stationSchema = `{"type":"object","properties":{"station":{"type":"string"}},` +
	`"required":["station"]}`

// newServer returns a server with a few tools that behave as the tests need.
func newServer(t testing.TB, log io.Writer) *Server {
	t.Helper()
	var all []operation.Tool
	for _, name := range []string{
		tideTool, "noaa_search_stations", "slow", "broken", "panics", "long",
	} {
		all = append(all, operation.Tool{
			Name: name, Title: "Title of " + name, About: "About <" + name + "> & more.",
			Input: json.RawMessage(stationSchema),
		})
	}
	s, err := New(Config{
		Version: "1.2.3", BaseURL: "http://127.0.0.1:8080",
		AllowHosts: []string{"tides.example"}, AllowOrigins: []string{"https://app.example"},
		Toolsets: []tools.Toolset{{Name: "core", Tools: all}},
		Topics:   resources.New(resources.Facts{}), Prompts: prompts.All(),
		Complete: complete, CompletePlace: complete, Card: card,
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.calls[tideTool] = echo
	s.calls["broken"] = func(context.Context, []byte) (operation.Result, error) {
		return operation.Result{}, errors.New("secret cause")
	}
	s.calls["panics"] = func(context.Context, []byte) (operation.Result, error) {
		panic("secret boom")
	}
	return s
}

// stamp is the output of the tools of the tests.
type stamp struct {
	Station string `json:"station"`
	Mark    string `json:"mark,omitempty"`
}

// Describe writes the fields of the stamp.
func (s stamp) Describe(a *render.Answer) {
	a.Line("a stamp")
	a.Member("station", s.Station)
	a.Member("mark", s.Mark)
}

// echo returns the station of its input and refuses "nowhere".
func echo(_ context.Context, args []byte) (operation.Result, error) {
	var in struct {
		Station string `json:"station"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return operation.Result{}, err
	}
	if in.Station == "nowhere" {
		e := coast.Errorf(coast.StationNotFound, "no station %q", in.Station)
		e.Issues = []coast.Issue{{Path: "station", Code: "unknown", Message: "did you mean 8443970?"}}
		return operation.Result{}, e
	}
	return operation.Result{Value: stamp{in.Station, `<a> & "b"`}, JSON: true}, nil
}

func complete(_ context.Context, prefix string) []string {
	var ids []string
	for _, id := range []string{"8443970", "8454000", "9414290"} {
		if strings.HasPrefix(id, prefix) {
			ids = append(ids, id)
		}
	}
	return ids
}

func card(_ context.Context, id string) ([]byte, error) {
	switch id {
	case "8443970":
		return []byte(`{"id":"8443970"}`), nil
	case "0000000":
		return nil, errors.New("secret cause")
	}
	return nil, coast.Errorf(coast.StationNotFound, "no station %q", id)
}

// reply is the response to one message.
type reply struct {
	status int
	header http.Header
	body   []byte
	Result json.RawMessage `json:"result"`
	ID     json.RawMessage `json:"id"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data"`
	} `json:"error"`
}

// post sends a body to h with header pairs.
func post(t testing.TB, h http.Handler, body string, header ...string) reply {
	t.Helper()
	return send(t, h, http.MethodPost, body, header...)
}

func send(t testing.TB, h http.Handler, method, body string, header ...string) reply {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	got := reply{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	json.Unmarshal(got.body, &got) // some bodies are not JSON; tests check the fields they need
	return got
}

// modernize turns a legacy request into one of 2026-07-28 and its headers.
func modernize(t testing.TB, body string) (string, []string) {
	t.Helper()
	var m struct {
		Method string                     `json:"method"`
		ID     json.RawMessage            `json:"id"`
		Params map[string]json.RawMessage `json:"params"`
		RPC    string                     `json:"jsonrpc"`
	}
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	if m.Params == nil {
		m.Params = map[string]json.RawMessage{}
	}
	m.Params["_meta"] = json.RawMessage(`{` + modernMeta[1:])
	params, err := json.Marshal(m.Params)
	if err != nil {
		t.Fatal(err)
	}
	header := []string{"Mcp-Protocol-Version", "2026-07-28"}
	method := protocol.MCPMethod(m.Method)
	for name, value := range protocol.StandardHeaders("2026-07-28", method, params) {
		header = append(header, name, value)
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"method":"` + m.Method +
		`","params":` + string(params) + `}`, header
}

// bothEras sends a request in both eras of the protocol and checks the responses.
func bothEras(
	t *testing.T, s *Server, body string, check func(t *testing.T, got reply, modern bool),
) {
	t.Helper()
	t.Run("legacy", func(t *testing.T) { check(t, post(t, s, body), false) })
	t.Run("modern", func(t *testing.T) {
		body, header := modernize(t, body)
		check(t, post(t, s, body, header...), true)
	})
}

func request(method, params string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
}

// call returns a request that calls a tool.
func call(tool, arguments string) string {
	return request("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

func TestInitialize(t *testing.T) {
	s := newServer(t, io.Discard)
	for version, want := range map[string]string{
		"2025-11-25": "2025-11-25",
		"2025-03-26": "2025-03-26",
		"2026-07-28": "2025-11-25",
	} {
		params := strings.Replace(initialize, "2025-11-25", version, 1)
		got := post(t, s, request("initialize", params), "Mcp-Session-Id", "mine")
		var result struct {
			ProtocolVersion string
			ServerInfo      struct{ Name, Version string }
			Capabilities    map[string]map[string]any
		}
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%s: %s", err, got.body)
		}
		if result.ProtocolVersion != want || result.ServerInfo.Name != "leadline" ||
			result.ServerInfo.Version != "1.2.3" {
			t.Errorf("initialize with %s = %+v, want %s", version, result, want)
		}
		if result.Capabilities["logging"] != nil || result.Capabilities["tools"]["listChanged"] == true {
			t.Errorf("capabilities = %v, want neither logging nor listChanged", result.Capabilities)
		}
		if id := got.header.Get("Mcp-Session-Id"); id != "" {
			t.Errorf("session id %q, want none", id)
		}
	}
}

func TestDiscover(t *testing.T) {
	body, header := modernize(t, request("server/discover", "{}"))
	got := post(t, newServer(t, io.Discard), body, header...)
	for _, want := range []string{
		`"2026-07-28"`, `"ttlMs":3600000`, `"cacheScope":"public"`, `"resultType":"complete"`,
		`"completions"`,
	} {
		if !bytes.Contains(got.Result, []byte(want)) {
			t.Errorf("server/discover = %s, want %s in it", got.body, want)
		}
	}
}

// TestListsEqualOnesOfMCPGo checks that the rendered lists equal the responses of mcp-go.
func TestListsEqualOnesOfMCPGo(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, method := range listed {
		legacy := request(string(method), "{}")
		bothEras(t, s, legacy, func(t *testing.T, got reply, modern bool) {
			body := legacy
			if modern {
				body, _ = modernize(t, body)
			}
			b, err := json.Marshal(s.guard.mcp.HandleMessage(t.Context(), []byte(body)))
			if err != nil {
				t.Fatal(err)
			}
			if want := string(b) + "\n"; string(got.body) != want {
				t.Errorf("%s = %s, want %s", method, got.body, want)
			}
		})
	}
}

func TestListsDescribeEverything(t *testing.T) {
	s := newServer(t, io.Discard)
	var list struct {
		Tools []struct {
			Name, Title, Description string
			OutputSchema             json.RawMessage
			Annotations              struct {
				ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
			}
		}
		Prompts   []struct{ Name, Title, Description string }
		Resources []struct{ URI, Name, Title, Description, MimeType string }
	}
	for _, method := range []string{"tools/list", "prompts/list", "resources/list"} {
		if err := json.Unmarshal(post(t, s, request(method, "{}")).Result, &list); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := len(list.Tools), 6; got != want {
		t.Fatalf("%d tools, want %d", got, want)
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if tool.Title == "" || tool.Description == "" ||
			!*a.ReadOnlyHint || *a.DestructiveHint || !*a.IdempotentHint || *a.OpenWorldHint {
			t.Errorf("tool %+v lacks a title, a description or hints", tool)
		}
		if got, want := string(tool.OutputSchema), `{"type":"object"}`; got != want {
			t.Errorf("output schema = %s, want %s", got, want)
		}
	}
	if len(list.Prompts) != 7 || list.Prompts[0].Description == "" {
		t.Errorf("prompts = %+v, want 7 with descriptions", list.Prompts)
	}
	if len(list.Resources) != 17 || list.Resources[0].Description == "" {
		t.Errorf("resources = %+v, want 17 with descriptions", list.Resources)
	}
}

func TestCall(t *testing.T) {
	s := newServer(t, io.Discard)
	body := call(tideTool, `{"station":"8443970"}`)
	bothEras(t, s, body, func(t *testing.T, got reply, modern bool) {
		var result struct {
			Content           []struct{ Type, Text string }
			StructuredContent map[string]string
			IsError           bool
			ResultType        string
		}
		if err := json.Unmarshal(got.Result, &result); err != nil {
			t.Fatalf("%v: %s", err, got.body)
		}
		if result.StructuredContent["station"] != "8443970" || len(result.Content) != 1 ||
			result.Content[0].Type != "text" || result.IsError {
			t.Errorf("result = %+v", result)
		}
		if (result.ResultType == "complete") != modern {
			t.Errorf("resultType = %q", result.ResultType)
		}
		if got, want := string(got.ID), "7"; got != want {
			t.Errorf("id = %s, want %s", got, want)
		}
	})
}

// TestCallEqualsOneOfMCPGo checks that calls served by this package have the same response as
// calls served by mcp-go.
func TestCallEqualsOneOfMCPGo(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, station := range []string{"8443970", "nowhere"} {
		body := call(tideTool, `{"station":"`+station+`"}`)
		bothEras(t, s, body, func(t *testing.T, got reply, modern bool) {
			body := body
			if modern {
				body, _ = modernize(t, body)
			}
			b, err := json.Marshal(s.guard.mcp.HandleMessage(t.Context(), []byte(body)))
			if err != nil {
				t.Fatal(err)
			}
			if want := string(b) + "\n"; string(got.body) != want {
				t.Errorf("got %s, want %s", got.body, want)
			}
		})
	}
}

func TestCallFails(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &log)
	tests := []struct{ tool, station, code, text string }{
		{
			tideTool, "nowhere", "station_not_found",
			"no station \"nowhere\"\n- station: did you mean 8443970?",
		},
		{"broken", "8443970", "internal", "internal error"},
		{"panics", "8443970", "internal", "internal error"},
	}
	for _, test := range tests {
		body := call(test.tool, `{"station":"`+test.station+`"}`)
		bothEras(t, s, body, func(t *testing.T, got reply, _ bool) {
			var result struct {
				Content           []struct{ Text string }
				StructuredContent struct{ Error coast.Error }
				IsError           bool
			}
			if err := json.Unmarshal(got.Result, &result); err != nil {
				t.Fatalf("%v: %s", err, got.body)
			}
			if !result.IsError || string(result.StructuredContent.Error.Code) != test.code ||
				!strings.HasPrefix(result.Content[0].Text, test.text) {
				t.Errorf("%s = %+v, want code %s and text %q",
					test.tool, result, test.code, test.text)
			}
			if bytes.Contains(got.body, []byte("secret")) {
				t.Errorf("%s exposes its cause: %s", test.tool, got.body)
			}
		})
	}
	for _, want := range []string{"secret cause", "secret boom"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not contain %q", want)
		}
	}
}

// TestTooLongResultIsRefused checks that a result that is too long and has no pages
// is an error.
func TestTooLongResultIsRefused(t *testing.T) {
	s := newServer(t, io.Discard)
	s.calls["long"] = func(context.Context, []byte) (operation.Result, error) {
		long := stamp{Station: strings.Repeat("x", maxCharacters)}
		return operation.Result{Value: long, JSON: true}, nil
	}
	got := post(t, s, call("long", `{"station":"1"}`))
	if !bytes.Contains(got.Result, []byte(`"code":"range_too_long"`)) ||
		len(got.body) > maxCharacters {
		t.Errorf("got %d bytes: %.200s", len(got.body), got.body)
	}
}

func TestRefusals(t *testing.T) {
	s := newServer(t, io.Discard)
	tests := []struct {
		name, method, params string
		legacy, modern       int
		want                 string
	}{
		{
			"unknown tool", "tools/call", `{"name":"noaa_get_tide_prediction"}`,
			-32602, -32602, `did you mean "noaa_get_tide_predictions"?`,
		},
		{"tool without name", "tools/call", `{}`, -32602, -32020, "name"},
		{"tool with a number for a name", "tools/call", `{"name":5}`, -32602, -32020, "name"},
		{
			"arguments as a list", "tools/call", `{"name":"slow","arguments":[]}`,
			-32602, -32602, "must be an object",
		},
		{
			"unknown prompt", "prompts/get", `{"name":"tide_reports"}`,
			-32602, -32602, `did you mean "tide_report"?`,
		},
		{
			"required argument missing", "prompts/get", `{"name":"tide_report"}`,
			-32602, -32602, `needs the argument "location"`,
		},
		{
			"required argument blank", "prompts/get", `{"name":"tide_report","arguments":{"location":" "}}`,
			-32602, -32602, `{"location": "Boston, MA"}`,
		},
		{
			"unknown argument", "prompts/get",
			`{"name":"tide_report","arguments":{"location":"Boston","dat":"x"}}`,
			-32602, -32602, `did you mean "date"?`,
		},
		{
			"argument of another type", "prompts/get",
			`{"name":"tide_report","arguments":{"location":"Boston","date":3}}`,
			-32602, -32602, "must be a string",
		},
		{"resource without URI", "resources/read", `{}`, -32602, -32020, "uri"},
		{
			"unknown topic", "resources/read", `{"uri":"leadline://reference/datum"}`,
			-32002, -32602, `did you mean "leadline://reference/datums"?`,
		},
		{
			"unknown station", "resources/read", `{"uri":"leadline://stations/nowhere"}`,
			-32002, -32602, `no station "nowhere"`,
		},
		{"unknown scheme", "resources/read", `{"uri":"test://x"}`, -32002, -32602, "resource not found"},
		{
			"card that fails", "resources/read", `{"uri":"leadline://stations/0000000"}`,
			-32603, -32603, "internal error",
		},
		{"completion of nothing", "completion/complete", `{}`, -32602, -32602, "ref"},
		{
			"completion of an unknown prompt", "completion/complete",
			`{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}`,
			-32602, -32602, "unknown prompt",
		},
		{
			"completion of an unknown template", "completion/complete",
			`{"ref":{"type":"ref/resource","uri":"x://{y}"},"argument":{"name":"a","value":""}}`,
			-32602, -32602, "no resource template",
		},
		{"cursor", "tools/list", `{"cursor":"abc"}`, -32602, -32602, "one page"},
		{"unknown method", "tools/destroy", `{}`, -32601, -32601, "not found"},
		{"logging", "logging/setLevel", `{"level":"debug"}`, -32601, -32601, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bothEras(t, s, request(test.method, test.params), func(t *testing.T, got reply, modern bool) {
				want := test.legacy
				if modern {
					want = test.modern
				}
				if got.Error == nil || got.Error.Code != want {
					t.Fatalf("got %s, want code %d", got.body, want)
				}
				if want != -32020 && !strings.Contains(got.Error.Message, test.want) {
					t.Errorf("message = %q, want %q in it", got.Error.Message, test.want)
				}
				if bytes.Contains(got.body, []byte("secret")) {
					t.Errorf("the response exposes the cause: %s", got.body)
				}
				if !modern && got.status != 200 {
					t.Errorf("status = %d, want 200", got.status)
				}
				if modern && got.status < 400 && want != -32603 {
					t.Errorf("status = %d, want at least 400", got.status)
				}
			})
		})
	}
}

func TestReadResources(t *testing.T) {
	s := newServer(t, io.Discard)
	uris := append(keysOf(s.pages), "leadline://stations/8443970")
	for _, uri := range uris {
		body := request("resources/read", `{"uri":"`+uri+`"}`)
		bothEras(t, s, body, func(t *testing.T, got reply, _ bool) {
			var result struct {
				Contents []struct{ URI, MimeType, Text string }
			}
			if err := json.Unmarshal(got.Result, &result); err != nil || len(result.Contents) != 1 {
				t.Fatalf("%s = %s", uri, got.body)
			}
			if c := result.Contents[0]; c.URI != uri || c.MimeType == "" || c.Text == "" {
				t.Errorf("%s = %+v", uri, c)
			}
		})
	}
}

func TestGetPrompts(t *testing.T) {
	s := newServer(t, io.Discard)
	for _, p := range prompts.All() {
		arguments := map[string]string{}
		for _, a := range p.Arguments {
			arguments[a.Name] = exampleOf(a)
		}
		b, err := json.Marshal(map[string]any{"name": p.Name, "arguments": arguments})
		if err != nil {
			t.Fatal(err)
		}
		bothEras(t, s, request("prompts/get", string(b)), func(t *testing.T, got reply, _ bool) {
			var result struct {
				Messages []struct {
					Role    string
					Content struct{ Type, Text string }
				}
			}
			if err := json.Unmarshal(got.Result, &result); err != nil || len(result.Messages) != 1 {
				t.Fatalf("%s = %s", p.Name, got.body)
			}
			if m := result.Messages[0]; m.Role != "user" || m.Content.Text != p.Render(arguments) {
				t.Errorf("%s = %+v", p.Name, m)
			}
		})
	}
}

func TestCompletions(t *testing.T) {
	s := newServer(t, io.Discard)
	tests := []struct {
		ref, argument, value string
		want                 []string
	}{
		{`{"type":"ref/prompt","name":"station_overview"}`, "station", "84", []string{"8443970", "8454000"}},
		{`{"type":"ref/prompt","name":"tide_report"}`, "date", "84", []string{}},
		{`{"type":"ref/prompt","name":"tide_report"}`, "nothing", "84", []string{}},
		{
			`{"type":"ref/resource","uri":"leadline://stations/{id}"}`,
			"id", "9", []string{"9414290"},
		},
		{
			`{"type":"ref/resource","uri":"leadline://reference/{topic}"}`,
			"topic", "dat", []string{"data_limits", "date_formats", "datums"},
		},
	}
	for _, test := range tests {
		params := `{"ref":` + test.ref +
			`,"argument":{"name":"` + test.argument + `","value":"` + test.value + `"}}`
		body := request("completion/complete", params)
		bothEras(t, s, body, func(t *testing.T, got reply, _ bool) {
			var result struct{ Completion struct{ Values []string } }
			err := json.Unmarshal(got.Result, &result)
			if err != nil || !slices.Equal(result.Completion.Values, test.want) {
				t.Errorf("%s = %s, want %v", params, got.body, test.want)
			}
		})
	}
}

func TestCompletionLimit(t *testing.T) {
	c := completion(make([]string, 250))
	if len(c.Values) != 100 || c.Total != 250 || !c.HasMore {
		t.Errorf("got %d values of %d, more: %v", len(c.Values), c.Total, c.HasMore)
	}
}

// TestCallsOfLeftCallers checks that a call whose caller has left is counted as cut, and is not
// logged as a fault.
func TestCallsOfLeftCallers(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &log)
	var outcomes []string
	s.observe = func(_, outcome string, _ time.Duration) { outcomes = append(outcomes, outcome) }
	s.calls["slow"] = func(ctx context.Context, _ []byte) (operation.Result, error) {
		return operation.Result{}, context.Cause(ctx)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, name := range []string{"slow", "broken"} {
		s.perform(left, name, nil, false)
	}
	if got := fmt.Sprint(outcomes); got != "[cut cut]" || log.Len() > 0 {
		t.Errorf("outcomes %s, log %s, want [cut cut] and no log", got, &log)
	}
	if s.perform(t.Context(), "broken", nil, false); outcomes[2] != "internal" || log.Len() == 0 {
		t.Errorf("outcomes %v, log %s, want internal and a log", outcomes, &log)
	}
}
