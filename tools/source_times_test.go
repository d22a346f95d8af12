package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSourceTimes checks the sources in the results of all tools: offline, with providers, and
// after the constants of stations were fetched. A source has an age only with a time of its own.
func TestSourceTimes(t *testing.T) {
	offline, live, online := newSet(t), simulated(t, nil), simulated(t, nil)
	fetched := []string{"8443970", "8557863"}
	for _, id := range fetched {
		if err := online.Overlay.Update(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	served, dated := 0, 0
	for _, run := range []struct {
		set  *Set
		live bool
	}{{offline, false}, {live.Set, true}, {online.Set, true}} {
		calls := examples
		if run.live {
			calls = append(calls[:len(calls):len(calls)], liveExamples...)
		}
		for _, example := range calls {
			r, err := toolNamed(t, run.set, example.tool).Call(pro(t), []byte(example.args))
			if err != nil {
				t.Errorf("%s %s: %v", example.tool, example.args, err)
				continue
			}
			body, err := r.Structured()
			if err != nil {
				t.Fatal(err)
			}
			var tree any
			if err := json.Unmarshal(body, &tree); err != nil {
				t.Fatal(err)
			}
			for _, s := range sourcesIn(tree) {
				served++
				at, age := s["sourceAt"], s["ageMinutes"]
				if s["freshness"] != "unknown" && (at == nil || age == nil) {
					t.Errorf("%s %s: %s is %s with the time %v and the age %v", example.tool, example.args,
						s["id"], s["freshness"], at, age)
				}
				if label, _ := s["label"].(string); strings.Contains(label, "metadata service") {
					dated++
				}
			}
		}
	}
	if served == 0 || dated == 0 {
		t.Errorf("%d sources, %d of them fetched constants", served, dated)
	}
}

// sourcesIn returns the sources at all depths of a result.
func sourcesIn(v any) (list []map[string]any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			list = append(list, sourcesIn(item)...)
		}
	case map[string]any:
		if _, is := v["freshness"]; is && v["attributionUrl"] != nil {
			list = append(list, v)
		}
		for _, item := range v {
			list = append(list, sourcesIn(item)...)
		}
	}
	return list
}
