package e2e

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// inapplicable are the security cases of a sign-in that have no test, with the
// reason.
var inapplicable = map[int]string{}

// caseName matches the name of a test of a security case, with its number.
var caseName = regexp.MustCompile(`(?m)^func TestCase(\d+)[A-Z]\w*\(`)

// TestEverySecurityCase: each of the sixty cases has a test with its number in
// the name, or a reason why there is no test. They are those that RFC 6749, 6750,
// 6819, 7009, 7591, 7636, 8252, 8414, 8707, 9068, 9207, 9700 and 9728, OAuth
// 2.1 and the MCP specification ask of an authorization server, a resource and
// the transport.
func TestEverySecurityCase(t *testing.T) {
	tests := map[int]bool{}
	err := fs.WalkDir(tree(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"node_modules", "build", ".git"}, d.Name()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree(), path)
		for _, found := range caseName.FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.Atoi(found[1])
			tests[n] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const cases = 60
	for n := 1; n <= cases; n++ {
		if tests[n] == (inapplicable[n] != "") {
			t.Errorf("case %d: a test %v, a reason for no test %q: want one of the two", n, tests[n], inapplicable[n])
		}
		delete(tests, n)
	}
	for n := range tests {
		t.Errorf("there is no case %d", n)
	}
}
