package web

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode/utf8"

	"leadline/internal/page"
	"leadline/internal/web/markdown"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// The pages whose texts an operator may replace.
var textPages = []struct{ name, title, description string }{
	{"privacy", "Privacy", "What this server stores about people, how long, and how to delete it."},
	{"terms", "Terms of use", "The terms of use of this server."},
	{"support", "Support", "Where to get help with this server."},
}

// maxText limits the length of a text in bytes.
const maxText = 256 << 10

//go:embed texts/*.md
var defaultTexts embed.FS

// Texts are texts in Markdown by the name of their page: privacy, terms or support.
type Texts map[string][]byte

// ReadTexts reads the texts in a folder that replace those of the program: privacy.md, terms.md
// and support.md, each of at most 256 KiB. Files that do not exist are left out.
func ReadTexts(folder string) (Texts, error) {
	if info, err := os.Stat(folder); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, errors.New("it is not a folder")
	}
	texts := Texts{}
	for _, p := range textPages {
		text, err := readText(filepath.Join(folder, p.name+".md"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		texts[p.name] = text
	}
	return texts, nil
}

// readText reads a file that must have text.
func readText(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // reading from a pipe would wait
		return nil, fmt.Errorf("%s is not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxText:
		return nil, fmt.Errorf("%s has more than %d KiB", name, maxText>>10)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, fmt.Errorf("%s is empty", name)
	case !utf8.Valid(text):
		return nil, fmt.Errorf("%s is not in UTF-8", name)
	}
	return text, nil
}

// facts are about this server; the texts of the program depend on them.
type facts struct {
	Contact  string // in Markdown; "" if there is none
	Accounts bool
	Offline  bool
}

// text returns the text of a page in Markdown: that of the operator, or that of the program.
func (c Config) text(name string) []byte {
	if text, ok := c.Texts[name]; ok {
		return text
	}
	all := texttemplate.Must(texttemplate.ParseFS(defaultTexts, "texts/*.md"))
	var b bytes.Buffer
	about := facts{contactLink(c.Contact), c.Site.Accounts, c.Offline}
	if err := all.ExecuteTemplate(&b, name+".md", about); err != nil {
		panic(fmt.Errorf("write the text of %s: %w", name, err)) // a fault of the program
	}
	return b.Bytes()
}

// contactLink returns a mail address or a URL as a link in Markdown, and another text without any
// meaning in it.
func contactLink(contact string) string {
	link := !strings.ContainsAny(contact, " <>")
	if link && (strings.HasPrefix(contact, "http") || strings.Contains(contact, "@")) {
		return "<" + contact + ">"
	}
	var b strings.Builder
	for _, r := range contact {
		if strings.ContainsRune("\\`*_{}[]<>()#+-.!|&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

var textView = view.New[textPage](files, view.Styled(textStyle), "text", "suggest")

// textPage is a page that consists of a text.
type textPage struct {
	page.Frame
	Title string
	Text  template.HTML
}

// textStyle keeps lines short, and wide tables within the page.
const textStyle = `
.prose { max-width: 44rem; }
.prose h2 { margin-top: 2rem; }
.prose li { margin-bottom: .375rem; }
.prose td:first-child { width: 60%; }
.prose pre { overflow-x: auto; }
@media (max-width: 40em) {
  .prose tr { display: block; padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .prose thead { display: none; }
  .prose td { display: block; padding: 0; border: 0; }
  .prose td:first-child { width: auto; }
  .prose td + td { color: var(--soft); }
}
`

// texts returns the handlers of the texts by their path.
func (s *Server) texts() map[string]http.HandlerFunc {
	handlers := map[string]http.HandlerFunc{}
	for _, p := range textPages {
		path := "/" + p.name
		d := markdown.Render(s.c.text(p.name))
		v := textPage{Title: cmp.Or(d.Title, p.title), Text: d.HTML}
		v.Frame = s.Frame("", p.description)
		v.Canonical = s.Base + path
		handlers[path] = func(w http.ResponseWriter, r *http.Request) {
			s.Once(w, r, path, func(context.Context, time.Time) site.Response {
				return site.Render(textView, v, 5*time.Minute)
			})
		}
	}
	return handlers
}
