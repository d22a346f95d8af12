package coast

import (
	"regexp"
	"sync"
)

// Pattern returns a function with the regular expression of a text. It is compiled when it is first
// used, because most commands of the program use few of them. That panics if the text, which is
// part of the binary, is not valid.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
