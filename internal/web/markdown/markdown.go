// Package markdown turns texts in Markdown into HTML for the pages of the site. What comes in is
// CommonMark with tables, as people write it; what goes out are elements below one h1, without a
// script, a style, a picture or an attribute that the policy of a page refuses. HTML in a text is
// shown as text. A link leads to http, https, mailto or a path of the site; others are removed.
package markdown

import (
	"bytes"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Document is a text as HTML.
type Document struct {
	Title string        // the first heading of level 1, which is not in HTML; "" if there is none
	HTML  template.HTML // headings begin at level 2 and leave out no level
}

// Render returns a text in Markdown as HTML.
func Render(source []byte) Document {
	root := commonMark().Parser().Parse(text.NewReader(source))
	title := tidy(root, source)
	var b bytes.Buffer
	if err := commonMark().Renderer().Render(&b, source, root); err != nil {
		panic("markdown: " + err.Error()) // writing to memory does not fail
	}
	return Document{title, template.HTML(b.String())}
}

// commonMark has the parsers of CommonMark without those of HTML, so that HTML is text.
var commonMark = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(
				util.Prioritized(parser.NewSetextHeadingParser(), 100),
				util.Prioritized(parser.NewThematicBreakParser(), 200),
				util.Prioritized(parser.NewListParser(), 300),
				util.Prioritized(parser.NewListItemParser(), 400),
				util.Prioritized(parser.NewCodeBlockParser(), 500),
				util.Prioritized(parser.NewATXHeadingParser(), 600),
				util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
				util.Prioritized(parser.NewBlockquoteParser(), 800),
				util.Prioritized(parser.NewParagraphParser(), 1000),
			),
			parser.WithInlineParsers(
				util.Prioritized(parser.NewCodeSpanParser(), 100),
				util.Prioritized(parser.NewLinkParser(), 200),
				util.Prioritized(parser.NewAutoLinkParser(), 300),
				util.Prioritized(parser.NewEmphasisParser(), 500),
			),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		// The policy of pages refuses attributes with a style.
		goldmark.WithExtensions(extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
	)
})

// tidy removes the first heading of level 1 and returns its text, and makes the rest fit below it.
func tidy(root ast.Node, source []byte) (title string) {
	for _, n := range nodes(root) {
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 1 && title == "" {
				title = words(n, source)
				n.Parent().RemoveChild(n.Parent(), n)
			}
		case *ast.Link:
			if !isAllowed(n.Destination) {
				unwrap(n)
			}
		case *ast.Image:
			unwrap(n)
		case *ast.AutoLink:
			if !isAllowed(n.URL(source)) && n.AutoLinkType != ast.AutoLinkEmail {
				n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(source)))
			}
		case *tables.TableCell:
			if n.Parent().Kind() == tables.KindTableHeader {
				n.SetAttributeString("scope", []byte("col"))
			}
		}
	}
	level := 1
	for _, n := range nodes(root) {
		if h, ok := n.(*ast.Heading); ok {
			h.Level = max(2, min(h.Level, level+1))
			level = h.Level
		}
	}
	return title
}

// nodes returns all nodes below a node, so that they can be moved.
func nodes(root ast.Node) (list []ast.Node) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			list = append(list, n)
		}
		return ast.WalkContinue, nil
	})
	return list
}

// unwrap replaces a node by its children: a link by its words, a picture by its description.
func unwrap(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		n.Parent().InsertBefore(n.Parent(), n, child)
	}
	n.Parent().RemoveChild(n.Parent(), n)
}

// isAllowed reports whether a link may lead to a destination: to http, https, mailto, or a path or
// an id of the site.
func isAllowed(destination []byte) bool {
	address := strings.ToLower(resolved(destination))
	for _, prefix := range []string{"https://", "http://", "mailto:", "#"} {
		if strings.HasPrefix(address, prefix) {
			return true
		}
	}
	return strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") &&
		!strings.HasPrefix(address, `/\`)
}

// resolved returns a text without escapes and character references, as it will be read.
func resolved(text []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(
		util.UnescapePunctuations(text))))
}

// words returns the text of a node.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	for _, n := range nodes(n) {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(resolved(n.Segment.Value(source)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		}
	}
	return strings.TrimSpace(b.String())
}
