package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestOpener checks which command opens a file, by operating system and environment.
func TestOpener(t *testing.T) {
	for _, test := range []struct{ system, environment, want string }{
		{"linux", "DISPLAY=:0", "xdg-open"},
		{"linux", "WAYLAND_DISPLAY=wayland-0 INVOCATION_ID=1 JOURNAL_STREAM=8:1", "xdg-open"},
		{"freebsd", "DISPLAY=:0", "xdg-open"},
		{"darwin", "", "open"},
		{"windows", "", "rundll32 url.dll,FileProtocolHandler"},
		{"linux", "", ""},
		{"linux", "DISPLAY=:0 CI=true", ""},
		{"darwin", "CI=1", ""},
		{"linux", "DISPLAY=localhost:10.0 SSH_CONNECTION=192.0.2.1", ""},
		{"darwin", "SSH_CONNECTION=192.0.2.1", ""},
	} {
		got := strings.Join(opener(test.system, func(name string) string {
			for variable := range strings.FieldsSeq(test.environment) {
				if key, value, _ := strings.Cut(variable, "="); key == name {
					return value
				}
			}
			return ""
		}), " ")
		if got != test.want {
			t.Errorf("opener(%s, %s) = %q, want %q", test.system, test.environment, got, test.want)
		}
	}
}

// TestAttended checks that files, pipes and the null device are not taken for a terminal.
func TestAttended(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	streams := []any{null, file, in, out, strings.NewReader(""), nil}
	if i := slices.IndexFunc(streams, attended); i >= 0 {
		t.Errorf("stream %d is taken for a terminal", i)
	}
}
