package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"leadline/internal/coast"
)

// Schema is what the tags of an input struct say: the names, kinds, bounds,
// defaults and words of its fields. The MCP schema, the check of arguments
// and of query parameters, and the faults told to callers all come out of it.
//
// The tags are json (name; omitempty marks an optional field), doc, default,
// min, max, pattern, enum (values parted by spaces), format (what JSON Schema
// calls the form of a text, such as date) and example. A field with neither
// default nor omitempty is required. The form is told and not checked here:
// the operations read days in more forms than one.
type Schema struct {
	fields
}

// fields are those of one struct, in its order.
type fields []field

type field struct {
	name     string
	index    []int
	kind     kind
	doc      string
	required bool
	def      string
	hasDef   bool
	min, max *float64
	enum     []string
	pattern  *regexp.Regexp
	format   string
	example  string

	// Of bodies alone.
	fewest, most *float64 // items of a list
	items        *Body    // of a list of structs
	when         string   // the kind of a union that the field belongs to
}

type kind string

const (
	aString  kind = "string"
	anInt    kind = "integer"
	aNumber  kind = "number"
	aBoolean kind = "boolean"
	aList    kind = "array"  // of strings, in bodies of structs too
	anObject kind = "object" // in bodies alone: one of any form
)

// SchemaOf reads the tags of T, a struct; fields of embedded structs count as
// its own. It panics on a tag that cannot be read: a fault of ours that the
// first test meets.
func SchemaOf[T any]() *Schema {
	return &Schema{readFields(reflect.TypeFor[T](), readField)}
}

func readFields(t reflect.Type, read func(reflect.StructField) field) (list fields) {
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			list = append(list, read(f))
		}
	}
	return list
}

func readField(f reflect.StructField) field {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	d := field{name: name, index: f.Index, kind: kindOf(f.Type), doc: f.Tag.Get("doc"), format: f.Tag.Get("format"), example: f.Tag.Get("example")}
	d.def, d.hasDef = f.Tag.Lookup("default")
	d.required = !d.hasDef && options != "omitempty"
	d.min, d.max = bound(f.Tag, "min"), bound(f.Tag, "max")
	d.enum = strings.Fields(f.Tag.Get("enum"))
	if p := f.Tag.Get("pattern"); p != "" {
		d.pattern = regexp.MustCompile(p)
	}
	return d
}

func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return aString
	case reflect.Int:
		return anInt
	case reflect.Float64:
		return aNumber
	case reflect.Bool:
		return aBoolean
	case reflect.Slice:
		return aList
	}
	panic("tools: no schema for fields of type " + t.String())
}

func bound(tag reflect.StructTag, name string) *float64 {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("tools: tag " + name + ": " + err.Error())
	}
	return &v
}

// MarshalJSON writes the schema as JSON Schema 2020-12 without references,
// properties in the order of the struct. Unknown properties are refused.
func (s *Schema) MarshalJSON() ([]byte, error) {
	return json.Marshal(s.object(false))
}

// object is the JSON Schema of an object with the fields, which open says may
// have other properties too.
func (l fields) object(open bool) Object {
	properties, required := Object{}, []string(nil)
	for i := range l {
		f := &l[i]
		properties = append(properties, Member{f.name, f.schema()})
		if f.required {
			required = append(required, f.name)
		}
	}
	o := Object{{"type", "object"}, {"properties", properties}}
	if required != nil {
		o = append(o, Member{"required", required})
	}
	if !open {
		o = append(o, Member{"additionalProperties", false})
	}
	return o
}

// schema is one field as JSON Schema.
func (f *field) schema() Object {
	o := Object{{"type", f.kind}}
	add := func(given bool, name string, value any) {
		if given {
			o = append(o, Member{name, value})
		}
	}
	add(f.doc != "", "description", f.doc)
	switch {
	case f.items != nil:
		add(true, "items", f.items.Ref())
	case f.kind == aList:
		items := field{kind: aString, enum: f.enum}
		add(true, "items", items.schema())
	case len(f.enum) == 1:
		add(true, "const", f.enum[0])
	default:
		add(len(f.enum) > 0, "enum", f.enum)
	}
	add(f.fewest != nil, "minItems", f.fewest)
	add(f.most != nil, "maxItems", f.most)
	if f.pattern != nil {
		add(true, "pattern", f.pattern.String())
	}
	add(f.min != nil, "minimum", f.min)
	add(f.max != nil, "maximum", f.max)
	add(f.hasDef, "default", f.literal(f.def))
	add(f.format != "", "format", f.format)
	return o
}

// literal is the text of a tag as a value of the field's kind.
func (f *field) literal(text string) any {
	switch f.kind {
	case aString:
		return text
	case aList:
		return []string{text}
	}
	return json.RawMessage(text)
}

// Decode fills into, a pointer to the schema's struct, from a JSON object; no
// arguments are the empty one. All faults are found at once and told in one
// coast.Error. Harmless mismatches are taken: "24" for 24, 24 for "24",
// another case of an enumerated value, one string for a list.
func (s *Schema) Decode(args []byte, into any) error {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	if args[0] != '{' || !json.Valid(args) {
		return coast.Errorf(coast.InvalidRequest, "arguments must be one JSON object, such as %s", s.smallest())
	}
	given := make([][]byte, len(s.fields))
	var issues []coast.Issue
	for key, value := range Members(args) {
		i := s.find(key)
		switch {
		case i < 0:
			issues = append(issues, unknown("argument", string(key), s.Names()))
		case given[i] != nil:
			issues = append(issues, *s.fields[i].issue("type", "stands twice; give it once"))
		default:
			given[i] = value
		}
	}
	v := reflect.ValueOf(into).Elem()
	for i := range s.fields {
		if issue := s.fields[i].decode(v, given[i]); issue != nil {
			issues = append(issues, *issue)
		}
	}
	return refusal(issues)
}

// find is the index of the field with the name, or -1.
func (l fields) find(name []byte) int {
	return slices.IndexFunc(l, func(f field) bool { return f.name == string(name) })
}

// decode sets the field of v from a JSON value, nil where none was given.
func (f *field) decode(v reflect.Value, raw []byte) *coast.Issue {
	if raw == nil || string(raw) == "null" {
		return f.absent(v)
	}
	if f.kind == aList && raw[0] == '[' {
		var list []string
		if json.Unmarshal(raw, &list) != nil {
			return f.issue("type", "must be a list of strings")
		}
		return f.set(v.FieldByIndex(f.index), list)
	}
	text, isText := Text(raw)
	switch {
	case isText:
	case raw[0] == '{' || raw[0] == '[' || raw[0] == '"':
		return f.issue("type", "must be %s", f.rule())
	default:
		text = string(raw) // a number and a string of the same characters mean the same
	}
	return f.set(v.FieldByIndex(f.index), []string{text})
}

// DecodeQuery fills into, a pointer to the schema's struct, from query
// parameters. A parameter given twice is a fault unless it is a list.
func (s *Schema) DecodeQuery(given url.Values, into any) error {
	var issues []coast.Issue
	v := reflect.ValueOf(into).Elem()
	for i := range s.fields {
		if issue := s.fields[i].decodeQuery(v, given[s.fields[i].name]); issue != nil {
			issues = append(issues, *issue)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if s.find([]byte(name)) < 0 {
			issues = append(issues, unknown("parameter", name, s.Names()))
		}
	}
	return refusal(issues)
}

func (f *field) decodeQuery(v reflect.Value, texts []string) *coast.Issue {
	switch {
	case texts == nil:
		return f.absent(v)
	case len(texts) > 1 && f.kind != aList:
		return f.issue("type", "was given %d times; give it once", len(texts))
	}
	return f.set(v.FieldByIndex(f.index), texts)
}

// refusal is the error of the faults, nil where there are none.
func refusal(issues []coast.Issue) error {
	if issues == nil {
		return nil
	}
	messages := make([]string, len(issues))
	for i, issue := range issues {
		messages[i] = issue.Message
	}
	e := coast.Errorf(coast.InvalidRequest, "%s", strings.Join(messages, " "))
	e.Issues = issues
	return e
}

// Names returns the names of the fields in order.
func (l fields) Names() []string {
	names := make([]string, len(l))
	for i, f := range l {
		names[i] = f.name
	}
	return names
}

func unknown(what, name string, known []string) coast.Issue {
	message := fmt.Sprintf("Unknown %s %q.", what, Clip(name))
	if near := Nearest(name, known); near != "" {
		message += fmt.Sprintf(" Did you mean %q?", near)
	}
	if len(known) == 0 {
		message += " There are none here."
	} else {
		message += " Known: " + strings.Join(known, ", ") + "."
	}
	return coast.Issue{Path: Clip(name), Code: "unknown", Message: message}
}

// absent sets the default, or tells that the field is required.
func (f *field) absent(v reflect.Value) *coast.Issue {
	if f.required {
		return f.issue("required", "is required")
	}
	if f.hasDef {
		return f.set(v.FieldByIndex(f.index), []string{f.def})
	}
	return nil
}

// set checks the texts against the field's rule and stores them in v.
func (f *field) set(v reflect.Value, texts []string) *coast.Issue {
	if f.kind == aList {
		return f.setList(v, texts)
	}
	text := texts[0]
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch f.kind {
	case aString:
		return f.setString(v, text)
	case aBoolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return f.issue("type", "must be true or false, not %s", quote(text))
		}
		v.SetBool(b)
		return nil
	}
	return f.setNumber(v, text)
}

func (f *field) setString(v reflect.Value, text string) *coast.Issue {
	if len(f.enum) > 0 {
		i := slices.IndexFunc(f.enum, func(e string) bool { return strings.EqualFold(e, text) })
		if i < 0 {
			return f.issue("enum", "must be %s, not %s", f.rule(), quote(text))
		}
		text = f.enum[i]
	}
	if f.pattern != nil && !f.pattern.MatchString(text) {
		return f.issue("pattern", "must be %s, not %s", f.rule(), quote(text))
	}
	v.SetString(text)
	return nil
}

func (f *field) setNumber(v reflect.Value, text string) *coast.Issue {
	n, err := strconv.ParseFloat(text, 64)
	huge := errors.Is(err, strconv.ErrRange) // and n infinite, beyond every bound
	switch {
	case err != nil && !huge || strings.ContainsAny(text, "xXpP_") || math.IsNaN(n) || math.IsInf(n, 0) && !huge || f.kind == anInt && n != math.Trunc(n):
		return f.issue("type", "must be %s, not %s", f.rule(), quote(text))
	case f.min != nil && n < *f.min:
		return f.issue("minimum", "must be %s, not %s", f.rule(), Clip(text))
	case f.max != nil && n > *f.max:
		return f.issue("maximum", "must be %s, not %s", f.rule(), Clip(text))
	case huge:
		return f.issue("type", "must be %s, not %s", f.rule(), Clip(text))
	}
	if f.kind == anInt {
		if math.Abs(n) > 1<<53 {
			return f.issue("type", "must be %s, not %s", f.rule(), Clip(text))
		}
		v.SetInt(int64(n))
		return nil
	}
	v.SetFloat(n)
	return nil
}

func (f *field) setList(v reflect.Value, texts []string) *coast.Issue {
	list := []string{}
	for _, text := range texts {
		for _, item := range strings.Split(text, ",") {
			item = strings.ToLower(strings.TrimSpace(item))
			if !slices.Contains(f.enum, item) {
				return f.issue("enum", "takes values of %s; %s is none", strings.Join(f.enum, ", "), quote(item))
			}
			if !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
	}
	v.Set(reflect.ValueOf(list))
	return nil
}

// rule says in words what the field takes.
func (f *field) rule() string {
	switch {
	case f.kind == aList:
		return f.ruleOfList()
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case f.format == "date":
		return "a day of the calendar, written as year-month-day"
	case f.pattern != nil:
		return "text of the form " + f.pattern.String()
	}
	what := map[kind]string{aString: "text", anInt: "a whole number", aNumber: "a number", aBoolean: "true or false", anObject: "an object"}[f.kind]
	switch {
	case f.min != nil && f.max != nil:
		what += fmt.Sprintf(" from %s to %s", number(*f.min), number(*f.max))
	case f.min != nil:
		what += fmt.Sprintf(" of at least %s", number(*f.min))
	case f.max != nil:
		what += fmt.Sprintf(" of at most %s", number(*f.max))
	}
	return what
}

func (f *field) ruleOfList() string {
	what, count := "strings", ""
	if f.items != nil {
		what = "objects"
	}
	if len(f.enum) > 0 {
		what += ", each one of " + strings.Join(f.enum, ", ")
	}
	switch {
	case f.fewest != nil && f.most != nil:
		count = fmt.Sprintf("%s to %s ", number(*f.fewest), number(*f.most))
	case f.fewest != nil:
		count = fmt.Sprintf("at least %s ", number(*f.fewest))
	case f.most != nil:
		count = fmt.Sprintf("at most %s ", number(*f.most))
	}
	return "a list of " + count + what
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// issue tells a fault: the name, the rule, and a valid example.
func (f *field) issue(code, format string, args ...any) *coast.Issue {
	message := fmt.Sprintf("%s "+format, append([]any{f.name}, args...)...)
	return &coast.Issue{Path: f.name, Code: code, Message: message + ". Example: " + f.sample() + "."}
}

// sample is a valid value, as JSON would write the argument.
func (f *field) sample() string { return fmt.Sprintf("%q: %s", f.name, f.value()) }

// value is a valid value. An example of structs or of an object is JSON; one
// of other lists is the text of an item.
func (f *field) value() string {
	text := f.example
	switch {
	case text != "":
	case f.items != nil:
		return f.objects()
	case f.kind == anObject:
		return "{}"
	case f.def != "":
		text = f.def
	case len(f.enum) > 0:
		text = f.enum[0]
	case f.format == "date":
		text = "2026-11-20"
	case f.min != nil:
		text = number(*f.min)
	}
	switch {
	case f.kind == aString:
		return strconv.Quote(text)
	case f.kind == aList && f.items == nil:
		return "[" + strconv.Quote(text) + "]"
	}
	return text
}

// objects are as few as the list may have, and one at least.
func (f *field) objects() string {
	list := []string{f.items.example(0)}
	for f.fewest != nil && len(list) < int(*f.fewest) {
		list = append(list, f.items.example(len(list)))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// smallest is a smallest valid object.
func (l fields) smallest() string {
	var parts []string
	for _, f := range l {
		if f.required {
			parts = append(parts, f.sample())
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// Clip bounds what of a caller's text is told back.
func Clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

func quote(text string) string { return strconv.Quote(Clip(text)) }
