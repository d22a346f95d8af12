package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"

	"leadline/internal/coast"
	"leadline/prompts"
)

// refuse returns the fault of a request, or nil if mcp-go may handle it. mcp-go does not
// check the arguments of prompts, returns "internal error" for unknown resources of a
// template, and prints Go types in its errors.
func (s *Server) refuse(ctx context.Context, m *message, modern bool) *fault {
	switch protocol.MCPMethod(m.method) {
	case protocol.MethodToolsCall:
		return s.refuseCall(m)
	case protocol.MethodPromptsGet:
		return s.refusePrompt(m)
	case protocol.MethodResourcesRead:
		return s.refuseRead(ctx, m, modern)
	case protocol.MethodCompletionComplete:
		return s.refuseCompletion(m)
	}
	return nil
}

func invalidParams(format string, args ...any) *fault {
	return faultf(protocol.INVALID_PARAMS, format, args...)
}

// keysOf returns the keys of m in alphabetical order.
func keysOf[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func (s *Server) refuseCall(m *message) *fault {
	if m.name == "" {
		return invalidParams(`params.name is missing or not a string: ` +
			`it names a tool, as in "name": "noaa_search_stations"`)
	}
	if offered := s.guard.offer; !offered.has(m.tools, m.name) {
		return invalidParams("unknown tool %q%s; tools/list names them all", coast.Clip(m.name),
			cmp.Or(offered.elsewhere(m.name), suggestion(m.name, offered.namesOf(m.tools))))
	}
	if object(m.arguments)[0] != '{' {
		return invalidParams(
			`params.arguments must be an object, as in "arguments": {"station": "8443970"}`)
	}
	return nil
}

func (s *Server) refusePrompt(m *message) *fault {
	if m.name == "" {
		return invalidParams(`params.name is missing or not a string: ` +
			`it names a prompt, as in "name": "tide_report"`)
	}
	p, known := s.prompts[m.name]
	if !known {
		return s.unknownPrompt(m.name)
	}
	var given map[string]any
	if json.Unmarshal(object(m.arguments), &given) != nil {
		return invalidParams(`params.arguments must be an object of strings, ` +
			`as in "arguments": {"location": "Boston"}`)
	}
	return refuseArguments(p, given)
}

func (s *Server) unknownPrompt(name string) *fault {
	return invalidParams("unknown prompt %q%s; prompts/list names them all",
		coast.Clip(name), suggestion(name, keysOf(s.prompts)))
}

// refuseArguments returns the first fault of the arguments of p.
func refuseArguments(p prompts.Prompt, given map[string]any) *fault {
	var known []string
	for _, a := range p.Arguments {
		known = append(known, a.Name)
		if value, _ := given[a.Name].(string); a.Required && strings.TrimSpace(value) == "" {
			return invalidParams("prompt %q needs the argument %q (%s), as in {%q: %q}",
				p.Name, a.Name, a.About, a.Name, exampleOf(a))
		}
	}
	for _, name := range keysOf(given) {
		if !slices.Contains(known, name) {
			return invalidParams("prompt %q has no argument %q%s; it takes %s", p.Name,
				coast.Clip(name), suggestion(name, known), strings.Join(known, ", "))
		}
		if _, is := given[name].(string); !is {
			return invalidParams("argument %q of prompt %q must be a string", name, p.Name)
		}
	}
	return nil
}

// exampleOf returns a valid value of a required argument.
func exampleOf(a prompts.Argument) string {
	switch {
	case a.Example != "":
		return a.Example
	case a.Name == "location":
		return "Boston, MA"
	}
	return "8443970"
}

func (s *Server) refuseRead(ctx context.Context, m *message, modern bool) *fault {
	if m.uri == "" {
		return invalidParams(
			`params.uri is missing or not a string, as in "uri": %q`, topicPrefix+"datums")
	}
	if _, known := s.pages[m.uri]; known || m.uri == appURI {
		return nil
	}
	if !strings.HasPrefix(m.uri, stationPrefix) {
		return notFound(m.uri, modern, "no resource %q%s; resources/list names them all",
			coast.Clip(m.uri), suggestion(m.uri, keysOf(s.pages)))
	}
	_, err := s.card(ctx, stationOf(m.uri))
	if e, known := coast.AsError(err); err != nil && known && e.Status() < 500 {
		return notFound(m.uri, modern, "%s", e.Message)
	}
	return nil
}

// notFound returns the fault for an unknown resource. Its code changed with
// revision 2026-07-28.
func notFound(uri string, modern bool, format string, args ...any) *fault {
	f := faultf(protocol.RESOURCE_NOT_FOUND, "resource not found: "+format, args...)
	if modern {
		f.code = protocol.INVALID_PARAMS
	}
	f.data = map[string]string{"uri": uri}
	return f
}

func (s *Server) refuseCompletion(m *message) *fault {
	var p protocol.CompleteParams
	if len(m.params) == 0 || json.Unmarshal(m.params, &p) != nil {
		return invalidParams(`params must hold "ref" and "argument", as in `+
			`{"ref": {"type": "ref/resource", "uri": %q}, `+
			`"argument": {"name": "topic", "value": "d"}}`, topicTemplate)
	}
	switch ref := p.Ref.(type) {
	case protocol.PromptReference:
		if _, known := s.prompts[ref.Name]; !known {
			return s.unknownPrompt(ref.Name)
		}
	case protocol.ResourceReference:
		templates := []string{topicTemplate, stationTemplate}
		if !slices.Contains(templates, ref.URI) {
			return invalidParams("no resource template %q; there are %s",
				coast.Clip(ref.URI), strings.Join(templates, " and "))
		}
	}
	return nil
}
