package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"leadline/internal/coast"
)

// Body is what the tags of a struct say of the JSON body of a request. Its
// verdict on a body is that of its JSON Schema: nothing is read as what it is
// not, as Schema does for the arguments of models and for query parameters,
// which are all texts. Beyond the schema it refuses what programs read in
// different ways: keys that stand twice, bytes that are no UTF-8, numbers for a
// field that no float64 holds, and nesting deeper than any body of ours.
//
// The tags are those of Schema; the format date is asserted. Beside them
//
//   - minItems and maxItems bound a list, of strings or of structs;
//   - open:"true" on a list of structs lets the items have properties that
//     the struct does not name. They are ignored; everywhere else they are
//     refused;
//   - when:"name" makes of the struct a union, whose items have one of the
//     kinds that the enum of the field kind lists. The field belongs to the
//     kind of that name alone.
//
// A json.RawMessage holds a free-form object as it came. A whole number
// without bounds of its own has those within which every program reads the
// same number (RFC 7493, section 2.2).
type Body struct {
	fields
	name     string // in a document
	open     bool
	variants []*Body // of a union, in the order of its kinds
}

// exact is the greatest whole number that shares its float64 with no other.
const exact float64 = 1<<53 - 1

// deepest is how far the objects and lists of a body may nest. A decision sent
// back whole, as a baseline, stays far above it.
const deepest = 32

// BodyOf reads the tags of T, a struct. It panics on a tag that cannot be
// read and on an example that is not valid: faults of ours that the first
// test meets.
func BodyOf[T any]() *Body {
	b := bodyOf(reflect.TypeFor[T](), false)
	if err := b.Decode(b.Example(), new(T)); err != nil {
		panic(fmt.Sprintf("tools: the example %s of %s is refused: %v", b.Example(), b.name, err))
	}
	return b
}

func bodyOf(t reflect.Type, open bool) *Body {
	b := &Body{name: t.Name(), open: open, fields: readFields(t, readProperty)}
	if !slices.ContainsFunc(b.fields, func(f field) bool { return f.when != "" }) {
		return b
	}
	for _, f := range b.fields {
		if f.when != "" && !slices.Contains(b.kind().enum, f.when) {
			panic("tools: " + b.name + " has no kind " + f.when)
		}
	}
	for _, kind := range b.kind().enum {
		b.variants = append(b.variants, b.variant(kind))
	}
	return b
}

// readProperty reads a field and the tags that only bodies have.
func readProperty(f reflect.StructField) field {
	d := readField(f)
	d.when = f.Tag.Get("when")
	d.fewest, d.most = bound(f.Tag, "minItems"), bound(f.Tag, "maxItems")
	switch {
	case f.Type == reflect.TypeFor[json.RawMessage]():
		d.kind = anObject
	case d.kind == aList && f.Type.Elem().Kind() == reflect.Struct:
		d.items = bodyOf(f.Type.Elem(), f.Tag.Get("open") == "true")
	case d.kind == aList && f.Type.Elem().Kind() != reflect.String:
		panic("tools: no body has a list of type " + f.Type.String())
	case d.kind == anInt:
		if d.min == nil && d.example == "" {
			d.example = "0" // the least is no example that helps
		}
		d.min, d.max = orElse(d.min, -exact), orElse(d.max, exact)
	}
	return d
}

func orElse(bound *float64, usual float64) *float64 {
	if bound == nil {
		return &usual
	}
	return bound
}

// kind is the field that tells the kinds of a union apart.
func (b *Body) kind() *field { return &b.fields[b.find([]byte("kind"))] }

// variant is the union's body of one kind.
func (b *Body) variant(kind string) *Body {
	v := &Body{name: b.name, open: b.open}
	for _, word := range strings.FieldsFunc(kind, func(r rune) bool { return r == '_' || r == '-' }) {
		v.name += strings.ToUpper(word[:1]) + word[1:]
	}
	for _, f := range b.fields {
		if f.name == "kind" {
			f.enum, f.example = []string{kind}, kind
		}
		if f.when == "" || f.when == kind {
			v.fields = append(v.fields, f)
		}
	}
	return v
}

// Schemas are the JSON Schemas (2020-12) of the body and of what it is made
// of, properties in the order of the structs, by the names of the Go types, as
// ResultSchemas has those of answers. The kinds of a union have names of their
// own: that of the union, and the kind's after it.
func (b *Body) Schemas() map[string]Object {
	all := map[string]Object{}
	b.addTo(all)
	return all
}

func (b *Body) addTo(all map[string]Object) {
	for _, f := range b.fields {
		if f.items != nil {
			f.items.addTo(all)
		}
	}
	for _, v := range b.variants {
		v.addTo(all)
	}
	all[b.name] = b.schema()
}

func (b *Body) schema() Object {
	if b.variants == nil {
		return b.object(b.open)
	}
	var kinds []Object
	var mapping Object
	for i, v := range b.variants {
		kinds = append(kinds, v.Ref())
		mapping = append(mapping, Member{b.kind().enum[i], refTo(v.name)})
	}
	return Object{{"oneOf", kinds}, {"discriminator", Object{{"propertyName", "kind"}, {"mapping", mapping}}}}
}

// Ref refers to the body's schema, which a document has under components.
func (b *Body) Ref() Object { return Object{{"$ref", refTo(b.name)}} }

// Example is a smallest valid body.
func (b *Body) Example() json.RawMessage { return json.RawMessage(b.example(0)) }

// example is a smallest valid object, of a union that of its ith kind, begun
// again after the last.
func (b *Body) example(i int) string {
	if b.variants != nil {
		return b.variants[i%len(b.variants)].smallest()
	}
	return b.smallest()
}

// Decode checks a body and fills into, a pointer to the body's struct, from
// it. All faults are found at once and told in one coast.Error, each at its
// JSON pointer (RFC 6901); of more than 40 the rest is counted in one more,
// of code more. Where there are any, those that into finds in itself beyond the
// schema (faulty) are told with them. On an error into holds what the caller
// must not use.
func (b *Body) Decode(raw []byte, into any) error {
	if issue := b.unreadable(raw); issue != nil {
		return refusal([]coast.Issue{*issue})
	}
	var c checker
	c.object(b, reflect.ValueOf(into).Elem(), bytes.Trim(raw, space), place{})
	issues := c.told()
	if f, ok := into.(faulty); ok && issues != nil {
		issues = append(issues, elsewhere(f.faults(), issues)...)
	}
	return refusal(issues)
}

// faulty is an input with faults that its schema does not know, which its
// operation refuses. They are of parts that the schema may have refused.
type faulty interface{ faults() []coast.Issue }

// elsewhere are the issues that lie neither at nor beside those told already.
func elsewhere(issues, told []coast.Issue) []coast.Issue {
	return slices.DeleteFunc(issues, func(i coast.Issue) bool {
		return slices.ContainsFunc(told, func(t coast.Issue) bool { return t.Path == i.Path || strings.HasPrefix(i.Path, t.Path+"/") })
	})
}

const space = " \t\r\n" // of JSON

// unreadable is the fault of what is no JSON object as a whole.
func (b *Body) unreadable(raw []byte) *coast.Issue {
	object := bytes.Trim(raw, space)
	code, fault := "", ""
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, new(json.RawMessage)); {
	case len(object) == 0:
		code, fault = "required", "is empty"
	case !utf8.Valid(raw):
		code, fault = "format", "is not UTF-8"
	case Depth(raw) > deepest:
		code, fault = "format", fmt.Sprintf("nests deeper than %d levels", deepest)
	case errors.As(err, &syntax):
		code, fault = "format", fmt.Sprintf("is not JSON: %v, at byte %d", err, syntax.Offset)
	case object[0] != '{':
		code, fault = "type", "must be an object, not "+told(object)
	default:
		return nil
	}
	return &coast.Issue{Code: code, Message: fmt.Sprintf("The body %s. Example of a body: %s.", fault, b.Example())}
}
