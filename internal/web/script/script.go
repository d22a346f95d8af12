// Package script embeds the modules that make pages more convenient. Pages work without them.
package script

import (
	"embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed *.js
var files embed.FS

// besides matches the indentation, the comments and the empty lines of a module.
var besides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ *// .*\n|^\n|^ +| // .*$`)
})

// Modules returns the texts of modules as they are sent: the first line of each, which says what it
// does, and its code without comments and indentation. It panics if there is no module with one of
// the names, because the modules are part of the binary.
func Modules(names ...string) string {
	var texts []string
	for _, name := range names {
		texts = append(texts, module(name))
	}
	return strings.Join(texts, "\n")
}

// module returns the text of one module.
func module(name string) string {
	b, err := files.ReadFile(name + ".js")
	if err != nil {
		panic(err)
	}
	about, code, _ := strings.Cut(string(b), "\n")
	return about + "\n" + besides().ReplaceAllString(code, "")
}
