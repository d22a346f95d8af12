package rest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestGoldenDocuments compares the OpenAPI documents with clients/openapi, from which the types
// of the client libraries are generated: what programs rely on may grow, but not change.
func TestGoldenDocuments(t *testing.T) {
	for _, name := range DocumentNames() {
		golden := "../clients/openapi/" + name + ".json"
		got, err := OpenAPI(name)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: %s; review the difference after go test ./rest -update", golden,
				firstDifference(string(got), string(want)))
		}
	}
}

// firstDifference returns the first line in which two texts differ, from a little before the
// difference.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			at := 0
			for at < min(len(a[i]), len(b[i])) && a[i][at] == b[i][at] {
				at++
			}
			at = max(0, at-20)
			return fmt.Sprintf("line %d has %.80q, want %.80q", i+1, a[i][at:], b[i][at:])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(a), len(b))
}
