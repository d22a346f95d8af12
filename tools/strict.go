package tools

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
)

// This file checks bodies. Where Schema makes the best of what it is given,
// nothing here is taken for what it is not.

// mostTold is how many faults of one body are told.
const mostTold = 40

// checker keeps the faults of one body.
type checker struct {
	issues []coast.Issue
	more   int // faults that are not told
}

// add keeps a fault of what stands at a place; nil is none.
func (c *checker) add(at place, issue *coast.Issue) {
	switch {
	case issue == nil:
	case c.full():
		c.more++
	default:
		c.issues = append(c.issues, coast.Issue{Path: at.pointer, Code: issue.Code, Message: at.element + issue.Message})
	}
}

func (c *checker) full() bool { return len(c.issues) == mostTold }

// told are the faults, and how many there are beside them.
func (c *checker) told() []coast.Issue {
	if c.more == 0 {
		return c.issues
	}
	return append(c.issues, coast.Issue{Code: "more", Message: fmt.Sprintf("The body has %d more faults.", c.more)})
}

// place is where in a body a value stands.
type place struct {
	pointer string // RFC 6901
	element string // what begins a message about an element of a list
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

func (p place) inside(name string) place {
	return place{p.pointer + "/" + escaper.Replace(Clip(name)), p.element}
}

func (p place) index(i int) place { return place{p.pointer + "/" + strconv.Itoa(i), p.element} }

// named is the place of an element, which messages call by its id too.
func (p place) named(word string, element []byte) place {
	id := ""
	for key, value := range Members(element) {
		if text, ok := Text(value); ok && id == "" && string(key) == "id" {
			id = " " + quote(text)
		}
	}
	return place{p.pointer, fmt.Sprintf("%s%s (%s): ", word, id, p.pointer)}
}

// member is a property as it was given.
type member struct {
	name  string
	value []byte
}

// members are those of an object, and none twice: which of two counts, every
// program decides in its own way.
func (c *checker) members(object []byte, at place) []member {
	var list []member
	seen := map[string]int{}
	for key, value := range Members(object) {
		name := string(key)
		switch seen[name]++; seen[name] {
		case 1:
			list = append(list, member{name, value})
		case 2:
			c.add(at.inside(name), &coast.Issue{Code: "duplicate", Message: quote(name) + " stands twice. Give it once."})
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
func (c *checker) object(b *Body, v reflect.Value, raw []byte, at place) {
	given := c.members(raw, at)
	if b.variants != nil {
		if b = c.variant(b, v, given, at); b == nil {
			return
		}
	}
	c.others(b, given, at)
	for i := range b.fields {
		f := &b.fields[i]
		c.property(f, v, pick(given, f.name), at.inside(f.name))
	}
}

// variant is the body of the kind that an object says it is of. Of what no
// kind is known, nothing else can be said: nil.
func (c *checker) variant(b *Body, v reflect.Value, given []member, at place) *Body {
	kind, raw, before := b.kind(), pick(given, "kind"), len(c.issues)+c.more
	c.property(kind, v, raw, at.inside("kind"))
	if len(c.issues)+c.more > before {
		return nil
	}
	text, _ := Text(raw)
	return b.variants[slices.Index(kind.enum, text)]
}

// others checks the members that are no fields of the body.
func (c *checker) others(b *Body, given []member, at place) {
	for _, m := range given {
		switch {
		case b.find([]byte(m.name)) >= 0:
		case b.open:
			c.free(m.value, at.inside(m.name))
		case c.full(): // words cost time, and there may be thousands
			c.more++
		default:
			issue := unknown("property", m.name, b.Names())
			c.add(at.inside(m.name), &issue)
		}
	}
}

// free checks a value that may be anything: no key in it stands twice.
func (c *checker) free(raw []byte, at place) {
	switch raw[0] {
	case '{':
		for _, m := range c.members(raw, at) {
			c.free(m.value, at.inside(m.name))
		}
	case '[':
		for i, value := range elements(raw) {
			c.free(value, at.index(i))
		}
	}
}

// property checks the value of a field, nil where none was given, and sets
// the field of v.
func (c *checker) property(f *field, v reflect.Value, raw []byte, at place) {
	switch {
	case raw == nil && f.required:
		c.add(at, f.issue("required", "is required: %s", f.rule()))
	case raw == nil:
		c.add(at, f.absent(v))
	case f.kind == aList && raw[0] == '[':
		c.list(f, v.FieldByIndex(f.index), raw, at)
	case f.kind == anObject && raw[0] == '{':
		c.free(raw, at)
		v.FieldByIndex(f.index).SetBytes(bytes.Clone(raw))
	default:
		c.add(at, f.setStrictly(v.FieldByIndex(f.index), raw))
	}
}

// list checks a list and fills v with it. A list that is too long is refused
// whole: what stands beyond the most is not read.
func (c *checker) list(f *field, v reflect.Value, raw []byte, at place) {
	n := 0
	for range elements(raw) {
		n++
	}
	if f.fewest != nil && n < int(*f.fewest) {
		c.add(at, f.issue("minItems", "must be %s, not of %d", f.rule(), n))
	}
	if f.most != nil && n > int(*f.most) {
		c.add(at, f.issue("maxItems", "must be %s, not of %d", f.rule(), n))
		n = int(*f.most)
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i, value := range elements(raw) {
		if i == n {
			return
		}
		c.element(f, v.Index(i), value, at.index(i))
	}
}

func (c *checker) element(f *field, v reflect.Value, raw []byte, at place) {
	switch {
	case f.items != nil && raw[0] == '{':
		c.object(f.items, v, raw, at.named(f.items.name, raw))
	case f.items == nil && raw[0] == '"':
		text, _ := Text(raw)
		if len(f.enum) > 0 && !slices.Contains(f.enum, text) {
			c.add(at, f.notListed("takes values of "+strings.Join(f.enum, ", "), text))
		}
		v.SetString(text)
	default:
		c.add(at, f.issue("type", "must be %s; this item is %s", f.rule(), told(raw)))
	}
}

// notListed is the fault of a text that the field's enumeration lacks.
func (f *field) notListed(rule, text string) *coast.Issue {
	near := ""
	if name := Nearest(text, f.enum); name != "" {
		near = fmt.Sprintf(" (did you mean %q?)", name)
	}
	return f.issue("enum", "%s, not %s%s", rule, quote(text), near)
}

// setStrictly sets v from a JSON value that is exactly what the field takes.
func (f *field) setStrictly(v reflect.Value, raw []byte) *coast.Issue {
	text, isText := Text(raw)
	switch {
	case !f.isOfKind(raw):
		return f.issue("type", "must be %s, not %s", f.rule(), told(raw))
	case !isText:
		text = string(raw)
	case len(f.enum) > 0 && !slices.Contains(f.enum, text):
		return f.notListed("must be "+f.rule(), text)
	case f.format == "date" && !isDay(text):
		return f.issue("format", "must be %s, not %s", f.rule(), quote(text))
	}
	return f.set(v, []string{text})
}

func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// isOfKind reports whether a JSON value is of the field's type.
func (f *field) isOfKind(raw []byte) bool {
	first := raw[0]
	switch f.kind {
	case aString:
		return first == '"'
	case aBoolean:
		return first == 't' || first == 'f'
	case anInt:
		return isNumber(first) && isWhole(string(raw))
	case aNumber:
		return isNumber(first)
	}
	return false // the others are told by their brackets
}

func isNumber(first byte) bool { return first == '-' || '0' <= first && first <= '9' }

// isWhole reports whether a number of JSON is whole, as 5, 5.0 and 0.5e1 are.
// Its digits are counted: a float64 would round.
func isWhole(text string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(before+after, "0")
	if digits == "" {
		return true
	}
	shift := 0
	if exponent != "" {
		// What overflows an int is cut at its bound, far beyond any digits.
		shift, _ = strconv.Atoi(exponent)
	}
	return shift >= len(digits)-len(before)
}

// told is a caller's value as a message tells it back.
func told(raw []byte) string {
	text, isText := Text(raw)
	switch {
	case isText:
		return quote(text)
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	}
	return Clip(string(raw))
}
