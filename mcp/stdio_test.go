package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"leadline/internal/operation"
)

// converse sends the lines to s and returns the responses by id.
func converse(t *testing.T, s *Server, lines ...string) map[string]reply {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n"))
	if err := s.ServeStdio(t.Context(), in, &out); err != nil {
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
	const boston = `{"name":"` + tideTool + `","arguments":{"station":"8443970"}}`
	const unknown = `{"uri":"leadline://reference/nothing"}`
	got := converse(t, s,
		handshake,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		``,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":`+boston+`}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"panics"}}`,
		`not json`,
		`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":`+unknown+`}`,
		`{"jsonrpc":"2.0","id":6,"method":"prompts/get",`+
			`"params":{"name":"tide_report","arguments":{"location":"Boston"}}}`,
		modern(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":`+boston+`}`),
		modern(`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":`+unknown+`}`),
		`{"jsonrpc":"2.0","id":10,"method":"ping","params":{"x":"`+strings.Repeat("x", 2<<20)+`"}}`,
		`{"jsonrpc":"2.0","id":11,"method":"ping"}`,
	)
	for id, want := range map[string]string{
		"1": `"protocolVersion":"2025-11-25"`, "2": tideTool, "3": `"station":"8443970"`,
		"4": `"code":"internal"`, "6": "Boston", "8": `"resultType":"complete"`, "11": "{}",
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
	if strings.Contains(string(got["4"].Result), "secret") ||
		!strings.Contains(log.String(), "secret boom") {
		t.Errorf("the result has the text of a panic, which belongs in the log: %s", got["4"].Result)
	}
}

// TestStdioBadLines checks that each malformed line gets a response.
func TestStdioBadLines(t *testing.T) {
	var out bytes.Buffer
	in := "not json\n" + strings.Repeat("x", 2<<20) + "\n[]\n"
	s := newServer(t, io.Discard)
	if err := s.ServeStdio(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not valid JSON", "longer than", "one message"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("responses = %s, want %q among them", out.String(), want)
		}
	}
}

// TestStdioCancel checks that a client can cancel its call.
func TestStdioCancel(t *testing.T) {
	s := newServer(t, io.Discard)
	started := make(chan bool)
	s.calls["slow"] = func(ctx context.Context, _ []byte) (operation.Result, error) {
		close(started)
		<-ctx.Done()
		return operation.Result{}, ctx.Err()
	}
	in, write := io.Pipe()
	read, out := io.Pipe()
	ended := make(chan error)
	go func() { ended <- s.ServeStdio(t.Context(), in, out) }()
	answers := bufio.NewScanner(read)
	io.WriteString(write,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`+"\n")
	<-started
	io.WriteString(write,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	if !answers.Scan() || !strings.Contains(answers.Text(), `"isError":true`) {
		t.Errorf("response = %s, want an error", answers.Text())
	}
	write.Close()
	if err := <-ended; err != nil {
		t.Errorf("ServeStdio = %v, want nil", err)
	}
}

// TestStdioStops checks that ServeStdio returns when ctx is done, even if the input
// is still open.
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
