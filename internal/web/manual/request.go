package manual

import (
	"fmt"
	"net/url"
	"strings"

	"leadline/docs"
	"leadline/internal/coast"
)

// request has the parts of the recorded request of an operation.
type request struct {
	operation *endpoint
	target    string   // path and query
	path      []member // parameters of the path, in its order
	query     []member
	body      value
}

// session is the variable of the environment with the session of the reader, in examples.
const session = "SESSION"

// newRequest returns the recorded request of an operation.
func newRequest(o *endpoint, e docs.Example) (r request, err error) {
	r = request{operation: o, target: e.Request.Target}
	path, query, _ := strings.Cut(e.Request.Target, "?")
	given := strings.Split(path, "/")
	for i, segment := range strings.Split(o.path, "/") {
		if strings.HasPrefix(segment, "{") && i < len(given) {
			r.path = append(r.path, member{strings.Trim(segment, "{}"), value{kind: '"', text: given[i]}})
		}
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, text, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if text, err = url.QueryUnescape(text); err != nil {
			return r, fmt.Errorf("example of %s: %w", o.id, err)
		}
		r.query = append(r.query, member{name, o.typed(name, text)})
	}
	if e.Request.Body != nil {
		if r.body, err = parse(e.Request.Body); err != nil {
			return r, fmt.Errorf("example of %s: %w", o.id, err)
		}
	}
	return r, nil
}

// typed returns the text of a parameter as a value of its type.
func (o *endpoint) typed(name, text string) value {
	for _, p := range o.parameters {
		if p.name != name {
			continue
		}
		switch kind := o.document.resolve(p.schema).at("type").text; kind {
		case "integer", "number":
			return value{kind: '0', text: text}
		case "boolean":
			return value{kind: 'w', text: text}
		}
	}
	return value{kind: '"', text: text}
}

// isDated reports whether the body names a day, which must not be past.
func (r request) isDated() bool {
	return r.body.at("localDate").exists() || r.body.at("candidates").exists()
}

// curl returns the request as a command.
func (r request) curl(base string) string {
	var b strings.Builder
	b.WriteString("curl")
	if verb := r.operation.verb; verb != "GET" && !(verb == "POST" && r.body.exists()) {
		b.WriteString(" -X " + verb)
	}
	b.WriteString(" " + shell(base+r.target))
	switch o := r.operation; {
	case o.needsKey():
		b.WriteString(" \\\n  -H \"Authorization: Bearer $LEADLINE_API_KEY\"")
	case !o.accepts(""):
		b.WriteString(" \\\n  -b " + `"` + o.cookie(base) + "$" + session + `"`)
	}
	if r.body.exists() {
		b.WriteString(" \\\n  -H 'Content-Type: application/json' \\\n  -d " + shell(indented(r.body)))
	}
	return b.String()
}

// cookie returns the name of the cookie with a session, and "=", at a server with an address.
func (o *endpoint) cookie(base string) string {
	name := o.document.root.at("components", "securitySchemes", "session", "name").text
	if strings.HasPrefix(base, "http:") {
		name = strings.TrimPrefix(name, "__Host-") // which browsers take over https alone
	}
	return name + "="
}

// harmless matches what a shell takes as it is.
var harmless = coast.Pattern(`^[\w:/.,@%+=-]+$`)

// shell returns a text as an argument for a shell.
func shell(text string) string {
	if harmless().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// positional lists the methods of the client libraries that take a property of the body as an
// argument.
var positional = map[string]string{"keys.revoke": "id"}

// typescript returns the request as a program.
func (r request) typescript(base string) string {
	args := r.arguments()
	if len(r.query) > 0 {
		args = append(args, script(value{kind: '{', members: r.query}, ""))
	}
	if r.body.exists() && positional[r.operation.client] == "" {
		args = append(args, script(r.body, ""))
	}
	key := ""
	if r.operation.needsKey() {
		key = "\n  apiKey: process.env.LEADLINE_API_KEY,"
	}
	settings := "{ baseUrl: " + quote(base) + " }"
	if key != "" {
		settings = "{\n  baseUrl: " + quote(base) + "," + key + "\n}"
	}
	return "import { Leadline } from \"leadline\";\n\n" +
		"const client = new Leadline(" + settings + ");\n" +
		call("const result = await client."+r.operation.client, args, "  ") + ";\n" +
		"console.log(result);"
}

// python returns the request as a program.
func (r request) python(base string) string {
	group, method, _ := strings.Cut(r.operation.client, ".")
	args := r.arguments()
	for _, m := range r.query {
		name := m.name
		if pythonWords[name] {
			name += "_"
		}
		args = append(args, name+"="+literal(m.value, ""))
	}
	if r.body.exists() && positional[r.operation.client] == "" {
		args = append(args, literal(r.body, ""))
	}
	imports, settings := "", []string{quote(base)}
	if r.operation.needsKey() {
		imports = "import os\n\n"
		settings = append(settings, `api_key=os.environ["LEADLINE_API_KEY"]`)
	}
	return imports + "from leadline import Leadline\n\n" +
		call("client = Leadline", settings, "    ") + "\n" +
		call("result = client."+group+"."+snake(method), args, "    ") + "\n" +
		"print(result)"
}

// fetch returns a request with a session as a program in TypeScript, without the client library.
func (r request) fetch(base string) string {
	return "const response = await fetch(" + quote(base+r.target) + ", {\n" +
		"  method: " + quote(r.operation.verb) + ",\n" +
		"  headers: {\n" +
		"    \"Content-Type\": \"application/json\",\n" +
		"    Cookie: `" + r.operation.cookie(base) + "${process.env." + session + "}`,\n" +
		"  },\n" +
		"  body: JSON.stringify(" + script(r.body, "  ") + "),\n" +
		"});\n" +
		"console.log(await response.json());"
}

// urllib returns a request with a session as a program in Python, without the client library.
func (r request) urllib(base string) string {
	return "import json\nimport os\nimport urllib.request\n\n" +
		"request = urllib.request.Request(\n" +
		"    " + quote(base+r.target) + ",\n" +
		"    data=json.dumps(" + literal(r.body, "    ") + ").encode(),\n" +
		"    headers={\n" +
		"        \"Content-Type\": \"application/json\",\n" +
		"        \"Cookie\": \"" + r.operation.cookie(base) + "\" + os.environ[\"" + session + "\"],\n" +
		"    },\n" +
		"    method=" + quote(r.operation.verb) + ",\n" +
		")\n" +
		"with urllib.request.urlopen(request) as response:\n" +
		"    print(json.load(response))"
}

// call returns a call with arguments: one in each line if they are too long for one.
func call(function string, args []string, indent string) string {
	line := function + "(" + strings.Join(args, ", ") + ")"
	const widest = 80
	if len(line) <= widest || strings.Contains(line, "\n") {
		return line
	}
	return function + "(\n" + indent + strings.Join(args, ",\n"+indent) + ",\n)"
}

// arguments returns the first arguments of both languages: strings.
func (r request) arguments() (args []string) {
	for _, m := range r.path {
		args = append(args, quote(m.value.text))
	}
	if name := positional[r.operation.client]; name != "" {
		args = append(args, quote(r.body.at(name).text))
	}
	return args
}

// pythonWords are the keywords of Python that could be names of parameters.
var pythonWords = map[string]bool{"from": true, "in": true, "is": true, "class": true}

// capital matches a capital letter that begins a word.
var capital = coast.Pattern(`([a-z0-9])([A-Z])`)

// snake returns the name of a method in Python.
func snake(name string) string {
	return strings.ToLower(capital().ReplaceAllString(name, "${1}_$2"))
}

// identifier matches names that TypeScript takes without quotation marks.
var identifier = coast.Pattern(`^[A-Za-z_]\w*$`)

// script returns a value in TypeScript, literal one in Python.
func script(v value, indent string) string {
	name := func(name string) string {
		if identifier().MatchString(name) {
			return name
		}
		return quote(name)
	}
	return language{name, map[string]string{}, "{ ", " }"}.write(v, indent)
}

func literal(v value, indent string) string {
	words := map[string]string{"true": "True", "false": "False", "null": "None"}
	return language{quote, words, "{", "}"}.write(v, indent)
}

// language defines how a language writes values.
type language struct {
	name        func(string) string
	words       map[string]string
	open, close string // of an object in one line
}

func (l language) write(v value, indent string) string {
	if v.isScalar() {
		text := v.compact()
		if word, ok := l.words[text]; ok && v.kind == 'w' {
			return word
		}
		return text
	}
	line := l.line(v)
	const widest = 60
	if len(indent)+len(line) <= widest {
		return line
	}
	var b strings.Builder
	inner := indent + "    "
	if l.open == "{ " {
		inner = indent + "  "
	}
	b.WriteString(string(v.kind) + "\n")
	for _, m := range v.members {
		b.WriteString(inner + l.name(m.name) + ": " + l.write(m.value, inner) + ",\n")
	}
	for _, item := range v.items {
		b.WriteString(inner + l.write(item, inner) + ",\n")
	}
	return b.String() + indent + string(v.kind+2) // } follows { by two in ASCII, and ] follows [
}

// line returns a value in one line.
func (l language) line(v value) string {
	var parts []string
	for _, m := range v.members {
		parts = append(parts, l.name(m.name)+": "+l.line(m.value))
	}
	for _, item := range v.items {
		parts = append(parts, l.line(item))
	}
	switch v.kind {
	case '{':
		return l.open + strings.Join(parts, ", ") + l.close
	case '[':
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return l.write(v, "")
}
