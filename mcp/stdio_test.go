package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"leadline/tools"
)

// converse gives s the lines and returns its answers by id.
func converse(t *testing.T, s *Server, lines ...string) map[string]reply {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers := map[string]reply{}
	for line := range strings.Lines(out.String()) {
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers[string(r.ID)] = r
	}
	return answers
}

func TestStdio(t *testing.T) {
	var log bytes.Buffer
	s := newServer(t, &log)
	modern := func(body string) string { b, _ := modernize(t, body); return b }
	got := converse(t, s,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		``,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"`+tideTool+`","arguments":{"station":"8443970"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"panics"}}`,
		`not json`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"leadline://reference/nothing"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"tide_report","arguments":{"location":"Boston"}}}`,
		modern(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"`+tideTool+`","arguments":{"station":"8443970"}}}`),
		modern(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"leadline://reference/nothing"}}`),
		`{"jsonrpc":"2.0","id":10,"method":"ping","params":{"x":"`+strings.Repeat("x", 2<<20)+`"}}`,
		`{"jsonrpc":"2.0","id":11,"method":"ping"}`,
	)
	for id, want := range map[string]string{
		"1": `"protocolVersion":"2025-11-25"`, "2": tideTool, "3": `"station":"8443970"`, "4": `"code":"internal"`,
		"6": "Boston", "8": `"resultType":"complete"`, "11": "{}",
	} {
		if !bytes.Contains(got[id].Result, []byte(want)) {
			t.Errorf("id %s: %s, want %s in it", id, got[id].Result, want)
		}
	}
	for id, want := range map[string]int{"5": -32002, "9": -32602} {
		if e := got[id].Error; e == nil || e.Code != want {
			t.Errorf("id %s: %+v, want code %d", id, e, want)
		}
	}
	if strings.Contains(string(got["4"].Result), "secret") || !strings.Contains(log.String(), "secret boom") {
		t.Errorf("a panic belongs into the log alone: %s", got["4"].Result)
	}
}

// Notifications and bad lines share the id null: both lines are answered.
func TestStdioBadLines(t *testing.T) {
	var out bytes.Buffer
	in := "not json\n" + strings.Repeat("x", 2<<20) + "\n[]\n"
	if err := newServer(t, io.Discard).ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not valid JSON", "longer than", "one message"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("answers = %s, want %q among them", out.String(), want)
		}
	}
}

// A client on standard input may cancel its own call.
func TestStdioCancel(t *testing.T) {
	s := newServer(t, io.Discard)
	started := make(chan bool)
	s.calls["slow"] = func(ctx context.Context, _ []byte) (tools.Result, error) {
		close(started)
		<-ctx.Done()
		return tools.Result{}, ctx.Err()
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- s.ServeStdio(t.Context(), in, out) }()
	answers := bufio.NewScanner(read)
	io.WriteString(write, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`+"\n")
	<-started
	io.WriteString(write, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	if !answers.Scan() || !strings.Contains(answers.Text(), `"isError":true`) {
		t.Errorf("answer = %s", answers.Text())
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Errorf("ServeStdio = %v, want nil", err)
	}
}

// The end of ctx ends the conversation while the input is still open.
func TestStdioStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, write := io.Pipe()
	defer write.Close()
	ended := make(chan error)
	go func() { ended <- newServer(t, io.Discard).ServeStdio(ctx, in, io.Discard) }()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ServeStdio = %v, want nil", err)
	}
}
