package manual

import (
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"leadline/docs"
	"leadline/internal/coast"
)

//go:embed templates/*.html
var templateFiles embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("manual").Funcs(template.FuncMap{"inline": inline}).
		ParseFS(templateFiles, "templates/*.html"))
})

// operationPath returns the path of the page of an operation.
func operationPath(id string) string { return "/docs/rest/" + id }

// operationPage makes the page of an operation.
func (w *writer) operationPage(o *endpoint) (*Page, error) {
	e, err := exampleOf(o.id)
	if err != nil {
		return nil, err
	}
	r, err := newRequest(o, e)
	if err != nil {
		return nil, err
	}
	p := w.page(operationPath(o.id), o.summary, firstSentence(o.about))
	p.Short = o.id
	p.raw(execute(templates(), "route", []string{o.verb, o.path}), "`"+o.verb+" "+o.path+"`")
	p.text(o.about)
	p.text(o.credentialText(w.SignIn))
	if len(o.parameters) > 0 {
		p.text("## Parameters")
		p.rows(o.document.rowsOf(o.parameters))
	}
	if o.body.exists() {
		p.text("## Body")
		p.text("One JSON object.")
		p.rows(o.document.rowsOf(o.bodyParameters()))
		_, nested, _ := strings.Cut(o.document.outline(o.body, "###", "Body: "), "\n### ")
		if nested != "" {
			p.details("Objects of the body", "### "+nested)
		}
	}
	p.try(o, r)
	w.requestCode(p, o, r)
	if err := p.response(o, e); err != nil {
		return nil, err
	}
	p.statuses(o)
	return p, nil
}

// credentialText says which credentials an operation takes.
func (o *endpoint) credentialText(signIn bool) string {
	switch {
	case len(o.credentials) == 0:
		return "No key is needed, and nothing is spent of the rate limit or the monthly quota."
	case o.accepts(""):
		return "No key is needed. With a [key](/docs/guides/keys-and-limits) the limits are those of " +
			"its account."
	case o.accepts("bearer") && o.accepts("session"):
		return "It takes a [key](/docs/guides/keys-and-limits), or the session of a person who has " +
			"signed in."
	case o.accepts("bearer"):
		return "It takes a [key](/docs/guides/keys-and-limits)."
	case signIn:
		return "It takes the session of a person who has [signed in](/oauth/login), and no key: a key " +
			"cannot create keys. The client libraries do not have it."
	}
	return "It takes the session of a person who has signed in, and no key: a key cannot create " +
		"keys. The client libraries do not have it."
}

// row is a parameter or an argument as the page shows it.
type row struct {
	Name, In         string
	Required         bool
	Kind, About      string // Markdown
	Default, Example string // empty if there is none
}

// rowsOf returns parameters as they are shown.
func (d *document) rowsOf(list []parameter) (rows []row) {
	for _, p := range list {
		r := row{
			Name: p.name, In: p.in, Required: p.required, Kind: d.kind(p.schema, d.named), About: p.about,
		}
		if p.initial.exists() {
			r.Default = p.initial.shown()
		}
		if p.example.exists() {
			r.Example = p.example.shown()
		}
		rows = append(rows, r)
	}
	return rows
}

// bodyParameters returns the properties of a body in the form of parameters.
func (o *endpoint) bodyParameters() (list []parameter) {
	schema := o.document.resolve(o.body)
	for _, m := range schema.at("properties").members {
		list = append(list, parameter{
			name: m.name, in: "body", about: m.value.at("description").text, schema: m.value,
			required: schema.requires(m.name), initial: m.value.at("default"),
		})
	}
	return list
}

// rows shows parameters: a list of definitions, and a table in Markdown.
func (p *Page) rows(rows []row) {
	var b strings.Builder
	b.WriteString("| name | in | type | default | example | description |\n" +
		"|---|---|---|---|---|---|\n")
	for _, r := range rows {
		in := r.In
		if r.Required {
			in += ", required"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", r.Name, in, cell(r.Kind),
			codeCell(r.Default), codeCell(r.Example), cell(r.About))
	}
	p.raw(execute(templates(), "parameters", rows), b.String())
}

// codeCell returns a text as code in the cell of a table.
func codeCell(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}

// details appends Markdown that is shown on request.
func (p *Page) details(summary, markdown string) {
	p.raw(execute(templates(), "details", summary), "")
	p.text(markdown)
	p.raw("</details>\n", "")
}

// requestCode appends the recorded request in three languages.
func (w *writer) requestCode(p *Page, o *endpoint, r request) {
	p.text("## Request")
	if r.isDated() {
		p.text("The days are those of the recorded request. The server refuses days that are past.")
	}
	p.text("### curl\n\n" + fenced("sh", r.curl(w.Base)))
	if o.client == "" {
		p.text("### TypeScript\n\n" + fenced("ts", r.fetch(w.Base)))
		p.text("### Python\n\n" + fenced("python", r.urllib(w.Base)))
		return
	}
	p.text("### TypeScript\n\n" + fenced("ts", r.typescript(w.Base)))
	p.text("### Python\n\n" + fenced("python", r.python(w.Base)))
	p.text("[Client libraries](/docs/clients) says how to install them.")
}

// response appends the recorded response and its fields.
func (p *Page) response(o *endpoint, e docs.Example) error {
	v, err := parse(e.Response)
	if err != nil {
		return fmt.Errorf("example of %s: %w", o.id, err)
	}
	p.text("## Response")
	p.raw(execute(templates(), "recorded", struct {
		Label string
		JSON  template.HTML
	}{e.Label, colored(v)}), e.Label+"\n\n"+fenced("json", indented(v)))
	p.details("Fields of the response", o.document.outline(o.result, "###", ""))
	return nil
}

// codesOf matches the list of error codes at the end of a description.
var codesOf = coast.Pattern(` Codes: (.*)\.$`)

// codeName matches a code in such a list.
var codeName = coast.Pattern("`([a-z_]+)`")

// statuses appends a table of the statuses with their codes.
func (p *Page) statuses(o *endpoint) {
	var b strings.Builder
	b.WriteString("## Statuses\n\n| status | meaning | codes |\n|---|---|---|\n")
	for _, s := range o.statuses {
		codes := ""
		if m := codesOf().FindStringSubmatch(s.about); m != nil {
			codes = codeName().ReplaceAllString(m[1], "[`$1`](/docs/errors#$1)")
		}
		name := s.code
		if name == "default" {
			name = "others"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, cell(codesOf().ReplaceAllString(s.about, "")), codes)
	}
	p.textf("%s\n[Limits](/docs/limits#headers) describes the headers that every response has, and "+
		"[errors](/docs/errors) the form of errors.", b.String())
}

// inline returns a line of Markdown as HTML: its code and nothing else is marked.
func inline(markdown string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(markdown, "`") {
		if i%2 == 1 {
			b.WriteString("<code>" + template.HTMLEscapeString(part) + "</code>")
		} else {
			b.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(b.String())
}
