package tools

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/decide"
)

// The schemas of this file are those that an API's document needs, out of the
// same tags: of results whole, and of inputs parameter by parameter.

// Object is a JSON object that is written in the order of its members.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := json.Marshal(m.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(strconv.AppendQuote(b, m.Name), ':'), value...)
	}
	return append(b, '}'), nil
}

// Parameter is one field of an input, for doors that name parameters one by
// one.
type Parameter struct {
	Name     string
	Doc      string
	Required bool
	Schema   Object // type, bounds and default
	Example  any    // nil where there is none
}

// ParametersOf reads the tags of T, a struct, as SchemaOf does.
func ParametersOf[T any]() []Parameter {
	var list []Parameter
	for _, f := range readFields(reflect.TypeFor[T](), readField) {
		p := Parameter{Name: f.name, Doc: f.doc, Required: f.required}
		for _, m := range f.schema() {
			if m.Name != "description" {
				p.Schema = append(p.Schema, m)
			}
		}
		if f.example != "" {
			p.Example = f.literal(f.example)
		}
		list = append(list, p)
	}
	return list
}

// ResultSchemas returns the JSON Schemas (2020-12) of output structs and of
// the structs that they are made of, by the names of their Go types, as an
// OpenAPI document holds them under components. They describe whole answers:
// the fields that say of a part that it is one are left out.
//
// What a struct's fields are comes from their types and json tags, as the
// encoder has it: a field without omitempty or omitzero is always there, and
// null only where it is a pointer or, being of type any, of any form. The tags doc, enum (values parted by
// spaces) and format say more; a field named Provider holds one of the three,
// one whose name ends in URL a URI. Properties to come are not refused, so that
// answers can grow. Two types of one name panic, as does a field that JSON
// Schema cannot describe: faults of ours that the first test meets.
func ResultSchemas(results ...reflect.Type) map[string]Object {
	s := schemas{map[string]Object{}, map[string]reflect.Type{}}
	for _, t := range results {
		s.add(t)
	}
	return s.of
}

// SchemaRef refers to the schema of a type, which a document has under
// components.
func SchemaRef(t reflect.Type) Object {
	return Object{{"$ref", refTo(t.Name())}}
}

func refTo(name string) string { return "#/components/schemas/" + name }

// schemas are those made so far, and the types that they are of.
type schemas struct {
	of    map[string]Object
	types map[string]reflect.Type
}

func (s schemas) add(t reflect.Type) {
	if have, ok := s.types[t.Name()]; ok {
		if have != t {
			panic("tools: " + have.String() + " and " + t.String() + " have one name")
		}
		return
	}
	s.types[t.Name()] = t
	var properties Object
	var required []string
	for _, c := range layoutOf(t).columns {
		f := t.FieldByIndex(c.index)
		if len(c.index) > 1 && t.Field(c.index[0]).Type == reflect.TypeFor[cut]() {
			continue
		}
		omit := strings.Contains(f.Tag.Get("json"), ",omit")
		properties = append(properties, Member{c.name, s.property(f, omit)})
		if !omit {
			required = append(required, c.name)
		}
	}
	o := Object{{"type", "object"}, {"properties", properties}}
	if required != nil {
		o = append(o, Member{"required", required})
	}
	s.of[t.Name()] = o
}

// property is the schema of a field; what is left out when nil is never null.
func (s schemas) property(f reflect.StructField, omit bool) Object {
	t := f.Type
	if omit && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := s.value(t, false, f.Tag)
	switch {
	case f.Name == "Provider": // names with spaces, which no tag can list
		p = append(p, Member{"enum", texts(coast.COOPS, coast.NWS, coast.Leadline)})
	case strings.HasSuffix(f.Name, "URL"):
		p = append(p, Member{"format", "uri"})
	}
	if doc := f.Tag.Get("doc"); doc != "" {
		p = append(p, Member{"description", doc})
	}
	return p
}

// value is the schema of a value of type t, which null says may be null too.
func (s schemas) value(t reflect.Type, null bool, tag reflect.StructTag) Object {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.value(t.Elem(), true, tag)
	case t == timeType:
		return Object{{"type", orNull("string", null)}, {"format", "date-time"}}
	case t.Kind() == reflect.Slice:
		return Object{{"type", orNull("array", null)}, {"items", s.value(t.Elem(), false, tag)}}
	case t.Kind() == reflect.Map:
		o := Object{{"type", orNull("object", null)}}
		if values := s.value(t.Elem(), false, ""); values != nil {
			o = append(o, Member{"additionalProperties", values})
		}
		return o
	case t.Kind() == reflect.Interface:
		return nil // of any form
	case t.Kind() == reflect.Struct:
		s.add(t)
		if null {
			return Object{{"anyOf", []Object{SchemaRef(t), {{"type", "null"}}}}}
		}
		return SchemaRef(t)
	}
	return scalar(t, null, tag)
}

func scalar(t reflect.Type, null bool, tag reflect.StructTag) Object {
	p := Object{{"type", orNull(string(kindOf(t)), null)}}
	values := Values(t)
	if values == nil {
		values = strings.Fields(tag.Get("enum"))
	}
	if len(values) > 0 {
		p = append(p, Member{"enum", enumeration(values, null)})
	}
	if format := tag.Get("format"); format != "" {
		p = append(p, Member{"format", format})
	}
	return p
}

// enumeration is the list of values that a schema allows.
func enumeration(values []string, null bool) []any {
	var list []any
	for _, v := range values {
		list = append(list, v)
	}
	if null {
		list = append(list, nil)
	}
	return list
}

// orNull is a type of JSON Schema, or that type and null.
func orNull(name string, null bool) any {
	if null {
		return []string{name, "null"}
	}
	return name
}

// Values are the values of a named string type whose list is closed, in the
// order of its constants; nil of every other type.
func Values(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[coast.Kind]():
		return texts(coast.Prediction, coast.Observation, coast.Forecast, coast.Calculation)
	case reflect.TypeFor[coast.Freshness]():
		return texts(coast.Fresh, coast.Aging, coast.Stale, coast.Unknown)
	case reflect.TypeFor[decide.Activity]():
		return texts(decide.Activities()...)
	case reflect.TypeFor[decide.State]():
		return texts(decide.Normal, decide.WatchState, decide.ActionNeeded, decide.Unknown)
	case reflect.TypeFor[decide.Confidence]():
		return texts(decide.High, decide.Moderate, decide.Low)
	case reflect.TypeFor[decide.Severity]():
		return texts(decide.Info, decide.Watch, decide.Action)
	case reflect.TypeFor[coast.Code]():
		return texts(coast.InvalidRequest, coast.InvalidCredential, coast.CredentialRequired, coast.InsufficientScope,
			coast.PlanRequired, coast.NotFound, coast.StationNotFound, coast.ProductUnavailable, coast.DatumUnavailable,
			coast.RangeTooLong, coast.RateLimited, coast.QuotaExceeded, coast.ProviderUnavailable, coast.StoreUnavailable,
			coast.Overloaded, coast.MethodNotAllowed, coast.PayloadTooLarge, coast.UnsupportedMediaType, coast.Internal)
	}
	return nil
}

func texts[S ~string](values ...S) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
