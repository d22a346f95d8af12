package nws

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"leadline/internal/trials"
	"leadline/internal/upstream"
)

// recordings returns the folder of recorded responses, which is outside the repository, at
// $LEADLINE_SHARED.
func recordings(t testing.TB) string {
	t.Helper()
	return filepath.Join(trials.Shared(t), "recordings", "nws")
}

// recorded returns the recorded bodies below a folder, by their paths in it.
func recorded(t testing.TB, folder string, expiry func(path string) bool) map[string]string {
	t.Helper()
	root := filepath.Join(recordings(t), folder)
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".headers.json") {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if !expiry(name) {
			return nil
		}
		b, err := os.ReadFile(path)
		found[name] = string(b)
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("recordings in %s: %d, %v", root, len(found), err)
	}
	return found
}

// fixture returns a body of testdata.
func fixture(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// received is the time of the responses of tests.
var received = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// response returns a response with status 200.
func response(body string) upstream.Response {
	return upstream.Response{Status: 200, Type: geoJSON, Body: []byte(body), Date: received}
}

// raw parses JSON without our types.
func raw(t testing.TB, body string) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// dig returns the value at a path of names in nested objects; nil if one is missing.
func dig(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// text returns the string at names, empty for null and missing.
func text(v any, names ...string) string {
	s, _ := dig(v, names...).(string)
	return s
}

// words replaces white space by single spaces.
func words(s string) string { return strings.Join(strings.Fields(s), " ") }
