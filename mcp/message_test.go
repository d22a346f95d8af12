package mcp

import (
	"encoding/json"
	"testing"

	"leadline/internal/schema"
)

func TestMembers(t *testing.T) {
	object := []byte(` { "a" : 1 , "b\u0063":"x\"},{" ,"d":{"e":[{},"]"]},` +
		`"f":[] , "g":null,"h":-1.5e3}`)[1:]
	want := []string{
		"a", "1", "bc", `"x\"},{"`, "d", `{"e":[{},"]"]}`, "f", "[]", "g", "null", "h", "-1.5e3",
	}
	var got []string
	for key, value := range schema.Members(object) {
		got = append(got, string(key), string(value))
	}
	if len(got) != len(want) {
		t.Fatalf("members = %q, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%d: %s, want %s", i, got[i], want[i])
		}
	}
}

// FuzzParse checks that parse reads the same values as encoding/json, which mcp-go
// uses, and that it does not panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(ping))
	f.Add([]byte(request("tools/call",
		`{"name":"a","arguments":{"b":[1,"\u00e9"]},"_meta":`+modernMeta+`}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","Id":1,"method":"ping","params":{"name":"a","name":"b"}}`))
	f.Add([]byte(`[[[`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"0\x9d\xb4$\xb9\x9b\"}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, fault := parse(body)
		if fault != nil {
			return
		}
		var want struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
		}
		if err := json.Unmarshal(body, &want); err != nil {
			t.Fatalf("parse accepted %q: %v", body, err)
		}
		if m.method != want.Method || (m.id == nil) != (want.ID == nil) {
			t.Errorf("parse(%q) = %q %q, want %q %v", body, m.id, m.method, want.Method, want.ID)
		}
		if !json.Valid(m.fields()) {
			t.Errorf("parse(%q) returned values that are not JSON: %s", body, m.fields())
		}
	})
}

// fields returns the values that parse found, as a JSON array.
func (m *message) fields() []byte {
	out := []byte(`[0`)
	for _, value := range [][]byte{m.id, m.params, m.arguments, m.meta, m.capabilities} {
		if value != nil {
			out = append(append(out, ','), value...)
		}
	}
	return append(out, ']')
}
