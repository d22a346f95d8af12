package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"leadline/internal/access"
	"leadline/internal/server"
	"leadline/store/bolt"
)

const aKey = `ldl_live_[0-9A-Za-z]{46}`

// transcript runs the commands of a file testdata/commands-*.txt on a data folder,
// and returns the transcript in the format of that file: commands after a $, their
// output, and their errors after a !. THEKEY, ITSID and BULLETIN are the newest
// key, its id, and the beginning of the id of the newest incident.
func transcript(t *testing.T, script, folder string) string {
	t.Helper()
	values := map[string]string{"FILE": filepath.Join(t.TempDir(), "backup")}
	var said strings.Builder
	command := regexp.MustCompile(`(?m)^\$ leadline (.*)$`)
	for _, line := range command.FindAllStringSubmatch(script, -1) {
		out, stderr, err := runOn(folder, wordsOf(line[1], values)...)
		fmt.Fprintf(&said, "%s\n%s%s", line[0], out, stderr)
		if err != nil {
			fmt.Fprintf(&said, "! %v\n", err)
		}
		if key := regexp.MustCompile(aKey).FindString(out); key != "" {
			values["THEKEY"], values["ITSID"] = key, key[len(access.Prefix):][:7]
		}
		if id := regexp.MustCompile(`(?m)^[0-9a-f]{8}-[0-9a-f-]{27}$`).FindString(out); id != "" {
			values["BULLETIN"] = id[:6]
		}
	}
	return alike(said.String(), folder, filepath.Dir(values["FILE"]))
}

// wordsOf splits a line into words, as a shell does.
func wordsOf(line string, values map[string]string) (words []string) {
	for _, word := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		for name, value := range values {
			word = strings.Replace(word, name, value, 1)
		}
		words = append(words, strings.Trim(word, "'"))
	}
	return words
}

// alike replaces the parts of a transcript that differ between runs.
func alike(said string, folders ...string) string {
	for _, folder := range folders {
		said = strings.ReplaceAll(said, folder, "FOLDER")
	}
	for _, r := range []struct{ what, by string }{
		{aKey, "KEY"},
		{access.Prefix + "[0-9A-Za-z]{7}", "SHOWN"},
		{`"id": "[0-9A-Za-z]{7}"`, `"id": "ID"`},
		{`"replaces": "[0-9A-Za-z]{7}"`, `"replaces": "ID"`},
		{`[0-9a-f]{8}-[0-9a-f-]{27}`, "UUID"},
		{`"[0-9a-f]{6}"`, `"BULLETIN"`},
		{`\b(202[1-9]|20[3-8]\d)-\d\d-\d\d([T ]\d\d:\d\d(:\d\dZ)?)?`, "WHEN"}, // not the years of the script
		{`USED \d{4}-\d\d`, "USED MONTH"},
		{`\d+ bytes`, "N bytes"},
	} {
		said = regexp.MustCompile(r.what).ReplaceAllString(said, r.by)
	}
	return regexp.MustCompile(`(?m)(^SHOWN….*\n)+`).ReplaceAllStringFunc(said, sorted)
}

// sorted sorts lines: keys of the same second are listed in the order of their ids.
func sorted(lines string) string { return strings.Join(slices.Sorted(strings.Lines(lines)), "") }

// TestCommandTranscripts checks that commands have the same output and effects with
// and without a running server, and that only the creation of a key prints it.
func TestCommandTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/commands-*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		script := readText(t, file)
		if got := transcript(t, script, t.TempDir()); got != script {
			t.Errorf("%s: alone the commands say\n%s", file, got)
		}
		r := serveOn(t, t.TempDir())
		if got := transcript(t, script, r.folder); got != script {
			t.Errorf("%s: in a server the commands say\n%s", file, got)
		}
		r.stop()
		if got := regexp.MustCompile(aKey + `|@example\.org`).FindString(r.log.String()); got != "" {
			t.Errorf("%s: the log has %q:\n%s", file, got, r.log)
		}
		if got, want := strings.Count(r.log.String(), `"msg":"command"`),
			strings.Count(script, "$ "); got != want {
			t.Errorf("%s: the log has %d commands, want all %d", file, got, want)
		}
	}
}

// TestCommandsTakeEffect checks that the change of a command applies to the next
// request.
func TestCommandsTakeEffect(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	key := strings.TrimSpace(at(t, r.folder, "keys", "create", "--account", "mate@example.org",
		"--plan", "pro", "--scopes", "usage:read,decision:read"))
	steps := []struct {
		command []string
		decides int // the status of a decision
	}{
		{nil, http.StatusBadRequest},
		{[]string{"accounts", "plan", "mate@example.org", "free"}, http.StatusForbidden},
		{[]string{"accounts", "plan", "mate@example.org", "pro"}, http.StatusBadRequest},
		{[]string{"keys", "revoke", key}, http.StatusUnauthorized},
	}
	for _, step := range steps {
		if step.command != nil {
			at(t, r.folder, step.command...)
		}
		if got := decideWith(t, r.base, key); got != step.decides {
			t.Errorf("after %v a decision is answered with %d, want %d", step.command, got, step.decides)
		}
	}
	second := strings.TrimSpace(at(t, r.folder, "keys", "create", "--account", "mate@example.org"))
	if got := usageWith(t, r.base, second); got != http.StatusOK {
		t.Errorf("a new key is answered with %d", got)
	}
	at(t, r.folder, "accounts", "remove", "mate@example.org", "--yes")
	if got := usageWith(t, r.base, second); got != http.StatusUnauthorized {
		t.Errorf("a key without an account is answered with %d", got)
	}
}

// usageWith returns the status of a request that needs any key, and decideWith that
// of an invalid one that needs a plan with decisions.
func usageWith(t testing.TB, base, key string) int {
	t.Helper()
	return answered(t)(statusWith(http.MethodGet, base+"/api/developer/usage", key))
}

func decideWith(t testing.TB, base, key string) int {
	t.Helper()
	return answered(t)(statusWith(http.MethodPost, base+"/api/v1/decisions/best-window", key))
}

// answered returns the status of a response, which must exist.
func answered(t testing.TB) func(int, error) int {
	return func(status int, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
}

func statusWith(method, url, key string) (int, error) {
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

// TestUsedIsServed checks that reserved units that were not served are not counted
// as used, while a server runs and afterwards.
func TestUsedIsServed(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	key := strings.TrimSpace(at(t, r.folder, "keys", "create", "--account", "mate@example.org"))
	for range 3 {
		if got, err := statusWith(http.MethodGet, r.base+"/api/v1/stations/8443970/predictions",
			key); got != http.StatusOK {
			t.Fatalf("predictions are answered with %d; %v", got, err)
		}
	}
	used := regexp.MustCompile(`mate@example.org +free +1 +3 `)
	if got := at(t, r.folder, "accounts", "list"); !used.MatchString(got) {
		t.Errorf("after 3 requests the server lists\n%s", got)
	}
	r.stop()
	if got := at(t, r.folder, "accounts", "list"); !used.MatchString(got) {
		t.Errorf("after 3 requests and the server's end the list is\n%s", got)
	}
}

// TestSettingsAround checks that settings are read before a command, among its
// flags, from the environment and from a file.
func TestSettingsAround(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at(t, folder, "accounts", "add", "mate@example.org")
	file := filepath.Join(t.TempDir(), "leadline.json")
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"data": %q}`, folder), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		env  map[string]string
		args []string
	}{
		{nil, []string{"--data", folder, "accounts", "list"}},
		{nil, []string{"accounts", "list", "--data", folder}},
		{nil, []string{"--data", "elsewhere", "accounts", "list", "--json", "--data=" + folder}},
		{map[string]string{"LEADLINE_DATA": folder}, []string{"accounts", "list"}},
		{map[string]string{"LEADLINE_DATA": "elsewhere"}, []string{"accounts", "list", "--data", folder}},
		{nil, []string{"--config", file, "accounts", "list"}},
		{nil, []string{"accounts", "list", "--config", file}},
	} {
		if out, _, err := runCommand(t, test.env, test.args...); err != nil ||
			!strings.Contains(out, "mate@example.org") {
			t.Errorf("%v %v prints %s%v", test.env, test.args, out, err)
		}
	}
}

// TestCommandFaults checks that errors have the value, the rule and the fix, and
// that nothing is changed.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	malformed := "ldl_live_" + strings.Repeat("x", 46)
	for _, test := range []refusedLine{
		{"keys", "there are create, list, replace, revoke"},
		{"keys crate", `unknown command "crate" of leadline keys; did you mean create?`},
		{"keys list x", `unexpected argument "x"; usage: leadline keys list [flags]`},
		{"keys revoke", "missing ID; usage: leadline keys revoke ID"},
		{"keys list --acount x", "unknown flag --acount; did you mean --account?"},
		{"keys list --log-level loud", "debug, info, warn or error"},
		{"keys list", "no store in FOLDER yet"},
		{"keys create", "missing --account; usage: leadline keys create --account EMAIL"},
		{"keys create --account 'Mate <mate@example.org>'", "must be an e-mail address alone"},
		{"keys create --account mate@ship@example.org", "must be an e-mail address alone"},
		{
			"keys create --account mate@example.org --plan anonymous",
			`invalid plan "anonymous": must be one of free, pro`,
		},
		{
			"keys create --account mate@example.org --scopes raw:write",
			`no scope "raw:write"; there are raw:read`,
		},
		{"keys create --account mate@example.org --scopes ,", "a key needs a scope"},
		{
			"keys create --account mate@example.org --expires soon",
			`invalid expiry "soon": must be a duration such as 720h`,
		},
		{
			"keys create --account mate@example.org --expires 2020-01-31",
			"the expiry 2020-01-31T00:00:00Z has passed: it must be in the future, such as 720h, ",
		},
		{"keys create --account mate@example.org --expires -1h", "has passed: it must be in the future"},
		{"accounts add mate@example.org --plan gold", `invalid plan "gold"`},
		{"accounts add mate@example.org", ""},
		{"keys revoke 1234567", `there is no key "1234567"`},
		{"keys revoke " + malformed, "invalid key id: must be the 7 letters and digits after ldl_live_"},
		{
			"keys reroll " + malformed + " --grace 1h",
			"invalid key id: must be the 7 letters and digits after ldl_live_",
		},
		{"keys reroll 1234567 --grace 2h", `invalid grace "2h": must be 0, 1h, 24h or 7d`},
		{
			"accounts remove mate@example.org",
			"the account mate@example.org was not removed: stdin is not a terminal; pass --yes",
		},
		{"accounts plan nobody@example.org pro", "no account nobody@example.org; leadline accounts list"},
	} {
		out, err := test.in(t, folder)
		if strings.Contains(fmt.Sprint(out, err), malformed) {
			t.Errorf("%s repeats what may be a key, but for a letter: %s%v", test.line, out, err)
		}
	}
	if got := at(t, folder, "keys", "list", "--json"); got != "[]\n" {
		t.Errorf("there are keys now: %s", got)
	}
}

// refusedLine is a command line with the text of its error, "" for no error.
type refusedLine struct{ line, says string }

// in runs the command line on a data folder.
func (r refusedLine) in(t *testing.T, folder string) (out string, err error) {
	t.Helper()
	out, _, err = runOn(folder, wordsOf(r.line, nil)...)
	switch {
	case r.says == "" && err != nil:
		t.Errorf("%s: %v", r.line, err)
	case r.says != "" && (err == nil ||
		!strings.Contains(strings.ReplaceAll(err.Error(), folder, "FOLDER"), r.says)):
		t.Errorf("%s: %v, want %q", r.line, err, r.says)
	}
	return out, err
}

// TestSecondServer checks that a second server does not start on the folder of another.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	r := serveOn(t, t.TempDir())
	_, _, err := runOn(r.folder, "serve", "--listen", "127.0.0.1:0", "--offline")
	if err == nil || !strings.Contains(err.Error(),
		"another process has it open: a data folder belongs to one server; choose another with --data") {
		t.Errorf("a second server ends with %v", err)
	}
	at(t, r.folder, "accounts", "add", "mate@example.org")
}

// TestSilentHolder checks the error if a process has the store open and does not
// respond.
func TestSilentHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at(t, folder, "accounts", "add", "mate@example.org")
	s, err := bolt.Open(filepath.Join(folder, server.StoreFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := runOn(folder, "accounts", "list"); err == nil ||
		!strings.Contains(err.Error(), "has the store in "+folder+
			" open and does not respond (no server is running on the data folder: dial unix") {
		t.Errorf("while another has the store open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	at(t, folder, "accounts", "list")
}

// TestManyCommands checks that concurrent commands all take effect.
func TestManyCommands(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	many := func(n int) {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				if _, _, err := runOn(folder, "keys", "create", "--account", "crew@example.org"); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	many(4) // each opens the store alone
	r := serveOn(t, folder)
	many(32)
	r.stop()
	var keys []struct{ ID string }
	decode(t, at(t, folder, "keys", "list", "--account", "crew@example.org", "--json"), &keys)
	if len(keys) != 36 {
		t.Errorf("%d keys, want 36", len(keys))
	}
}

// serverVariable names the data folder on which the test binary runs as a server.
const serverVariable = "LEADLINE_TEST_SERVER"

// TestServerProcess is the server of TestKilledServer, not a test.
func TestServerProcess(t *testing.T) {
	folder := os.Getenv(serverVariable)
	if folder == "" {
		return
	}
	err := run(context.Background(), []string{
		"--data", folder, "--listen", "127.0.0.1:0", "--port-file",
		filepath.Join(folder, "port"), "--offline",
	}, func(string) string { return "" }, streams{os.Stdin, os.Stdout, os.Stderr})
	t.Fatal(err)
}

// TestKilledServer checks that a socket left by a killed server does not prevent a
// start, and that all changes that the server confirmed are stored.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	server := exec.Command(os.Args[0], "-test.run=^TestServerProcess$")
	server.Env = append(os.Environ(), serverVariable+"="+folder)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	base := "http://127.0.0.1:" + portIn(t, filepath.Join(folder, "port"), ended)
	key := strings.TrimSpace(at(t, folder, "keys", "create", "--account", "mate@example.org"))
	if got := usageWith(t, base, key); got != http.StatusOK {
		t.Errorf("the server returns %d", got)
	}
	server.Process.Kill()
	<-ended
	if _, err := os.Stat(filepath.Join(folder, "leadline.sock")); err != nil {
		t.Fatalf("nothing is left behind: %v", err)
	}
	if got := at(t, folder, "keys", "list"); !strings.Contains(got, "mate@example.org") {
		t.Errorf("after the kill the keys are\n%s", got)
	}
	r := serveOn(t, folder)
	at(t, folder, "keys", "revoke", key)
	if got := usageWith(t, r.base, key); got != http.StatusUnauthorized {
		t.Errorf("after a restart and a revocation the status is %d", got)
	}
	r.stop()
	if _, err := os.Stat(filepath.Join(folder, "leadline.sock")); err == nil {
		t.Error("a server that ended by itself has left its socket")
	}
}

// TestLongName checks that a server whose socket name would be too long runs without a
// socket, and that the errors of commands give the reason.
func TestLongName(t *testing.T) {
	t.Parallel()
	r := serveOn(t, filepath.Join(t.TempDir(), strings.Repeat("deep/", 20)))
	got := overREST(t, r.base+"/api/v1/stations/8443970/predictions")
	if !strings.Contains(got, `"extremes"`) {
		t.Errorf("the server returns %s", got)
	}
	log := r.log.String()
	if !strings.Contains(log, "commands that need the store cannot be used") ||
		!strings.Contains(log, "more than the limit of 103: use a shorter --data") {
		t.Errorf("the log is\n%s", log)
	}
	refusedLine{"keys list", "use a shorter --data"}.in(t, r.folder)
}
