package edge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// aKey has the format of an API key.
const aKey = "ldl_live_AbCdEfG" + "0123456789abcdefghijklmnopqrstuvw" + "XYZxyz"

// says has a String method that panics on a nil pointer.
type says struct{ text string }

func (s *says) String() string { return s.text }

// raw is a named slice of bytes.
type raw []byte

// valuer is logged as a group.
type valuer struct{ text string }

func (v valuer) LogValue() slog.Value { return slog.GroupValue(slog.String("inside", v.text)) }

// Tokens in formats other than an API key's.
const (
	jwt   = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
	basic = "Y2xpZW50OnNlY3JldC1zZWNyZXQ="

	refresh = "ldr_0123456789-abcdefghijklmnopqrstuvwxyz_ABCDEF"
)

// handlers lists the handlers that a log may have.
var handlers = map[string]func(*bytes.Buffer) slog.Handler{
	"json": func(b *bytes.Buffer) slog.Handler {
		return slog.NewJSONHandler(b, &slog.HandlerOptions{ReplaceAttr: Scrub})
	},
	"text": func(b *bytes.Buffer) slog.Handler {
		return slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: Scrub})
	},
}

// TestCase44Scrub logs a credential in every possible way.
func TestCase44Scrub(t *testing.T) {
	request, _ := http.NewRequest("GET", "http://example.org/?key="+aKey, nil)
	request.Header.Set("Authorization", "Bearer "+jwt)
	request.Header.Set("X-Api-Key", "not of our form")
	plain := http.Header{
		"Authorization":       {jwt, jwt},
		"Proxy-Authorization": {basic},
		"X-Api-Key":           {"not of our", "form"},
		"Cookie":              {"leadline=not of our form"},
		"Set-Cookie":          {"leadline=not of our form"},
		"Accept":              {"text/plain"},
	}
	pointed := aKey
	for name, log := range map[string]func(*slog.Logger){
		"message": func(l *slog.Logger) { l.Info("got " + aKey) },
		"tokens": func(l *slog.Logger) {
			l.Info("got "+jwt, "path", "/oauth/join?t="+refresh, "error", errors.New(refresh))
		},
		"cookie":   func(l *slog.Logger) { l.Info("", "set_cookie", "leadline=not of our form") },
		"string":   func(l *slog.Logger) { l.Info("", "path", "/"+aKey) },
		"two keys": func(l *slog.Logger) { l.Info("", "path", aKey+aKey) },
		"error": func(l *slog.Logger) {
			l.Info("", "error", fmt.Errorf("reading: %w", errors.New(aKey)))
		},
		"panic":       func(l *slog.Logger) { l.Info("", "panic", any(aKey)) },
		"Stringer":    func(l *slog.Logger) { l.Info("", "says", &says{aKey}) },
		"URL":         func(l *slog.Logger) { l.Info("", "url", request.URL) },
		"bytes":       func(l *slog.Logger) { l.Info("", "body", []byte(aKey)) },
		"named bytes": func(l *slog.Logger) { l.Info("", "body", raw(aKey)) },
		"raw JSON":    func(l *slog.Logger) { l.Info("", "body", json.RawMessage(`{"key":"`+aKey+`"}`)) },
		"strings":     func(l *slog.Logger) { l.Info("", "list", []string{"a", aKey}) },
		"struct":      func(l *slog.Logger) { l.Info("", "v", struct{ A, b string }{aKey, aKey}) },
		"map":         func(l *slog.Logger) { l.Info("", "v", map[string]any{"a": aKey}) },
		"pointer":     func(l *slog.Logger) { l.Info("", "v", struct{ P *string }{&pointed}) },
		"group": func(l *slog.Logger) {
			l.Info("", slog.Group("g", slog.Group("h", slog.String("a", aKey))))
		},
		"group of a log": func(l *slog.Logger) { l.WithGroup("g").With("a", aKey).Info("") },
		"attribute":      func(l *slog.Logger) { l.With("a", aKey).Info("") },
		"LogValuer":      func(l *slog.Logger) { l.Info("", "v", valuer{aKey}) },
		"named attribute": func(l *slog.Logger) {
			l.Info("", "Authorization", jwt, "x_api_key", []byte(jwt))
		},
		"named group": func(l *slog.Logger) {
			l.Info("", slog.Group("X-Api-Key", slog.String("a", jwt)))
		},
		"header":          func(l *slog.Logger) { l.Info("", "header", plain) },
		"values":          func(l *slog.Logger) { l.Info("", "values", url.Values(plain)) },
		"request":         func(l *slog.Logger) { l.Info("", "request", request) },
		"bearer in text":  func(l *slog.Logger) { l.Info("sent AUTHORIZATION: BEARER " + jwt) },
		"basic in text":   func(l *slog.Logger) { l.Info("sent authorization: basic " + basic) },
		"own key in text": func(l *slog.Logger) { l.Info("sent X-API-Key: " + jwt) },
		"header as JSON": func(l *slog.Logger) {
			l.Info("", "body", []byte(`{"Authorization":["Bearer `+jwt+`"],"X-Api-Key":["`+jwt+`"]}`))
		},
		"message of net": func(l *slog.Logger) {
			slog.NewLogLogger(l.Handler(), slog.LevelInfo).Print(aKey)
		},
		"with, then group": func(l *slog.Logger) {
			l.With("a", "b").WithGroup("g").Info("", "c", raw(aKey))
		},
	} {
		for form, handler := range handlers {
			var b bytes.Buffer
			log(slog.New(handler(&b)))
			for _, never := range []string{aKey[9+7:], jwt, basic, refresh[4:], "not of our", "form"} {
				if strings.Contains(b.String(), never) {
					t.Errorf("%s, %s: the log contains %s: %s", name, form, never, b.String())
				}
			}
			if b.Len() == 0 {
				t.Errorf("%s, %s: nothing logged", name, form)
			}
		}
	}
}

// TestScrubLeaves checks what is logged unchanged.
func TestScrubLeaves(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(handlers["json"](&b))
	var none *says
	log.Warn("checking authorization: the store is closed",
		"n", 5, "took", 3*time.Second, "at", time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC), "ok", true,
		"none", none, "nil", nil, "tier", "Bearer credential", "ask", "x-api-key and authorization",
		"key", "ldl_live_AbCdEfG", "list", []int{1, 2}, "accept", http.Header{"Accept": {"text/plain"}})
	_, got, _ := strings.Cut(b.String(), ",") // after the time in the line
	want := `"level":"WARN","msg":"checking authorization: the store is closed","n":5,"took":3000000000,"at":"2026-11-20T17:00:00Z","ok":true,` +
		`"none":"<nil>","nil":"<nil>","tier":"Bearer credential","ask":"x-api-key and authorization","key":"ldl_live_AbCdEfG","list":"[1 2]",` +
		`"accept":"map[Accept:[text/plain]]"}` + "\n"
	if got != want {
		t.Errorf("logged\n%s, want\n%s", got, want)
	}
}

// FuzzScrub checks that no key is logged.
func FuzzScrub(f *testing.F) {
	f.Add("", "")
	f.Add("Authorization: Bearer ", "x")
	f.Add("x-api-key:[", "]")
	f.Add("ldl_live_", aKey)
	key := regexp.MustCompile(`ldl_live_[0-9A-Za-z]{16}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		for form, handler := range handlers {
			var b bytes.Buffer
			log := slog.New(handler(&b))
			log.Info(before+aKey+after, "error", errors.New(before+aKey), "bytes", []byte(aKey+after))
			if key.MatchString(b.String()) {
				t.Errorf("%s: %s", form, b.String())
			}
		}
	})
}
