package coast

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// aKey has the form of a key.
const aKey = "ldl_live_AbCdEfG" + "0123456789abcdefghijklmnopqrstuvw" + "XYZxyz"

// These are secrets of the authorization server.
const (
	refresh = "ldr_0123456789-abcdefghijklmnopqrstuvwxyz_ABCDEF"
	aToken  = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-bmF0_dXJl"
	webhook = "whsec_" + "0123456789+/abcdefghijklmnopqrstuvwxyzABCDE="
)

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"no key here":             "no key here",
		aKey:                      "ldl_live_AbCdEfG…",
		"a " + aKey + " b":        "a ldl_live_AbCdEfG… b",
		aKey + aKey:               "ldl_live_AbCdEfG…",
		aKey + "," + aKey:         "ldl_live_AbCdEfG…,ldl_live_AbCdEfG…",
		aKey + "ZZZZ.":            "ldl_live_AbCdEfG….",
		aKey + "-" + refresh:      "ldl_live_AbCdEfG…",
		aKey + aToken:             "ldl_live_AbCdEfG…",
		aKey[:9+16]:               "ldl_live_AbCdEfG…",
		aKey[:9+15]:               aKey[:9+15],
		"ldl_live_AbCdEfG…":       "ldl_live_AbCdEfG…",
		"ldl_live_" + aKey:        "ldl_live_ldl_live_AbCdEfG…",
		"ldl_live_ldl_live_":      "ldl_live_ldl_live_",
		"LDL_LIVE_" + aKey[9:]:    "LDL_LIVE_" + aKey[9:],
		"begins with ldl_live_":   "begins with ldl_live_",
		refresh:                   "ldr_…",
		"ldc_" + refresh[4:]:      "ldc_…",
		"lds_" + refresh[4:]:      "lds_…",
		"ldt_" + refresh[4:]:      "ldt_…",
		"ldx_" + refresh[4:]:      "ldx_" + refresh[4:],
		"?t=" + refresh + ".a-b":  "?t=ldr_…",
		refresh[:4+16]:            "ldr_…",
		refresh[:4+15]:            refresh[:4+15],
		aToken:                    "eyJ…",
		"(" + aToken + ").":       "(eyJ…).",
		aToken + "/" + aToken:     "eyJ…/eyJ…",
		"x" + aToken + ".":        "xeyJ….",
		webhook:                   "whsec_…",
		`{"s":"` + webhook + `"}`: `{"s":"whsec_…"}`,
		webhook + " " + aKey:      "whsec_… ldl_live_AbCdEfG…",
		webhook[:6+16]:            "whsec_…",
		webhook[:6+15]:            webhook[:6+15],
		"whsec_AbCd%2F%2B" + refresh[4:] + "%3D/x": "whsec_…",
		"what is whsec_":      "what is whsec_",
		"eyJafjallajokull.is": "eyJafjallajokull.is",
		"cursor=eyJzIjo1MDB9": "cursor=eyJzIjo1MDB9",
	} {
		if got := Redact(text); got != want {
			t.Errorf("Redact(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzRedact checks that no secret remains, that text without one is not changed,
// and that a second call changes nothing.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		"", aKey, aKey + aKey, "ldl_live_ldl_live_" + aKey[9:], "…" + aKey[:25],
		"ldl_live_0123456789abcde\xff", refresh, aToken, aKey + aToken, "eyJ" + refresh,
		refresh + "." + aToken, webhook, aKey + webhook, webhook + "." + refresh,
	} {
		f.Add(seed)
	}
	secret := regexp.MustCompile(
		`ldl_live_[0-9A-Za-z]{16}|ld[rcst]_[0-9A-Za-z_-]{16}|eyJ[0-9A-Za-z_-]{16}|` +
			`whsec_[0-9A-Za-z+/=%]{16}`,
	)
	f.Fuzz(func(t *testing.T, text string) {
		got := Redact(text)
		if secret.MatchString(got) || (got != text) != secret.MatchString(text) {
			t.Errorf("Redact(%q) = %q", text, got)
		}
		if again := Redact(got); again != got {
			t.Errorf("Redact(%q) = %q, want it unchanged", got, again)
		}
	})
}

// TestWriteErrorRedacts checks that responses do not repeat a key that a client sends in the
// path or as a parameter.
func TestWriteErrorRedacts(t *testing.T) {
	e := Errorf(InvalidRequest, "no parameter %q", aKey)
	e.Issues = []Issue{{Path: aKey, Code: "unknown", Message: "Unknown parameter " + aKey + "."}}
	w := httptest.NewRecorder()
	WriteError(w, e)
	if got := strings.Count(w.Body.String(), "ldl_live_AbCdEfG…"); got != 3 ||
		strings.Contains(w.Body.String(), aKey[:17]) {
		t.Errorf("WriteError wrote %s", w.Body)
	}
}

func BenchmarkRedact(b *testing.B) {
	for name, text := range map[string]string{
		"path":           "/api/v1/stations/8443970/predictions",
		"key":            "/api/v1/stations/" + aKey,
		"hostile":        strings.Repeat("ldl_live_", 7000),
		"hostile tokens": strings.Repeat("eyJ.", 16000),
		"prose":          strings.Repeat("could the world hold eyes? ", 2333),
		"what":           strings.Repeat("where what while ", 3700),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
