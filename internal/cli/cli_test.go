package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"leadline/internal/admin"
	"leadline/internal/config"
	"leadline/internal/trials"
	"leadline/tools"
)

// run executes a command line without environment variables and without a
// terminal.
func run(t testing.TB, args ...string) (out, stderr string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	none := func(string) string { return "" }
	code = Run(t.Context(), args, none, nil, Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), e.String(), code
}

// commands calls f with each command, the root first.
func commands(f func(*cobra.Command)) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		f(c)
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&program{config: config.New(), args: []string{manual}}).root())
}

// TestErrors checks that errors name what was typed and what to type instead, on standard
// error alone, and end with exit code 1.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"serv", `unknown command "serv" of leadline; did you mean serve?`},
		{"reverse", `unknown command "reverse" of leadline; leadline help lists the commands`},
		{"keys", `missing command after leadline keys; there are create, list, replace, revoke`},
		{"keys crate", `unknown command "crate" of leadline keys; did you mean create?`},
		{"keys help", `unknown command "help" of leadline keys; there are create, list, replace, revoke`},
		{"help serv", `unknown command "serv" of leadline; did you mean serve?`},
		{"help keys crate", `unknown command "crate" of leadline keys; did you mean create?`},
		{"serve now", `unexpected argument "now"; usage: leadline serve [flags]`},
		{"verify --stations 0", "invalid --stations 0: must be 1 or more\n"},
		{"verify --all --archive a.zip", "if any flags in the group [stations all archive] are set"},
		{"keys create", "missing --account; usage: leadline keys create --account EMAIL [flags]\n"},
		{"incidents create --message m", "missing --title; usage: leadline incidents create "},
		{"incidents create --title t", "missing --message; usage: leadline incidents create "},
		{"maintenance schedule --title t --message m --from x", "missing --until; usage: leadline "},
		{"keys revoke", `missing ID; usage: leadline keys revoke ID [flags]`},
		{"webhooks list", "missing --account; usage: leadline webhooks list --account EMAIL "},
		{"webhooks create --account a@b.c", "missing URL; usage: leadline webhooks create URL --account"},
		{"webhooks replay --account a@b.c", "missing ID; usage: leadline webhooks replay ID [EVENT]"},
		{"webhooks replay a b c --account a@b.c", `unexpected argument "c"; usage: leadline webhooks `},
		{"events", "missing command after leadline events; there are list\n"},
		{"watches remove --account a@b.c", "missing ID; usage: leadline watches remove ID "},
		{"accounts plan ann@example.org", `missing PLAN; usage: leadline accounts plan EMAIL PLAN [flags]`},
		{"-listen :0", `unknown flag -listen: flags have two dashes, --listen`},
		{"serve -listen=:0", `unknown flag -listen=:0: flags have two dashes, --listen`},
		{"predict 8443970 -hours 3", `unknown flag -hours: flags have two dashes, --hours`},
		{"-lisen :0", `unknown flag -lisen; did you mean --listen?`},
		{"--lisen :0", `unknown flag --lisen; did you mean --listen?`},
		{"keys list --acount x", `unknown flag --acount; did you mean --account?`},
		{"--version", `unknown flag --version; did you mean leadline version?`},
		{"predict 0000000", `No station "0000000" in the directory.`},
		{"predict 8443970 --begin-date x", "--begin-date must be a valid calendar day"},
		{
			"predict 8443970 --interval 7", "--interval must be one of hilo, h, 1, 5, 6, 10, 15, 30, 60, " +
				"not \"7\". Example: --interval hilo.\n",
		},
		{
			"predict 8443970 --hours 0",
			"--hours must be a whole number from 1 to 87600, not 0. Example: --hours",
		},
		{
			"predict 8443970 --end-date 2020-01-01", "--end-date needs --begin-date or --hours. " +
				"Example: --begin-date 2026-11-20 --end-date 2026-11-21.\n",
		},
		{
			"predict 8443970 --top 3", "--top needs --type: the highest high waters, or the lowest low " +
				"ones. Example: --type high --top 3.\n",
		},
		{
			"predict 8443970 --begin-date 2026-11-20 --end-date 2026-11-10", "--begin-date " +
				`"2026-11-20" is after --end-date "2026-11-10". Give the earlier one as --begin-date.`,
		},
		{"search --near 400,1", `invalid --near "400,1": must be a latitude from -90 to 90 and a longitude`},
		{"search --near 1,NaN", `invalid --near "1,NaN": must be a latitude from -90 to 90`},
		{"search boston --state Mass", `--state must be two letters, not "Mass". Example: --state MA.`},
		{"version --telescope", `unknown flag --telescope; leadline version --help describes the flags`},
		{"predict 8443970 --datum", `flag needs an argument: --datum; leadline predict --help describes the flags`},
		{"verify --stations many", `invalid argument "many" for "--stations" flag`},
		{"verify --live --offline --contact x@example.org", `--live sends requests: run verify --live`},
		{"verify --live", `missing --contact: the weather service asks its clients for a mail address`},
		{"verify --live --contact jane", `invalid --contact "jane": must be a mail address or a website`},
		{"verify --archive a.zip", `--archive needs --live, which makes the requests that it is about`},
		{
			"verify --live --contact x@example.org --archive /missing/a.zip", "cannot write the archive " +
				"/missing/a.zip: no such file or directory; --archive FILE writes another",
		},
		{"serve --log-level loud", `invalid --log-level "loud": must be debug, info, warn or error`},
		{"openapi events", `invalid document "events": must be one of contract, developer, planning`},
		{"openapi contract planning", `unexpected argument "planning"; usage: leadline openapi [contract|`},
		{"health --url example.org", `invalid --url "example.org": must be a URL such as https://tides.example.org`},
	} {
		out, stderr, code := run(t, strings.Fields(test.args)...)
		if code != 1 || out != "" || !strings.HasPrefix(stderr, "leadline: "+test.want) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("leadline %s: exit code %d, %q, %q, want %q", test.args, code, out, stderr, test.want)
		}
	}
}

// TestHelp checks the help of every command, both by flag and by leadline help.
// Help must have at most 80 columns and list all flags and arguments.
func TestHelp(t *testing.T) {
	seen := 0
	commands(func(c *cobra.Command) {
		seen++
		path := strings.Fields(c.CommandPath())[1:]
		out, stderr, code := run(t, append(path, "--help")...)
		byCommand, _, _ := run(t, append([]string{"help"}, path...)...)
		if code != 0 || stderr != "" || out != byCommand {
			t.Errorf("%s --help: exit code %d, %q; leadline help prints\n%s\nwant\n%s",
				c.CommandPath(), code, stderr, byCommand, out)
		}
		for _, line := range strings.Split(out, "\n") {
			if len([]rune(line)) > helpWidth && !strings.Contains(line, "leadline ") {
				t.Errorf("%s --help has a line of %d columns: %s", c.CommandPath(), len(line), line)
			}
		}
		for _, want := range []string{"Usage:\n  " + c.CommandPath(), "--help"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s --help prints\n%s\nwithout %q", c.CommandPath(), out, want)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			line := regexp.MustCompile("(?m)^  --" + f.Name + "( |$)")
			if shown := line.MatchString(out); shown == f.Hidden {
				t.Errorf("%s --help shows --%s: %v, want %v", c.CommandPath(), f.Name, shown, !f.Hidden)
			}
		})
	})
	if seen < 35 {
		t.Errorf("%d commands, want all", seen)
	}
}

// TestHelpOfRoot checks that help lists all commands and all settings.
func TestHelpOfRoot(t *testing.T) {
	out, _, _ := run(t, "help")
	for _, name := range strings.Fields("serve stdio health predict search verify accounts backup " +
		"check incidents keys webhooks events watches maintenance restore stations completion config " +
		"help man openapi version") {
		if !regexp.MustCompile(`(?m)^  ` + name + ` +[A-Z]`).MatchString(out) {
			t.Errorf("leadline help does not list %s", name)
		}
	}
	for _, s := range config.New().Settings() {
		first, _, _ := strings.Cut(s.Usage, " ")
		line := `(?m)^  --` + s.Name + `( VALUE)?\s+` + regexp.QuoteMeta(first)
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("leadline help does not describe --%s", s.Name)
		}
	}
}

// TestUsedSettings checks that help names settings that exist.
func TestUsedSettings(t *testing.T) {
	commands(func(c *cobra.Command) {
		for _, name := range strings.Fields(c.Annotations[usesAnnotation]) {
			if name != allSettings && c.Flags().Lookup(name) == nil {
				t.Errorf("%s uses the setting %s, which does not exist", c.CommandPath(), name)
			}
		}
	})
}

// TestSettings checks that every command takes every setting, before its name and after it,
// with dashes and underscores.
func TestSettings(t *testing.T) {
	for _, args := range [][]string{
		{"--port-file", "p", "config"}, {"config", "--port-file=p"}, {"config", "--port_file", "p"},
		{"--listen", ":1", "config", "--port-file", "p"},
	} {
		out, _, code := run(t, args...)
		if code != 0 || !regexp.MustCompile(`(?m)^port-file +"p" +flag$`).MatchString(out) {
			t.Errorf("%v: exit code %d\n%s", args, code, out)
		}
	}
	commands(func(c *cobra.Command) {
		if name := c.Parent(); name != nil && name.Name() == "completion" {
			return
		}
		for _, s := range config.New().Settings() {
			if c.Flags().Lookup(s.Name) == nil {
				t.Errorf("%s does not take --%s", c.CommandPath(), s.Name)
			}
		}
	})
}

// TestConfirm checks that only yes confirms, and that there is no question if
// stdin cannot answer it.
func TestConfirm(t *testing.T) {
	for _, test := range []struct {
		typed, want string
	}{
		{"yes\n", ""}, {"yes", ""}, {"y\n", "it was kept"}, {"no\n", "it was kept"},
		{"\n", "it was kept"},
		{"", "it was kept: stdin has no answer; pass --yes"},
	} {
		var asked bytes.Buffer
		p := &program{streams: Streams{Err: &asked}}
		err := p.ask(strings.NewReader(test.typed), "Remove it?", "it was kept")
		got := errorText(err)
		if got != test.want || !strings.HasPrefix(asked.String(), "Remove it? Type yes: ") {
			t.Errorf("%q after %q: %q, want %q", test.typed, asked.String(), got, test.want)
		}
	}
	p := &program{streams: Streams{In: strings.NewReader("yes\n"), Err: new(bytes.Buffer)}}
	got := errorText(p.confirm("Remove it?", "it was kept"))
	if got != "it was kept: stdin is not a terminal; pass --yes" {
		t.Errorf("without a terminal: %q", got)
	}
	p.yes = true
	if err := p.confirm("Remove it?", "it was kept"); err != nil {
		t.Errorf("with --yes: %v", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestDataFolder checks that commands print the data folder, that none creates
// one without --yes, and that commands that only read the store never create
// one.
func TestDataFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new")
	for _, test := range []struct{ args, want string }{
		{"accounts list --yes", "unknown flag --yes"},
		{"accounts list", "no store in " + folder + " yet"},
		{"keys create --account ann@example.org",
			"the data folder " + folder + " was not created: stdin is not a terminal; pass --yes"},
		{"accounts add ann@example.org", "was not created"},
		{"accounts invite ann@example.org", "was not created"},
		{"incidents create --title Slow --message Late.", "was not created"},
		{"stations refresh 8443970 --offline", "was not created"},
		{"restore backup", "was not created"},
		{"health", "no server is running on the data folder"},
	} {
		_, stderr, code := run(t, append(strings.Fields(test.args), "--data", folder)...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("leadline %s: exit code %d, %q, want %q", test.args, code, stderr, test.want)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Fatalf("leadline %s has created a folder", test.args)
		}
	}
	_, stderr, code := run(t, "accounts", "add", "ann@example.org", "--yes", "--data", folder)
	if code != 0 || !strings.HasPrefix(stderr, "data folder: "+folder+"\n") {
		t.Errorf("with --yes: exit code %d, %q", code, stderr)
	}
	out, _, _ := run(t, "accounts", "list", "--data", folder)
	if !strings.Contains(out, "ann@example.org") {
		t.Errorf("the accounts are\n%s", out)
	}
	_, stderr, code = run(t, "restore", "backup", "--data", folder)
	want := "the store in " + folder + " was not replaced: stdin is not a terminal; pass --yes"
	if code != 1 || !strings.Contains(stderr, want) {
		t.Errorf("restore: exit code %d, %q", code, stderr)
	}
}

// TestPredict checks the text of predictions, and the errors for flags that
// apply to another kind of station.
func TestPredict(t *testing.T) {
	series := []string{"predict", "8443970", "--begin-date", "2026-11-21", "--interval", "h"}
	out, _, code := run(t, append(series, "--hours", "6", "--units", "metric")...)
	if code != 0 || strings.Count(out, " m\n") != 7 ||
		!strings.Contains(out, "Boston, MA (8443970): predicted tide above MLLW") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	series[2] = "--begin_date"
	byRange, _, _ := run(t, append(series, "--range", "6", "--units", "metric")...)
	if byRange != out {
		t.Errorf("with --range\n%s\nwant\n%s", byRange, out)
	}
	series[1] = "ACT0091"
	out, _, code = run(t, append(series, "--hours", "3")...)
	if code != 0 || strings.Count(out, " kn\n") != 4 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, args := range []string{"ACT0091 --datum MLLW", "8443970 --bin 3"} {
		_, stderr, code := run(t, append([]string{"predict"}, strings.Fields(args)...)...)
		if code != 1 || !strings.Contains(stderr, "not for a station of the kind of ") {
			t.Errorf("predict %s: exit code %d, %q", args, code, stderr)
		}
	}
}

// TestPredictPlace checks that predict accepts place names, optionally followed
// by a day.
func TestPredictPlace(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string // in the output, or in the error
		code int
	}{
		{[]string{"Boston"}, `^Boston, MA \(8443970\), on the bay, 0\.\d km from Boston, MA: predicted tide`, 0},
		{[]string{"half moon bay", "tomorrow"}, `^Pillar Point Harbor, Half Moon Bay, CA \(9414131\), ` +
			`near the open coast, 6\.\d km from Half Moon Bay, CA: predicted tide`, 0},
		{[]string{"half", "moon", "bay", "2026-11-22"}, `(?s)^Pillar Point.*\n\w+ 2026-11-22 [^\n]*\n\n`, 0},
		{[]string{"02543"}, `center \(41\.47, -70\.78\).*Woods Hole, MA \(1\d\.\d km\)`, 0},
		{[]string{"NYH1924"}, `Missing: bin: the embedded data does not have it, and this command asks no ` +
			`provider\nMissing: depth: .* asks no provider\n`, 0},
		{[]string{"deception pass", "--bin", "14"}, "bin", 1},
		{[]string{"9414290", "2026-11-22", "--json"}, `"from":"2026-11-22T00:00:00-08:00"`, 0},
		{[]string{"Newport"}, `"Newport" names several places: Newport, RI; Newport, OR; .*\. Give one with its state\.`, 1},
		{[]string{"Port Royal"}, `Port Royal, SC; Port Royal, VA; Port Royal, Jamaica; .*\. Give one`, 1},
		{[]string{"boston", "today", "--date", "tomorrow"}, `invalid date "today": --date gives another`, 1},
		{[]string{"Denver"}, `Denver, CO is inland; the nearest coast is at San Clemente, CA`, 1},
		{[]string{"boston", "11/22/2026"}, `--date must be .*Write 2026-11-22, if that is the day\.`, 1},
		{[]string{"boston", "saturday"}, `\n\n(> |  )?Sat 2`, 0},
		{[]string{"boston", "sat", "--json"}, `"from":"2\S+T00:00:00-0`, 0},
		{[]string{"boston", "+3", "--json"}, `"from":"2\S+T00:00:00-0`, 0},
		{[]string{"boston", "20261122"}, `(?m)^Sun 2026-11-22 `, 0},
		{[]string{"boston", "--begin-date", "2027-07-05", "--type", "high", "--top", "1"},
			`Highest high water: .*\n\nMon 2027-07-05 00:09 -04:00  high   11\.8\d ft\n`, 0},
		{[]string{"boston", "--above", "30"}, `\nNo windows\.\n`, 0},
		{[]string{"boston", "--begin-date", "2027-07-05", "--range", "1", "--type", "low"},
			`\nno predicted low waters in this span\n`, 0},
		{[]string{"boston", "--begin-date", "2026-11-28 02:00", "--range", "4"},
			`\nno high or low water in this span: predicted falling from 9\.60 ft at 2:00 AM EST to ` +
				`1\.74 ft at 6:00 AM EST; before it high 9\.78 ft at 1:28 AM EST; after it low 0\.18 ft ` +
				`at 7:26 AM EST\n`, 0},
		{[]string{"PUG1701", "--begin-date", "2026-11-28 06:30", "--range", "1"},
			`\nno flood, ebb or slack in this span: predicted ebb 0\.\d\d kn at 6:30 AM PST to ebb ` +
				`3\.\d\d kn at 7:30 AM PST; before it slack .* after it ebb 5\.\d\d kn at 9:13 AM PST\n`, 0},
		{[]string{"PCT2301", "2027-06-05", "--at-most", "0.5", "--light", "daylight"},
			`65 min  +slack at 12:50, ebb to flood\n`, 0},
		{[]string{"PUG1725", "2027-06-03", "--at-least", "1"}, `up to 1\.1\d kn at 15:3\d\n`, 0},
		{[]string{"9063020"}, `levels\. Get them from a server: leadline serve starts one\.\n$`, 1},
		{[]string{"0000000"}, `Search by name with leadline search Boston\.\n$`, 1},
		{[]string{"PUG1701", "--bin", "1"}, `no requests, because this command sends none\.`, 1},
		{nil, "missing STATION or PLACE; usage: leadline predict STATION", 1},
	} {
		out, stderr, code := run(t, append([]string{"predict"}, test.args...)...)
		if test.code != 0 {
			out = stderr
		}
		if code != test.code || !regexp.MustCompile(test.want).MatchString(out) ||
			strings.Contains(stderr, "noaa_") {
			t.Errorf("predict %q: exit code %d, want %d\n%s\nwant %s", test.args, code, test.code, out,
				test.want)
		}
	}
}

// TestPredictFlags checks that the flags are the arguments of both operations, except for those of
// the weather, which predict has no network for, and that help names each of their values.
func TestPredictFlags(t *testing.T) {
	catalog := new(tools.Set).Catalog()
	flags := (&program{config: config.New()}).predictCommand(catalog).Flags()
	for _, name := range []string{tidePredictions, currentPredictions} {
		for argument, p := range properties(toolNamed(catalog, name)) {
			if slices.Contains([]string{"station", "place", "stations", "include", "max_wind", "max_gust",
				"max_seas", "dry"}, argument) {
				continue // the first two are the argument; a shell calls the command once for each
			}
			f := flags.Lookup(strings.ReplaceAll(argument, "_", "-"))
			if f == nil {
				t.Errorf("predict has no flag for %s of %s", argument, name)
				continue
			}
			for _, value := range p.Enum {
				if !strings.Contains(f.Usage, value) {
					t.Errorf("the usage of --%s is %q, without %s", argument, f.Usage, value)
				}
			}
		}
	}
}

// TestSearch checks the tables of stations by name and by distance, and the JSON of both.
func TestSearch(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"boston --limit 2", `(?s)^ID +NAME +KIND +PLACE +MATCH\n8443970 +Boston +tides +MA 42\.354°N 71\.050°W +exact\n\S+ [^\n]*\n$`},
		{"san francisco --type currentpredictions --limit 1", `(?m)^\S+ +San Francisco.* currents.* CA 37\.\d+°N 122\.\d+°W +exact$`},
		{"cannon beach --limit 1", `(?m)^\S+ +.* OR 45\.\d+°N 123\.\d+°W +place, \d+\.\d mi$`},
		{"--near 42.35,-71.05 --limit 1", `(?m)^8443970 +Boston +tides +MA 42\.354°N 71\.050°W +0\.\d mi at 357°$`},
		{"--near -14.3,-170.7 --limit 1", `°S 17\d\.\d+°W`},
		{"boston --offset 1 --limit 1 --state ma", `(?s)^ID[^\n]*\n\S+ [^\n]* MA [^\n]*\n$`},
	} {
		args := append([]string{"search"}, strings.Fields(test.args)...)
		out, _, code := run(t, args...)
		if code != 0 || !regexp.MustCompile(test.want).MatchString(out) {
			t.Errorf("search %s: exit code %d\n%s\nwant %s", test.args, code, out, test.want)
		}
		out, _, code = run(t, append(args, "--json")...)
		var list struct{ Stations []struct{ ID string } }
		if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list.Stations) == 0 {
			t.Errorf("search %s --json: exit code %d, %v\n%s", test.args, code, err, out)
		}
	}
	for _, test := range []struct{ args, want string }{
		{"", "missing TEXT or --near"},
		{"boston --near 1,2", `invalid --near "1,2": must be given without TEXT`},
		{"--near here", `invalid --near "here": must be a latitude from -90 to 90`},
		{"--near 91,0", "must be a latitude from -90 to 90"},
		{"boston --limit 0", "limit must be a whole number from 1 to 100"},
		{"boston --type bridges", "type must be one of"},
	} {
		_, stderr, code := run(t, append([]string{"search"}, strings.Fields(test.args)...)...)
		if code != 1 || !strings.Contains(stderr, test.want) {
			t.Errorf("search %s: exit code %d, %q, want %q", test.args, code, stderr, test.want)
		}
	}
	out, stderr, code := run(t, "search", "zzyzx")
	if code != 1 || out != "" || !strings.HasPrefix(stderr, "leadline: No station matches, ") ||
		strings.Count(stderr, "\n") != 1 ||
		strings.Contains(stderr, "noaa_") || !strings.Contains(stderr, "the Great Lakes") {
		t.Errorf("search zzyzx: exit code %d, %q, %q", code, out, stderr)
	}
}

// TestMan checks that there is a page for each command, which names its own flags.
func TestMan(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "man1")
	if _, stderr, code := run(t, "man", folder); code != 0 {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	commands(func(c *cobra.Command) {
		if !c.IsAvailableCommand() {
			return
		}
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(page), `.nh`) ||
			strings.Contains(string(page), "Auto generated") {
			t.Errorf("%s: %v\n%.200s", name, err, page)
		}
	})
	page, err := os.ReadFile(filepath.Join(folder, "leadline-keys-create.1"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{"account": true, "expires": true, "data": true, "tls-cert": false}
	for flag, want := range shown {
		if got := strings.Contains(string(page), "\n\\fB--"+flag+"\\fP"); got != want {
			t.Errorf("leadline-keys-create.1 has --%s: %v, want %v", flag, got, want)
		}
	}
}

// TestCompletion checks that the scripts call the program, and that it completes commands,
// flags and stations.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		out, _, code := run(t, "completion", shell)
		if code != 0 || !strings.Contains(out, "__complete") {
			t.Errorf("completion %s: exit code %d\n%.200s", shell, code, out)
		}
	}
	for _, test := range []struct{ args, want string }{
		{"key", "keys\tManage API keys\n"},
		{"keys re", "replace\t"},
		{"keys create --acc", "--account\t"},
		{"webhooks create --events quota", "quota.warning\nquota.exceeded\n"},
		{"webhooks deliveries 4fT9 --state sk", "skipped\n"},
		{"predict 84439", "8443970\tBoston, MA\n"},
		{"predict 8443970 --interval h", "hilo\n"},
		{"openapi p", "planning\n"},
	} {
		out, _, _ := run(t, append([]string{"__complete"}, strings.Fields(test.args)...)...)
		if !strings.Contains(out, test.want) {
			t.Errorf("leadline %s<TAB> completes\n%s\nwant %q", test.args, out, test.want)
		}
	}
}

// TestHealthURL checks that only a server that reports that it is ready counts
// as healthy.
func TestHealthURL(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ok"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("health requests %s", r.URL.Path)
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	defer server.Close()
	out, _, code := run(t, "health", "--url", server.URL)
	if code != 0 || out != server.URL+" is ready\n" {
		t.Errorf("ready: exit code %d, %q", code, out)
	}
	for _, test := range []struct {
		status     int
		body, want string
	}{
		{503, `{"error":{"message":"The store cannot be written."}}`, ": The store cannot be written.\n"},
		{502, "<html>", ": status 502 Bad Gateway\n"},
	} {
		status, body = test.status, test.body
		_, stderr, code := run(t, "health", "--url", server.URL)
		if code != 1 || !strings.HasSuffix(stderr, " is not ready"+test.want) {
			t.Errorf("%d: exit code %d, %q, want %q", test.status, code, stderr, test.want)
		}
	}
	server.Close()
	_, stderr, code := run(t, "health", "--url", server.URL)
	if code != 1 || !strings.Contains(stderr, "the server is not ready: ") {
		t.Errorf("closed: exit code %d, %q", code, stderr)
	}
}

// TestHealth checks that health names the components that are not operational.
func TestHealth(t *testing.T) {
	for _, test := range []struct{ health, out, stderr, err string }{
		{
			`{"url":"http://h","status":"operational","components":[{"name":"nws","status":"operational"}]}`,
			"http://h is ready\n", "", "",
		},
		{
			`{"url":"http://h","status":"degraded","components":[{"name":"api","status":"operational"},` +
				`{"name":"nws","status":"degraded","message":"NWS timed out"}]}`,
			"http://h is ready, with limited service: nws\n", "nws is degraded: NWS timed out\n", "",
		},
		{
			`{"url":"http://h","status":"down","components":[{"name":"store","status":"down"}],` +
				`"notReady":"The store cannot be written."}`,
			"", "store is down: no details\n",
			"the server at http://h is not ready: The store cannot be written.",
		},
		{ // an instance without its database serves callers without a key
			`{"url":"http://h","status":"down","components":[{"name":"store","status":"down"}]}`,
			"http://h is ready, with limited service: store\n", "store is down: no details\n", "",
		},
	} {
		var h admin.Health
		if err := json.Unmarshal([]byte(test.health), &h); err != nil {
			t.Fatal(err)
		}
		var out, stderr bytes.Buffer
		p := &program{config: config.New(), streams: Streams{Out: &out, Err: &stderr}}
		err := p.printHealth(h)
		if got := fmt.Sprint(err); out.String() != test.out || stderr.String() != test.stderr ||
			err != nil && got != test.err || err == nil && test.err != "" {
			t.Errorf("%s: got %q, %q, %v", test.health, &out, &stderr, err)
		}
	}
}

// serving runs a server with additional flags until the test ends, or stop is called, which
// returns its exit code.
func serving(t *testing.T, flags ...string) (folder, url string, stop func() int) {
	t.Helper()
	folder = t.TempDir()
	port := filepath.Join(folder, "port")
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		args := []string{"--data", folder, "--listen", "127.0.0.1:0", "--port-file", port, "--offline"}
		var log lockedBuffer
		none := func(string) string { return "" }
		ended <- Run(ctx, append(args, flags...), none, nil,
			Streams{In: strings.NewReader(""), Out: &log, Err: &log})
	}()
	stop = sync.OnceValue(func() int {
		end()
		return <-ended
	})
	t.Cleanup(func() { stop() })
	trials.WaitFor(t, "a file with the port", func() bool {
		select {
		case code := <-ended:
			t.Fatalf("the server ended with exit code %d", code)
		default:
		}
		text, err := os.ReadFile(port)
		url = "http://" + net.JoinHostPort("127.0.0.1", strings.TrimSpace(string(text)))
		return err == nil && len(text) > 0
	})
	return folder, url, stop
}

// TestServe runs a server, which ends with its context, and commands against it.
func TestServe(t *testing.T) {
	folder, url, stop := serving(t)
	for _, args := range [][]string{{"--data", folder}, {"--url", url}} {
		out, stderr, code := run(t, append([]string{"health"}, args...)...)
		if code != 0 || !strings.HasPrefix(out, url+" is ready") {
			t.Errorf("health %v: exit code %d, %q, %q", args, code, out, stderr)
		}
	}
	add := strings.Fields("accounts add ann@example.org --plans x --offline --log-level warn --data")
	_, stderr, code := run(t, append(add, folder)...)
	want := "ignored: --offline, --plans; the running server uses its own settings\n"
	if code != 0 || !strings.Contains(stderr, want) {
		t.Errorf("accounts add: exit code %d, %q", code, stderr)
	}
	if code := stop(); code != 0 {
		t.Errorf("the server ends with exit code %d", code)
	}
}

// lockedBuffer is a buffer that several goroutines can write to.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}
