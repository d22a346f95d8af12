package nws

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// cleanJSON applies clean to the strings of a JSON text, including keys. It returns the text
// itself if nothing changes or the text is not JSON.
func cleanJSON(text []byte, clean func(string) string) []byte {
	if !special(text) {
		return text
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(slices.Clip(text)),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out, buffer []byte
	from := 0 // of what is not yet in out
	for {
		if dec.PeekKind() != '"' {
			switch _, err := dec.ReadToken(); {
			case err == io.EOF && out != nil:
				return append(out, text[from:]...)
			case err != nil:
				return text
			}
			continue
		}
		quoted, err := dec.ReadValue()
		if err != nil {
			return text
		}
		if !special(quoted) {
			continue
		}
		buffer, _ = jsontext.AppendUnquote(buffer[:0], quoted) // half a pair of surrogates is U+FFFD
		before := string(buffer)
		if after := clean(before); after != before {
			end := int(dec.InputOffset())
			out = append(out, text[from:end-len(quoted)]...)
			out, _ = jsontext.AppendQuote(out, after) // valid UTF-8, as unquoted
			from = end
		}
	}
}

// special reports whether a text has characters beyond ASCII, or escapes.
func special(text []byte) bool {
	return slices.ContainsFunc(text, func(c byte) bool { return c == '\\' || c >= 0x7f })
}
