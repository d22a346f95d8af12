package logintest

import (
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// Attack is a text that is harmful if it is rendered as markup.
const Attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

// Shown is a page as a browser parses it.
type Shown struct {
	Body     string
	Header   http.Header
	Elements []xml.StartElement
}

// Show returns the page that write writes.
func Show(t *testing.T, write func(http.ResponseWriter)) Shown {
	t.Helper()
	w := httptest.NewRecorder()
	write(w)
	s := Shown{Body: w.Body.String(), Header: w.Header()}
	d := xml.NewDecoder(strings.NewReader(s.Body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err == io.EOF {
			return s
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, s.Body)
		}
		if e, ok := token.(xml.StartElement); ok {
			s.Elements = append(s.Elements, e.Copy())
		}
	}
}

// All returns the elements with a name.
func (s Shown) All(name string) []xml.StartElement {
	var out []xml.StartElement
	for _, e := range s.Elements {
		if e.Name.Local == name {
			out = append(out, e)
		}
	}
	return out
}

// Attribute returns an attribute of an element, and false if there is none.
func Attribute(e xml.StartElement, name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// Value returns an attribute of an element, or "" if there is none.
func Value(e xml.StartElement, name string) string {
	v, _ := Attribute(e, name)
	return v
}

// Find returns the input or button with a name and, unless value is "", that
// value.
func (s Shown) Find(t *testing.T, name, of string) xml.StartElement {
	t.Helper()
	for _, e := range s.Elements {
		field := e.Name.Local == "input" || e.Name.Local == "button"
		if field && Value(e, "name") == name && (of == "" || Value(e, "value") == of) {
			return e
		}
	}
	t.Fatalf("no field %s %s in\n%s", name, of, s.Body)
	return xml.StartElement{}
}

// Has reports whether the page has such a field.
func (s Shown) Has(name, of string) bool {
	return slices.ContainsFunc(s.Elements, func(e xml.StartElement) bool {
		return Value(e, "name") == name && Value(e, "value") == of
	})
}

// CheckText checks that Attack is rendered as text on every page, and never as
// markup. Scripts of the pages themselves are modules.
func CheckText(t *testing.T, pages map[string]func(http.ResponseWriter)) {
	t.Helper()
	for name, write := range pages {
		s := Show(t, write)
		for _, e := range s.Elements {
			ours := e.Name.Local == "script" && Value(e, "type") == "module"
			if e.Name.Local == "script" && !ours || e.Name.Local == "img" {
				t.Errorf("%s: has an element %s", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("%s: has a handler %s", name, a.Name.Local)
				}
			}
		}
		escaped := strings.Contains(s.Body, "&lt;script&gt;alert(1)")
		if strings.Contains(s.Body, "<script>") || !escaped {
			t.Errorf("%s: the attack is not shown as the text that it is", name)
		}
	}
}

// CheckHeaders checks the headers of every page.
func CheckHeaders(t *testing.T, pages map[string]func(http.ResponseWriter)) {
	t.Helper()
	for name, write := range pages {
		h := Show(t, write).Header
		for header, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
		} {
			if got := h.Get(header); got != want {
				t.Errorf("%s: %s is %q, want %q", name, header, got, want)
			}
		}
		got := h.Get("Content-Security-Policy")
		if !strings.Contains(got, "; frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %s", name, got)
		}
	}
}

// CheckForms checks that each form of every page, except those that only read, is posted to this
// server with a token of its own. It checks that each field has a label and works with
// password managers.
func CheckForms(t *testing.T, pages map[string]func(http.ResponseWriter)) {
	t.Helper()
	const token = `<input type="hidden" name="token" value="ours`
	for name, write := range pages {
		s := Show(t, write)
		if got := len(s.All("h1")); got != 1 {
			t.Errorf("%s: %d h1, want 1", name, got)
		}
		reads := func(e xml.StartElement) bool { return Value(e, "method") == "" } // by GET
		forms := slices.DeleteFunc(s.All("form"), reads)
		if got, want := strings.Count(s.Body, token), len(forms); got != want {
			t.Errorf("%s: %d tokens for %d forms", name, got, want)
		}
		for _, form := range forms {
			to := Value(form, "action")
			ours := strings.HasPrefix(to, "/oauth/") || strings.HasPrefix(to, "/account/")
			if Value(form, "method") != "post" || !ours {
				t.Errorf("%s: a form %v", name, form.Attr)
			}
		}
		checkFields(t, name, s)
	}
}

func checkFields(t *testing.T, name string, s Shown) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range s.Elements {
		if id, ok := Attribute(e, "id"); ok {
			if ids[id] {
				t.Errorf("%s: two elements with id %s", name, id)
			}
			ids[id] = true
		}
	}
	var labels []string
	for _, l := range s.All("label") {
		labels = append(labels, Value(l, "for"))
	}
	for _, in := range s.All("input") {
		_, hidden := Attribute(in, "hidden")
		if hidden || Value(in, "type") == "hidden" {
			continue
		}
		isBox := Value(in, "type") == "checkbox" // browsers complete none
		if !slices.Contains(labels, Value(in, "id")) || Value(in, "autocomplete") == "" && !isBox {
			t.Errorf("%s: no label or no autocomplete: %v", name, in.Attr)
		}
		for id := range strings.FieldsSeq(Value(in, "aria-describedby")) {
			if !ids[id] {
				t.Errorf("%s: nothing describes a field as %s", name, id)
			}
		}
	}
	for _, b := range s.All("button") {
		if _, ok := Attribute(b, "type"); ok { // the default is submit
			t.Errorf("%s: a button %v", name, b.Attr)
		}
	}
}

// CheckAutocomplete checks the autocomplete attributes of the address and the
// password on a page.
func CheckAutocomplete(t *testing.T, name string, s Shown, email, password string) {
	t.Helper()
	for field, want := range map[string]string{"email": email, "password": password} {
		if got := Value(s.Find(t, field, ""), "autocomplete"); got != want {
			t.Errorf("%s: %s has autocomplete %q, want %q", name, field, got, want)
		}
	}
}
