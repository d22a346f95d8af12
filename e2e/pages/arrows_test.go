package pages

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// arrows lists which packages of the module a folder may import. A new arrow changes
// this table and is reviewed as a design change.
var arrows = map[string]string{
	".": "internal/cli",
	"mcp": "internal/access internal/access/credential internal/coast internal/edge " +
		"internal/operation internal/schema prompts resources tools",
	"rest": "docs internal/access internal/access/credential internal/access/quota " +
		"internal/almanac internal/coast internal/currents internal/directory internal/edge " +
		"internal/events internal/levels internal/operation internal/place internal/planning " +
		"internal/schema internal/selfservice internal/tides internal/weather tools",
	"docs": "",
	"tools": "internal/access internal/access/credential internal/access/outage " +
		"internal/access/quota internal/accounts internal/almanac internal/coast internal/currents " +
		"internal/directory internal/events internal/events/endpoints internal/events/watches " +
		"internal/facts internal/levels internal/noaa internal/nws internal/operation " +
		"internal/overlay internal/place internal/planning internal/render internal/selfservice " +
		"internal/stations internal/status internal/tides internal/verify internal/weather resources",
	"internal/operation": "internal/access internal/chart internal/coast internal/facts " +
		"internal/render internal/schema internal/stations internal/words",
	"internal/intervals": "internal/coast internal/decide internal/facts internal/operation " +
		"internal/render internal/sky internal/stations internal/tide",
	"internal/place": "internal/coast internal/facts internal/locate internal/operation " +
		"internal/places internal/render internal/sky internal/stations internal/waters " +
		"internal/words",
	"internal/directory": "internal/chart internal/coast internal/facts internal/locate " +
		"internal/noaa internal/operation internal/overlay internal/place internal/places " +
		"internal/render internal/stations internal/tide internal/waters internal/words",
	"internal/almanac": "internal/chart internal/coast internal/facts internal/operation " +
		"internal/place internal/render internal/sky internal/tide",
	"internal/tides": "internal/almanac internal/chart internal/coast internal/directory " +
		"internal/facts internal/intervals internal/operation internal/place internal/render " +
		"internal/sky internal/stations internal/telegram internal/tide",
	"internal/currents": "internal/almanac internal/chart internal/coast internal/decide " +
		"internal/directory internal/facts internal/intervals internal/noaa " +
		"internal/operation internal/passage internal/place internal/render internal/sky " +
		"internal/stations internal/tide",
	"internal/levels": "internal/chart internal/coast internal/derived internal/directory " +
		"internal/facts internal/noaa internal/operation internal/place internal/render " +
		"internal/stations internal/tides",
	"internal/weather": "internal/almanac internal/chart internal/coast internal/currents " +
		"internal/decide internal/directory internal/facts internal/levels internal/noaa " +
		"internal/operation internal/place internal/render internal/sky internal/stations " +
		"internal/tide",
	"internal/planning": "internal/access internal/almanac internal/coast internal/currents " +
		"internal/decide internal/directory internal/events internal/facts internal/levels " +
		"internal/nws internal/operation internal/place internal/render internal/sky " +
		"internal/stations internal/tide internal/tides internal/weather",
	"internal/selfservice": "internal/access internal/access/credential internal/access/quota " +
		"internal/accounts internal/coast internal/decide internal/events internal/events/endpoints " +
		"internal/events/watches internal/operation internal/planning",
	"oauth": "internal/session internal/accounts internal/login store internal/access/credential " +
		"internal/access/outage internal/page internal/edge internal/coast",
	"store":           "",
	"store/storetest": "store internal/trials",
	"store/bolt":      "store",
	"store/postgres":  "store",
	// test-only: PostgreSQL for tests
	"store/postgres/postgrestest": "internal/trials",
	"resources":                   "",
	"prompts":                     "",
	"internal/access": "store internal/access/credential internal/access/limit " +
		"internal/access/outage internal/access/quota internal/coast",
	"internal/access/credential": "store internal/access/outage internal/coast",
	"internal/access/limit":      "store internal/access/outage internal/coast",
	"internal/access/quota":      "store internal/access/outage internal/coast",
	"internal/access/outage":     "store internal/coast",
	"store/copier":               "store",
	"internal/admin": "internal/access/credential internal/accounts internal/coast " +
		"internal/events internal/events/endpoints internal/events/signature " +
		"internal/events/watches internal/overlay internal/status store",
	"internal/accounts": "store internal/access internal/access/credential internal/access/outage " +
		"internal/edge internal/coast",
	// test-only: gates with real stores
	"internal/access/accesstest": "store store/bolt internal/access internal/access/credential " +
		"internal/access/limit internal/edge internal/trials",
	"internal/cli": "internal/admin internal/chart internal/coast internal/config " +
		"internal/currents internal/decide internal/directory internal/facts internal/operation " +
		"internal/place internal/places internal/planning internal/probe internal/render " +
		"internal/server internal/stations internal/telegram internal/tides internal/verify " +
		"internal/weather internal/words tools",
	"internal/chart":   "",
	"internal/coast":   "",
	"internal/config":  "internal/access/limit internal/coast",
	"internal/decide":  "internal/coast",
	"internal/derived": "", // a table shared by client, operations and simulator
	"internal/edge":    "internal/coast",
	// material changes carry parts of decisions
	"internal/events": "store internal/access internal/access/credential internal/access/quota " +
		"internal/decide internal/coast",
	"internal/events/signature": "internal/access/credential",
	"internal/events/sender":    "internal/events/signature store internal/coast",
	// ids of events have their time
	"internal/events/dispatch": "internal/events internal/events/sender " +
		"internal/events/signature store",
	// documents list the error words of attempts
	"internal/events/endpoints": "internal/events internal/events/sender internal/events/signature " +
		"internal/access internal/access/outage store internal/coast",
	"internal/events/watches": "internal/events internal/access internal/access/outage " +
		"internal/decide store internal/coast",
	"internal/ical": "",
	"internal/login": "internal/access internal/access/credential internal/access/outage " +
		"internal/accounts internal/coast internal/page internal/session store",
	// test-only: sites where people sign in
	"internal/login/logintest": "internal/session internal/accounts internal/access " +
		"internal/access/credential internal/edge store store/bolt",
	"internal/metrics":    "",
	"internal/npm":        "", // test-only: fetches the sources of embedded data
	"internal/places":     "internal/words",
	"internal/places/gen": "internal/npm internal/places internal/stations internal/words",
	"internal/locate":     "internal/places internal/stations internal/words internal/coast",
	"internal/waters":     "internal/places internal/stations internal/tide internal/coast",
	"internal/waters/gen": "internal/places internal/stations internal/waters internal/coast",
	"internal/page":       "internal/coast",
	"internal/render":     "internal/coast",
	"internal/schema":     "internal/coast",
	"internal/status":     "store internal/coast",
	"internal/session":    "internal/access internal/access/credential internal/coast store",
	"internal/fleet":      "store",
	"internal/server": "internal/access internal/access/credential internal/access/limit " +
		"internal/accounts internal/admin internal/coast internal/config internal/decide " +
		"internal/edge internal/events internal/events/dispatch internal/events/endpoints " +
		"internal/events/sender internal/events/signature internal/events/watches internal/fleet " +
		"internal/login internal/metrics internal/noaa internal/nws internal/overlay internal/page " +
		"internal/session internal/stations internal/status internal/upstream internal/verify " +
		"internal/web internal/web/account mcp oauth prompts resources rest store store/bolt " +
		"store/copier store/postgres tools",
	"internal/sky":      "",
	"internal/stations": "internal/tide internal/words internal/coast",
	// its check names constituents
	"internal/stations/gen": "internal/npm internal/stations internal/tide",
	"internal/tide":         "",
	"internal/trials":       "", // test-only: what the tests of all packages share
	"internal/facts": "internal/coast internal/decide internal/noaa internal/nws " +
		"internal/overlay internal/sky internal/stations internal/tide internal/waters",
	"internal/overlay": "internal/stations internal/tide internal/noaa internal/coast",
	"internal/noaa":    "internal/derived internal/upstream internal/coast",
	"internal/nws":     "internal/upstream internal/coast",
	"internal/probe": "internal/derived internal/verify internal/noaa internal/nws " +
		"internal/stations internal/upstream internal/coast",
	"internal/upstream": "internal/coast",
	"internal/web/gen":  "internal/npm internal/stations",
	"internal/verify":   "internal/stations internal/noaa store internal/coast",
	"internal/passage":  "",
	"internal/telegram": "",
	"internal/words":    "",
	"internal/web": "internal/chart internal/coast internal/page internal/status internal/verify " +
		"internal/web/calendar internal/web/health internal/web/manual internal/web/markdown " +
		"internal/web/plan internal/web/search internal/web/site internal/web/station " +
		"internal/web/trip " +
		"internal/web/view",
	"internal/web/view": "internal/chart internal/coast internal/operation internal/page " +
		"internal/web/script",
	"internal/web/site": "internal/access internal/chart internal/coast internal/directory " +
		"internal/edge internal/operation internal/page internal/place internal/tides " +
		"internal/web/view internal/words tools",
	"internal/web/predicted": "internal/almanac internal/chart internal/coast internal/currents " +
		"internal/directory internal/levels internal/operation internal/place internal/tides " +
		"internal/web/view tools",
	"internal/web/calendar": "internal/chart internal/coast internal/currents internal/ical " +
		"internal/intervals internal/operation internal/schema internal/tides internal/web/site " +
		"internal/web/view internal/words",
	"internal/web/plan": "internal/chart internal/coast internal/currents internal/intervals " +
		"internal/operation internal/page internal/place internal/schema internal/tides " +
		"internal/web/calendar internal/web/predicted internal/web/site internal/web/view " +
		"internal/words",
	"internal/web/trip": "internal/almanac internal/chart internal/coast internal/decide " +
		"internal/operation internal/page internal/place internal/planning internal/web/site " +
		"internal/web/view",
	"internal/web/search": "internal/chart internal/coast internal/directory internal/operation " +
		"internal/page internal/places internal/web/site internal/web/view internal/words",
	"internal/web/health": "internal/chart internal/coast internal/operation internal/page " +
		"internal/status internal/verify internal/web/site internal/web/view tools",
	"internal/web/station": "internal/almanac internal/chart internal/coast internal/currents " +
		"internal/directory internal/ical internal/levels internal/operation internal/page " +
		"internal/place internal/tides internal/weather internal/web/locator " +
		"internal/web/predicted internal/web/site internal/web/trip internal/web/view internal/words",
	"internal/web/locator": "",
	// its forms list the kinds of events
	"internal/web/account": "internal/access internal/access/credential internal/access/limit " +
		"internal/access/outage internal/access/quota internal/chart internal/coast internal/events " +
		"internal/operation internal/page internal/planning internal/schema internal/selfservice " +
		"internal/session internal/web/script tools",
	// the pages of the documentation: what tools and topics are, and the recorded examples
	"internal/web/manual":   "docs internal/coast internal/operation resources tools",
	"internal/web/markdown": "",
	"internal/web/script":   "",
	"internal/simulator":    "internal/simulator/provider",
	// apart from the main package, so that tests can run it in their own process
	"internal/simulator/provider": "internal/derived internal/stations internal/tide",
	"scripts/dist":                "", // makes the files of a release
	"scripts/language":            "",
	// starts the built binaries, and a database
	"scripts/load":    "store/postgres/postgrestest",
	"scripts/plain":   "", // the baseline of a benchmark
	"scripts/slowest": "", // prints results of tests
	// test-only: the product as the end-to-end tests use it
	"e2e/product": "docs internal/access internal/access/credential internal/cli internal/coast " +
		"internal/config internal/decide internal/edge internal/events internal/events/endpoints " +
		"internal/server internal/simulator/provider internal/trials internal/upstream store " +
		"store/postgres/postgrestest tools",
	// test-only, but a main package: clients that others wrote run against it
	"e2e/conformancefixture": "mcp",
}

// libraries are imported by only one folder; test-only code is excepted.
var libraries = map[string]string{
	"github.com/coreos/go-oidc":                      "internal/login",
	"github.com/go-jose/go-jose":                     "oauth",
	"golang.org/x/oauth2":                            "internal/login",
	"github.com/go-json-experiment/json":             "internal/noaa internal/nws internal/schema",
	"github.com/mark3labs/mcp-go":                    "mcp e2e/conformancefixture",
	"github.com/julienschmidt/httprouter":            "rest",
	"go.etcd.io/bbolt":                               "store/bolt",
	"github.com/jackc/pgx":                           "store/postgres store/postgres/postgrestest",
	"github.com/soniakeys/":                          "internal/sky",
	"github.com/klauspost/compress":                  "internal/edge",
	"github.com/maypok86/otter":                      "internal/upstream",
	"github.com/prometheus/client_golang":            "internal/metrics",
	"golang.org/x/image":                             "internal/chart",
	"github.com/spf13/cobra":                         "internal/cli",
	"github.com/spf13/pflag":                         "internal/cli",
	"github.com/sony/gobreaker":                      "internal/upstream",
	"github.com/yuin/goldmark":                       "internal/web/manual internal/web/markdown",
	"github.com/santhosh-tekuri/jsonschema":          "scripts/dist e2e/product", // and tests
	"github.com/standard-webhooks/standard-webhooks": "e2e/product",
}

// pure packages do not use a clock, the network, files or a log.
var (
	pure = []string{
		"internal/tide", "internal/sky", "internal/decide", "internal/passage", "internal/telegram",
	}
	forbidden = []string{"net", "net/http", "os", "log", "log/slog"}
)

// folderOf returns the folder of a file.
func folderOf(file string) string { return path.Dir(file) }

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	err := fs.WalkDir(product.Tree(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "build" ||
			path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			folder := folderOf(path)
			seen[folder] = true
			checkFile(t, folder, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range arrows {
		if !seen[folder] {
			t.Errorf("the table has a folder %s that holds no code", folder)
		}
	}
}

func checkFile(t *testing.T, folder, path string) {
	t.Helper()
	allowed, ok := arrows[folder]
	if !ok {
		t.Errorf("%s: folder %s has no line in the table", path, folder)
		return
	}
	text, err := fs.ReadFile(product.Tree(), path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(name, "leadline/"); ok && allowed != "*" &&
			!slices.Contains(strings.Fields(allowed), own) {
			t.Errorf("%s imports %s: no such arrow", path, own)
		}
		for library, folders := range libraries {
			if strings.HasPrefix(name, library) &&
				!slices.Contains(strings.Fields(folders), folder) {
				t.Errorf("%s imports %s, which belongs to %s", path, name, folders)
			}
		}
		if slices.Contains(pure, folder) && slices.Contains(forbidden, name) {
			t.Errorf("%s imports %s: %s is pure", path, name, folder)
		}
		known := strings.HasPrefix(name, "leadline/") || strings.HasPrefix(name, "golang.org/x/") ||
			!strings.Contains(strings.SplitN(name, "/", 2)[0], ".")
		for library := range libraries {
			known = known || strings.HasPrefix(name, library)
		}
		if !known {
			t.Errorf("%s imports %s: a library without a line in the table", path, name)
		}
	}
}
