package pages

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestTripPage asks in people's words whether a day suits. The page has the sentence of REST, never
// a word that promises anything, and says what is wrong with a question.
func TestTripPage(t *testing.T) {
	server := product.Mounted(t)
	var trip struct{ Sentence, State string }
	product.Decode(t, body(t, server.URL+"/api/planning/trip?place=Boston&date=saturday&from=09:00"+
		"&until=17:00"), &trip)
	for _, c := range []struct{ query, want string }{
		{"place=Boston&date=saturday&from=9+AM&until=5+pm", trip.Sentence},
		{"place=Boston&date=saturday&from=9&until=17:00", trip.Sentence},
		{"place=Boston&date=2026-11-01", "That is past: no verdict."},
		{"place=Boston&date=2027-03-01", "No forecast reaches 1 Mar 2027."},
		{"place=Denver,+CO", "Denver"},
		{"place=Boston&date=someday", "someday"},
		{"place=Boston&activity=flying", "&#34;flying&#34; is not an activity"},
		{"place=Boston&date=saturday&activity=kayak", "Paddle or surf at Boston, MA"},
		{"place=Portland", `<a
href="/planning/trip?activity=boating&amp;date=tomorrow&amp;place=Portland%2C&#43;ME">Portland, ME</a>`},
		{"place=Boston&date=saturday&from=noonish", "noonish"},
	} {
		page := body(t, server.URL+"/planning/trip?"+c.query)
		_, main, _ := strings.Cut(page, "<main")
		if !strings.Contains(main, c.want) {
			t.Errorf("%s: lacks %q:\n%.2000s", c.query, c.want, main)
		}
		for _, word := range []string{" safe", " fine.", " good ", "all clear"} {
			if strings.Contains(strings.ToLower(main), word) {
				t.Errorf("%s: says %q", c.query, word)
			}
		}
	}
	if station := body(t, server.URL+"/stations/8443970"); !strings.Contains(station,
		"Does Saturday suit?") {
		t.Error("the station does not ask whether Saturday suits")
	}
}

// body returns the body of a response.
func body(t *testing.T, address string) string {
	t.Helper()
	got, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
