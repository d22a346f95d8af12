package probe

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/internal/derived"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/trials"
	"leadline/internal/upstream"
)

// unprobed are the methods of the clients that no probe calls.
var unprobed = map[string]string{
	"Cached":         "sends no request",
	"CachedStations": "sends no request",
	"Recent":         "sends no request; it sets an age",
	"Nearby":         "no operation uses it",
}

// TestMethods checks that the table calls every method of the two clients.
func TestMethods(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, file := range []string{"table.go", "compare.go"} {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				called[s.Sel.Name] = true
			}
			return true
		})
	}
	for _, client := range []reflect.Type{
		reflect.TypeFor[*noaa.Client](), reflect.TypeFor[*nws.Client](),
	} {
		if client.NumMethod() < 5 {
			t.Fatalf("%v has %d methods", client, client.NumMethod())
		}
		for m := range client.Methods() {
			if _, is := unprobed[m.Name]; is == called[m.Name] {
				t.Errorf("%v.%s: called %v, excepted %v", client, m.Name, called[m.Name], is)
			}
		}
	}
}

// products lists the derived products by the names of their variables. The client does not request
// FloodMetYears.
var products = map[string]derived.Product{
	"SeaLevelTrends":    derived.SeaLevelTrends,
	"SeaLevelScenarios": derived.SeaLevelScenarios, "ExtremeWaterLevels": derived.ExtremeWaterLevels,
	"ExceedanceLevels":  derived.ExceedanceLevels,
	"TopTenWaterLevels": derived.TopTenWaterLevels, "PeakWaterLevels": derived.PeakWaterLevels,
	"FloodYears": derived.FloodYears, "FloodMonths": derived.FloodMonths,
	"FloodSeasons": derived.FloodSeasons, "FloodDays": derived.FloodDays,
	"FloodOutlook": derived.FloodOutlook, "FloodProjections": derived.FloodProjections,
}

// TestProducts checks that every derived product is requested.
func TestProducts(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../derived/derived.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t(\w+) += (?:Product\{|flooding\()`)
	for _, found := range declared.FindAllStringSubmatch(string(source), -1) {
		if _, ok := products[found[1]]; !ok && found[1] != "FloodMetYears" {
			t.Errorf("the test does not know the derived product %s", found[1])
		}
	}
	s := newSetup(t, simulator(t), upstream.Config{})
	r := run(t.Context(), s.Config, statistics())
	for name, p := range products {
		want, err := url.ParseQuery(p.Query)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.results, func(one result) bool {
			u, err := url.Parse(one.exchanges[0].path)
			if err != nil {
				t.Fatal(err)
			}
			for key := range want {
				if u.Query().Get(key) != want.Get(key) {
					return false
				}
			}
			return strings.HasSuffix(u.Path, "/"+p.Path)
		}) {
			t.Errorf("%s is not requested", name)
		}
	}
}

var update = flag.Bool("update", false, "write members.txt")

// TestMembers compares members.txt with the responses of the simulator and the recorded ones.
func TestMembers(t *testing.T) {
	s := newSetup(t, simulator(t), upstream.Config{})
	forms := map[string]map[string]bool{"coops": {}, "nws": {}}
	for _, one := range Run(t.Context(), s.Config).results {
		for _, x := range one.exchanges {
			form, _ := formOf(x.path)
			if forms[form] == nil {
				forms[form] = map[string]bool{}
			}
			if one.outcome == OK {
				addMembers(t, x.body, forms[form])
			}
		}
	}
	maps.DeleteFunc(forms, func(form string, names map[string]bool) bool {
		return len(names) == 0 && form != "coops" && form != "nws" // not in the simulator
	})
	for _, folder := range []struct{ name, service string }{
		{"recordings/coops", "coops"}, {"recordings/mdapi", "coops"}, {"recordings/dpapi", "coops"},
		{"recordings2/coops", "coops"}, {"recordings2/mdapi", "coops"},
		{"recordings2/dpapi", "coops"}, {"recordings/nws", "nws"},
	} {
		readRecordings(t, filepath.Join(trials.Shared(t), folder.name), forms[folder.service])
	}
	got := memberLines(forms)
	if *update {
		if err := os.WriteFile("members.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != memberList {
		t.Errorf("members.txt is not up to date: go test ./internal/probe -run TestMembers -update")
	}
}

func addMembers(t *testing.T, text []byte, names map[string]bool) {
	t.Helper()
	var body any
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	members(body, 0, names)
}

// others are recordings of what the clients do not request.
var others = regexp.MustCompile(`headers|forecast|observations|_stations|stofs|lock|rows_from|likely|` +
	`slr_projections|errors|load-testing`)

// readRecordings adds the names of the members in recorded responses.
func readRecordings(t *testing.T, folder string, names map[string]bool) {
	t.Helper()
	if err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".json") || others.MatchString(file) {
			return err
		}
		text, err := os.ReadFile(file)
		if err == nil {
			addMembers(t, text, names)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// memberLines formats names of members in lines of at most 100 columns.
func memberLines(forms map[string]map[string]bool) string {
	var b strings.Builder
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		line := form + ":"
		for _, name := range slices.Sorted(maps.Keys(forms[form])) {
			if len(line)+1+len(name) > 100 {
				fmt.Fprintln(&b, line)
				line = form + ":"
			}
			line += " " + name
		}
		fmt.Fprintln(&b, line)
	}
	return b.String()
}
