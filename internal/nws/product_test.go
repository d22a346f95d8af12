package nws

import (
	"strings"
	"testing"

	"leadline/internal/coast"
)

func TestProducts(t *testing.T) {
	list := func(entries string) string { return `{"@context":{},"@graph":[` + entries + `]}` }
	for name, row := range map[string]struct{ body, want string }{
		"newest last": {list(
			`{"id":"a","issuanceTime":"2026-01-20T14:35:00+00:00"},{"id":"b","issuanceTime":"2026-01-20T14:35:00-08:00"}`), "b"},
		"newest first": {list(
			`{"id":"b","issuanceTime":"2026-01-20T20:35:00+00:00","productCode":"CWF"},{"id":"a","issuanceTime":"2026-01-20T14:35:00+00:00"}`), "b"},
		"none":    {list(``), "product_unavailable"},
		"no list": {`{"features":[]}`, "no graph"},
		"another": {list(
			`{"id":"b","issuanceTime":"2026-01-20T20:35:00+00:00","productCode":"AFD"}`), "entry"},
		"no time":   {list(`{"id":"b"}`), "entry"},
		"no offset": {list(`{"id":"b","issuanceTime":"2026-01-20T20:35:00"}`), "entry"},
		"a path": {list(`{"id":"../points/1,1","issuanceTime":"2026-01-20T20:35:00+00:00"}`),
			"entry"},
		"no id": {list(`{"issuanceTime":"2026-01-20T20:35:00+00:00"}`), "entry"},
		"page":  {`<html>`, "invalid character"},
	} {
		got, err := readList(response(row.body), "CWF", "SGX")
		word := got.id
		if err != nil {
			word = err.Error()
		}
		if e, ok := coast.AsError(err); ok {
			word = string(e.Code)
		}
		if !strings.Contains(word, row.want) {
			t.Errorf("%s: %q, want %q", name, word, row.want)
		}
	}
	for name, row := range map[string]struct{ body, want string }{
		"another product": {`{"id":"a","issuanceTime":"2026-01-20T14:35:00+00:00","productCode":"AFD","productText":"x"}`, `"AFD" is not a CWF`},
		"no time":         {`{"id":"a","productCode":"CWF","productText":"x"}`, "time"},
		"no text": {`{"id":"a","issuanceTime":"2026-01-20T14:35:00+00:00","productCode":"CWF"}`,
			"no segment"},
		"no object": {`[]`, "cannot unmarshal"},
	} {
		if b, err := readProduct(response(row.body), "CWF"); err == nil ||
			!strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %+v, %v, want an error about %q", name, b, err, row.want)
		}
	}
}

func FuzzProducts(f *testing.F) {
	f.Add(`{"@graph":[{"id":"b","issuanceTime":"2026-01-20T14:35:00+00:00","productCode":"CWF"}]}`)
	f.Add(`{"id":"a","issuanceTime":"2026-01-20T14:35:00+00:00","productCode":"CWF","productText":"PZZ740-271015-\n.TODAY...Wind.\n$$"}`)
	f.Fuzz(func(t *testing.T, body string) {
		if newest, err := readList(response(body), "CWF", "SGX"); err == nil && !productID(newest.id) {
			t.Errorf("%+v", newest)
		}
		if b, err := readProduct(response(body), "CWF"); err == nil && len(b.Segments) == 0 {
			t.Errorf("%+v", b)
		}
	})
}
