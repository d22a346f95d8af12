package product

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// WordsOf splits a line into words, as a shell does.
func WordsOf(line string, values map[string]string) (words []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		for name, value := range values {
			word = strings.Replace(word, name, value, 1)
		}
		words = append(words, strings.Trim(word, "'"))
	}
	return words
}

// UsageWith returns the status of a request that needs any key, and decideWith that
// of an invalid one that needs a plan with decisions.
func UsageWith(t testing.TB, base, key string) int {
	t.Helper()
	return Answered(t)(StatusWith(http.MethodGet, base+"/api/developer/usage", key))
}

// Answered returns the status of a response, which must exist.
func Answered(t testing.TB) func(int, error) int {
	return func(status int, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
}

// StatusWith returns the status of a request with a key.
func StatusWith(method, url, key string) (int, error) {
	r, err := http.NewRequest(method, url, strings.NewReader("{}"))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	answer.Body.Close()
	return answer.StatusCode, nil
}

// RefusedLine is a command line with the text of its error, "" for no error.
type RefusedLine struct{ Line, Says string }

// In runs the command line on a data folder.
func (r RefusedLine) In(t *testing.T, folder string) (out string, err error) {
	t.Helper()
	out, _, err = RunOn(folder, WordsOf(r.Line, nil)...)
	switch {
	case r.Says == "" && err != nil:
		t.Errorf("%s: %v", r.Line, err)
	case r.Says != "" && (err == nil ||
		!strings.Contains(strings.ReplaceAll(err.Error(), folder, "FOLDER"), r.Says)):
		t.Errorf("%s: %v, want %q", r.Line, err, r.Says)
	}
	return out, err
}
