// Package page has the layout, the style and the error page of everything that is
// served to browsers. It takes data and a template, and writes HTML that is complete:
// no other request, no third party. It does not depend on the content of the pages.
//
// A page is created once, from templates that define "title", the text of the
// browser's tab, and "main", the content of the layout, with one h1:
//
//	//go:embed pages/*.html
//	var files embed.FS
//
//	var tideView = page.New[tidePage](files, "pages/tide.html")
//
//	tideView.Write(w, http.StatusOK, tidePage{Station: "Boston"})
//
// A template that defines "shape" as text gets a wide column, for reading and lists;
// without it the column has the width of a form. These pages are for signing in: they have
// no navigation and no script. SitePage is a page of the site, with both.
//
// forms.html has the parts of forms that pages share, of data with fields of
// their names: "fault", "token", "email" and "fixed" (an address that cannot be
// changed), "password", "new" (a password to set), "or", "signout".
//
// style.css has: headings, paragraphs, links, code and pre; notices (.notice, with
// .care); buttons, plain for the main action, .quiet for an optional one, and a.button
// for a link that looks like a button; .row for text with a button at its end;
// tables, within .scroll if they may be wide; .unseen for text for screen readers only.
// Colors are custom properties, one set for light and one for dark. A test checks their
// contrast: at least 4.5 for text and 3 for edges.
//
// forms.css has what pages with forms and lists add, which the site does not need:
// .good and .fault notices; .field with label and input, .hint below them, and .or between
// alternatives; .danger for the button of a destructive action, .link for a minor one;
// dl.facts; .ticks and .cards for lists.
package page

import (
	"bytes"
	_ "embed" // for the directives below
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"leadline/internal/coast"
)

var (
	//go:embed style.css
	style string
	//go:embed forms.css
	formStyle string
	//go:embed layout.html
	layout string
	//go:embed head.html
	head string
	//go:embed forms.html
	forms string
	//go:embed error.html
	fault string
)

// styleSource allows the layout's style element and no other.
var styleSource = sync.OnceValue(func() string { return HashOf(style + formStyle) })

// shared are the functions of all layouts.
var shared = template.FuncMap{"disclaimer": func() string { return coast.Disclaimer }}

// Page shows data of one type. It is safe for concurrent use.
type Page[T any] struct {
	template func() *template.Template
}

// New returns a page made of templates, which are files in fsys. They are parsed when the page is
// first written, since most commands of the program write none. That panics if they do not parse,
// because they are part of the binary.
func New[T any](fsys fs.FS, names ...string) *Page[T] {
	return &Page[T]{sync.OnceValue(func() *template.Template {
		return template.Must(base().ParseFS(fsys, names...))
	})}
}

// base returns the layout, which the templates of a page fill in, and the form
// parts, which they can use.
func base() *template.Template {
	t := template.New("layout").Funcs(shared).Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(style + formStyle) },
	})
	for _, text := range []string{layout, head, forms} {
		t = template.Must(t.Parse(text))
	}
	return t
}

// Write responds with the page. Its forms may be sent to this server and to targets.
// Browsers apply the policy to every redirect after a form too, so targets lists all
// addresses of those. One without a host, as "https:", allows all of its scheme.
//
// Write panics if the template does not fit the data, before anything is written:
// that is a fault of the program, and half a page is worse than none.
func (p *Page[T]) Write(w http.ResponseWriter, status int, data T, targets ...string) {
	var b bytes.Buffer
	if err := p.template().Execute(&b, data); err != nil {
		panic(fmt.Errorf("write a page: %w", err))
	}
	body := coast.CleanPage(b.Bytes()) // it repeats what people type
	setHeaders(w.Header(), targets)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// setHeaders sets the headers of every page. They forbid framing, storing,
// content sniffing, referrers, and loading anything else.
// Cross-Origin-Opener-Policy is not set: clients open the sign-in pages in
// windows that must report back to them.
func setHeaders(h http.Header, targets []string) {
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy(targets))
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func policy(targets []string) string {
	return "default-src 'none'; style-src " + styleSource() + "; img-src data:; " +
		formAction(targets) + "; frame-ancestors 'none'; base-uri 'none'"
}

// formAction returns the directive that allows forms to be sent to this server and to targets.
func formAction(targets []string) string {
	forms := []string{"form-action 'self'"}
	for _, t := range targets {
		if s := source(t); s != "" {
			forms = append(forms, s)
		}
	}
	return strings.Join(forms, " ")
}

// hostSource matches the hosts that a policy can name (CSP 3, section 2.3.1).
// They do not include IPv6 addresses.
var hostSource = coast.Pattern(`^[A-Za-z0-9_.-]+(:[0-9]+)?$`)

// source returns the source expression for a URL: its scheme and host, or only
// the scheme if a policy cannot name the host. It returns "" for an invalid
// URL. The result cannot end the directive, because url.Parse allows only
// letters, digits, +, - and . in a scheme.
func source(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "":
		return ""
	case hostSource().MatchString(u.Host) && (u.Scheme == "https" || u.Scheme == "http"):
		return u.Scheme + "://" + u.Host
	}
	return u.Scheme + ":"
}

type errorPage struct {
	Title string
	Text  []string
}

var errorView = &Page[errorPage]{sync.OnceValue(func() *template.Template {
	return template.Must(base().Parse(fault))
})}

// Error responds with an error page. The title names the error, and each text
// is a paragraph about what the person can do.
func Error(w http.ResponseWriter, status int, title string, text ...string) {
	errorView.Write(w, status, errorPage{title, text})
}

// NotFound responds with a page that says that the page does not exist.
func NotFound(w http.ResponseWriter) {
	Error(w, http.StatusNotFound, "There is no such page",
		"Nothing is served at this address. If you typed it, check the spelling; "+
			"if a link brought you here, the link is out of date.")
}
