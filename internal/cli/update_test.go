package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestCompareReleases(t *testing.T) {
	page := "https://example.org/v0.3.0"
	for _, c := range []struct{ version, tag, page, want string }{
		{"0.2.0", "v0.3.0", page, "leadline 0.3.0 is available; this is 0.2.0: " + page},
		{"0.2.0", "v0.10.0", "", "leadline 0.10.0 is available; this is 0.2.0"},
		{"0.3.0-rc.1", "v0.3.0", "", "leadline 0.3.0 is available; this is 0.3.0-rc.1"},
		{"0.3.0", "v0.3.0", page, "leadline 0.3.0 is the newest release"},
		{"0.4.0", "v0.3.0", page, "leadline 0.4.0 is newer than the newest release, 0.3.0"},
		{"devel", "v0.3.0", page,
			"this is leadline devel, not a release; the newest release is 0.3.0: " + page},
	} {
		got := publication{c.tag, c.page}.compare(c.version)
		if got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.version, c.tag, got, c.want)
		}
	}
}

func TestReadPublication(t *testing.T) {
	for body, want := range map[string]publication{
		`{"tag_name": "v1.2.3", "html_url": "https://example.org/a b\n", "more": 1}`: {"v1.2.3", ""},
		`{"tag_name": "v1.2.3", "html_url": "https://example.org/a b"}`:              {"v1.2.3", "https://example.org/a%20b"},
		`{"tag_name": "v1.2.3", "html_url": "javascript:alert(1)"}`:                  {"v1.2.3", ""},
		`{"tag_name": "v1.2.3"}`:          {"v1.2.3", ""},
		`{"tag_name": "1.2.3"}`:           {},
		`{"tag_name": "v1.2.3\u001b[2J"}`: {},
		`{}`:                              {},
		`[]`:                              {},
		`<html>`:                          {},
		``:                                {},
		`{"tag_name": "v1.2.3", "x": "` + strings.Repeat("a", 100): {},
	} {
		got, err := readPublication([]byte(body))
		if got != want || (err == nil) != (want.Tag != "") {
			t.Errorf("%.60s: %+v, %v, want %+v", body, got, err, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	asked := 0
	feed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch r.URL.Path {
		case "/newest":
			w.Write([]byte(`{"tag_name": "v9.0.0", "html_url": "https://example.org/v9"}`))
		case "/damaged":
			w.Write([]byte(`{"tag_name": "v9`))
		default:
			http.NotFound(w, r)
		}
	}))
	defer feed.Close()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--check", "--release-feed", feed.URL + "/newest"}, 0, "the newest release is 9.0.0: "},
		{[]string{"--check", "--release-feed", feed.URL + "/damaged"}, 1, "no description of a release"},
		{[]string{"--check", "--release-feed", feed.URL + "/none"}, 1, "404"},
		{[]string{"--check", "--release-feed", "http://127.0.0.1:1/"}, 1, "read the release feed"},
		{[]string{"--check", "--release-feed", "ftp://example.org"}, 1, "must be a URL"},
	} {
		out, stderr, code := run(t, append([]string{"update"}, c.args...)...)
		if code != c.code || !strings.Contains(out+stderr, c.want) {
			t.Errorf("%v: %d %s%s, want %d %q", c.args, code, out, stderr, c.code, c.want)
		}
	}
	before := asked
	if _, stderr, code := run(t, "update", "--check"); code != 1 ||
		!strings.Contains(stderr, "no release feed is set") {
		t.Errorf("without a feed: %d %s", code, stderr)
	}
	if _, stderr, code := run(t, "update", "--release-feed", feed.URL+"/newest"); code != 1 ||
		!strings.Contains(stderr, "does not replace itself") {
		t.Errorf("without --check: %d %s", code, stderr)
	}
	if asked != before {
		t.Errorf("%d requests, want none", asked-before)
	}
}
