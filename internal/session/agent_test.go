package session

import (
	"strings"
	"testing"
)

// TestAgent checks the names of browsers and systems. The headers have the form of those that the
// browsers send.
func TestAgent(t *testing.T) {
	const (
		m   = "Mozilla/5.0 "
		kit = " AppleWebKit/537.36 (KHTML, like Gecko) "
		mob = " AppleWebKit/605.1.15 (KHTML, like Gecko) "
		win = "(Windows NT 10.0; Win64; x64)"
		mac = "(Macintosh; Intel Mac OS X 10_15_7)"
		ios = "(iPhone; CPU iPhone OS 18_5 like Mac OS X)"
		and = "(Linux; Android 10; K)"
		cr  = "Chrome/142.0.0.0 "
	)
	for header, want := range map[string]string{
		m + "(Windows NT 10.0; Win64; x64; rv:145.0) Firefox/145.0":    "Firefox on Windows",
		m + "(X11; Linux x86_64; rv:145.0) Gecko/1 Firefox/145.0":      "Firefox on Linux",
		m + "(Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0": "Firefox on Android",
		m + ios + mob + "FxiOS/145.0 Mobile/1 Safari/605":              "Firefox on iPhone",
		m + win + kit + cr + "Safari/537.36":                           "Chrome on Windows",
		m + "(X11; CrOS x86_64)" + kit + cr + "Safari/537.36":          "Chrome on ChromeOS",
		m + and + kit + cr + "Mobile Safari/537.36":                    "Chrome on Android",
		m + ios + mob + "CriOS/142.0.0 Mobile/1 Safari/604":            "Chrome on iPhone",
		m + win + kit + cr + "Safari/537.36 Edg/142.0.0.0":             "Edge on Windows",
		m + mac + kit + cr + "Safari/537.36 OPR/124.0.0.0":             "Opera on macOS",
		m + and + kit + "SamsungBrowser/28.0 " + cr:                    "Samsung Internet on Android",
		m + mac + mob + "Version/26.0 Safari/605.1.15":                 "Safari on macOS",
		m + "(iPad; CPU OS 18_5)" + mob + "Version/18.5 Safari/1":      "Safari on iPad",
		"Lynx/2.9.0 (Linux)":                                           "a browser on Linux",
		"Firefox/1":                                                    "Firefox",
		"curl/8.14.1":                                                  "",
		"":                                                             "",
		"<script>\x00Windows é":                                        "a browser on Windows",
		strings.Repeat("Windows Firefox/ ", 100):                       "Firefox on Windows",
	} {
		if got := agent(header); got != want {
			t.Errorf("agent(%.100q) = %q, want %q", header, got, want)
		}
	}
	for _, b := range browsers {
		for _, s := range systems {
			if got := agent(b.part + s.part); len(got) == 0 || len(got) > 64 {
				t.Errorf("agent(%s%s) = %q, want 1 to 64 characters", b.part, s.part, got)
			}
		}
	}
}
