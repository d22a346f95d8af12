package config

import (
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// load reads settings from flags, environment and a file, as a command does.
func load(t *testing.T, args []string, env map[string]string, file string) (*Config, error) {
	t.Helper()
	c := New()
	c.Getenv = func(name string) string { return env[name] }
	if file != "" {
		c.File = filepath.Join(t.TempDir(), "leadline.json")
		if err := os.WriteFile(c.File, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fs := flag.NewFlagSet("leadline", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, s := range c.Settings() {
		fs.Var(s, s.Name, s.Usage)
	}
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c, c.Load()
}

func TestDefaults(t *testing.T) {
	c, err := load(t, nil, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:8080" || c.Offline || c.DrainWait != 5*time.Second ||
		c.Signup != SignupInvite {
		t.Errorf("the defaults are %+v", c)
	}
	for _, s := range c.Settings() {
		if s.Origin() != "" || s.Usage == "" || strings.HasSuffix(s.Usage, ".") {
			t.Errorf("%s: origin %q, usage %q", s.Name, s.Origin(), s.Usage)
		}
	}
}

// TestOrder checks that a flag takes precedence over the environment, the
// environment over the file, and the file over the default.
func TestOrder(t *testing.T) {
	file := `{"listen": "127.0.0.1:1", "log-level": "warn", "allow-hosts": ["a.example", "b.example"], "offline": true, "max-in-flight": 100000}`
	env := map[string]string{"LEADLINE_LISTEN": "127.0.0.1:2", "LEADLINE_LOG_LEVEL": "debug"}
	c, err := load(t, []string{"--listen", "127.0.0.1:3"}, env, file)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.MaxInFlight != 100_000 || c.LogLevel != slog.LevelDebug ||
		!c.Offline ||
		!slices.Equal(c.AllowHosts, []string{"a.example", "b.example"}) {
		t.Errorf("got %+v", c)
	}
	got := map[string]Origin{}
	for _, s := range c.Settings() {
		if s.Origin() != "" {
			got[s.Name] = s.Origin()
		}
	}
	want := map[string]Origin{
		"listen":        Flag,
		"log-level":     Environment,
		"allow-hosts":   File,
		"offline":       File,
		"max-in-flight": File,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the origins are %v, want %v", got, want)
	}
	var out strings.Builder
	c.Print(&out)
	var lines []string
	column := -1
	for line := range strings.Lines(out.String()) {
		words := strings.Fields(line)
		lines = append(lines, strings.Join(words, " "))
		if strings.HasPrefix(line, "settings file") {
			continue
		}
		at := len(words[0]) + len(line[len(words[0]):]) - len(strings.TrimLeft(line[len(words[0]):], " "))
		if column < 0 {
			column = at
		}
		if at != column {
			t.Errorf("the value of %s is in column %d, want %d", words[0], at, column)
		}
	}
	for _, line := range []string{
		`listen "127.0.0.1:3" flag`, `log-level "debug" environment`, `offline true file`,
		`allow-hosts "a.example,b.example" file`, `log-format "auto" default`,
		`max-connections-per-address 128 default`,
	} {
		if !slices.Contains(lines, line) {
			t.Errorf("Print wrote\n%s\nwithout %s", &out, line)
		}
	}
}

func TestValues(t *testing.T) {
	c, err := load(t, []string{
		"--trusted-proxies", "10.0.0.0/8, 192.0.2.1", "--drain-wait", "1m30s", "--base-url", "https://tides.example.org/", "--offline",
	}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	networks := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("192.0.2.1/32"),
	}
	if !slices.Equal(c.TrustedProxies, networks) || c.DrainWait != 90*time.Second || !c.Offline ||
		c.BaseURL != "https://tides.example.org" {
		t.Errorf("got %+v", c)
	}
}

// TestUnknownVariables checks that the report of a misspelled variable suggests
// the right name.
func TestUnknownVariables(t *testing.T) {
	c := New()
	c.Environ = []string{
		"LEADLINE_DATTA=/x", "LEADLINE_DATA=/y", "LEADLINE_CONFIG=c", "DATTA=1", "LEADLINE_ACTIVE_HELP=0",
		"LEADLINE_SOMETHING_ELSE=secret",
	}
	want := []string{
		"unknown environment variable LEADLINE_DATTA is ignored; did you mean LEADLINE_DATA?",
		"unknown environment variable LEADLINE_SOMETHING_ELSE is ignored; " +
			"leadline config --help lists the settings",
	}
	if got := c.UnknownVariables(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEmptyFlags checks that an empty flag, such as one set from an unset shell
// variable, leaves the default. If a flag is repeated, the last value counts.
func TestEmptyFlags(t *testing.T) {
	flags := []string{"--listen=", "--data=", "--nws-url=", "--log-level=loud", "--log-level=warn"}
	c, err := load(t, flags, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	want := New()
	if c.Listen != want.Listen || c.Data != want.Data || c.NWSURL != want.NWSURL ||
		c.LogLevel != slog.LevelWarn {
		t.Errorf("got %+v", c)
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name, value, want string
	}{
		{"log-level", "loud", "must be debug, info, warn or error"},
		{"log-format", "xml", "must be auto, text or json"},
		{"offline", "perhaps", "must be true or false"},
		{"store-timeout", "10ms", "must be a duration from 50ms to 5s"},
		{"store-timeout", "6s", "must be a duration from 50ms to 5s"},
		{"drain-wait", "-5s", "must be a duration such as 5s or 0s"},
		{"base-url", "tides.example.org", "must be a scheme and a host such as https://tides.example.org"},
		{"base-url", "https://tides.example.org/a", "must be a scheme and a host"},
		{"base-url", "https://:443", "must be a scheme and a host"},
		{"base-url", "https://tides.example.org#a", "must be a scheme and a host"},
		{"nws-url", "https://user:secret@example.org", "must be a scheme and a host"},
		{"max-in-flight", "0", "must be a whole number from 1 to 1000000"},
		{"max-connections-per-address", "1.5", "must be a whole number from 1 to 1000000"},
		{"trusted-proxies", "10.0.0.0/33", `"10.0.0.0/33"`},
		{"store", "mysql://db/leadline", "must be a URL such as postgres://leadline@db.example.org"},
		{"store", "postgres://", "must be a URL such as"},
		{"store-listen", "db.example.org", "must be a URL such as"},
		{"instance", "häuschen", "must have at most 63 ASCII characters"},
		{"rate-limits", "exact", "must be auto, local or shared"},
		{"provider-share", "0", "must be auto or a whole number from 1 to 64"},
	} {
		variable := "LEADLINE_" + strings.ToUpper(strings.ReplaceAll(test.name, "-", "_"))
		file, err := json.Marshal(map[string]string{test.name: test.value})
		if err != nil {
			t.Fatal(err)
		}
		_, flagErr := load(t, []string{"--" + test.name + "=" + test.value}, nil, "")
		_, variableErr := load(t, nil, map[string]string{variable: test.value}, "")
		_, fileErr := load(t, nil, nil, string(file))
		for subject, err := range map[string]error{
			"--" + test.name: flagErr, variable: variableErr, `"` + test.name + `" in `: fileErr,
		} {
			if err == nil || !strings.HasPrefix(err.Error(), "invalid "+subject) ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("%s = %s: %v, want %q", subject, test.value, err, test.want)
			}
		}
	}
	for file, want := range map[string]string{
		`{"lisen": "127.0.0.1:1"}`: `unknown key "lisen"`, `[]`: "must be a JSON object",
		`null`: "must be a JSON object", `{"listen": {}}`: `invalid "listen": must be a string`,
		`{"listen": 8080}`: "must be a string", `{"listen": ["127.0.0.1:1"]}`: "must be a string",
		`{"data": true}`: "must be a string", `{"max-in-flight": [256]}`: "must be a number",
		`{"allow-hosts": ["a", 3]}`: "must be a list of strings, or a string", `{"offline": 1}`: "must be true or false",
	} {
		if _, err := load(t, nil, nil, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
}

// TestControlCharacters checks that no setting accepts a control character.
// Those in --contact would be sent in the header of every provider request.
func TestControlCharacters(t *testing.T) {
	for _, s := range New().Settings() {
		for _, c := range []string{"\n", "\r", "\t", "\x00", "\x1b", "\x7f", "\u0085"} {
			value := "a" + c + "b"
			file, err := json.Marshal(map[string]string{s.Name: value})
			if err != nil {
				t.Fatal(err)
			}
			_, flagErr := load(t, []string{"--" + s.Name + "=" + value}, nil, "")
			_, variableErr := load(t, nil, map[string]string{s.Variable(): value}, "")
			_, fileErr := load(t, nil, nil, string(file))
			for _, err := range []error{flagErr, variableErr, fileErr} {
				if err == nil ||
					!strings.Contains(err.Error(), "remove the line break or other control character") {
					t.Errorf("%s = %q: %v", s.Name, value, err)
				}
			}
		}
	}
	contact := "Løkke, https://example.org/kontakt?a=b"
	if c, err := load(t, []string{"--contact", contact}, nil, ""); err != nil || c.Contact != contact {
		t.Errorf("a contact without such characters: %v", err)
	}
}

// TestPasswords checks that no password is printed, neither of a valid setting nor in an error.
func TestPasswords(t *testing.T) {
	for _, value := range []string{
		"postgres://leadline:hunter2@db.example.org/leadline",
		"postgresql://leadline:hunter2@a:5432,b:5432/leadline?target_session_attrs=read-write",
		"postgres://leadline:hun@ter2:hunter2/@db.example.org/leadline",
		"postgres://db.example.org/leadline?user=leadline&password=hunter2&sslmode=disable",
		"postgres:///leadline?sslpassword=hunter2",
	} {
		c, err := load(t, []string{"--store", value, "--store-listen", value}, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		c.Print(&out)
		if strings.Contains(out.String(), "ter2") || strings.Count(out.String(), "xxxxx") != 2 {
			t.Errorf("the settings are\n%s", &out)
		}
		if c.Store != value || c.StoreListen != value {
			t.Errorf("--store is %q, want %q", c.Store, value)
		}
	}
	wrong := "postgress://leadline:hunter2@db.example.org/leadline"
	env := map[string]string{"LEADLINE_STORE": wrong}
	file := `{"webhook-proxy": "proxy.internal://user:hunter2@a"}`
	for _, load := range []func() (*Config, error){
		func() (*Config, error) { return load(t, []string{"--store", wrong}, nil, "") },
		func() (*Config, error) { return load(t, nil, env, "") },
		func() (*Config, error) { return load(t, nil, nil, file) },
	} {
		_, err := load()
		if err == nil || strings.Contains(err.Error(), "hunter2") ||
			!strings.Contains(err.Error(), "xxxxx@") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestProviderShare checks the forms of a number that may be left to the program.
func TestProviderShare(t *testing.T) {
	for file, want := range map[string]int{
		`{}`: 0, `{"provider-share": "auto"}`: 0, `{"provider-share": 3}`: 3,
		`{"provider-share": "4"}`: 4,
	} {
		c, err := load(t, nil, nil, file)
		if err != nil || c.ProviderShare != want {
			t.Errorf("%s: %d, %v, want %d", file, c.ProviderShare, err, want)
		}
	}
	var out strings.Builder
	c, err := load(t, []string{"--provider-share=7"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	c.Print(&out)
	if !regexp.MustCompile(`provider-share +7 +flag`).MatchString(out.String()) {
		t.Errorf("the settings are\n%s", &out)
	}
}
