// Package page is what people see: the layout, the style and the error page of
// everything that is served to a browser. What comes in is data and a template
// that says how a page shows them; what goes out is HTML that needs nothing
// else: no script, no other request, no third party. It knows nothing of what
// the pages are about.
//
// A page is made once, of templates that define "title", the words for a
// browser's tab, and "main", what stands in the layout's middle, with one h1:
//
//	//go:embed pages/*.html
//	var files embed.FS
//
//	var tideView = page.New[tidePage](files, "pages/tide.html")
//
//	tideView.Write(w, http.StatusOK, tidePage{Station: "Boston"})
//
// A template that defines "shape" as text gets a wide column, for reading,
// lists and charts; without it the column has the width of a form.
//
// forms.html has the parts of forms that pages share, of data with fields of
// their names: "fault", "token", "email" and "fixed" (an address that cannot be
// changed), "password", "new" (a password to set), "or", "signout".
//
// What style.css has: headings, paragraphs, links, code and pre; notices
// (.notice, with .care, .good, .fault); forms of .field with label and input,
// .hint below them, and .or between two ways; buttons, plain for what is meant
// to be done, .quiet for what may be, .danger for what is lost, .link for what is
// beside the point, and a.button for a link of their looks; .row for words with
// a button at their end; dl.facts; .ticks and .cards for lists; tables,
// within .scroll where they may be wide; .unseen for who listens alone.
// Colours are custom properties, one set for light and one for dark, chosen
// for a contrast of at least 4.5 for text and 3 for edges, which a test holds.
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
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	//go:embed style.css
	style string
	//go:embed layout.html
	layout string
	//go:embed forms.html
	forms string
	//go:embed error.html
	fault string
)

// styleSource lets the layout's style element through, and no other.
var styleSource = fmt.Sprintf("'sha256-%s'", func() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}())

// Page shows data of one type. It is safe for concurrent use.
type Page[T any] struct {
	template *template.Template
}

// New makes a page of templates, which are files of fsys. It panics where they
// do not parse: they are part of the binary.
func New[T any](fsys fs.FS, names ...string) *Page[T] {
	return &Page[T]{template.Must(base().ParseFS(fsys, names...))}
}

// base returns the layout, for the templates of a page to fill, and the parts of
// forms, for them to use.
func base() *template.Template {
	t := template.New("layout").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style) },
	})
	return template.Must(template.Must(t.Parse(layout)).Parse(forms))
}

// Write answers with the page. Its forms may lead to this server, and to
// targets: browsers hold a form to them through every redirect after it, so
// they are all the addresses that those may go to. One without a host, as
// "https:", stands for all of its scheme.
//
// It panics where the template does not fit the data, before anything is
// written: that is a fault of the program, and half a page is worse than none.
func (p *Page[T]) Write(w http.ResponseWriter, status int, data T, targets ...string) {
	var b bytes.Buffer
	if err := p.template.Execute(&b, data); err != nil {
		panic(fmt.Errorf("writing a page: %w", err))
	}
	dress(w.Header(), targets)
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// dress sets the headers of every page: nobody frames it, stores it, takes it
// for something else or hears where the browser came from, and the browser
// loads nothing for it. Cross-Origin-Opener-Policy is not among them: clients
// open the pages of a sign-in in windows that they want to hear from.
func dress(h http.Header, targets []string) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy(targets))
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func policy(targets []string) string {
	forms := []string{"'self'"}
	for _, t := range targets {
		if s := source(t); s != "" {
			forms = append(forms, s)
		}
	}
	return "default-src 'none'; style-src " + styleSource + "; img-src data:; form-action " + strings.Join(forms, " ") +
		"; frame-ancestors 'none'; base-uri 'none'"
}

// hostSource is what a policy can say of a host: CSP 3, section 2.3.1. An IPv6
// address is none of it.
var hostSource = regexp.MustCompile(`^[A-Za-z0-9_.-]+(:[0-9]+)?$`)

// source names the place of an address as a policy does: scheme and host, or
// the scheme alone where there is no host, or none that a policy can say. It
// is "" for what is no address. Nothing of it can end the directive: url.Parse
// takes letters, digits, +, - and . for a scheme and no more.
func source(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "":
		return ""
	case hostSource.MatchString(u.Host) && (u.Scheme == "https" || u.Scheme == "http"):
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

type errorPage struct {
	Title string
	Text  []string
}

var errorView = &Page[errorPage]{template.Must(base().Parse(fault))}

// Error answers with a page that says why there is none: a title, what went
// wrong, and a paragraph for each text, what the person can do about it.
func Error(w http.ResponseWriter, status int, title string, text ...string) {
	errorView.Write(w, status, errorPage{title, text})
}

// NotFound answers that there is no such page.
func NotFound(w http.ResponseWriter) {
	Error(w, http.StatusNotFound, "There is no such page",
		"Nothing is served at this address. If you typed it, check it for a slip; if a link brought you here, the link is out of date.")
}
