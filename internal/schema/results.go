package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Enumerated is a string type with a closed list of values.
type Enumerated interface{ Values() []string }

// Open is a string type with a list of values that have a meaning of their own. Others are accepted
// too; the doc tag of a field describes them. In OpenAPI documents an input of the type is a
// choice of the list, which has a name, and any string.
type Open interface{ Known() []string }

// Named is a type whose name in OpenAPI documents is not that of the Go type.
type Named interface{ SchemaName() string }

// Shaped is a type of bytes that hold a JSON object, which Shape describes by a struct. The object
// may have further properties.
type Shaped interface{ Shape() any }

var (
	shapedType     = reflect.TypeFor[Shaped]()
	enumeratedType = reflect.TypeFor[Enumerated]()
	openType       = reflect.TypeFor[Open]()
	namedType      = reflect.TypeFor[Named]()
	timeType       = reflect.TypeFor[time.Time]()
	rawType        = reflect.TypeFor[json.RawMessage]()
)

// Results returns the JSON Schemas (2020-12) of result structs, of the structs and of the
// enumerations in them, by the names of their Go types (see Named), for the components of an
// OpenAPI document. They describe whole results: fields tagged schema:"-" are left out.
//
// Types and json tags decide as they do in encoding/json: a field without
// omitempty or omitzero is required, and only pointers and fields of type any can
// be null. A json.RawMessage is an object. The tags doc, enum, format, pattern and min
// add to that. Types that are Enumerated have schemas of their own; the tag enum limits
// their values. A field whose name ends in URL holds a URI. Further properties are allowed,
// so that results can grow. Results panics on two types of one name and on a type that JSON
// Schema cannot describe.
func Results(results ...reflect.Type) map[string]Object {
	s := resultSchemas{map[string]Object{}, map[string]reflect.Type{}}
	for _, t := range results {
		s.value(t, false, "")
	}
	return s.byName
}

// RefOf returns the reference under components to the schema of a type.
func RefOf(t reflect.Type) Object { return RefTo(nameOf(t)) }

// RefTo returns the reference to the schema with a name.
func RefTo(name string) Object { return Object{{"$ref", refTo(name)}} }

// nameOf returns the name of a type under components.
func nameOf(t reflect.Type) string {
	if t.Implements(namedType) {
		return reflect.Zero(t).Interface().(Named).SchemaName()
	}
	return t.Name()
}

type resultSchemas struct {
	byName map[string]Object
	types  map[string]reflect.Type
}

func (s resultSchemas) add(t reflect.Type) {
	name := nameOf(t)
	if s.has(name, t) {
		return
	}
	var properties Object
	var required []string
	always, never := promised(t, "always"), promised(t, "never")
	for _, f := range structFields(t) {
		member, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Tag.Get("schema") == "-" || slices.Contains(never, member) {
			continue
		}
		optional := strings.HasPrefix(option, "omit")
		properties = append(properties, Member{member, s.property(f, optional)})
		if !optional || slices.Contains(always, member) {
			required = append(required, member)
		}
	}
	o := Object{{"type", "object"}, {"properties", properties}}
	o.set(required != nil, "required", required)
	s.byName[name] = o
}

// promised returns the properties that the tag of an embedded struct names.
func promised(t reflect.Type, tag string) (names []string) {
	for f := range t.Fields() {
		if !f.Anonymous || f.Tag.Get(tag) == "" {
			continue
		}
		for _, name := range strings.Fields(f.Tag.Get(tag)) {
			named := func(f reflect.StructField) bool {
				return strings.HasPrefix(f.Tag.Get("json"), name+",omit")
			}
			if !slices.ContainsFunc(structFields(f.Type), named) {
				panic("schema: " + f.Type.String() + " does not have an optional property " + name)
			}
			names = append(names, name)
		}
	}
	return names
}

// has reports whether the type with the name was seen before, and records that it was. It panics
// if another type has the name.
func (s resultSchemas) has(name string, t reflect.Type) bool {
	known, ok := s.types[name]
	if ok && known != t {
		panic("schema: " + known.String() + " and " + t.String() + " have one name")
	}
	s.types[name] = t
	return ok
}

// property returns the schema of a field. An optional field is never null: nil is
// left out.
func (s resultSchemas) property(f reflect.StructField, optional bool) Object {
	t := f.Type
	if optional && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := s.value(t, false, f.Tag)
	p.set(strings.HasSuffix(f.Name, "URL"), "format", "uri")
	doc := f.Tag.Get("doc")
	p.set(doc != "", "description", doc)
	return p
}

// value returns the schema of a value of type t, which may also be null.
func (s resultSchemas) value(t reflect.Type, null bool, tag reflect.StructTag) Object {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.value(t.Elem(), true, tag)
	case t == rawType && tag.Get("schema") != "":
		return RefTo(tag.Get("schema"))
	case t == rawType:
		return Object{{"type", orNull("object", null)}}
	case t == timeType:
		return Object{{"type", orNull("string", null)}, {"format", "date-time"}}
	case t.Kind() == reflect.Slice:
		items := s.value(t.Elem(), false, tag)
		return Object{{"type", orNull("array", null)}, {"items", items}}
	case t.Kind() == reflect.Map:
		o := Object{{"type", orNull("object", null)}}
		values := s.value(t.Elem(), false, "")
		o.set(values != nil, "additionalProperties", values)
		return o
	case t.Kind() == reflect.Interface:
		return nil // accepts any value
	case t.Kind() == reflect.Struct:
		s.add(t)
		return refOrNull(t, null)
	case t.Implements(enumeratedType) && tag.Get("enum") == "":
		if name := nameOf(t); !s.has(name, t) {
			s.byName[name] = enumeration(valuesOf(t))
		}
		return refOrNull(t, null)
	}
	return scalar(t, null, tag)
}

// refOrNull returns a reference to the schema of a type, whose values may also be null.
func refOrNull(t reflect.Type, null bool) Object {
	if null {
		return Object{{"anyOf", []Object{RefOf(t), {{"type", "null"}}}}}
	}
	return RefOf(t)
}

// valuesOf returns the values of an Enumerated type.
func valuesOf(t reflect.Type) []string { return reflect.Zero(t).Interface().(Enumerated).Values() }

func scalar(t reflect.Type, null bool, tag reflect.StructTag) Object {
	p := Object{{"type", orNull(string(kindOf(t)), null)}}
	names := strings.Fields(tag.Get("enum"))
	var values []any
	for _, name := range names {
		values = append(values, name)
	}
	if values != nil && null {
		values = append(values, nil)
	}
	p.set(values != nil, "enum", values)
	format, pattern, least := tag.Get("format"), tag.Get("pattern"), bound(tag, "min")
	p.set(format != "", "format", format)
	p.set(pattern != "", "pattern", pattern)
	p.set(least != nil, "minimum", least)
	return p
}

// orNull returns a JSON Schema type, or a list of that type and null.
func orNull(name string, null bool) any {
	if null {
		return []string{name, "null"}
	}
	return name
}
