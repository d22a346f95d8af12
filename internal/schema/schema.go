// Package schema derives from the struct tags of an input its JSON Schema, the checks
// of its values, and the errors that callers get. It decodes tool arguments, query
// parameters and request bodies. It also describes result structs for an OpenAPI
// document.
//
// # Tags
//
//   - json is the name; omitempty or omitzero marks an optional field, and inline
//     makes the fields of a named struct count as those of the struct around it.
//   - doc describes the field; example is a valid value.
//   - default is the value of an absent field. A field with neither default nor
//     omitempty is required.
//   - usual is the default that the JSON Schema names of a field whose absent value the
//     operation replaces: mostly by this one.
//   - min and max bound numbers; minItems and maxItems bound lists.
//   - pattern is a regular expression; enum lists values, separated by spaces. A type that is
//     Enumerated has its values itself; enum then limits them.
//   - also lists other words of callers for the values of an enum, as word=value.
//     Arguments accept them; the JSON Schema does not name them.
//   - format is the JSON Schema format of a string, such as date.
//   - open:"true" on a list of structs allows the items to have properties that
//     the struct does not name. They are ignored.
//   - when:"name" makes the struct a union. Its items have one of the kinds in the
//     enum of the field named kind, and this field belongs to that kind alone.
//   - unlisted:"true" leaves a property out of the JSON Schema of arguments, which models read
//     before every conversation. It is accepted.
//   - schema:"-" leaves a field out of the description of a result; any other value names the
//     schema of a json.RawMessage, which the document adds.
//   - always and never, on a struct embedded in a result, name its optional properties that
//     every result of the type has, and those that none has.
//
// A json.RawMessage holds an object of any content, unchanged. A Shaped type does so too; its
// struct describes the content to readers, and is not checked.
//
// # Arguments and bodies
//
// Arguments (of tools, and query parameters) are read leniently, since models
// write them: "24" is 24, 24 is "24", enumerated values match in any case, a
// string is a list of one, a string with the JSON of an object or of a list of objects is that
// object or list, and null is an absent argument. Their format is not
// checked, since operations accept dates in several forms.
//
// A body is accepted if its JSON Schema accepts it. In addition, input that programs
// read in different ways is refused: duplicate keys, bytes that are not UTF-8,
// numbers that no float64 holds, and nesting deeper than 32 levels. An integer
// without bounds is limited to those that every program reads exactly (RFC 7493,
// section 2.2).
package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Schema describes an input struct.
type Schema struct {
	name     string // name of the struct, under components in an OpenAPI document
	strict   bool   // a body, not arguments
	open     bool
	fields   []field
	variants []*Schema // for a union, in the order of its kinds
}

type field struct {
	name     string
	index    []int
	kind     kind
	strict   bool
	doc      string
	required bool
	unlisted bool
	def      *string
	usual    *string
	min, max *float64
	enum     []string
	enumType string            // name of the enumeration in OpenAPI documents; empty: none
	known    []string          // values with a meaning of their own, where others are accepted
	shape    reflect.Type      // struct that describes the content of an object; nil: none
	also     map[string]string // other words, in lower case, for values of the enum
	pattern  *regexp.Regexp
	form     string // description of what the pattern accepts
	format   string
	example  string

	minItems, maxItems *float64
	items              *Schema // for a list of structs
	when               string  // the kind of a union that the field belongs to
}

// kind is a type of JSON Schema.
type kind string

const (
	stringKind  kind = "string"
	integerKind kind = "integer"
	numberKind  kind = "number"
	booleanKind kind = "boolean"
	arrayKind   kind = "array"  // a list of strings or structs
	objectKind  kind = "object" // an object with arbitrary content
)

// maxExact is the largest integer whose float64 does not represent any other integer.
const maxExact float64 = 1<<53 - 1

// Arguments returns the schema of T, a struct, for tool arguments and query
// parameters. It panics on a tag that it cannot read, which is a programming error.
func Arguments[T any]() *Schema { return read(reflect.TypeFor[T](), false, false) }

// Body returns the schema of T, a struct, for request bodies. It panics on a tag
// that it cannot read and on an example that is not valid.
func Body[T any]() *Schema {
	s := read(reflect.TypeFor[T](), true, false)
	if err := s.Decode(s.Example(), new(T)); err != nil {
		panic(fmt.Sprintf("schema: the example %s of %s is refused: %v", s.Example(), s.name, err))
	}
	return s
}

func read(t reflect.Type, strict, open bool) *Schema {
	s := &Schema{name: nameOf(t), strict: strict, open: open}
	for _, f := range structFields(t) {
		s.fields = append(s.fields, readField(f, strict))
	}
	isUnion := slices.ContainsFunc(s.fields, func(f field) bool { return f.when != "" })
	if isUnion {
		s.readVariants()
	}
	return s
}

// structFields returns the exported fields of t in order, including the fields of embedded
// and inlined structs.
func structFields(t reflect.Type) []reflect.StructField {
	var list []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		_, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || !f.IsExported():
		case option == "inline":
			for _, inner := range structFields(f.Type) {
				inner.Index = slices.Concat(f.Index, inner.Index)
				list = append(list, inner)
			}
		default:
			list = append(list, f)
		}
	}
	return list
}

func readField(f reflect.StructField, strict bool) field {
	name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
	d := field{
		name: name, index: f.Index, kind: kindOf(f.Type), strict: strict,
		doc: f.Tag.Get("doc"), format: f.Tag.Get("format"), example: f.Tag.Get("example"),
		unlisted: f.Tag.Get("unlisted") == "true",
		min:      bound(f.Tag, "min"), max: bound(f.Tag, "max"),
		minItems: bound(f.Tag, "minItems"), maxItems: bound(f.Tag, "maxItems"),
		enum: strings.Fields(f.Tag.Get("enum")), when: f.Tag.Get("when"),
	}
	if def, ok := f.Tag.Lookup("default"); ok {
		d.def = &def
	}
	if usual, ok := f.Tag.Lookup("usual"); ok {
		d.usual = &usual
	}
	d.required = d.def == nil && !strings.HasPrefix(option, "omit")
	if p := f.Tag.Get("pattern"); p != "" {
		d.pattern, d.form = regexp.MustCompile(p), f.Tag.Get("form")
		if d.form == "" {
			panic("schema: " + name + " has a pattern without its form in words")
		}
	}
	d.readEnumeration(f.Type)
	if f.Type.Implements(shapedType) {
		d.shape = reflect.TypeOf(reflect.Zero(f.Type).Interface().(Shaped).Shape())
	}
	d.readAlso(f.Tag.Get("also"))
	switch {
	case d.kind == arrayKind && f.Type.Elem().Kind() == reflect.Struct:
		d.items = read(f.Type.Elem(), strict, f.Tag.Get("open") == "true")
	case d.kind == integerKind && strict:
		d.boundExactly()
	}
	return d
}

// readEnumeration reads the values of a field whose type, or that of its items, is Enumerated. The
// tag enum limits them.
func (f *field) readEnumeration(t reflect.Type) {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Implements(openType) {
		f.known, f.enumType = reflect.Zero(t).Interface().(Open).Known(), nameOf(t)
		return
	}
	if !t.Implements(enumeratedType) {
		return
	}
	values := valuesOf(t)
	if len(f.enum) == 0 {
		f.enum, f.enumType = values, nameOf(t)
	}
	for _, v := range f.enum {
		if !slices.Contains(values, v) {
			panic("schema: " + f.name + " has a value that its type does not have: " + v)
		}
	}
}

// readAlso reads other words for the values of the enum.
func (f *field) readAlso(tag string) {
	for _, pair := range strings.Fields(tag) {
		word, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(f.enum, value) || f.strict {
			panic("schema: " + f.name + " has no value for " + pair)
		}
		if f.also == nil {
			f.also = map[string]string{}
		}
		f.also[strings.ToLower(word)] = value
	}
}

// boundExactly limits an integer of a body to those that every program reads.
func (f *field) boundExactly() {
	if f.min == nil && f.example == "" {
		f.example = "0" // otherwise the example would be the lower bound, which is useless
	}
	lowest, highest := -maxExact, maxExact
	if f.min == nil {
		f.min = &lowest
	}
	if f.max == nil {
		f.max = &highest
	}
}

func kindOf(t reflect.Type) kind {
	if t == rawType || t.Implements(shapedType) {
		return objectKind
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return stringKind
	case reflect.Int:
		return integerKind
	case reflect.Float64:
		return numberKind
	case reflect.Bool:
		return booleanKind
	case reflect.Slice:
		if e := t.Elem().Kind(); e == reflect.String || e == reflect.Struct {
			return arrayKind
		}
	}
	panic("schema: no kind for fields of type " + t.String())
}

func bound(tag reflect.StructTag, name string) *float64 {
	text, ok := tag.Lookup(name)
	if !ok {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("schema: tag " + name + ": " + err.Error())
	}
	return &v
}

// readVariants splits a union into a schema for each kind.
func (s *Schema) readVariants() {
	kinds := s.discriminator().enum
	for _, f := range s.fields {
		if f.when != "" && !slices.Contains(kinds, f.when) {
			panic("schema: " + s.name + " does not have a kind " + f.when)
		}
	}
	for _, kind := range kinds {
		s.variants = append(s.variants, s.variant(kind))
	}
}

// discriminator returns the field whose value is the kind of a union's item.
func (s *Schema) discriminator() *field { return &s.fields[s.find([]byte("kind"))] }

func (s *Schema) variant(kind string) *Schema {
	v := &Schema{name: s.name, strict: s.strict, open: s.open}
	separator := func(r rune) bool { return r == '_' || r == '-' }
	for _, word := range strings.FieldsFunc(kind, separator) {
		v.name += strings.ToUpper(word[:1]) + word[1:]
	}
	for _, f := range s.fields {
		if f.name == "kind" {
			f.enum, f.enumType, f.example = []string{kind}, "", kind
		}
		if f.when == "" || f.when == kind {
			v.fields = append(v.fields, f)
		}
	}
	return v
}

// find returns the index of the field with the name, or -1.
func (s *Schema) find(name []byte) int {
	for i := range s.fields { // without copying fields
		if s.fields[i].name == string(name) {
			return i
		}
	}
	return -1
}

// Names returns the names of the fields in order.
func (s *Schema) Names() []string {
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.name
	}
	return names
}
