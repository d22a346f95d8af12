package events

import (
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestEventIDs checks the example of RFC 9562, appendix A.6: its time gives its first digits.
func TestEventIDs(t *testing.T) {
	var ids IDs
	id := ids.New(time.UnixMilli(0x017f22e279b0))
	form := regexp.MustCompile(`^msg_017f22e279b07000[89ab][0-9a-f]{15}$`)
	if !form.MatchString(id) {
		t.Errorf("New() = %s, want %s", id, form)
	}
	if next := ids.New(time.UnixMilli(0x017f22e279b0)); next[:20] != "msg_017f22e279b07001" {
		t.Errorf("second id %s, want the next time", next)
	}
}

// TestEventIDsSort checks that ids sort in the order of the calls, even if the clock goes back.
func TestEventIDsSort(t *testing.T) {
	var ids IDs
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var list []string
	for i := range 10_000 {
		switch i % 100 {
		case 50:
			now = now.Add(-time.Second)
		case 90:
			now = now.Add(3 * time.Microsecond)
		}
		list = append(list, ids.New(now))
	}
	if !slices.IsSorted(list) || len(slices.Compact(slices.Clone(list))) != len(list) {
		t.Error("the ids are not in the order of the calls")
	}
}

// TestEventIDsConcurrently checks that concurrent callers never get one id twice.
func TestEventIDsConcurrently(t *testing.T) {
	var ids IDs
	var callers sync.WaitGroup
	lists := make([][]string, 8)
	for i := range lists {
		callers.Go(func() {
			for range 1000 {
				lists[i] = append(lists[i], ids.New(time.Unix(1_800_000_000, 0))[:20])
			}
		})
	}
	callers.Wait()
	all := slices.Concat(lists...)
	slices.Sort(all)
	if got := len(slices.Compact(all)); got != 8000 {
		t.Errorf("%d different times, want 8000", got)
	}
}

func TestOtherIDs(t *testing.T) {
	for _, test := range []struct{ got, form string }{
		{NewEndpointID(), `^we_[0-9A-Za-z]{14}$`},
		{NewWatchID(), `^wt_[0-9A-Za-z]{14}$`},
	} {
		if !regexp.MustCompile(test.form).MatchString(test.got) {
			t.Errorf("id %s, want %s", test.got, test.form)
		}
	}
	if one, other := NewEndpointID(), NewEndpointID(); one == other {
		t.Error("two endpoints have one id")
	}
}
