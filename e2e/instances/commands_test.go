package instances

import (
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

	"leadline/e2e/product"
	"leadline/internal/access/credential"
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
		out, stderr, err := product.RunOn(folder, product.WordsOf(line[1], values)...)
		fmt.Fprintf(&said, "%s\n%s%s", line[0], out, stderr)
		if err != nil {
			fmt.Fprintf(&said, "! %v\n", err)
		}
		if key := regexp.MustCompile(aKey).FindString(out); key != "" {
			values["THEKEY"], values["ITSID"] = key, key[len(credential.Prefix):][:7]
		}
		if id := regexp.MustCompile(`(?m)^[0-9a-f]{8}-[0-9a-f-]{27}$`).FindString(out); id != "" {
			values["BULLETIN"] = id[:6]
		}
	}
	return alike(said.String(), folder, filepath.Dir(values["FILE"]))
}

// alike replaces the parts of a transcript that differ between runs.
func alike(said string, folders ...string) string {
	for _, folder := range folders {
		said = strings.ReplaceAll(said, folder, "FOLDER")
	}
	for _, r := range []struct{ what, by string }{
		{aKey, "KEY"},
		{credential.Prefix + "[0-9A-Za-z]{7}", "SHOWN"},
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
		script := product.ReadText(t, file)
		if got := transcript(t, script, t.TempDir()); got != script {
			t.Errorf("%s: alone the commands say\n%s", file, got)
		}
		r := product.ServeOn(t, t.TempDir())
		if got := transcript(t, script, r.Folder); got != script {
			t.Errorf("%s: in a server the commands say\n%s", file, got)
		}
		r.Stop()
		if got := regexp.MustCompile(aKey + `|@example\.org`).FindString(r.Log.String()); got != "" {
			t.Errorf("%s: the log has %q:\n%s", file, got, r.Log)
		}
		if got, want := strings.Count(r.Log.String(), `"msg":"command"`),
			strings.Count(script, "$ "); got != want {
			t.Errorf("%s: the log has %d commands, want all %d", file, got, want)
		}
	}
}

// TestCommandsTakeEffect checks that the change of a command applies to the next
// request.
func TestCommandsTakeEffect(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	key := strings.TrimSpace(product.At(t, r.Folder, "keys", "create", "--account", "mate@example.org",
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
			product.At(t, r.Folder, step.command...)
		}
		if got := decideWith(t, r.Base, key); got != step.decides {
			t.Errorf("after %v a decision is answered with %d, want %d", step.command, got, step.decides)
		}
	}
	second := strings.TrimSpace(
		product.At(t, r.Folder, "keys", "create", "--account", "mate@example.org"))
	if got := product.UsageWith(t, r.Base, second); got != http.StatusOK {
		t.Errorf("a new key is answered with %d", got)
	}
	product.At(t, r.Folder, "accounts", "remove", "mate@example.org", "--yes")
	if got := product.UsageWith(t, r.Base, second); got != http.StatusUnauthorized {
		t.Errorf("a key without an account is answered with %d", got)
	}
}

func decideWith(t testing.TB, base, key string) int {
	t.Helper()
	return product.Answered(t)(
		product.StatusWith(http.MethodPost, base+"/api/v1/decisions/best-window", key))
}

// TestUsedIsServed checks that reserved units that were not served are not counted
// as used, while a server runs and afterwards.
func TestUsedIsServed(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	key := strings.TrimSpace(
		product.At(t, r.Folder, "keys", "create", "--account", "mate@example.org"))
	for range 3 {
		if got, err := product.StatusWith(http.MethodGet, r.Base+predictions, key); got != http.StatusOK {
			t.Fatalf("predictions are answered with %d; %v", got, err)
		}
	}
	used := regexp.MustCompile(`mate@example.org +free +1 +3 `)
	if got := product.At(t, r.Folder, "accounts", "list"); !used.MatchString(got) {
		t.Errorf("after 3 requests the server lists\n%s", got)
	}
	r.Stop()
	if got := product.At(t, r.Folder, "accounts", "list"); !used.MatchString(got) {
		t.Errorf("after 3 requests and the server's end the list is\n%s", got)
	}
}

// TestSettingsAround checks that settings are read before a command, among its
// flags, from the environment and from a file.
func TestSettingsAround(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
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
		if out, _, err := product.RunCommand(t, test.env, test.args...); err != nil ||
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
	for _, test := range []product.RefusedLine{
		{Line: "keys", Says: "there are create, list, replace, revoke"},
		{
			Line: "keys crate",
			Says: `unknown command "crate" of leadline keys; did you mean create?`,
		},
		{Line: "keys list x", Says: `unexpected argument "x"; usage: leadline keys list [flags]`},
		{Line: "keys revoke", Says: "missing ID; usage: leadline keys revoke ID"},
		{Line: "keys list --acount x", Says: "unknown flag --acount; did you mean --account?"},
		{Line: "keys list --log-level loud", Says: "debug, info, warn or error"},
		{Line: "keys list", Says: "no store in FOLDER yet"},
		{
			Line: "keys create",
			Says: "missing --account; usage: leadline keys create --account EMAIL",
		},
		{
			Line: "keys create --account 'Mate <mate@example.org>'",
			Says: "must be an e-mail address alone",
		},
		{
			Line: "keys create --account mate@ship@example.org",
			Says: "must be an e-mail address alone",
		},
		{
			Line: "keys create --account mate@example.org --plan anonymous",
			Says: `invalid plan "anonymous": must be one of free, pro`,
		},
		{
			Line: "keys create --account mate@example.org --scopes raw:write",
			Says: `no scope "raw:write"; there are raw:read`,
		},
		{Line: "keys create --account mate@example.org --scopes ,", Says: "a key needs a scope"},
		{
			Line: "keys create --account mate@example.org --expires soon",
			Says: `invalid expiry "soon": must be a duration such as 720h`,
		},
		{
			Line: "keys create --account mate@example.org --expires 2020-01-31",
			Says: "the expiry 2020-01-31T00:00:00Z has passed: it must be in the future, such as 720h, ",
		},
		{
			Line: "keys create --account mate@example.org --expires -1h",
			Says: "has passed: it must be in the future",
		},
		{Line: "accounts add mate@example.org --plan gold", Says: `invalid plan "gold"`},
		{Line: "accounts add mate@example.org"},
		{Line: "keys revoke 1234567", Says: `there is no key "1234567"`},
		{
			Line: "keys revoke " + malformed,
			Says: "invalid key id: must be the 7 letters and digits after ldl_live_",
		},
		{
			Line: "keys reroll " + malformed + " --grace 1h",
			Says: "invalid key id: must be the 7 letters and digits after ldl_live_",
		},
		{
			Line: "keys reroll 1234567 --grace 2h",
			Says: `invalid grace "2h": must be 0, 1h, 24h or 7d`,
		},
		{
			Line: "accounts remove mate@example.org",
			Says: "the account mate@example.org was not removed: stdin is not a terminal; pass --yes",
		},
		{
			Line: "accounts plan nobody@example.org pro",
			Says: "no account nobody@example.org; leadline accounts list",
		},
	} {
		out, err := test.In(t, folder)
		if strings.Contains(fmt.Sprint(out, err), malformed) {
			t.Errorf("%s repeats what may be a key, but for a letter: %s%v", test.Line, out, err)
		}
	}
	if got := product.At(t, folder, "keys", "list", "--json"); got != "[]\n" {
		t.Errorf("there are keys now: %s", got)
	}
}

// TestSecondServer checks that a second server does not start on the folder of another.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, t.TempDir())
	_, _, err := product.RunOn(r.Folder, "serve", "--listen", "127.0.0.1:0", "--offline")
	const want = "another process has it open: a data folder belongs to one server; choose another " +
		"with --data"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a second server ends with %v", err)
	}
	product.At(t, r.Folder, "accounts", "add", "mate@example.org")
}

// TestSilentHolder checks the error if a process has the store open and does not
// respond.
func TestSilentHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	product.At(t, folder, "accounts", "add", "mate@example.org")
	s, err := bolt.Open(filepath.Join(folder, server.StoreFile), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := product.RunOn(folder, "accounts", "list"); err == nil ||
		!strings.Contains(err.Error(), "has the store in "+folder+
			" open and does not respond (no server is running on the data folder: dial unix") {
		t.Errorf("while another has the store open: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	product.At(t, folder, "accounts", "list")
}

// TestManyCommands checks that concurrent commands all take effect.
func TestManyCommands(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	many := func(n int) {
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				_, _, err := product.RunOn(folder, "keys", "create", "--account", "crew@example.org")
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	many(4) // each opens the store alone
	r := product.ServeOn(t, folder)
	many(32)
	r.Stop()
	var keys []struct{ ID string }
	product.Decode(t,
		product.At(t, folder, "keys", "list", "--account", "crew@example.org", "--json"), &keys)
	if len(keys) != 36 {
		t.Errorf("%d keys, want 36", len(keys))
	}
}

// serverOn returns a command that runs a server on a data folder, with the file of its port there.
func serverOn(folder string) *exec.Cmd {
	return product.Program("--data", folder, "--listen", "127.0.0.1:0", "--port-file",
		filepath.Join(folder, "port"), "--offline", "--browser", "off")
}

// TestKilledServer checks that a socket left by a killed server does not prevent a
// start, and that all changes that the server confirmed are stored.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	server := serverOn(folder)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	base := "http://127.0.0.1:" + product.PortIn(t, filepath.Join(folder, "port"), ended)
	key := strings.TrimSpace(product.At(t, folder, "keys", "create", "--account", "mate@example.org"))
	if got := product.UsageWith(t, base, key); got != http.StatusOK {
		t.Errorf("the server returns %d", got)
	}
	server.Process.Kill()
	<-ended
	if _, err := os.Stat(filepath.Join(folder, "leadline.sock")); err != nil {
		t.Fatalf("nothing is left behind: %v", err)
	}
	if got := product.At(t, folder, "keys", "list"); !strings.Contains(got, "mate@example.org") {
		t.Errorf("after the kill the keys are\n%s", got)
	}
	r := product.ServeOn(t, folder)
	product.At(t, folder, "keys", "revoke", key)
	if got := product.UsageWith(t, r.Base, key); got != http.StatusUnauthorized {
		t.Errorf("after a restart and a revocation the status is %d", got)
	}
	r.Stop()
	if _, err := os.Stat(filepath.Join(folder, "leadline.sock")); err == nil {
		t.Error("a server that ended by itself has left its socket")
	}
}

// TestLongName checks that a server whose socket name would be too long runs without a
// socket, and that the errors of commands give the reason.
func TestLongName(t *testing.T) {
	t.Parallel()
	r := product.ServeOn(t, filepath.Join(t.TempDir(), strings.Repeat("deep/", 20)))
	got := product.OverREST(t, r.Base+"/api/v1/stations/8443970/predictions")
	if !strings.Contains(got, `"extremes"`) {
		t.Errorf("the server returns %s", got)
	}
	log := r.Log.String()
	if !strings.Contains(log, "commands that need the store cannot be used") ||
		!strings.Contains(log, "more than the limit of 103: use a shorter --data") {
		t.Errorf("the log is\n%s", log)
	}
	product.RefusedLine{Line: "keys list", Says: "use a shorter --data"}.In(t, r.Folder)
}
