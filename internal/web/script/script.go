// Package script embeds the modules that make pages more convenient. Pages work without them.
package script

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed *.js
var files embed.FS

// besides matches the indentation, the comments and the empty lines of a module.
var besides = regexp.MustCompile(`(?m)^ *// .*\n|^\n|^ +| // .*$`)

// Module returns the text of a module as it is sent: its first line, which says what it does, and
// its code without comments and indentation. It panics if there is no module with the name,
// because the modules are part of the binary.
func Module(name string) string {
	b, err := files.ReadFile(name + ".js")
	if err != nil {
		panic(err)
	}
	about, code, _ := strings.Cut(string(b), "\n")
	return about + "\n" + besides.ReplaceAllString(code, "")
}
