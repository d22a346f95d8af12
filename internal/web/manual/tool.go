package manual

import (
	"fmt"
	"strings"

	"leadline/docs"
	"leadline/internal/operation"
)

// toolPath returns the path of the page of a tool.
func toolPath(name string) string { return "/docs/mcp/" + name }

// toolPage makes the page of a tool of these sets.
func (w *writer) toolPage(t operation.Tool, sets []string) (*Page, error) {
	e, ok := docs.ToolExampleOf(t.Name)
	if !ok {
		return nil, fmt.Errorf("tool %s has no recorded example", t.Name)
	}
	schema, err := parse(t.Input)
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	p := w.page(toolPath(t.Name), t.Title, firstSentence(t.About))
	p.raw(execute(templates(), "tool", t.Name), "`"+t.Name+"`")
	about, _, _ := strings.Cut(t.About, " Example: ")
	p.text(linkTools(about, w.toolNames()))
	p.text(toolNotes(t, sets))
	p.text("## Arguments")
	p.arguments(schema)
	return p, w.call(p, t.Name, e)
}

// toolNotes says where a tool is offered, and what its results depend on.
func toolNotes(t operation.Tool, sets []string) string {
	text := "It is in the [tool set](/docs/mcp#tool-sets) `" + strings.Join(sets, "` and `") + "`."
	if t.Live {
		text += " It asks a provider: if that does not respond, the error is " +
			"[`provider_unavailable`](/docs/errors#provider_unavailable)."
	}
	if t.Pictured {
		text += " Results can have a [picture](/docs/guides/mcp#pictures): clients that support MCP " +
			"Apps draw it, and `chart: true` adds a PNG."
	}
	return text
}

// arguments shows the properties of the schema of a tool's input.
func (p *Page) arguments(schema value) {
	d := &document{root: schema}
	var list []parameter
	for _, m := range schema.at("properties").members {
		list = append(list, parameter{
			name: m.name, in: "argument", about: m.value.at("description").text, schema: m.value,
			required: schema.requires(m.name), initial: m.value.at("default"),
			example: first(m.value.at("examples")),
		})
	}
	p.rows(d.rowsOf(list))
}

// first returns the first item of an array, if it has one.
func first(v value) value {
	if len(v.items) == 0 {
		return value{}
	}
	return v.items[0]
}

// call appends a recorded call with its result.
func (w *writer) call(p *Page, name string, e docs.ToolExample) error {
	arguments, err := parse(e.Arguments)
	if err != nil {
		return fmt.Errorf("example of %s: %w", name, err)
	}
	sent := value{kind: '{', members: []member{
		{"name", value{kind: '"', text: name}}, {"arguments", arguments},
	}}
	got, err := parse(e.StructuredContent)
	if err != nil {
		return fmt.Errorf("example of %s: %w", name, err)
	}
	p.text("## Call")
	p.raw(execute(templates(), "json", colored(sent)), fenced("json", indented(sent)))
	message := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ` + sent.compact() + `}`
	p.text("The same with curl:\n\n" + fenced("sh", "curl "+shell(w.Base+e.Path)+
		" -H 'Content-Type: application/json' \\\n  -d "+shell(message)))
	p.text("## Result")
	p.text(e.Label)
	p.text("### Text\n\n" + fenced("text", strings.TrimSpace(e.Text)))
	p.text("### Structured content")
	p.raw(execute(templates(), "json", colored(got)), fenced("json", indented(got)))
	return nil
}

// toolNames returns the names of all tools.
func (w *writer) toolNames() (names []string) {
	for _, s := range w.Toolsets {
		for _, t := range s.Tools {
			names = append(names, t.Name)
		}
	}
	return names
}

// linkTools makes links of the names of tools in a text.
func linkTools(text string, names []string) string {
	words := strings.Fields(text)
	for i, word := range words {
		for _, name := range names {
			if strings.Trim(word, ".,;:()") == name {
				words[i] = strings.Replace(word, name, "[`"+name+"`]("+toolPath(name)+")", 1)
				break
			}
		}
	}
	return strings.Join(words, " ")
}
