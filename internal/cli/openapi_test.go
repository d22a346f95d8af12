package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestOpenAPI checks that each document is printed as the client libraries use it, and that
// nothing is written to the folder of the command.
func TestOpenAPI(t *testing.T) {
	golden, err := filepath.Abs("../../clients/openapi")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args []string
		file string
	}{
		{[]string{"openapi"}, "contract.json"},
		{[]string{"openapi", "contract"}, "contract.json"},
		{[]string{"openapi", "developer"}, "developer.json"},
		{[]string{"openapi", "planning"}, "planning.json"},
	} {
		out, stderr, code := run(t, test.args...)
		want, err := os.ReadFile(filepath.Join(golden, test.file))
		if err != nil {
			t.Fatal(err)
		}
		if code != 0 || stderr != "" || out != string(want) {
			t.Errorf("%v: exit code %d, %q, %d bytes, want the %d of %s",
				test.args, code, stderr, len(out), len(want), test.file)
		}
		var d struct{ Servers []struct{ URL string } }
		if err := json.Unmarshal([]byte(out), &d); err != nil || len(d.Servers) != 1 ||
			d.Servers[0].URL != "/" {
			t.Errorf("%v: the servers are %v, want /; %v", test.args, d.Servers, err)
		}
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Errorf("the folder has %v, want nothing; %v", made, err)
	}
}
