package edge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

// encoded returns a body in our own encoding, with facts and the time at which
// they were received.
func encoded(fact string, received time.Time, age int) []byte {
	source := coast.Source{ID: "water-level", ReceivedAt: received, AgeMinutes: &age}
	body, _ := json.Marshal(map[string]any{
		"fact":    fact,
		"sources": []coast.Source{source, source},
		"deep":    map[string]any{"sources": []coast.Source{source}},
	})
	return body
}

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// TestTagOf checks that a tag identifies facts and does not depend on when they
// were received.
func TestTagOf(t *testing.T) {
	tag := tagOf("", encoded("1.5 ft", noon, 3))
	receivedNoon := `"receivedAt":"` + noon.Format(time.RFC3339) + `"`
	replaced := func(before, after string) []byte {
		return bytes.ReplaceAll(encoded("1.5 ft", noon, 3), []byte(before), []byte(after))
	}
	if len(tag) != len(`W/""`)+22 || !strings.HasPrefix(tag, `W/"`) {
		t.Errorf("tag %s", tag)
	}
	for name, test := range map[string]struct {
		body []byte
		same bool
	}{
		"again":           {encoded("1.5 ft", noon, 3), true},
		"received later":  {encoded("1.5 ft", noon.Add(time.Hour+time.Nanosecond), 3), true},
		"older":           {encoded("1.5 ft", noon, 1234), true},
		"newer than now":  {encoded("1.5 ft", noon, -1), true},
		"another fact":    {encoded("1.6 ft", noon, 3), false},
		"no known age":    {replaced(`"ageMinutes":3`, `"ageMinutes":null`), false},
		"not received":    {replaced(receivedNoon, `"receivedAt":null`), false},
		"without the age": {replaced(`,"ageMinutes":3`, ""), false},
	} {
		if got := tagOf("", test.body) == tag; got != test.same {
			t.Errorf("%s: the same tag is %v, want %v for %s", name, got, test.same, test.body)
		}
	}
}

// TestTagOfComputed checks that the time of the request does not change the tag of
// facts that are computed for it.
func TestTagOfComputed(t *testing.T) {
	computed := func(source, received string) string {
		return tagOf("", []byte(`{"sources":[{"sourceAt":"`+source+`","receivedAt":"`+received+
			`","ageMinutes":0}],"rise":"06:12"}`))
	}
	if computed("10:00", "10:00") != computed("10:05", "10:05") {
		t.Error("the time of the request changes the tag")
	}
	others := []string{
		computed("09:00", "10:00"), computed("10:00", "10:05"), computed("", "10:00"),
	}
	for _, other := range others {
		if other == computed("10:00", "10:00") {
			t.Error("a source of another time has the same tag")
		}
	}
}

// TestTagOfVersion checks that the same body has another tag in another version of the contract.
func TestTagOfVersion(t *testing.T) {
	tags := map[string]bool{}
	for _, version := range []string{"", "2026-07-09", "2027-01-01"} {
		w := httptest.NewRecorder()
		if version != "" {
			w.Header().Set(VersionHeader, version)
		}
		WriteJSON(w, httptest.NewRequest("GET", "/", nil), http.StatusOK, []byte("{}"))
		tags[w.Header().Get("ETag")] = true
	}
	if len(tags) != 3 {
		t.Errorf("the tags are %v, want one for each version", tags)
	}
}

// TestTagOfText checks that the tag covers texts, even if they look like a JSON
// member.
func TestTagOfText(t *testing.T) {
	texts := []string{
		`"receivedAt":"1"`, `"receivedAt":"2"`,
		`"ageMinutes":1`, `"ageMinutes":2`, `\"ageMinutes":1`, `\"ageMinutes":2`,
		`receivedAt":"1`, `receivedAt":"2`, `,"ageMinutes":1,`, `,"ageMinutes":2,`,
	}
	seen := map[string]string{}
	for _, text := range texts {
		places := []any{map[string]string{"t": text}, map[string]string{text: "t"}, []string{text, text}}
		for _, v := range places {
			body, _ := json.Marshal(v)
			tag := tagOf("", body)
			if other, ok := seen[tag]; ok {
				t.Errorf("%s and %s have the same tag", other, body)
			}
			seen[tag] = string(body)
		}
	}
}

// TestTagOfMalformed checks that bodies that we did not encode have a tag too.
func TestTagOfMalformed(t *testing.T) {
	for _, body := range []string{
		"", `"receivedAt":"`, `"receivedAt":"2026`, `"ageMinutes":`, `"ageMinutes":-`,
		`{"receivedAt":"","ageMinutes":`,
	} {
		if got := tagOf("", []byte(body)); len(got) != 26 {
			t.Errorf("tagOf(%s) = %s", body, got)
		}
	}
}

func TestMatches(t *testing.T) {
	const tag = `W/"abc"`
	for list, want := range map[string]bool{
		"":                           false,
		"*":                          true,
		" * ":                        true,
		`W/"abc"`:                    true,
		`"abc"`:                      true,
		`"abd"`:                      false,
		`"ABC"`:                      false,
		`w/"abc"`:                    false,
		`"x", W/"abc"`:               true,
		`"x",,W/"y" ,	"abc"`:         true,
		`"x,y", "abc"`:               true,
		`"x", "abc`:                  false,
		`abc`:                        false,
		`abc, "abc"`:                 false,
		`"", "abc"`:                  true,
		`W/`:                         false,
		`"`:                          false,
		`W/"ab", W/"c"`:              false,
		`"x" "abc"`:                  true, // tolerated
		strings.Repeat(",", 1000):    false,
		strings.Repeat(`"x",`, 1000): false,
	} {
		if got := matches(list, tag); got != want {
			t.Errorf("matches(%s) = %v, want %v", list, got, want)
		}
	}
}

// FuzzMatches compares matches with the standard library: every tag that
// matches there must match here.
func FuzzMatches(f *testing.F) {
	seeds := []string{`W/"abc"`, `"x", W/"abc"`, `"x" , ,"abc"`, "*", `"x`, `W/"x,y",W/"abc"`}
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if strings.ContainsAny(list, "*\r\n") {
			return // the standard library accepts a star within a list, and line breaks
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Header["If-None-Match"] = []string{list}
		w := httptest.NewRecorder()
		w.Header().Set("ETag", `W/"abc"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("{}"))
		if got := matches(list, `W/"abc"`); !got && w.Code == http.StatusNotModified {
			t.Errorf("matches(%q) = false, want true", list)
		}
	})
}

// facts serves facts as a front end does.
func facts(fact *string, age *int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Limit", "30")
		w.Header().Set("Vary", "Origin")
		*age++
		WriteJSON(w, r, http.StatusOK, encoded(*fact, noon, *age))
	}
}

// TestConditional sends a request, then more requests with the tag of the
// response.
func TestConditional(t *testing.T) {
	fact, age := "1.5 ft", 0
	server := httptest.NewServer(facts(&fact, &age))
	defer server.Close()
	request := func(method, noneMatch string) reply {
		r, _ := http.NewRequest(method, server.URL, strings.NewReader(""))
		if noneMatch != "" {
			r.Header["If-None-Match"] = []string{`"another"`, noneMatch}
		}
		return ask(t, r)
	}
	whole := request("GET", "")
	tag := whole.header.Get("ETag")
	if whole.status != 200 || whole.body != string(encoded(fact, noon, 1))+"\n" ||
		whole.length != int64(len(whole.body)) ||
		whole.header.Get("Content-Type") != "application/json" {
		t.Errorf("got %+v", whole)
	}
	head := request("HEAD", "")
	if head.status != 200 || head.body != "" || head.length != whole.length ||
		head.header.Get("ETag") != tag ||
		head.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD: got %+v, want the headers of GET without the body", head)
	}
	for _, method := range []string{"GET", "HEAD"} {
		same := request(method, tag)
		if same.status != 304 || same.body != "" || same.header.Get("Content-Type") != "" ||
			same.header.Get("Content-Length") != "" {
			t.Errorf("%s: got %+v, want 304 without a body", method, same)
		}
		for _, name := range []string{"ETag", "Cache-Control", "X-RateLimit-Limit", "Vary", "Date"} {
			if got := same.header.Get(name); got == "" || name != "Date" && got != whole.header.Get(name) {
				t.Errorf("%s: 304 has %s %q, want %q", method, name, got, whole.header.Get(name))
			}
		}
	}
	fact = "1.6 ft"
	if got := request("GET", tag); got.status != 200 || got.header.Get("ETag") == tag ||
		got.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("with other facts: got %+v", got)
	}
	if got := request("POST", "*"); got.status != 200 || got.header.Get("ETag") != "" ||
		got.header.Get("Cache-Control") != "no-store" ||
		got.body == "" {
		t.Errorf("POST: got %+v", got)
	}
}

func BenchmarkWriteJSON(b *testing.B) {
	for _, rows := range []int{4, 500} {
		body := encoded(strings.Repeat(`2026-11-20T17:00:00-05:00 1.234 ft high`+"\n", 3*rows), noon, 3)
		for name, list := range map[string]string{"200": "", "304": tagOf("", body)} {
			b.Run(fmt.Sprintf("%s/%dkB", name, len(body)>>10), func(b *testing.B) {
				r, w := httptest.NewRequest("GET", "/", nil), nowhere{}
				r.Header.Set("If-None-Match", list)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					WriteJSON(w, r, http.StatusOK, body)
				}
			})
		}
	}
}
