package noaa

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// rows reads the rows of one body: small objects of strings. It keeps the
// first form that is not known in err and reads on, for a body may still say
// in its error member why there is nothing to read.
type rows struct {
	*scanner
	err     error
	count   int      // rows so far, the one at hand included
	members []member // of the row at hand
	values  []float64
	flags   string // of the row before: most rows have the same
}

// member is one member of a row.
type member struct {
	key   []byte
	value scalar
}

// row reads the next object of the text.
func (r *rows) row() {
	r.count++
	r.members = r.members[:0]
	r.object(func(key []byte) { r.members = append(r.members, member{key, r.scalar()}) })
}

// list reads an array of rows and hands each to add.
func (r *rows) list(add func()) {
	r.objects(func() {
		if r.row(); r.scanner.err == nil {
			add()
		}
	})
}

// objects reads an array of objects. each is called at each and must consume
// it.
func (r *rows) objects(each func()) {
	if r.space() != '[' {
		r.unknown("rows that are no list")
		r.scalar()
		return
	}
	r.array(func() {
		if r.space() != '{' {
			r.unknown("a row that is no object")
			r.scalar()
			return
		}
		each()
	})
}

// unknown notes a form that is not known.
func (r *rows) unknown(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("row %d: "+format, append([]any{r.count}, args...)...)
	}
}

// member returns a member of the row, of several with one key the last, with
// the spaces around a string taken away.
func (r *rows) member(key string) (value scalar, ok bool) {
	for i := len(r.members) - 1; i >= 0; i-- {
		if string(r.members[i].key) == key {
			value = r.members[i].value
			value.bytes = bytes.TrimSpace(value.bytes)
			if value.kind == other {
				r.unknown("%s is neither text nor number", key)
			}
			return value, true
		}
	}
	return scalar{}, false
}

// need notes a fault if the row has no such member: a row in another form than
// the one that is known would read as one without values.
func (r *rows) need(key string) {
	if _, ok := r.member(key); !ok {
		r.unknown("no %s", key)
	}
}

// text is a member's text, empty where there is none.
func (r *rows) text(key string) string {
	value, _ := r.member(key)
	return string(value.bytes)
}

// oneOf is a member's text, which must be one of some.
func (r *rows) oneOf(key string, allowed ...string) string {
	value, _ := r.member(key)
	for _, a := range allowed {
		if string(value.bytes) == a {
			return a
		}
	}
	r.unknown("%s is %.20q", key, value.bytes)
	return ""
}

// flagged is a member's text, shared with the row before where it is the same.
func (r *rows) flagged(key string) string {
	if value, _ := r.member(key); string(value.bytes) != r.flags {
		r.flags = string(value.bytes)
	}
	return r.flags
}

// value is a number that the row must have a place for; nil where the place
// is empty.
func (r *rows) value(key string) *float64 {
	r.need(key)
	return r.number(key)
}

// number is a number, nil where there is none.
func (r *rows) number(key string) *float64 {
	value, _ := r.member(key)
	if len(value.bytes) == 0 {
		return nil
	}
	x, ok := decimal(value.bytes)
	if !ok {
		r.unknown("%s is %.20q, no number", key, value.bytes)
		return nil
	}
	return r.keep(x)
}

// certain is a number that must be there.
func (r *rows) certain(key string) float64 {
	if x := r.value(key); x != nil {
		return *x
	}
	r.unknown("%s is empty", key)
	return 0
}

// whole is an integer that must be there.
func (r *rows) whole(key string) int {
	value, _ := r.member(key)
	n, err := strconv.Atoi(string(value.bytes))
	if err != nil {
		r.unknown("%s is %.20q, no whole number", key, value.bytes)
	}
	return n
}

// keep returns the address of x in a block of many: one a number would be
// 15,000 allocations a month.
func (r *rows) keep(x float64) *float64 {
	if len(r.values) == cap(r.values) {
		r.values = make([]float64, 0, 512)
	}
	r.values = append(r.values, x)
	return &r.values[len(r.values)-1]
}

// time is an instant to the minute that must be there, written in UTC.
func (r *rows) time(key string) time.Time { return certain(r, key, "time", instant) }

// day is a day that must be there.
func (r *rows) day(key string) time.Time { return certain(r, key, "day", date) }

// clock is a time of day, hh:mm.
func (r *rows) clock(key string) time.Duration { return certain(r, key, "time of day", clock) }

// certain reads a member that must be there and be what it is called.
func certain[T any](r *rows, key, what string, read func([]byte) (T, bool)) T {
	value, _ := r.member(key)
	v, ok := read(value.bytes)
	if !ok {
		r.unknown("%s is %.20q, no %s", key, value.bytes, what)
	}
	return v
}

// decimal reads a decimal number exactly: what strconv reads, without its
// words (inf, nan), its hexadecimal numbers and its underscores.
func decimal(b []byte) (float64, bool) {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(b), 64)
	return x, err == nil // beyond the largest number: an error
}

// instant reads yyyy-mm-dd hh:mm.
func instant(b []byte) (time.Time, bool) {
	if len(b) != len("yyyy-mm-dd hh:mm") || b[10] != ' ' {
		return time.Time{}, false
	}
	day, ok := date(b[:10])
	at, fine := clock(b[11:])
	return day.Add(at), ok && fine
}

// date reads yyyy-mm-dd or yyyymmdd.
func date(b []byte) (time.Time, bool) {
	switch {
	case len(b) == 10 && b[4] == '-' && b[7] == '-':
		return civil(b[:4], b[5:7], b[8:])
	case len(b) == 8:
		return civil(b[:4], b[4:6], b[6:])
	}
	return time.Time{}, false
}

// civil is the day of a calendar date, which must be one.
func civil(year, month, day []byte) (time.Time, bool) {
	y, m, d := digits(year), digits(month), digits(day)
	if y < 0 || m < 1 || m > 12 || d < 1 || d > 31 {
		return time.Time{}, false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d
}

// clock reads hh:mm.
func clock(b []byte) (time.Duration, bool) {
	if len(b) != 5 || b[2] != ':' {
		return 0, false
	}
	h, m := digits(b[:2]), digits(b[3:])
	ok := 0 <= h && h < 24 && 0 <= m && m < 60
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute, ok
}

// digits is the number that some digits write, -1 if there is another byte.
func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// A month of water levels is 7,440 rows in 600 kB, and encoding/json takes
// some 20 ms to make Go values of them. The scanner reads the same JSON (all
// of it: escapes, any order of keys, unknown members) in a pass that copies
// nothing; FuzzScanner holds it to encoding/json.

// scanner reads a JSON text from front to back. Its methods consume what
// they name; after the first fault, kept in err, they do nothing.
type scanner struct {
	text  []byte // UTF-8
	at    int    // the next byte
	depth int
	err   error
}

// maxDepth is how deep values nest at most, as in encoding/json.
const maxDepth = 10000

// kind is what a scalar is.
type kind byte

const (
	absent kind = iota // no such member, or null
	text               // a string
	number             // a number
	other              // true, false, a list or an object: skipped, not read
)

// scalar is a value and its bytes: of a string those between the quotes with
// escapes resolved, of a number all. They are good as long as the text is.
type scalar struct {
	kind  kind
	bytes []byte
}

// fail notes the first fault and stops the scanner.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("byte %d: "+format, append([]any{s.at}, args...)...)
	}
	s.at = len(s.text)
}

// space skips white space and returns the byte behind it, 0 at the end.
func (s *scanner) space() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	return 0
}

// take consumes c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.space() != c || s.at == len(s.text) {
		return false
	}
	s.at++
	return true
}

// expect consumes c, which must come next.
func (s *scanner) expect(c byte) {
	if !s.take(c) {
		s.fail("no %q where it must stand", c)
	}
}

// end reports the scanner's fault, or that of a text that goes on.
func (s *scanner) end() error {
	if s.space(); s.at < len(s.text) {
		s.fail("more behind the value")
	}
	return s.err
}

// object reads an object. member is called at each member's value and must
// consume it.
func (s *scanner) object(member func(key []byte)) {
	s.list('{', '}', func() {
		if s.space() != '"' {
			s.fail("no key where it must stand")
			return
		}
		key := s.quoted()
		if s.expect(':'); s.err == nil {
			member(key)
		}
	})
}

// array reads an array. element is called at each element and must consume it.
func (s *scanner) array(element func()) { s.list('[', ']', element) }

func (s *scanner) list(open, shut byte, element func()) {
	s.expect(open)
	if s.depth++; s.depth > maxDepth {
		s.fail("nested deeper than %d", maxDepth)
	}
	if !s.take(shut) {
		for s.err == nil {
			element()
			if s.take(shut) {
				break
			}
			s.expect(',')
		}
	}
	s.depth--
}

// scalar reads any value; of an array or an object it says only that it is
// one.
func (s *scanner) scalar() scalar {
	switch c := s.space(); {
	case c == '"':
		return scalar{text, s.quoted()}
	case c == '-' || '0' <= c && c <= '9':
		return scalar{number, s.digits()}
	case c == '{':
		s.object(func([]byte) { s.scalar() })
	case c == '[':
		s.array(func() { s.scalar() })
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
		return scalar{}
	default:
		s.fail("no value where one must stand")
	}
	return scalar{kind: other}
}

func (s *scanner) word(w string) {
	if len(s.text)-s.at < len(w) || string(s.text[s.at:s.at+len(w)]) != w {
		s.fail("no value where one must stand")
		return
	}
	s.at += len(w)
}

// digits reads a number: -? (0|[1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
func (s *scanner) digits() []byte {
	start := s.at
	s.sign("-")
	if s.next() == '0' {
		s.at++
	} else {
		s.run()
	}
	if s.next() == '.' {
		s.at++
		s.run()
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.at++
		s.sign("+-")
		s.run()
	}
	return s.text[start:s.at]
}

// next is the byte at hand, 0 at the end.
func (s *scanner) next() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) sign(signs string) {
	for i := range signs {
		if s.next() == signs[i] {
			s.at++
			return
		}
	}
}

// run reads digits, at least one.
func (s *scanner) run() {
	start := s.at
	for c := s.next(); '0' <= c && c <= '9'; c = s.next() {
		s.at++
	}
	if s.at == start {
		s.fail("no digit where one must stand")
	}
}

// quoted reads a string, at whose opening quote the scanner stands. One
// without escapes is a part of the text.
func (s *scanner) quoted() []byte {
	s.at++
	for i := s.at; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			out := s.text[s.at:i]
			s.at = i + 1
			return out
		case c == '\\':
			return s.escaped(i)
		case c < ' ':
			s.fail("a control character in a string")
			return nil
		}
	}
	s.fail("a string does not end")
	return nil
}

// escaped reads the rest of a string whose first backslash stands at i.
func (s *scanner) escaped(i int) []byte {
	out := append([]byte(nil), s.text[s.at:i]...)
	for s.at = i; s.at < len(s.text); {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '"':
			return out
		case c == '\\':
			out = s.escape(out)
		case c < ' ':
			s.fail("a control character in a string")
		default:
			out = append(out, c)
		}
	}
	s.fail("a string does not end")
	return nil
}

// escape appends what the escape behind a backslash stands for.
func (s *scanner) escape(out []byte) []byte {
	c := s.next()
	s.at++
	switch c {
	case '"', '\\', '/':
		return append(out, c)
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'u':
		return utf8.AppendRune(out, s.rune())
	}
	s.fail("an escape that JSON does not have")
	return out
}

// rune reads the digits of \u, and those of a second half where the first is
// one half of a pair. A half alone is U+FFFD.
func (s *scanner) rune() rune {
	r, err := s.hex(s.at)
	if err != nil {
		s.fail("%w", err)
		return 0
	}
	s.at += 4
	if !utf16.IsSurrogate(r) {
		return r
	}
	if s.at+1 < len(s.text) && s.text[s.at] == '\\' && s.text[s.at+1] == 'u' {
		if low, err := s.hex(s.at + 2); err == nil && utf16.DecodeRune(r, low) != utf8.RuneError {
			s.at += 6
			return utf16.DecodeRune(r, low)
		}
	}
	return utf8.RuneError
}

var errHex = errors.New("no four hexadecimal digits behind \\u")

func (s *scanner) hex(at int) (rune, error) {
	if len(s.text)-at < 4 {
		return 0, errHex
	}
	var r rune
	for _, c := range s.text[at : at+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, errHex
		}
		r = r<<4 | rune(c)
	}
	return r, nil
}
