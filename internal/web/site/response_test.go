package site

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
)

var noon = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// text is a public response with a body.
func text(body string) Rendered {
	return File("text/plain", []byte(body), time.Minute)
}

// TestMemoryIsBounded checks that the kept pages, with their compressed forms, stay below the
// limit, and that a new minute begins with none.
func TestMemoryIsBounded(t *testing.T) {
	clock := noon
	m := newMemory(func() time.Time { return clock })
	page := strings.Repeat("x", 1<<20)
	kept := 0
	for i := range 100 {
		key := fmt.Sprint(i)
		m.put(key, noon, text(page))
		if _, ok := m.get(key); ok {
			kept++
		}
	}
	if most := mostMemory / (2 << 20); kept < most-1 || kept > most || m.size > mostMemory {
		t.Errorf("%d pages of 1 MiB are kept in %d bytes", kept, m.size)
	}
	clock = noon.Add(time.Minute)
	if _, ok := m.get("0"); ok || m.size != 0 {
		t.Errorf("a page of the earlier minute is kept: %d bytes", m.size)
	}
	m.put("late", noon, text("of the earlier minute"))
	m.put("private", clock, File("text/plain", nil, Private))
	m.put("error", clock, failure{coast.Errorf(coast.NotFound, "x")})
	if m.size != 0 || len(m.pages) != 0 {
		t.Errorf("kept %v, want nothing: late, private, an error", m.pages)
	}
	m.put("a", clock, text("a"))
	m.put("a", clock, text("a"))
	if want := len("a") + text("a").body.Size(); m.size != want {
		t.Errorf("a page that is put twice counts %d bytes, want %d", m.size, want)
	}
}

// TestAllowance checks the limit of different things for an address in a minute.
func TestAllowance(t *testing.T) {
	clock := noon
	a := NewAllowance(3, func() time.Time { return clock })
	one, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for _, c := range []struct {
		address netip.Addr
		thing   string
		want    bool
	}{
		{one, "a", true}, {one, "b", true}, {one, "a", true}, {one, "c", true}, {one, "d", false},
		{one, "a", true}, {other, "d", true}, {one, "e", false},
	} {
		if got := a.count(c.address, c.thing); got != c.want {
			t.Errorf("count(%v, %s) = %v, want %v", c.address, c.thing, got, c.want)
		}
	}
	clock = clock.Add(time.Minute)
	if !a.count(one, "d") {
		t.Error("the next minute allows nothing")
	}
	for i := range 2 * addressesKept {
		a.count(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), "x")
	}
	if n := len(a.opened); n != addressesKept {
		t.Errorf("%d addresses are kept, want %d", n, addressesKept)
	}
	if !a.count(one, "d") {
		t.Error("a known address is refused because others are many")
	}
}

// TestStatesOfParts checks how errors are described, and that a timeout never looks like an
// absence.
func TestStatesOfParts(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want Availability
	}{
		{t.Context(), nil, Availability{Here, ""}},
		{over, nil, Availability{Here, ""}},
		{over, context.DeadlineExceeded, Availability{Late, "has not answered in time"}},
		{over, coast.Errorf(coast.ProviderUnavailable, "NWS did not answer."),
			Availability{Late, "has not answered in time"}},
		{t.Context(), coast.Errorf(coast.ProviderUnavailable, "NWS returned 503. No data is invented."),
			Availability{Down, "returned 503"}},
		{t.Context(), coast.Errorf(coast.ProviderUnavailable, "NOAA CO-OPS sent nothing."),
			Availability{Down, "sent nothing"}},
		{t.Context(), context.DeadlineExceeded, Availability{Down, "has not answered"}},
		{over, coast.Errorf(coast.ProductUnavailable, "There is no gauge.").
			With(coast.GetWaterLevels.Hint("Get levels", "x")), Availability{Absent, "There is no gauge."}},
		{over, coast.Errorf(coast.ProductUnavailable, "no gauge"), Availability{Absent, "no gauge."}},
	} {
		if got := stateOf(c.ctx, c.err); got != c.want {
			t.Errorf("stateOf(%v) = %+v, want %+v", c.err, got, c.want)
		}
	}
}

// TestTransientInputs checks that an input is not absent while its provider does not respond.
func TestTransientInputs(t *testing.T) {
	p := coast.Provenance{Missing: []coast.Missing{
		{Input: "waves", Reason: "no waves at this cell"},
		coast.Unobtained("alerts", coast.Errorf(coast.ProviderUnavailable, "NWS returned 500. Wait.")),
	}}
	if got, ok := Transient(p, "waves"); ok {
		t.Errorf("waves are %+v, want absent", got)
	}
	if got, ok := Transient(p, "waves", "alerts"); !ok || !got.Care() || got.Why != "returned 500" {
		t.Errorf("alerts are %+v, want late", got)
	}
}

// BenchmarkCachedPage serves a page from memory. The target is 50 µs of CPU time.
func BenchmarkCachedPage(b *testing.B) {
	s := New(Settings{Now: func() time.Time { return noon }})
	s.memory.put("/", noon, text(strings.Repeat("station ", 12_000)))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	for b.Loop() {
		s.Once(httptest.NewRecorder(), r, "/", nil)
	}
}

// TestPanickingPart checks that a panic in an operation takes away its part, and nothing else.
func TestPanickingPart(t *testing.T) {
	g := &Gathering{
		Computed: t.Context(), live: t.Context(), log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	var a Outcome[string]
	Compute(g, &a, func(context.Context, string) (string, error) { panic("fault") }, "")
	g.running.Wait()
	if a.State != Down || !strings.Contains(a.Why, "fault of this server") {
		t.Errorf("the part is %+v, want down", a.Availability)
	}
}
