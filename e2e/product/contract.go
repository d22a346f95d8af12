package product

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"leadline/docs"
	"leadline/internal/coast"
)

// Resolve follows a reference and returns the name of the schema, "" for a schema without a name.
func (c *ContractOf) Resolve(schema any) (name string, _ map[string]any) {
	s, _ := schema.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		_, name, _ = strings.Cut(ref, "#/components/schemas/")
		s, _ = c.find(strings.TrimPrefix(ref, "#")).(map[string]any)
	}
	return name, s
}

// ContractOf is the OpenAPI document of a server, compiled to check requests and
// responses. Unlike the served schemas, its schemas refuse additional properties unless they say
// otherwise.
type ContractOf struct {
	Base     string
	Paths    map[string]any
	Document map[string]any
	Compiler *jsonschema.Compiler
}

func ReadDocument(t *testing.T, base, path string) *ContractOf {
	t.Helper()
	status, header, body := Exchange(t, "GET", base+path)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil || status != http.StatusOK || header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %d %v %v", path, status, header, err)
	}
	d := v.(map[string]any)
	for _, schema := range Inside(d, "components", "schemas").(map[string]any) {
		if Inside(schema, "properties") != nil && Inside(schema, "additionalProperties") == nil {
			schema.(map[string]any)["additionalProperties"] = false
		}
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", d); err != nil {
		t.Fatal(err)
	}
	return &ContractOf{base, d["paths"].(map[string]any), d, c}
}

// Inside returns a member of nested objects, or nil if one of them does not have it.
func Inside(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// Exchange sends a request, with a body of JSON if one is given, and returns the
// response.
func Exchange(t *testing.T, method, target string, send ...string) (status int,
	header http.Header, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, target,
		strings.NewReader(strings.Join(send, "")))
	if err != nil {
		t.Fatal(err)
	}
	if len(send) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body
}

// Pointer returns the JSON pointer of a place in the document.
func Pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
	}
	return b.String()
}

// Violates checks a value against the schema at a place in the document.
func (c *ContractOf) Violates(value any, at string) error {
	schema, err := c.Compiler.Compile("openapi.json#" + at)
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// PathOf returns the path of the document that matches a request, "" if there is
// none.
func (c *ContractOf) PathOf(target string) string {
	target, _, _ = strings.Cut(target, "?")
	if _, ok := c.Paths[target]; ok {
		return target
	}
	for path := range c.Paths {
		if regexp.MustCompile(`^` +
			regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) +
			`$`).MatchString(target) {
			return path
		}
	}
	return ""
}

// Method returns the method that the document declares for a path.
func (c *ContractOf) Method(path string) string {
	if Inside(c.Paths[path], "post") != nil {
		return "post"
	}
	return "get"
}

// CheckAnswer checks a response against the document's response for its status.
func (c *ContractOf) CheckAnswer(path string, status int, header http.Header, body []byte) error {
	at := Pointer("components", "responses", "OtherError")
	if path != "" && status != http.StatusMethodNotAllowed {
		at = Pointer("paths", path, c.Method(path), "responses", strconv.Itoa(status))
	}
	declared := c.find(at)
	if ref, ok := Inside(declared, "$ref").(string); ok {
		at = strings.TrimPrefix(ref, "#")
		declared = c.find(at)
	}
	if declared == nil {
		return fmt.Errorf("status %d is not declared", status)
	}
	media := header.Get("Content-Type")
	if Inside(declared, "content", media) == nil {
		return fmt.Errorf("media type %q is not declared", media)
	}
	for name := range Inside(declared, "headers").(map[string]any) {
		place := Pointer("components", "headers", name)
		value, required := header.Get(name), Inside(c.find(place), "required") == true
		outside := path == "" && name == "Leadline-Version" // only operations have a version
		if value == "" && (!required || outside) {
			continue
		}
		v := typed(value, Inside(c.find(place), "schema", "type"))
		if err := c.Violates(v, place+"/schema"); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return c.Violates(v, at+Pointer("content", media, "schema"))
}

// find returns the part of the document at a place.
func (c *ContractOf) find(at string) any {
	var names []string
	for _, name := range strings.Split(at, "/")[1:] {
		name, _ = url.PathUnescape(name)
		names = append(names, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return Inside(c.Document, names...)
}

// CheckBody checks the body of a request against the schema of the document.
func (c *ContractOf) CheckBody(path, body string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		return err
	}
	return c.Violates(v,
		Pointer("paths", path, "post", "requestBody", "content", "application/json", "schema"))
}

// CheckRequest checks a request against the parameters of the document.
func (c *ContractOf) CheckRequest(path, target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return err
	}
	declared := Inside(c.Paths[path], c.Method(path), "parameters").([]any)
	for i := range declared {
		p, place := c.Parameter(path, i)
		name := Inside(p, "name").(string)
		values, given := query[name]
		if Inside(p, "in") == "path" {
			part := slices.Index(strings.Split(path, "/"), "{"+name+"}")
			values, given = []string{strings.Split(u.Path, "/")[part]}, true
		} else if Inside(p, "in") == "query" {
			delete(query, name)
		}
		switch {
		case !given && Inside(p, "required") == true:
			return fmt.Errorf("%s is missing", name)
		case !given:
			continue
		case len(values) > 1:
			return fmt.Errorf("%s is repeated", name)
		}
		v := typed(values[0], c.typeOf(Inside(p, "schema")))
		if err := c.Violates(v, place+"/schema"); err != nil {
			return err
		}
	}
	if len(query) > 0 && path != "/api/developer/status" { // which ignores them
		return fmt.Errorf("undeclared: %v", query)
	}
	return nil
}

// Parameter returns a parameter of a path and its place in the document.
func (c *ContractOf) Parameter(path string, i int) (p any, place string) {
	p = Inside(c.Paths[path], c.Method(path), "parameters").([]any)[i]
	if ref, ok := Inside(p, "$ref").(string); ok {
		place = strings.TrimPrefix(ref, "#")
		return c.find(place), place
	}
	return p, Pointer("paths", path, c.Method(path), "parameters", strconv.Itoa(i))
}

// typeOf returns the type that a schema declares, itself or by a reference.
func (c *ContractOf) typeOf(schema any) any {
	if ref, ok := Inside(schema, "$ref").(string); ok {
		schema = c.find(strings.TrimPrefix(ref, "#"))
	}
	return Inside(schema, "type")
}

// typed parses the text of a parameter as its type.
func typed(text string, kind any) any {
	if kind == "integer" || kind == "number" {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	}
	if v, err := strconv.ParseBool(text); err == nil && kind == "boolean" {
		return v
	}
	return text
}

// Refusal returns the error of a response.
func Refusal(t *testing.T, answer []byte) (e coast.Error) {
	t.Helper()
	var result struct{ Error coast.Error }
	Decode(t, string(answer), &result)
	return result.Error
}

var Update = flag.Bool("update", false, "rewrite the recorded examples in docs/examples")

// CheckExample checks the example of an operation.
func (c *ContractOf) CheckExample(t *testing.T, id, path, verb string) {
	t.Helper()
	e, ok := docs.ExampleOf(id)
	if !ok {
		t.Errorf("%s has no example", id)
		return
	}
	if e.Label != docs.Simulated || !strings.EqualFold(e.Request.Method, verb) ||
		c.PathOf(e.Request.Target) != path {
		t.Errorf("%s: %q %+v, want a request to %s %s", id, e.Label, e.Request, verb, path)
	}
	at := Pointer("paths", path, verb)
	for part, body := range map[string]json.RawMessage{
		Pointer("requestBody"): e.Request.Body, Pointer("responses", "200"): e.Response,
	} {
		if declared := c.find(at + part); (declared == nil) != (body == nil) {
			t.Errorf("%s: %s is %v in the document, the example has %s", id, part, declared, body)
			continue
		}
		if body == nil {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err == nil {
			err = c.Violates(v, at+part+Pointer("content", "application/json", "schema"))
		}
		if err != nil {
			t.Errorf("%s: %s: %v", id, part, err)
		}
	}
}
