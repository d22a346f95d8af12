package manual

import (
	"fmt"
	"slices"
	"strings"
)

// document is an OpenAPI document.
type document struct {
	root       value
	title      string
	about      string // Markdown
	tags       []tag
	operations []*endpoint
}

type tag struct{ name, about string }

// operation is an operation of a document.
type endpoint struct {
	document       *document
	id, verb, path string
	tag, summary   string
	about          string // Markdown
	client         string // method of the client libraries; empty without one
	parameters     []parameter
	body           value // schema of the request's body, if it has one
	result         value // schema of the response
	statuses       []status
	credentials    []string // ways to authenticate; "" means that none is needed
}

type parameter struct {
	name, in, about  string
	required         bool
	schema           value
	example, initial value // initial is the default
}

type status struct {
	code  string // 200, default
	about string
}

// readDocument reads an OpenAPI document.
func readDocument(text []byte) (*document, error) {
	root, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("read an OpenAPI document: %w", err)
	}
	d := &document{
		root: root, title: root.at("info", "title").text, about: root.at("info", "description").text,
	}
	for _, t := range root.at("tags").items {
		d.tags = append(d.tags, tag{t.at("name").text, t.at("description").text})
	}
	for _, path := range root.at("paths").members {
		for _, verb := range path.value.members {
			d.operations = append(d.operations, d.operation(path.name, verb.name, verb.value))
		}
	}
	return d, nil
}

func (d *document) operation(path, verb string, v value) *endpoint {
	o := &endpoint{
		document: d, id: v.at("operationId").text, verb: strings.ToUpper(verb), path: path,
		summary: v.at("summary").text, about: v.at("description").text, client: v.at("x-client").text,
		body: v.at("requestBody", "content", "application/json", "schema"),
	}
	for _, t := range v.at("tags").items {
		o.tag = t.text
	}
	var headers []parameter // after the others
	for _, p := range v.at("parameters").items {
		if p := d.parameter(d.resolve(p)); p.in == "header" {
			headers = append(headers, p)
		} else {
			o.parameters = append(o.parameters, p)
		}
	}
	o.parameters = append(o.parameters, headers...)
	for _, r := range v.at("responses").members {
		response := d.resolve(r.value)
		if r.name == "200" {
			o.result = response.at("content", "application/json", "schema")
		}
		o.statuses = append(o.statuses, status{r.name, response.at("description").text})
	}
	for _, way := range v.at("security").items {
		name := ""
		for _, m := range way.members {
			name = m.name
		}
		o.credentials = append(o.credentials, name)
	}
	return o
}

func (d *document) parameter(v value) parameter {
	p := parameter{
		name: v.at("name").text, in: v.at("in").text, about: v.at("description").text,
		required: v.at("required").text == "true", schema: v.at("schema"), example: v.at("example"),
	}
	p.initial = p.schema.at("default")
	return p
}

// resolve returns the value that a reference leads to, or v itself.
func (d *document) resolve(v value) value {
	ref := v.at("$ref")
	if !ref.exists() {
		return v
	}
	path, _ := strings.CutPrefix(ref.text, "#/")
	return d.root.at(strings.Split(path, "/")...)
}

// nameOf returns the name of the schema that a reference leads to, or "".
func nameOf(v value) string {
	_, name, _ := strings.Cut(v.at("$ref").text, "#/components/schemas/")
	return name
}

// accepts reports whether an operation can be called with a kind of credential, "" for none.
func (o *endpoint) accepts(way string) bool {
	return slices.Contains(o.credentials, way) || way == "" && len(o.credentials) == 0
}

// needsKey reports whether programs need a key.
func (o *endpoint) needsKey() bool { return !o.accepts("") && o.accepts("bearer") }

// changes reports whether the operation changes the account.
func (o *endpoint) changes() bool {
	return o.verb != "GET" && !strings.HasPrefix(o.path, "/api/v1/")
}
