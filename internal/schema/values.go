package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/coast"
)

// setAbsent sets the default of a field that is absent.
func (f *field) setAbsent(v reflect.Value) *coast.Issue {
	switch {
	case f.required:
		return f.issue("required", "is required: %s", f.rule())
	case f.def != nil:
		return f.set(v, []string{*f.def})
	}
	return nil
}

// setJSON sets v from one JSON value. A body must have exactly the field's type;
// arguments may give numbers as strings and strings as numbers.
func (f *field) setJSON(v reflect.Value, raw []byte) *coast.Issue {
	text, isText := Text(raw)
	switch {
	case f.strict && !f.isOfKind(raw), raw[0] == '{', raw[0] == '[',
		f.kind == objectKind, f.items != nil:
		return f.issue("type", "must be %s, not %s", f.rule(), describe(raw))
	case !isText:
		text = string(raw)
	}
	return f.set(v, []string{text})
}

// setTexts sets v, a list of strings, from a JSON array of arguments.
func (f *field) setTexts(v reflect.Value, raw []byte) *coast.Issue {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return f.issue("type", "must be a list of strings")
	}
	return f.set(v, list)
}

// isOfKind reports whether a JSON value has the field's type.
func (f *field) isOfKind(raw []byte) bool {
	isNumber := raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9'
	switch f.kind {
	case stringKind:
		return raw[0] == '"'
	case booleanKind:
		return raw[0] == 't' || raw[0] == 'f'
	case integerKind:
		return isNumber && isWhole(string(raw))
	case numberKind:
		return isNumber
	}
	return false // arrays and objects are recognized by their brackets
}

// isWhole reports whether a JSON number is an integer, as 5, 5.0 and 0.5e1 are. It
// counts digits, since a float64 would round.
func isWhole(text string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(text, "-")), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(before+after, "0")
	if digits == "" {
		return true
	}
	shift := 0
	if exponent != "" {
		// Atoi clamps values that overflow an int. These are far beyond any number of digits.
		shift, _ = strconv.Atoi(exponent)
	}
	return shift >= len(digits)-len(before)
}

// set checks the texts against the field's rule and stores them in v.
func (f *field) set(v reflect.Value, texts []string) *coast.Issue {
	if f.kind == arrayKind {
		return f.setList(v, texts)
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch text := texts[0]; f.kind {
	case stringKind:
		return f.setString(v, text)
	case booleanKind:
		return f.setBoolean(v, text)
	default:
		return f.setNumber(v, text)
	}
}

func (f *field) setBoolean(v reflect.Value, text string) *coast.Issue {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return f.issue("type", "must be true or false, not %s", coast.Quote(text))
	}
	v.SetBool(b)
	return nil
}

func (f *field) setString(v reflect.Value, text string) *coast.Issue {
	if len(f.enum) > 0 {
		i := f.indexOf(text)
		if i < 0 {
			return f.notListed(text)
		}
		text = f.enum[i]
	}
	switch {
	case f.pattern != nil && !f.pattern.MatchString(text):
		return f.issue("pattern", "must be %s, not %s", f.rule(), coast.Quote(text))
	case f.strict && f.format == "date" && !isDate(text):
		return f.issue("format", "must be %s, not %s", f.rule(), coast.Quote(text))
	}
	v.SetString(text)
	return nil
}

// indexOf returns the index of an enumerated value, or of the value that an alternative word
// means, or -1.
func (f *field) indexOf(text string) int {
	if f.strict {
		return slices.Index(f.enum, text)
	}
	if value, ok := f.also[strings.ToLower(text)]; ok {
		text = value
	}
	return slices.IndexFunc(f.enum, func(e string) bool { return strings.EqualFold(e, text) })
}

// notListed returns the issue of a value that is not in the field's enum.
func (f *field) notListed(text string) *coast.Issue {
	rule, near := "must be "+f.rule(), ""
	if f.kind == arrayKind {
		rule = "takes values of " + strings.Join(f.enum, ", ")
	}
	if name := Nearest(text, f.enum); name != "" {
		near = fmt.Sprintf(" (did you mean %q?)", name)
	}
	return f.issue("enum", "%s, not %s%s", rule, coast.Quote(text), near)
}

func isDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

func (f *field) setNumber(v reflect.Value, text string) *coast.Issue {
	n, err := strconv.ParseFloat(text, 64)
	huge := errors.Is(err, strconv.ErrRange) // n is infinite, so it exceeds every bound
	code := ""
	switch {
	case err != nil && !huge, strings.ContainsAny(text, "xXpP_"), math.IsNaN(n),
		math.IsInf(n, 0) && !huge, f.kind == integerKind && n != math.Trunc(n):
		return f.issue("type", "must be %s, not %s", f.rule(), coast.Quote(text))
	case f.min != nil && n < *f.min:
		code = "minimum"
	case f.max != nil && n > *f.max:
		code = "maximum"
	case huge, f.kind == integerKind && math.Abs(n) > 1<<53:
		code = "type"
	case f.kind == integerKind:
		v.SetInt(int64(n))
		return nil
	default:
		v.SetFloat(n)
		return nil
	}
	return f.issue(code, "must be %s, not %s", f.rule(), coast.Clip(text))
}

// setList stores the items of comma-separated texts without duplicates.
func (f *field) setList(v reflect.Value, texts []string) *coast.Issue {
	list := []string{}
	for _, text := range texts {
		for _, item := range strings.Split(text, ",") {
			item, issue := f.item(strings.TrimSpace(item))
			if issue != nil {
				return issue
			}
			if !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
	for i, item := range list {
		v.Index(i).SetString(item)
	}
	return nil
}

// item returns an item of a list as the enum spells it.
func (f *field) item(text string) (string, *coast.Issue) {
	if len(f.enum) == 0 {
		return text, nil
	}
	i := f.indexOf(text)
	if i < 0 {
		return "", f.notListed(text)
	}
	return f.enum[i], nil
}

// rule describes the values that the field accepts.
func (f *field) rule() string {
	switch {
	case f.kind == arrayKind:
		return f.listRule()
	case len(f.enum) > 0:
		return "one of " + strings.Join(f.enum, ", ")
	case f.format == "date":
		return "a day of the calendar, written as year-month-day"
	case f.pattern != nil:
		return f.form
	}
	what := map[kind]string{
		stringKind: "text", integerKind: "a whole number", numberKind: "a number",
		booleanKind: "true or false", objectKind: "an object",
	}[f.kind]
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

func (f *field) listRule() string {
	what, count := "strings", ""
	if f.items != nil {
		what = "objects"
	}
	if len(f.enum) > 0 {
		what += ", each one of " + strings.Join(f.enum, ", ")
	}
	switch {
	case f.minItems != nil && f.maxItems != nil:
		count = fmt.Sprintf("%s to %s ", number(*f.minItems), number(*f.maxItems))
	case f.minItems != nil:
		count = fmt.Sprintf("at least %s ", number(*f.minItems))
	case f.maxItems != nil:
		count = fmt.Sprintf("at most %s ", number(*f.maxItems))
	}
	return "a list of " + count + what
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// issue returns an issue whose message names the field, the rule and an example.
func (f *field) issue(code, format string, args ...any) *coast.Issue {
	message := f.name + " " + fmt.Sprintf(format, args...)
	return &coast.Issue{Code: code, Message: message + ". Example: " + f.sample() + "."}
}

// sample returns the field with a valid value, as JSON.
func (f *field) sample() string { return fmt.Sprintf("%q: %s", f.name, f.value()) }

// value returns a valid value. The example tag of structs and objects is JSON;
// that of other lists is the text of an item.
func (f *field) value() string {
	text := f.example
	switch {
	case text != "":
	case f.items != nil:
		return f.objects()
	case f.kind == objectKind:
		return "{}"
	case f.def != nil && *f.def != "":
		text = *f.def
	case len(f.enum) > 0:
		text = f.enum[0]
	case f.format == "date":
		text = "2026-11-20"
	case f.min != nil:
		text = number(*f.min)
	case f.kind == booleanKind:
		text = "true"
	}
	switch {
	case f.kind == stringKind:
		return strconv.Quote(text)
	case f.kind == arrayKind && f.items == nil:
		return "[" + strconv.Quote(text) + "]"
	}
	return text
}

// objects returns the minimum number of objects in the list, but at least one.
func (f *field) objects() string {
	list := []string{f.items.example(0)}
	for f.minItems != nil && len(list) < int(*f.minItems) {
		list = append(list, f.items.example(len(list)))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// Example returns a minimal valid input.
func (s *Schema) Example() json.RawMessage { return json.RawMessage(s.example(0)) }

// example returns a minimal valid object. For a union, the object has the ith kind.
func (s *Schema) example(i int) string {
	if s.variants != nil {
		return s.variants[i%len(s.variants)].example(0)
	}
	var parts []string
	for _, f := range s.fields {
		if f.required {
			parts = append(parts, f.sample())
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// describe formats a caller's value for a message.
func describe(raw []byte) string {
	text, isText := Text(raw)
	switch {
	case isText:
		return coast.Quote(text)
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	}
	return coast.Clip(string(raw))
}
