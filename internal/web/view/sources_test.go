package view

import (
	"testing"
	"time"

	"leadline/internal/coast"
)

// TestNewestSource checks that of two spans of a fact, the table of sources has the newer.
func TestNewestSource(t *testing.T) {
	var v Sources
	old, fresh := noon.Add(-48*time.Hour), noon
	for _, at := range []*time.Time{&old, &fresh, nil} {
		v.Add(coast.Source{ID: "levels", SourceAt: at, Available: true})
	}
	if len(v) != 1 || v[0].at != &fresh {
		t.Errorf("the sources are %+v, want the newest", v)
	}
}
