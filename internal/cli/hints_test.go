package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
)

// TestHints checks that every hint names a command that exists and can be typed, or a server.
func TestHints(t *testing.T) {
	usage := map[string]string{}
	commands(func(c *cobra.Command) { usage[c.CommandPath()] = c.UseLine() })
	for _, o := range coast.HintedOperations() {
		command, ok := commandOf[o]
		if !ok {
			t.Errorf("%s has no command; write \"\" if it needs a server", o)
		}
		values := make([]any, len(o.Arguments()))
		for i := range values {
			values[i] = fmt.Sprint("value", i)
		}
		got := hintOf(o.Hint("Do it", values...))
		if command == "" {
			if want := "Do it from a server: leadline serve starts one."; got != want {
				t.Errorf("hint at %s: %q, want %q", o, got, want)
			}
			continue
		}
		path, _, _ := strings.Cut(command, " {")
		path, _, _ = strings.Cut(path, " ID")
		path, flags, account := strings.Cut(path, " --account")
		if !account {
			_, flags, account = strings.Cut(command, " --account")
		}
		line, exists := usage[path]
		if !exists || strings.Contains(line, "--account") != account || account && flags != " EMAIL" {
			t.Errorf("%s: %q is not a command line of %q", o, command, line)
		}
		if strings.ContainsAny(got, "{}") || !strings.HasPrefix(got, "Do it with "+path) {
			t.Errorf("hint at %s: %q", o, got)
		}
	}
	for o := range commandOf {
		if values := make([]any, len(o.Arguments())); o.Hint("", values...).Operation != o {
			t.Errorf("no hint names %s", o)
		}
	}
}

// TestExplain checks hints at operations that have commands, also those of a wrapped error.
func TestExplain(t *testing.T) {
	refused := func(h coast.Hint) error { return coast.Errorf(coast.NotFound, "No.").With(h) }
	for _, test := range []struct {
		err  error
		want string
	}{
		{
			fmt.Errorf("after 3 events: %w", refused(coast.ListEvents.Hint("List them"))),
			"after 3 events: No. List them with leadline events list --account EMAIL.",
		},
		{
			refused(coast.UpdateWebhook.Hint("Enable it", "we_1", true)),
			"No. Enable it with leadline webhooks enable we_1 --account EMAIL.",
		},
		{
			refused(coast.SearchStations.Hint("Search", "San Francisco")),
			`No. Search with leadline search "San Francisco".`,
		},
		{fmt.Errorf("no hint"), "no hint"},
	} {
		if got := explain(test.err); got != test.want {
			t.Errorf("explain(%q)\ngot  %s\nwant %s", test.err, got, test.want)
		}
	}
}
