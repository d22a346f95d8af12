package manual

import (
	"slices"
	"strings"
)

// form is the form that makes a request.
type form struct {
	Action  string // the recorded request without its query
	Path    string // with names of parameters
	Verb    string
	Plain   bool    // a browser can send it without a script
	Fields  []field // of the recorded request
	More    []field // only with a script
	Body    string
	Lines   int // of the body
	Key     bool
	Fixed   string // the path's values that are used without a script: "id 8443970"
	Session bool   // needs the session of a person
	Changes bool
}

// field is an input of the form.
type field struct {
	Name, Value string
	To          string // path, query or headers
	Required    bool
	Options     []string
	Number      bool
	Low, High   string
	Hint        string // in place of a value
	Empty       string // name of the option that leaves the parameter out
	ID          string
}

// try appends the form that makes the request of an operation.
func (p *Page) try(o *endpoint, r request) {
	path, _, _ := strings.Cut(r.target, "?")
	f := form{
		Action: path, Path: o.path, Verb: o.verb, Key: o.accepts("bearer"), Changes: o.changes(),
		Plain: o.verb == "GET" && o.accepts(""), Session: !o.accepts("") && !o.accepts("bearer"),
	}
	if r.body.exists() {
		f.Body = indented(r.body)
		f.Lines = strings.Count(f.Body, "\n") + 1
	}
	var fixed []string
	for _, q := range o.parameters {
		in := o.fieldOf(q)
		switch {
		case q.in == "header":
			f.More = append(f.More, in)
		case q.in == "path":
			in.Value = valueOf(r.path, q.name)
			fixed = append(fixed, q.name+" "+in.Value)
			f.More = append(f.More, in)
		case r.sets(q.name):
			in.Value = valueOf(r.query, q.name)
			f.Fields = append(f.Fields, in)
		default:
			f.More = append(f.More, in)
		}
	}
	slices.SortStableFunc(f.More, func(a, b field) int { return rank(a.To) - rank(b.To) })
	f.Fixed = strings.Join(fixed, ", ")
	p.Forms = true
	p.raw(execute(templates(), "try", f), "")
}

// rank returns the place of a kind of parameters in a form.
func rank(in string) int { return slices.Index([]string{"path", "query", "headers"}, in) }

// sets reports whether the recorded request has a parameter in its query.
func (r request) sets(name string) bool {
	return slices.ContainsFunc(r.query, func(m member) bool { return m.name == name })
}

// valueOf returns the value of a parameter as text.
func valueOf(list []member, name string) string {
	return value{kind: '{', members: list}.at(name).shown()
}

// fieldOf returns the input of a parameter.
func (o *endpoint) fieldOf(q parameter) field {
	s := o.document.resolve(q.schema)
	f := field{
		Name: q.name, To: q.in, Required: q.required, ID: "try-" + q.name,
		Low: s.at("minimum").text, High: s.at("maximum").text,
	}
	if q.in == "header" {
		f.To = "headers"
	}
	kind := s.at("type").text
	f.Number = kind == "number" || kind == "integer"
	for _, v := range s.at("enum").items {
		f.Options = append(f.Options, v.shown())
	}
	if kind == "boolean" {
		f.Options = []string{"true", "false"}
	}
	if q.initial.exists() {
		f.Hint, f.Empty = q.initial.shown(), "default: "+q.initial.shown()
	} else {
		f.Hint, f.Empty = q.example.shown(), "left out"
	}
	return f
}
