package cli

import (
	"runtime/debug"
	"testing"
)

func TestBuild(t *testing.T) {
	const revision = "dde88f65e1c8a3f0b1c2d3e4f5a6b7c8d9e0f1a2"
	stamps := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision},
			{Key: "vcs.time", Value: "2026-11-21T15:25:18Z"}, {Key: "vcs.modified", Value: modified},
		}
	}
	for _, c := range []struct {
		main     string
		settings []debug.BuildSetting
		version  string
		want     string
	}{
		{"v0.2.0", stamps("false"), "0.2.0", "0.2.0 (dde88f6, 2026-11-21)"},
		{"v0.2.0+dirty", stamps("true"), "0.2.0", "0.2.0 (dde88f6, 2026-11-21, modified)"},
		{
			"v0.0.0-20261121152518-dde88f65e1c8", stamps("false"), "0.0.0-20261121152518-dde88f65e1c8",
			"0.0.0-20261121152518-dde88f65e1c8 (dde88f6, 2026-11-21)",
		},
		{"(devel)", stamps("false"), "devel", "devel (dde88f6, 2026-11-21)"},
		{"(devel)", nil, "devel", "devel"},
		{"", nil, "devel", "devel"},
		{"v0.2.0", nil, "0.2.0", "0.2.0"},
		{"v0.2.0", []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}, "0.2.0", "0.2.0 (abc)"},
	} {
		got := newBuild(&debug.BuildInfo{Main: debug.Module{Version: c.main}, Settings: c.settings})
		if got.version != c.version || got.String() != c.want {
			t.Errorf("%q: %q, %q, want %q, %q", c.main, got.version, got, c.version, c.want)
		}
	}
}
