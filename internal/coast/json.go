package coast

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// AppendJSON appends a text as a JSON string, with the same bytes as encoding/json but in a
// third of the time.
func AppendJSON[T string | []byte](b []byte, text T) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case unescaped[c]:
		case c == '\n':
			b = append(append(b, text[from:i]...), `\n`...)
			from = i + 1
		case c == '"' || c == '\\':
			b = append(append(b, text[from:i]...), '\\', c)
			from = i + 1
		default:
			character := string(text[i:min(i+utf8.UTFMax, len(text))])
			_, size := utf8.DecodeRuneInString(character)
			b = append(b, text[from:i]...)
			b = appendRare(b, character[:size])
			i += size - 1
			from = i + 1
		}
	}
	return append(append(b, text[from:]...), '"')
}

// unescaped marks the bytes that encoding/json writes as they are.
var unescaped = func() (marked [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		marked[c] = strings.IndexByte(`"\<>&`, c) < 0
	}
	return marked
}()

// appendRare appends one character as encoding/json escapes it.
func appendRare(b []byte, character string) []byte {
	text, _ := json.Marshal(character) // a string always encodes
	return append(b, text[1:len(text)-1]...)
}
