package manual

import (
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"leadline/internal/coast"
)

// converter turns Markdown into HTML: CommonMark with tables, without HTML in the Markdown.
var converter = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
	)
})

// pageRenderer renders the Markdown of one page: ids of headings are unique in it.
type pageRenderer struct{ ids *headingIDs }

func newRenderer() pageRenderer { return pageRenderer{&headingIDs{used: map[string]int{}}} }

// render writes Markdown as HTML.
func (r pageRenderer) render(to io.Writer, markdown string) error {
	source := []byte(markdown)
	root := converter().Parser().Parse(text.NewReader(source),
		parser.WithContext(parser.NewContext(parser.WithIDs(r.ids))))
	if err := checkNodes(root, source); err != nil {
		return err
	}
	return converter().Renderer().Render(to, source, root)
}

// checkNodes refuses Markdown that is lost in HTML: elements within it.
func checkNodes(root ast.Node, source []byte) error {
	return ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch raw := n.(type) {
		case *ast.RawHTML:
			return ast.WalkStop, fmt.Errorf("HTML in Markdown: %s", raw.Segments.Value(source))
		case *ast.HTMLBlock:
			return ast.WalkStop, fmt.Errorf("HTML in Markdown: %s", raw.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
}

// headingIDs makes the ids of headings as GitHub does: small letters, digits and hyphens.
type headingIDs struct{ used map[string]int }

// Generate returns the id of a heading.
func (h *headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := slug(string(value))
	n := h.used[id]
	h.used[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// Put notes that an id is taken.
func (h *headingIDs) Put(value []byte) { h.used[string(value)]++ }

func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '-':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// blocks renders code and tables.
type blocks struct{}

// RegisterFuncs registers the functions of the blocks.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(ast.KindCodeBlock, code)
	r.Register(extast.KindTable, table)
}

// code renders a block of code: JSON in color.
func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	content := string(n.Lines().Value(source))
	language := ""
	if block, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(block.Language(source))
	}
	html := template.HTML(template.HTMLEscapeString(strings.TrimSuffix(content, "\n")))
	if v, err := parse([]byte(content)); language == "json" && err == nil {
		html = colored(v)
	}
	fmt.Fprintf(w, "<pre><code>%s</code></pre>\n", html)
	return ast.WalkSkipChildren, nil
}

// table renders the element around a table, which can be scrolled where it is wide.
func table(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		fmt.Fprintf(w, `<div class="scroll" tabindex="0" role="region" aria-label="%s"><table>`+"\n",
			template.HTMLEscapeString(headers(n, source)))
	} else {
		io.WriteString(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// headers returns the header cells of a table, which name it.
func headers(n ast.Node, source []byte) string {
	var names []string
	for cell := n.FirstChild().FirstChild(); cell != nil; cell = cell.NextSibling() {
		names = append(names, plain(string(cell.Lines().Value(source))))
	}
	return "Table: " + strings.Join(names, ", ")
}

// marks matches the marks of Markdown in a line.
var marks = coast.Pattern("[`*]|\\[([^]]*)\\]\\([^)]*\\)")

// plain returns Markdown without its marks.
func plain(markdown string) string { return marks().ReplaceAllString(markdown, "$1") }

// cell returns a text as the cell of a table in Markdown.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// fenced returns a block of code in Markdown.
func fenced(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + code + "\n" + fence
}

// siteLink matches links of Markdown to pages of the documentation, with their fragment.
var siteLink = coast.Pattern(`\]\((/docs[^)#]*)(#[^)]*)?\)`)

// rootLink matches other links to the site.
var rootLink = coast.Pattern(`\]\((/[^)]*)\)`)

// absolute returns Markdown whose links to the site have its address; those to pages of the
// documentation lead to their twins.
func absolute(markdown, base string) string {
	markdown = siteLink().ReplaceAllString(markdown, "]("+base+"${1}.md$2)")
	return rootLink().ReplaceAllString(markdown, "]("+base+"$1)")
}

// outsideCode calls change with the parts of Markdown that are not blocks of code, and returns
// the whole.
func outsideCode(markdown string, change func(string) string) string {
	var out, part strings.Builder
	inside := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			if !inside {
				out.WriteString(change(part.String()))
				part.Reset()
			}
			inside = !inside
			out.WriteString(line)
			continue
		}
		if inside {
			out.WriteString(line)
		} else {
			part.WriteString(line)
		}
	}
	out.WriteString(change(part.String()))
	return out.String()
}
