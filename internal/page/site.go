package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the directives below
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"leadline/internal/coast"
)

var (
	//go:embed site.html
	siteLayout string
	//go:embed site.css
	siteStyle string
)

// Frame holds the data of the layout around the content of a page. The data of each page of
// the site embeds it.
type Frame struct {
	Description string // a sentence about the page, for search engines and shared links
	Canonical   string // address of the page without a query; empty if it must not be indexed
	Markdown    string // path of the page as Markdown, if it has that form
	Image       string // address of a picture for shared links
	Skip        string // what the first link leads to: "the tide"
	Navigation  []Link
	OwnSearch   bool // the page has a search form of its own
	Waiting     bool // a part of the page is late: a script requests the page again
	Version     string
	DataBuilt   string // day on which the station data was made
}

// Site holds what the frames of all pages of the site share.
type Site struct {
	Version   string
	DataBuilt string // day on which the station data was made
	Accounts  bool   // people can sign in
}

// Frame returns the frame of a page of a section of the site, which has the name of an entry of
// the navigation, or "" for none.
func (s Site) Frame(section, description string) Frame {
	f := Frame{
		Description: description, Version: s.Version, DataBuilt: s.DataBuilt,
		Navigation: []Link{
			{Name: "Stations", Path: "/stations"},
			{Name: "Near me", Path: "/stations/near"},
			{Name: "Planning", Path: "/planning"},
			{Name: "Docs", Path: "/docs"},
			{Name: "Status", Path: "/status"},
		},
	}
	if s.Accounts {
		f.Navigation = append(f.Navigation, Link{Name: AccountSection, Path: AccountPath})
	}
	for i, link := range f.Navigation {
		f.Navigation[i].Current = link.Name == section
	}
	return f
}

// Link is an entry of the navigation.
type Link struct {
	Name, Path string
	Current    bool
}

// Options are the parts of a page of the site beyond its templates. Style and Script are called
// when the page is first written; nil means none.
type Options struct {
	Funcs    template.FuncMap
	Style    func() string // style sheet, added to those of the site
	Script   func() string // makes the page more convenient; it works without
	Position bool          // whether scripts may request the position of the device
}

// skeleton has what pages of a kind share.
type skeleton struct{ layouts, styles []string }

// SitePage is a page of the site: with navigation, a wide column and, where its options
// have scripts, a script. It is complete in one response. It is safe for concurrent use.
type SitePage[T any] struct {
	content  func() siteContent
	features string // Permissions-Policy
}

// siteContent has the templates of a page of the site and its policy.
type siteContent struct {
	template *template.Template
	policy   string
}

// NewSite returns a page of the site, made of templates that are parsed as those of New. T embeds
// Frame.
func NewSite[T any](fsys fs.FS, o Options, names ...string) *SitePage[T] {
	k := skeleton{[]string{siteLayout, head}, []string{style, siteStyle}}
	return newSite[T](fsys, o, k, names...)
}

// newSite returns a page of the site. The layouts are parsed before the page's own templates.
func newSite[T any](fsys fs.FS, o Options, k skeleton, names ...string) *SitePage[T] {
	p := &SitePage[T]{features: noFeatures, content: sync.OnceValue(func() siteContent {
		return parseSite(fsys, o, k, names)
	})}
	if o.Position {
		p.features = strings.Replace(noFeatures, "geolocation=()", "geolocation=(self)", 1)
	}
	return p
}

// parseSite parses the templates of a page of the site.
func parseSite(fsys fs.FS, o Options, k skeleton, names []string) siteContent {
	sheet, script := strings.Join(k.styles, "\n"), ""
	if o.Style != nil {
		sheet += "\n" + o.Style()
	}
	if o.Script != nil {
		script = o.Script()
	}
	sheet = squeeze(sheet)
	t := template.New("site").Funcs(shared).Funcs(o.Funcs).Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(sheet) },
		"script": func() template.JS { return template.JS(script) },
	})
	for _, text := range k.layouts {
		t = template.Must(t.Parse(text))
	}
	return siteContent{template.Must(t.ParseFS(fsys, names...)), sitePolicy(sheet, script)}
}

// space matches the spaces of a style sheet that are for its readers.
var space = coast.Pattern(`\s*([{};,])\s*|(:)\s+`)

// squeeze returns a style sheet without these spaces.
func squeeze(sheet string) string {
	return strings.ReplaceAll(space().ReplaceAllString(sheet, "$1$2"), ";}", "}")
}

// noFeatures forbids what pages do not need of a device.
const noFeatures = "geolocation=(), camera=(), microphone=(), payment=(), usb=()"

// sitePolicy allows the page's own style and script, by their hashes, and nothing else.
// Scripts can only write HTML through a policy of their own (Trusted Types).
func sitePolicy(sheet, script string) string {
	scripts := ""
	if script != "" {
		scripts = "; script-src " + HashOf(script) + "; connect-src 'self'"
	}
	return "default-src 'none'; style-src " + HashOf(sheet) + scripts + "; img-src 'self' data:; " +
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
		"require-trusted-types-for 'script'; trusted-types leadline"
}

// HashOf returns the source expression that allows an element with this content.
func HashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// buffers has the buffers in which pages are written, for reuse.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// HTML returns the page. It panics if the template does not fit the data: that is a fault
// of the program.
func (p *SitePage[T]) HTML(data T) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	if err := p.content().template.Execute(b, data); err != nil {
		panic(fmt.Errorf("write a page: %w", err))
	}
	return bytes.Clone(coast.CleanPage(b.Bytes())) // it repeats what people type
}

// SetHeaders sets the headers of the page, except those about caches.
func (p *SitePage[T]) SetHeaders(h http.Header) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.content().policy)
	h.Set("Permissions-Policy", p.features)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
}
