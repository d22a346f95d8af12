package noaa

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"leadline/internal/coast"
)

// decoding is the state of a body that is being read. err is the first fault, an unknown format.
type decoding struct {
	err    error
	row    int  // row of the current list, 0 outside of lists
	loose  bool // accept the variants of documents; see openDocument
	values []float64
	shared string // the text that sharedText returned last
}

func (w *decoding) unknown(format string, args ...any) {
	if w.err != nil {
		return
	}
	place := "unknown format: "
	if w.row > 0 {
		place += "row " + strconv.Itoa(w.row) + ": "
	}
	w.err = fmt.Errorf(place+format, args...)
}

// record is one object of a body. Its methods return the values of its members; a value that is
// neither of the expected kind nor empty is a fault. Of members with the same key the last counts.
type record struct {
	*decoding
	fields []field
	null   bool // the body is null in place of an object: there is no data
}

// field is one member of an object: its key, and its value as written.
type field struct{ key, raw []byte }

// openRecord reads a body of the data service, which is one object.
func openRecord(body []byte) *record { return newRecord(body, false) }

// openDocument reads a body of the metadata or the derived-product service, which is one object
// or null. The format of these small documents varies: numbers may be strings, a missing value is
// null, "" or "null", and one key has several spellings.
func openDocument(body []byte) *record { return newRecord(body, true) }

func newRecord(body []byte, loose bool) *record {
	r := &record{decoding: &decoding{loose: loose}}
	body = utf8Body(body)
	dec := decoder(body)
	r.null = loose && dec.PeekKind() == 'n'
	err := error(nil)
	if r.null {
		err = dec.SkipValue()
	} else {
		err = r.read(dec, body)
	}
	if err == nil {
		if _, err = dec.ReadToken(); err == nil {
			err = errors.New("data after the object")
		}
	}
	if err != io.EOF {
		r.err = fmt.Errorf("not a JSON object: %w", err)
		r.fields = nil // the last one may be incomplete
	}
	return r
}

// utf8Body returns a body as UTF-8. The service declares ISO-8859-1 and writes ASCII; a body that
// is not UTF-8 is read as ISO-8859-1.
func utf8Body(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, b := range body {
		out = utf8.AppendRune(out, rune(b))
	}
	return out
}

func decoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(slices.Clip(text)),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// read replaces the fields of r with the fields of the next object of a text.
func (r *record) read(dec *jsontext.Decoder, text []byte) error {
	r.fields = r.fields[:0]
	if kind := dec.PeekKind(); kind != '{' && kind != 0 {
		return fmt.Errorf("%v in place of an object", kind)
	}
	if _, err := dec.ReadToken(); err != nil {
		return notEnded(err)
	}
	for dec.PeekKind() != '}' {
		key, err := next(dec, text)
		if err != nil {
			return notEnded(err)
		}
		value, err := next(dec, text)
		if err != nil {
			return notEnded(err)
		}
		r.fields = append(r.fields, field{characters(key), value})
	}
	_, err := dec.ReadToken()
	return err
}

// next returns the next value as a part of the text, which stays valid, unlike the decoder's
// buffer.
func next(dec *jsontext.Decoder, text []byte) ([]byte, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(dec.InputOffset())
	return text[end-len(value) : end], nil
}

// notEnded distinguishes a text that ends within a value from one that was read completely.
func notEnded(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// characters returns the content of a string without hidden characters and line breaks. Usually it
// is a part of the text.
func characters(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	for _, c := range inner {
		if c == '\\' || c >= 0x7f {
			integer, _ := jsontext.AppendUnquote(nil, raw) // half a pair of surrogates is U+FFFD
			return []byte(coast.Clean(string(integer)))
		}
	}
	return inner
}

// raw returns the first of some members that is not empty, nil if all are.
func (r *record) raw(names ...string) []byte {
	for _, name := range names {
		for i := len(r.fields) - 1; i >= 0; i-- {
			if f := r.fields[i]; r.same(f.key, name) {
				if !r.empty(f.raw) {
					return f.raw
				}
				break
			}
		}
	}
	return nil
}

// has reports whether one of some members exists, even if it is empty.
func (r *record) has(names ...string) bool {
	return slices.ContainsFunc(r.fields, func(f field) bool {
		return slices.ContainsFunc(names, func(name string) bool { return r.same(f.key, name) })
	})
}

// need records a fault if none of some members exists: an object of an unknown format would be read
// as one without values.
func (r *record) need(names ...string) {
	if !r.null && !r.has(names...) {
		r.unknown("no %s", strings.Join(names, " nor "))
	}
}

// same compares a key with a name; in documents it ignores case and underscores.
func (r *record) same(key []byte, name string) bool {
	return string(key) == name || r.loose && sameKey(key, name)
}

func sameKey(key []byte, name string) bool {
	i, j := 0, 0
	for {
		for i < len(key) && key[i] == '_' {
			i++
		}
		for j < len(name) && name[j] == '_' {
			j++
		}
		if i == len(key) || j == len(name) {
			return i == len(key) && j == len(name)
		}
		if lower(key[i]) != lower(name[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// empty reports whether a value is one of the representations of a missing value.
func (r *record) empty(raw []byte) bool {
	if raw[0] != '"' {
		return raw[0] == 'n'
	}
	if c := raw[1]; !r.loose && '!' <= c && c <= '~' && c != '"' && c != '\\' {
		return false // the usual case: the rest is not read
	}
	inner := bytes.TrimSpace(characters(raw))
	return len(inner) == 0 || r.loose && string(inner) == "null"
}

// each calls add with each object of a list, in the same record: add must copy what it stores. each
// reports whether there is a list.
func (r *record) each(name string, add func(row *record)) bool {
	row := &record{decoding: r.decoding}
	outer := r.row
	defer func() { r.row = outer }()
	r.row = 0
	return r.elements(name, func(dec *jsontext.Decoder, text []byte) error {
		r.row++
		if dec.PeekKind() != '{' {
			r.unknown("%s has a row that is not an object", name)
			return dec.SkipValue()
		}
		err := row.read(dec, text)
		if err == nil && r.err == nil {
			add(row)
		}
		return err
	})
}

// list is each for a required list.
func (r *record) list(name string, add func(row *record)) {
	if !r.each(name, add) {
		r.unknown("%s is not a list", name)
	}
}

// elements calls read for each element of a list. It reports whether there is a list.
func (r *record) elements(name string, read func(dec *jsontext.Decoder, text []byte) error) bool {
	text := r.raw(name)
	if text == nil {
		return false
	}
	if text[0] != '[' {
		r.unknown("%s is not a list", name)
		return false
	}
	dec := decoder(text)
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != ']' {
		err = read(dec, text)
	}
	if err != nil { // impossible: the text was read before
		r.unknown("%s: %w", name, err)
	}
	return true
}

// object returns a member that is an object; nil if there is none.
func (r *record) object(name string) *record {
	text := r.raw(name)
	if text == nil {
		return nil
	}
	inner := &record{decoding: r.decoding}
	if text[0] != '{' || inner.read(decoder(text), text) != nil {
		r.unknown("%s is not an object", name)
		return nil
	}
	return inner
}
