package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"leadline/internal/access/limit"
	"leadline/internal/coast"
)

// Origin names the source of the value of a setting.
type Origin string

// The origins; the zero Origin is the default.
const (
	Flag        Origin = "flag"
	Environment Origin = "environment"
	File        Origin = "file"
)

// String returns the name of the origin.
func (o Origin) String() string { return cmp.Or(string(o), "default") }

// Setting is one row of the table. It implements the value of its flag for both
// package flag and pflag.
type Setting struct {
	Name    string
	Default string
	Usage   string

	value  value
	origin Origin
	fault  error // error in the flag's value
}

// value is the typed field that a setting is bound to.
type value interface {
	Set(text string) error // the error completes `invalid --name "text": `
	String() string
}

// Variable returns the name of the environment variable.
func (s *Setting) Variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// Origin returns the source of the value.
func (s *Setting) Origin() Origin { return s.origin }

// String returns the value as text.
func (s *Setting) String() string {
	if s == nil || s.value == nil { // zero Setting, on which package flag calls String
		return ""
	}
	return s.value.String()
}

// json returns the value in the form used in the settings file.
func (s *Setting) json() string {
	switch s.value.(type) {
	case *boolean, *count:
		return s.String()
	case *divisor:
		if text := s.String(); text != autoWord {
			return text
		}
	}
	return strconv.Quote(s.String())
}

// Set sets the value from a flag. An empty text, such as an unset shell
// variable, sets the default. Set never returns an error: Load reports errors
// in the same words for every origin.
func (s *Setting) Set(text string) error {
	s.origin = Flag
	s.fault = nil // error in an earlier value
	if err := s.set(cmp.Or(text, s.Default)); err != nil {
		s.fault = fmt.Errorf("invalid --%s %q: %w", s.Name, s.masked(text), err)
	}
	return nil
}

func (s *Setting) set(text string) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("remove the line break or other control character")
	}
	return s.value.Set(text)
}

// load sets the value from the environment or else from the settings file,
// unless the flag has set it. Empty values count as absent.
func (s *Setting) load(fromEnvironment, fromFile, file string) error {
	name, value, origin := s.Variable(), fromEnvironment, Environment
	if value == "" {
		name, value, origin = fmt.Sprintf("%q in %s", s.Name, file), fromFile, File
	}
	if s.origin == Flag || value == "" {
		return s.fault
	}
	s.origin = origin
	if err := s.set(value); err != nil {
		return fmt.Errorf("invalid %s %q: %w", name, s.masked(value), err)
	}
	return nil
}

// masked returns a text for the setting without the password that it may contain.
func (s *Setting) masked(text string) string {
	switch s.value.(type) {
	case *proxy, *database:
		return masked(text)
	}
	return text
}

// textOf converts a JSON value from the settings file to the syntax of flags.
// Every setting accepts a string; switches, numbers and lists also accept their
// own JSON type.
func (s *Setting) textOf(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		if s.IsBoolFlag() {
			return strconv.FormatBool(v), nil
		}
	case float64:
		if s.jsonType() == numberType || s.jsonType() == divisorType {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
	case []any:
		return s.joined(v)
	}
	return "", errors.New("must be " + s.jsonType())
}

// joined returns a list of strings in the syntax of flags.
func (s *Setting) joined(values []any) (string, error) {
	words := make([]string, len(values))
	for i, v := range values {
		word, ok := v.(string)
		if !ok || s.jsonType() != listType {
			return "", errors.New("must be " + s.jsonType())
		}
		words[i] = word
	}
	return strings.Join(words, ","), nil
}

const (
	listType    = "a list of strings, or a string"
	numberType  = "a number"
	divisorType = `a number or "auto"`
)

// jsonType returns the names of the JSON types that the setting accepts.
func (s *Setting) jsonType() string {
	switch s.value.(type) {
	case *boolean:
		return "true or false"
	case *count:
		return numberType
	case *divisor:
		return divisorType
	case *list, *networks:
		return listType
	}
	return "a string"
}

// IsBoolFlag reports whether the flag can be used without a value.
func (s *Setting) IsBoolFlag() bool {
	_, ok := s.value.(*boolean)
	return ok
}

type text string

func (v *text) Set(t string) error { *v = text(t); return nil }
func (v *text) String() string     { return string(*v) }

type boolean bool

func (v *boolean) Set(t string) error {
	b, err := strconv.ParseBool(t)
	if err != nil {
		return errors.New("must be true or false")
	}
	*v = boolean(b)
	return nil
}

func (v *boolean) String() string { return strconv.FormatBool(bool(*v)) }

// list is text separated by commas or spaces.
type list []string

func (v *list) Set(t string) error {
	*v = strings.FieldsFunc(t, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

func (v *list) String() string { return strings.Join(*v, ",") }

// maxCount is the largest number that a setting accepts.
const maxCount = 1_000_000

// count is a whole number of 1 or more.
type count int

func (v *count) Set(t string) error {
	n, err := strconv.Atoi(t)
	if err != nil || n < 1 || n > maxCount {
		return fmt.Errorf("must be a whole number from 1 to %d", maxCount)
	}
	*v = count(n)
	return nil
}

func (v *count) String() string { return strconv.Itoa(int(*v)) }

type duration time.Duration

func (v *duration) Set(t string) error {
	d, err := time.ParseDuration(t)
	if err != nil || d < 0 {
		return errors.New("must be a duration such as 5s or 0s")
	}
	*v = duration(d)
	return nil
}

func (v *duration) String() string { return time.Duration(*v).String() }

// patience is a duration from 50 ms to 5 s.
type patience time.Duration

func (v *patience) Set(t string) error {
	d, err := time.ParseDuration(t)
	if err != nil || d < 50*time.Millisecond || d > 5*time.Second {
		return errors.New("must be a duration from 50ms to 5s")
	}
	*v = patience(d)
	return nil
}

func (v *patience) String() string { return time.Duration(*v).String() }

type level slog.Level

func (v *level) Set(t string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(t)); err != nil || strings.ContainsAny(t, "+-") {
		return errors.New("must be debug, info, warn or error")
	}
	*v = level(l)
	return nil
}

func (v *level) String() string { return strings.ToLower(slog.Level(*v).String()) }

// choice is one of several words.
type choice struct {
	to    *string
	words []string
}

func (v choice) Set(t string) error {
	if !slices.Contains(v.words, t) {
		last := len(v.words) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(v.words[:last], ", "), v.words[last])
	}
	*v.to = t
	return nil
}

func (v choice) String() string { return *v.to }

// networks are CIDR prefixes and addresses, separated by commas.
type networks []netip.Prefix

func (v *networks) Set(t string) error {
	var words list
	if err := words.Set(t); err != nil {
		return err
	}
	prefixes, err := limit.ReadProxies(words)
	*v = prefixes
	return err
}

func (v *networks) String() string {
	var words list
	for _, p := range *v {
		words = append(words, p.String())
	}
	return words.String()
}

// proxy is the URL of an HTTP proxy. Its credentials are masked when it is printed.
type proxy string

func (v *proxy) Set(t string) error {
	if t == "" {
		*v = ""
		return nil
	}
	u, err := url.Parse(t)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be a scheme and a host such as http://proxy.internal:4750")
	}
	*v = proxy(t)
	return nil
}

func (v *proxy) String() string { return masked(string(*v)) }

// The places of passwords in the URL of a proxy or a database: after the user's name, and as a
// parameter.
var (
	userPassword  = coast.Pattern(`^([A-Za-z0-9+.-]*:?//[^:/@]*):.*@`)
	passwordParam = coast.Pattern(`([?&](?:ssl)?password=)[^&]*`)
)

// masked returns a URL, valid or not, with its password replaced.
func masked(address string) string {
	address = userPassword().ReplaceAllString(address, "$1:xxxxx@")
	return passwordParam().ReplaceAllString(address, "${1}xxxxx")
}

// database is the URL of a PostgreSQL database. Its password is masked when it is printed.
type database string

func (v *database) Set(t string) error {
	scheme, rest, _ := strings.Cut(t, "://")
	if t != "" && (scheme != "postgres" && scheme != "postgresql" || rest == "") {
		return errors.New("must be a URL such as postgres://leadline@db.example.org/leadline, or " +
			"empty for the file in the data folder")
	}
	*v = database(t)
	return nil
}

func (v *database) String() string { return masked(string(*v)) }

// longestLabel is the maximum length of a label in bytes.
const longestLabel = 63

// label is a short name.
type label string

func (v *label) Set(t string) error {
	if len(t) > longestLabel || len(t) != utf8.RuneCountInString(t) {
		return fmt.Errorf("must have at most %d ASCII characters", longestLabel)
	}
	*v = label(t)
	return nil
}

func (v *label) String() string { return string(*v) }

// autoWord is the value of settings that the program chooses itself.
const autoWord = "auto"

// mostDivisor is the largest number of instances.
const mostDivisor = 64

// divisor is a number of instances, or 0 for auto.
type divisor int

func (v *divisor) Set(t string) error {
	n, err := strconv.Atoi(t)
	switch {
	case t == autoWord:
		n = 0
	case err != nil || n < 1 || n > mostDivisor:
		return fmt.Errorf("must be %s or a whole number from 1 to %d", autoWord, mostDivisor)
	}
	*v = divisor(n)
	return nil
}

func (v *divisor) String() string {
	if *v == 0 {
		return autoWord
	}
	return strconv.Itoa(int(*v))
}

// webURL is an absolute URL with http or https.
type webURL string

func (v *webURL) Set(t string) error {
	u, err := url.Parse(t)
	if t != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil) {
		return errors.New("must be a URL such as https://example.org/release.json")
	}
	*v = webURL(t)
	return nil
}

func (v *webURL) String() string { return string(*v) }

// origin is the scheme and host of a server.
type origin string

func (v *origin) Set(t string) error {
	if t == "" {
		*v = ""
		return nil
	}
	u, err := url.Parse(t)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" ||
		u.Host == "" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return errors.New("must be a scheme and a host such as https://tides.example.org")
	}
	*v = origin(u.Scheme + "://" + u.Host)
	return nil
}

func (v *origin) String() string { return string(*v) }
