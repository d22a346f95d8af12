package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestResultLinks follows the links of tides: those of a month, of a picture, and of other units.
// Both forms have the same links, and a result of two days does not have any.
func TestResultLinks(t *testing.T) {
	server := product.Mounted(t)
	for _, c := range []struct {
		args  string
		links int
	}{
		{`{"station":"8443970","begin_date":"2026-11-01","end_date":"2026-11-30"}`, 3},
		{`{"station":"8443970","range":24,"chart":true}`, 3},
		{`{"station":"8443970","range":72,"units":"metric","datum":"NAVD"}`, 3},
		{`{"station":"8443970"}`, 0},
	} {
		var reply struct {
			Result struct {
				Content           []struct{ Type, URI, Name, MimeType string }
				StructuredContent struct {
					Links []struct{ Title, URI, Type string }
				}
			}
		}
		product.Decode(t, product.Post(t, server.URL, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,`+
			`"method":"tools/call","params":{"name":"noaa_get_tide_predictions","arguments":%s}}`, c.args)),
			&reply)
		var blocks []string
		for _, b := range reply.Result.Content {
			if b.Type == "resource_link" {
				blocks = append(blocks, fmt.Sprint(b.Name, b.URI, b.MimeType))
			}
		}
		links := reply.Result.StructuredContent.Links
		if len(links) != c.links || len(blocks) != c.links {
			t.Errorf("%s: links %v and blocks %v, want %d", c.args, links, blocks, c.links)
			continue
		}
		for i, l := range links {
			if want := fmt.Sprint(l.Title, l.URI, l.Type); blocks[i] != want {
				t.Errorf("%s: block %s, want %s", c.args, blocks[i], want)
			}
			path, here := strings.CutPrefix(l.URI, "http://tides.example.org")
			got, err := http.Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			if kind := got.Header.Get("Content-Type"); !here || got.StatusCode != http.StatusOK ||
				!strings.HasPrefix(kind, l.Type) {
				t.Errorf("%s: %d %s, want %s", l.URI, got.StatusCode, kind, l.Type)
			}
		}
	}
}
