package cli

import (
	"encoding/json"
	"os"
	"testing"

	"leadline/rest"
)

// TestOpenAPI checks that each document is printed, and that nothing is written to the folder of
// the command.
func TestOpenAPI(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args []string
		name string
	}{
		{[]string{"openapi"}, "contract"},
		{[]string{"openapi", "contract"}, "contract"},
		{[]string{"openapi", "developer"}, "developer"},
		{[]string{"openapi", "planning"}, "planning"},
	} {
		out, stderr, code := run(t, test.args...)
		want, err := rest.OpenAPI(test.name)
		if err != nil {
			t.Fatal(err)
		}
		if code != 0 || stderr != "" || out != string(want) {
			t.Errorf("%v: exit code %d, %q, %d bytes, want the %d of %s",
				test.args, code, stderr, len(out), len(want), test.name)
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
