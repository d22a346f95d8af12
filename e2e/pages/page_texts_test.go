package pages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"leadline/e2e/product"
	"leadline/internal/config"
	"leadline/internal/server"
)

// TestTextsOfProgram checks what the texts of the program say about a server with accounts and a
// contact, and about one without.
func TestTextsOfProgram(t *testing.T) {
	with := product.Setup{Now: product.Noon, Offline: true}.Start(t)
	without := product.Setup{
		Now:  product.Noon,
		Base: "http://tides.example.org",
		With: func(c *config.Config) {
			c.AllowHosts, c.Contact = []string{"127.0.0.1"}, ""
		},
	}.Start(
		t,
	)
	for _, c := range []struct {
		base, path string
		has, lacks []string
	}{
		{with.URL, "/privacy", []string{
			"Questions go to test@example.org .", "should complete it", "13 months after their month",
			"pages of your account", "This server requests nothing from providers of data.",
		}, []string{"has not named a contact", "Nobody can sign in", "requested from NOAA", "{{"}},
		{without.URL, "/privacy", []string{
			"has not named a contact", "Nobody can sign in at this server", "requested from NOAA",
			"with leadline accounts remove .",
		}, []string{"Questions go to", "pages of your account", "requests nothing", "{{"}},
		{with.URL, "/terms", []string{
			"Planning aid only. Not for navigation.", "for each account by its plan", "Revoke a key",
			"should complete them",
		}, []string{"has not named", "{{"}},
		{without.URL, "/terms", []string{"has not named a contact"}, []string{"Revoke a key", "{{"}},
		{with.URL, "/support", []string{
			"can be reached at test@example.org .", "Your account", "X-Request-Id",
		}, []string{"has not named", "{{"}},
		{without.URL, "/support", []string{"has not named a contact"}, []string{"Your account", "{{"}},
	} {
		o := open(t, c.base, c.path)
		o.says(t, c.has, c.lacks)
		o.wantLinks(t, c.base)
	}
	const link = `<a href="mailto:test@example.org">`
	if o := open(t, with.URL, "/support"); !strings.Contains(o.body, link) {
		t.Errorf("the contact is not a link: %s", o.body)
	}
}

// wantLinks checks that the links of a page to the site lead somewhere.
func (o opened) wantLinks(t *testing.T, base string) {
	t.Helper()
	o.attributes(func(n *html.Node, name, value string) {
		if name != "href" || !strings.HasPrefix(value, "/") {
			return
		}
		if got := open(t, base, value); got.status >= 400 {
			t.Errorf("%s links to %s: %d", o.path, value, got.status)
		}
	})
}

// TestTextsOfOperator checks that texts of the operator replace those of the program, and that
// nothing in them becomes a script, a style or a picture.
func TestTextsOfOperator(t *testing.T) {
	folder := t.TempDir()
	written(t, filepath.Join(folder, "privacy.md"), "Data\n====\n\n# Your *data*\n\n#### Deep\n\n"+
		"We keep {{.Contact}} <script>alert(1)</script> <b onclick=x>all</b>.\n\n"+
		"[a](javascript:alert) [b](/terms) [c](https://example.org/ \"d\") ![e](https://f.example/)\n\n"+
		"| g | h |\n|--:|---|\n| 1 | 2 |\n")
	written(t, filepath.Join(folder, "support.md"), "Call the harbor office.")
	written(t, filepath.Join(folder, "other.md"), "# Not a page")
	p := product.Setup{
		Now:     product.Noon,
		Offline: true,
		With:    func(c *config.Config) { c.Pages = folder },
	}.Start(
		t,
	)
	o := open(t, p.URL, "/privacy")
	o.wantTitles(t, "Data", "Data")
	o.wantBalanced(t)
	o.wantPolicy(t)
	o.wantIDs(t)
	o.wantHeaders(t)
	o.says(t, []string{
		"Your data Deep We keep {{.Contact}} <script>alert(1)</script> <b onclick=x>all</b>.",
		"a b c e", "Planning aid only.",
	}, []string{"Leadline, the program behind", "13 months"})
	var links []string
	o.attributes(func(n *html.Node, name, value string) {
		if name == "href" || name == "src" {
			links = append(links, value)
		}
		if n.Data == "img" || n.Data == "b" || strings.Contains(value, "javascript") {
			t.Errorf("<%s %s=%q>", n.Data, name, value)
		}
	})
	for _, want := range []string{"/terms", "https://example.org/"} {
		if !slices.Contains(links, want) {
			t.Errorf("links %q, want %s", links, want)
		}
	}
	open(t, p.URL, "/support").says(t, []string{"Support Call the harbor office."},
		[]string{"can be reached at"})
	open(t, p.URL, "/terms").says(t, []string{"No warranty."}, nil)
	if o := open(t, p.URL, "/other"); o.status != 404 {
		t.Errorf("/other: %d, want 404", o.status)
	}
	written(t, filepath.Join(folder, "support.md"), "Changed.")
	open(t, p.URL, "/support").says(t, []string{"Call the harbor office."}, []string{"Changed."})
}

// written writes a file and returns its name.
func written(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPagesFolderFaults checks that a server does not start with texts that it cannot show, and
// names the flag.
func TestPagesFolderFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fill func(folder string) string // returns the value of --pages
		want string
	}{
		"none": {func(f string) string { return filepath.Join(f, "none") }, "no such file"},
		"file": {func(f string) string { return written(t, f+"/x", "x") }, "not a folder"},
		"empty": {func(f string) string {
			return filepath.Dir(written(t, f+"/terms.md", " \n"))
		}, "is empty"},
		"binary": {func(f string) string {
			return filepath.Dir(written(t, f+"/terms.md", "a\xff"))
		}, "is not in UTF-8"},
		"long": {func(f string) string {
			return filepath.Dir(written(t, f+"/privacy.md", strings.Repeat("a", 256<<10+1)))
		}, "has more than 256 KiB"},
		"directory": {func(f string) string { os.Mkdir(f+"/terms.md", 0o700); return f }, "not a file"},
		"loop": {func(f string) string {
			os.Symlink(f+"/terms.md", f+"/terms.md")
			return f
		}, "too many"},
	} {
		folder := c.fill(t.TempDir())
		built, err := server.Build(t.Context(), product.Setup{Now: product.Noon, Offline: true,
			With: func(c *config.Config) { c.Pages = folder }}.Config(t))
		if err == nil {
			built.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "invalid --pages "+`"`+folder+`": `) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", name, err, c.want)
		}
	}
	exact := t.TempDir()
	written(t, exact+"/privacy.md", strings.Repeat("a ", 128<<10))
	p := product.Setup{
		Now:     product.Noon,
		Offline: true,
		With:    func(c *config.Config) { c.Pages = exact },
	}.Start(
		t,
	)
	if o := open(t, p.URL, "/privacy"); o.status != 200 || len(o.body) < 256<<10 {
		t.Errorf("a text of 256 KiB: %d, %d bytes", o.status, len(o.body))
	}
}
