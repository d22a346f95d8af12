package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
)

// Object is a JSON object with ordered members.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	values := json.NewEncoder(&b)
	values.SetEscapeHTML(false) // an encoder of the whole escapes what it has to
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(m.Name) + ":")
		if err := values.Encode(m.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// set adds a member if the condition holds.
func (o *Object) set(given bool, name string, value any) {
	if given {
		*o = append(*o, Member{name, value})
	}
}

// MarshalJSON writes arguments as JSON Schema 2020-12 without references, properties in the
// order of the struct. A union has the properties of all kinds. Decode refuses unknown properties
// and names the nearest known one. The schema does not state this, because models read the schema
// before every conversation and do not need the information. Neither does it have the fields with
// the tag unlisted.
func (s *Schema) MarshalJSON() ([]byte, error) {
	open := *s
	open.open = true
	return json.Marshal(open.object(false))
}

// Schemas returns the JSON Schemas (2020-12) of a body and its parts by the names of their Go
// types, properties in the order of the structs. The name of each kind of a union is the
// union's name followed by the kind's name.
func (s *Schema) Schemas() map[string]Object {
	all := map[string]Object{}
	s.addTo(all)
	return all
}

func (s *Schema) addTo(all map[string]Object) {
	for _, f := range s.fields {
		if f.items != nil {
			f.items.addTo(all)
		}
	}
	for _, v := range s.variants {
		v.addTo(all)
	}
	for i := range s.fields {
		s.fields[i].addTypes(all)
	}
	if s.variants != nil {
		all[s.name] = s.union()
	} else {
		all[s.name] = s.object(true)
	}
}

// addTypes adds the schemas of the field's enumeration and of its shape.
func (f *field) addTypes(all map[string]Object) {
	if f.enumType != "" {
		all[f.enumType] = f.enumeration()
	}
	if f.shape != nil {
		maps.Copy(all, Results(f.shape))
		all[nameOf(f.shape)] = append(all[nameOf(f.shape)], Member{"additionalProperties", true})
	}
}

// enumeration returns the schema of the field's type.
func (f *field) enumeration() Object {
	if f.known != nil {
		return enumeration(f.known)
	}
	return enumeration(f.enum)
}

// enumeration returns the schema of a string type with a closed list of values.
func enumeration(values []string) Object {
	return Object{{"type", stringKind}, {"enum", values}}
}

// Ref returns a reference to the schema under components.
func (s *Schema) Ref() Object { return Object{{"$ref", refTo(s.name)}} }

func refTo(name string) string { return "#/components/schemas/" + name }

func (s *Schema) union() Object {
	var kinds []Object
	var mapping Object
	for i, v := range s.variants {
		kinds = append(kinds, v.Ref())
		mapping = append(mapping, Member{s.discriminator().enum[i], refTo(v.name)})
	}
	discriminator := Object{{"propertyName", "kind"}, {"mapping", mapping}}
	return Object{{"oneOf", kinds}, {"discriminator", discriminator}}
}

// object returns the JSON Schema of an object. Named reports whether enumerations are references
// under components.
func (s *Schema) object(named bool) Object {
	properties, required := Object{}, []string(nil)
	for i := range s.fields {
		f := &s.fields[i]
		if f.unlisted && !named {
			continue
		}
		properties = append(properties, Member{f.name, f.schema(named)})
		if f.required && (f.when == "" || s.variants == nil) {
			required = append(required, f.name)
		}
	}
	o := Object{{"type", "object"}, {"properties", properties}}
	o.set(required != nil, "required", required)
	o.set(!s.open, "additionalProperties", false)
	return o
}

// schema returns one field as JSON Schema. Named reports whether its enumeration is a reference
// under components.
func (f *field) schema(named bool) Object {
	o := Object{{"type", f.kind}}
	if named && len(f.enum) > 0 && f.enumType != "" && f.kind == stringKind {
		o = Object{{"$ref", refTo(f.enumType)}}
	}
	if named && f.known != nil {
		o = Object{{"anyOf", []Object{RefTo(f.enumType), {{"type", stringKind}}}}}
	}
	if named && f.shape != nil {
		o = RefOf(f.shape)
	}
	o.set(f.doc != "", "description", f.doc)
	switch {
	case f.items != nil && named:
		o.set(true, "items", f.items.Ref())
	case f.items != nil:
		items := *f.items
		items.open = true
		o.set(true, "items", items.object(false))
	case f.kind == arrayKind:
		items := field{kind: stringKind, enum: f.enum, enumType: f.enumType}
		o.set(true, "items", items.schema(named))
	case o[0].Name == "$ref":
	case len(f.enum) == 1:
		o.set(true, "const", f.enum[0])
	default:
		o.set(len(f.enum) > 0, "enum", f.enum)
	}
	o.set(f.minItems != nil, "minItems", f.minItems)
	o.set(f.maxItems != nil, "maxItems", f.maxItems)
	if f.pattern != nil {
		o.set(true, "pattern", f.pattern.String())
	}
	o.set(f.min != nil, "minimum", f.min)
	o.set(f.max != nil, "maximum", f.max)
	if def := cmp.Or(f.def, f.usual); def != nil {
		o.set(true, "default", f.literal(*def))
	}
	o.set(f.format != "", "format", f.format)
	return o
}

// literal returns the text of a tag as a value of the field's kind.
func (f *field) literal(text string) any {
	switch f.kind {
	case stringKind:
		return text
	case arrayKind:
		return []string{text}
	}
	return json.RawMessage(text)
}

// Parameter is one field of an input, for documents that list parameters.
type Parameter struct {
	Name     string
	Doc      string
	Required bool
	Schema   Object // type, bounds and default
	Example  any    // nil if there is none
	// Enumerations holds the schemas that Schema refers to, by name.
	Enumerations map[string]Object
}

// Parameters returns the fields of the input in the order of the struct.
func (s *Schema) Parameters() []Parameter {
	var list []Parameter
	for _, f := range s.fields {
		p := Parameter{Name: f.name, Doc: f.doc, Required: f.required}
		for _, m := range f.schema(true) {
			if m.Name != "description" {
				p.Schema = append(p.Schema, m)
			}
		}
		if f.example != "" {
			p.Example = f.literal(f.example)
		}
		if f.enumType != "" {
			p.Enumerations = map[string]Object{f.enumType: f.enumeration()}
		}
		list = append(list, p)
	}
	return list
}
