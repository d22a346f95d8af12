package render

import "reflect"

// Some fields hold a provider's own words. Results list these fields in quoted, so that a
// reader, above all a model, treats them as information and never as instructions. The tag
// quoted marks such a field.

// quotedName is the member of a result that lists these fields.
const quotedName = "quoted"

// Mark returns v, a struct of the layout's type, with the list of its fields that hold a
// provider's own words. If the type cannot have any, Mark returns v unchanged.
func (l *Layout) Mark(v any) any {
	if len(l.quotes) == 0 {
		return v
	}
	marked := reflect.New(reflect.TypeOf(v)).Elem()
	marked.Set(reflect.ValueOf(v))
	for _, c := range l.columns {
		if c.name == quotedName {
			marked.FieldByIndex(c.index).Set(reflect.ValueOf(l.quotedIn(marked, "")))
		}
	}
	return marked.Interface()
}

func (l *Layout) hasQuotes() bool { return l != nil && len(l.quotes) > 0 }

// quotedIn lists the paths of fields in a struct that contain a provider's own words:
// marine.alerts.headline.
func (l *Layout) quotedIn(v reflect.Value, path string) []string {
	var list []string
	for _, c := range l.quotes {
		f := v.FieldByIndex(c.index)
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		if !f.IsValid() || f.IsZero() {
			continue
		}
		switch {
		case c.quoted:
			list = append(list, path+c.name)
		case c.parts != nil:
			list = append(list, c.parts.quotedIn(f, path+c.name+".")...)
		default:
			list = append(list, c.rows.quotedInRows(f, path+c.name+".")...)
		}
	}
	return list
}

// quotedInRows lists each field that occurs in any row, once.
func (l *Layout) quotedInRows(rows reflect.Value, path string) []string {
	var list []string
	found := map[string]bool{}
	for i := range rows.Len() {
		for _, name := range l.quotedIn(rows.Index(i), path) {
			if !found[name] {
				found[name] = true
				list = append(list, name)
			}
		}
	}
	return list
}
