package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"leadline/internal/coast"
)

// maxIssues limits the issues that one error lists. The others are counted.
const maxIssues = 40

// maxDepth limits the nesting of objects and lists. Even a whole decision that is sent as a
// baseline nests much less deeply.
const maxDepth = 32

// Checked is an input with rules that its tags cannot express. Their issues are
// listed together with those of the schema.
type Checked interface{ Issues() []coast.Issue }

// Decode checks raw, a JSON object, and fills into, a pointer to the schema's
// struct. Absent arguments (nothing, or null) are an empty object; an absent body
// is refused. All issues are reported at once in a coast.Error with code
// invalid_request. The path of an issue is a JSON pointer (RFC 6901) in a body and
// an argument's name otherwise. After an error, into must not be used.
func (s *Schema) Decode(raw []byte, into any) error {
	object := bytes.Trim(raw, space)
	if !s.strict && (len(object) == 0 || string(object) == "null") {
		raw, object = []byte("{}"), []byte("{}")
	}
	if issue := s.unreadable(raw, object); issue != nil {
		return coast.Invalid([]coast.Issue{*issue})
	}
	d := decoder{strict: s.strict}
	d.object(s, reflect.ValueOf(into).Elem(), object, place{})
	issues := d.all()
	if c, ok := into.(Checked); ok && issues != nil {
		issues = append(issues, elsewhere(c.Issues(), issues)...)
	}
	return coast.Invalid(issues)
}

// DecodeQuery checks query parameters and fills into, a pointer to the schema's struct. Only
// a list parameter may be repeated. Errors do not suggest path parameters.
func (s *Schema) DecodeQuery(given url.Values, into any, path ...string) error {
	d := decoder{}
	v := reflect.ValueOf(into).Elem()
	for i := range s.fields {
		f := &s.fields[i]
		if issue := f.setQuery(v.FieldByIndex(f.index), given[f.name]); issue != nil {
			d.add(place{}.inside(f.name), issue)
		}
	}
	for _, name := range s.unnamed(given) {
		inPath := func(name string) bool { return slices.Contains(path, name) }
		accepted := slices.DeleteFunc(s.Names(), inPath)
		d.add(place{}.inside(name), unknown("parameter", name, accepted))
	}
	return coast.Invalid(d.all())
}

// unnamed returns the given parameters that the schema does not name, in order.
func (s *Schema) unnamed(given url.Values) (names []string) {
	for name := range given {
		if s.find([]byte(name)) < 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f *field) setQuery(v reflect.Value, texts []string) *coast.Issue {
	switch {
	case texts == nil:
		return f.setAbsent(v)
	case len(texts) > 1 && f.kind != arrayKind:
		return f.issue("type", "was given %d times; give it once", len(texts))
	}
	return f.set(v, texts)
}

// elsewhere returns the issues whose paths are neither equal to nor below the known paths.
func elsewhere(issues, known []coast.Issue) []coast.Issue {
	return slices.DeleteFunc(issues, func(i coast.Issue) bool {
		return slices.ContainsFunc(known, func(k coast.Issue) bool {
			return k.Path == i.Path || strings.HasPrefix(i.Path, k.Path+"/")
		})
	})
}

const space = " \t\r\n" // JSON whitespace

// unreadable returns the issue of an input that is not one JSON object. raw is the
// whole input, since offsets count from its start; object is it without space.
func (s *Schema) unreadable(raw, object []byte) *coast.Issue {
	code, rule := "format", ""
	switch {
	case len(object) == 0:
		code, rule = "required", "must not be empty"
	case s.strict && !utf8.Valid(raw):
		rule = "must be UTF-8"
	case Depth(raw) > maxDepth:
		rule = fmt.Sprintf("must not nest deeper than %d levels", maxDepth)
	case !Valid(raw):
		rule = "must be JSON: " + syntaxError(raw)
	case object[0] != '{':
		code, rule = "type", "must be an object, not "+describe(object)
	default:
		return nil
	}
	what := "arguments"
	if s.strict {
		what = "body"
	}
	message := fmt.Sprintf("The %s %s. Example: %s.", what, rule, s.Example())
	return &coast.Issue{Code: code, Message: message}
}

// syntaxError describes the first error of an input that is not JSON.
func syntaxError(raw []byte) string {
	var syntax *json.SyntaxError
	if errors.As(json.Unmarshal(raw, new(json.RawMessage)), &syntax) {
		return fmt.Sprintf("%v, at byte %d", syntax, syntax.Offset)
	}
	return ""
}

// decoder collects the issues of one input.
type decoder struct {
	strict bool
	issues []coast.Issue
	more   int // issues that are counted but not listed
}

// add records an issue at a place. A nil issue is ignored.
func (d *decoder) add(at place, issue *coast.Issue) {
	switch {
	case issue == nil:
	case d.full():
		d.more++
	default:
		path := at.pointer
		if !d.strict {
			path = unescaper.Replace(strings.TrimPrefix(path, "/"))
		}
		message := at.element + issue.Message
		d.issues = append(d.issues, coast.Issue{Path: path, Code: issue.Code, Message: message})
	}
}

func (d *decoder) full() bool { return len(d.issues) == maxIssues }

// all returns the issues. The last one reports the number of issues beyond maxIssues.
func (d *decoder) all() []coast.Issue {
	if d.more == 0 {
		return d.issues
	}
	message := fmt.Sprintf("There are %d more issues.", d.more)
	return append(d.issues, coast.Issue{Code: "more", Message: message})
}

// place is the position of a value in the input.
type place struct {
	pointer string // RFC 6901
	element string // begins the messages about an element of a list
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

func (p place) inside(name string) place {
	return place{p.pointer + "/" + escaper.Replace(coast.Clip(name)), p.element}
}

func (p place) index(i int) place { return place{p.pointer + "/" + strconv.Itoa(i), p.element} }

// named returns the place of an element. Messages also name the element by its id.
func (p place) named(word string, element []byte) place {
	id := ""
	for key, value := range Members(element) {
		if text, ok := Text(value); ok && id == "" && string(key) == "id" {
			id = " " + coast.Quote(text)
		}
	}
	return place{p.pointer, fmt.Sprintf("%s%s (%s): ", word, id, p.pointer)}
}

// member is a property of the input.
type member struct {
	name  string
	value []byte
}

// members returns the members of an object. A duplicate is an issue, because programs differ
// in which of the duplicates they read.
func (d *decoder) members(object []byte, at place) []member {
	var list []member
	seen := map[string]int{}
	for key, value := range Members(object) {
		name := string(key)
		switch seen[name]++; seen[name] {
		case 1:
			list = append(list, member{name, value})
		case 2:
			message := coast.Quote(name) + " is given twice. Give it once."
			d.add(at.inside(name), &coast.Issue{Code: "duplicate", Message: message})
		}
	}
	return list
}

func pick(given []member, name string) []byte {
	for _, m := range given {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// object checks an object and fills v, its struct.
func (d *decoder) object(s *Schema, v reflect.Value, raw []byte, at place) {
	given := d.members(raw, at)
	if s.variants != nil {
		if s = d.variant(s, v, given, at); s == nil {
			return
		}
	}
	d.others(s, given, at)
	for i := range s.fields {
		f := &s.fields[i]
		d.property(f, v.FieldByIndex(f.index), pick(given, f.name), at)
	}
}

// variant returns the schema of the kind that an object names, or nil after an issue: without
// a kind the rest cannot be checked.
func (d *decoder) variant(s *Schema, v reflect.Value, given []member, at place) *Schema {
	kind, before := s.discriminator(), len(d.issues)+d.more
	chosen := v.FieldByIndex(kind.index)
	d.property(kind, chosen, pick(given, "kind"), at)
	if len(d.issues)+d.more > before {
		return nil
	}
	return s.variants[slices.Index(kind.enum, chosen.String())]
}

// others checks the members that the schema does not name.
func (d *decoder) others(s *Schema, given []member, at place) {
	what := "argument"
	if d.strict {
		what = "property"
	}
	for _, m := range given {
		switch {
		case s.find([]byte(m.name)) >= 0:
		case s.open:
			d.free(m.value, at.inside(m.name))
		case d.full(): // messages cost time, and there may be thousands
			d.more++
		default:
			d.add(at.inside(m.name), unknown(what, m.name, s.Names()))
		}
	}
}

// free checks a value with arbitrary content for duplicate keys.
func (d *decoder) free(raw []byte, at place) {
	switch raw[0] {
	case '{':
		for _, m := range d.members(raw, at) {
			d.free(m.value, at.inside(m.name))
		}
	case '[':
		for i, value := range elements(raw) {
			d.free(value, at.index(i))
		}
	}
}

// property checks the value of a field of an object at a place, nil if absent, and sets v.
func (d *decoder) property(f *field, v reflect.Value, raw []byte, object place) {
	if raw == nil || !d.strict && string(raw) == "null" {
		if issue := f.setAbsent(v); issue != nil {
			d.add(object.inside(f.name), issue)
		}
		return
	}
	at := object.inside(f.name)
	if !d.strict && (f.items != nil || f.kind == objectKind) {
		raw = unquoted(raw)
	}
	switch {
	case f.kind == arrayKind && raw[0] == '[' && (d.strict || f.items != nil):
		d.list(f, v, raw, at)
	case f.kind == arrayKind && raw[0] == '[':
		d.add(at, f.setTexts(v, raw))
	case f.kind == objectKind && raw[0] == '{':
		d.free(raw, at)
		v.SetBytes(bytes.Clone(raw))
	default:
		d.add(at, f.setJSON(v, raw))
	}
}

// unquoted returns the JSON in a string, where models write a list or an object so, or else raw.
func unquoted(raw []byte) []byte {
	text, isText := Text(raw)
	inner := bytes.Trim([]byte(text), space)
	if !isText || len(inner) == 0 || inner[0] != '[' && inner[0] != '{' || !Valid(inner) ||
		Depth(inner) > maxDepth {
		return raw
	}
	return inner
}

// list checks a list and fills v. Elements beyond the maximum are not read.
func (d *decoder) list(f *field, v reflect.Value, raw []byte, at place) {
	n := 0
	for range elements(raw) {
		n++
	}
	if f.minItems != nil && n < int(*f.minItems) {
		d.add(at, f.issue("minItems", "must be %s, not of %d", f.rule(), n))
	}
	if f.maxItems != nil && n > int(*f.maxItems) {
		d.add(at, f.issue("maxItems", "must be %s, not of %d", f.rule(), n))
		n = int(*f.maxItems)
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i, value := range elements(raw) {
		if i == n {
			return
		}
		d.element(f, v.Index(i), value, at.index(i))
	}
}

func (d *decoder) element(f *field, v reflect.Value, raw []byte, at place) {
	switch {
	case f.items != nil && raw[0] == '{':
		d.object(f.items, v, raw, at.named(f.items.name, raw))
	case f.items == nil && raw[0] == '"':
		text, _ := Text(raw)
		if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
			d.add(at, f.notListed(text))
		}
		v.SetString(text)
	default:
		d.add(at, f.issue("type", "must be %s; this item is %s", f.rule(), describe(raw)))
	}
}

func unknown(what, name string, known []string) *coast.Issue {
	message := fmt.Sprintf("Unknown %s %q.", what, coast.Clip(name))
	if near := meant(name, known); near != "" {
		message += fmt.Sprintf(" Did you mean %q?", near)
	}
	if len(known) == 0 {
		message += " There are none here."
	} else {
		message += " Known: " + strings.Join(known, ", ") + "."
	}
	return &coast.Issue{Code: "unknown", Message: message}
}
