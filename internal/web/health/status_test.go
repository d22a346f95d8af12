package health

import (
	"slices"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/status"
)

// TestSentencesOfStatus checks the sentences on top of the page, and the states of the parts.
func TestSentencesOfStatus(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	is := func(name, state string, ago time.Duration) status.Component {
		c := status.Component{
			Name: coast.ComponentName(name), Status: coast.ServiceStatus(state), Message: "answers",
		}
		if at := now.Add(-ago); ago >= 0 {
			c.CheckedAt = &at
		}
		return c
	}
	const never, old = -1, time.Hour
	const fine, slow, down = status.Operational, status.Degraded, status.Down
	for _, c := range []struct {
		list    []status.Component
		offline bool
		shape   string
		want    []string
		state   string // of the last part
	}{
		{[]status.Component{is("api", fine, never), is("nws", fine, 0)}, false, "●",
			[]string{"All parts answer."}, "operational"},
		{[]status.Component{is("store", fine, 0), is("nws", fine, never)}, false, "●",
			[]string{"All parts of this server answer."}, "not asked yet"},
		{[]status.Component{is("store", fine, 0), is("nws", fine, old)}, false, "●",
			[]string{"All parts of this server answer."}, "operational when last asked"},
		{[]status.Component{is("store", fine, 0), is("nws", slow, 0)}, true, "●",
			[]string{"All parts of this server answer. It does not ask providers."}, "not asked"},
		{[]status.Component{is("store", fine, 0), is("noaa-coops", slow, 0)}, false, "◐",
			[]string{parts["noaa-coops"].faulty}, "degraded"},
		{[]status.Component{is("api", slow, 0), is("noaa-coops", slow, old)}, false, "◐",
			[]string{"REST API has faults: answers.", parts["noaa-coops"].faulty},
			"degraded when last asked"},
		{[]status.Component{is("nws", slow, 0), is("store", down, 0)}, false, "○",
			[]string{parts["nws"].faulty, parts["store"].faulty}, "down"},
		{[]status.Component{is("mcp", down, 0), is("mcp", slow, 0)}, true, "○",
			[]string{"MCP has faults: answers.", "MCP has faults: answers."}, "degraded"},
	} {
		v := statusPage{Offline: c.offline}
		v.addComponents(c.list, now)
		if !slices.Equal(v.Sentences, c.want) || v.Shape != c.shape {
			t.Errorf("%+v: %s %q, want %s %q", c.list, v.Shape, v.Sentences, c.shape, c.want)
		}
		views, last := v.Ours, c.list[len(c.list)-1].Name
		if parts[last].provider {
			views = v.Providers
		}
		if got := views[len(views)-1]; got.State != c.state || got.Name != parts[last].name {
			t.Errorf("%+v: %s is %q, want %q", c.list, got.Name, got.State, c.state)
		}
	}
}
