package provider

import (
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/nws"
)

// TestSetSurf reads set surf zone forecasts with the product's client.
func TestSetSurf(t *testing.T) {
	p := frozen(t)
	surf := func() (nws.Bulletin, error) {
		_, weather := clients(t, p)
		b, err := weather.Bulletin(t.Context(), "SRF", "BOX")
		return b.Data, err
	}
	issued, expires := moment.Add(-2*time.Hour).
		Truncate(time.Minute),
		moment.Add(9*time.Hour).
			Truncate(time.Minute)
	risk := func(string) string { return "Low to High" }
	must(t, p.SetSurf("MAZ015", Surf{Risk: risk, Issued: issued, Expires: expires}))
	b, err := surf()
	s, ok := b.Segment("MAZ015")
	if err != nil || !ok || !b.Issued.Equal(issued) || !s.Expires.Equal(expires) || len(s.Rip) != 2 {
		t.Fatalf("%v, segment %v of %s: %+v", err, ok, b.Issued, s)
	}
	for _, r := range s.Rip {
		if r.Risk != "Low to High" {
			t.Errorf("risk %+v, want Low to High", r)
		}
	}
	must(t, p.SetSurf("MAZ015", Surf{Risk: func(string) string { return "" }}))
	if b, err = surf(); err != nil || len(b.Segments[0].Rip) != 0 {
		t.Errorf("without a risk: %v, %+v", err, b.Segments)
	}
	must(t, p.SetSurf("MAZ015", Surf{Missing: true}))
	if b, err = surf(); err != nil {
		t.Error(err)
	} else if _, ok := b.Segment("MAZ015"); ok {
		t.Error("the text has a segment that the setting removes")
	}
	must(t, p.SetSurf("MAZ015", Surf{None: true}))
	if _, err = surf(); !hasCode(err, coast.ProductUnavailable) {
		t.Errorf("no text: %v, want product_unavailable", err)
	}
	p.Restore()
	if _, err = surf(); err != nil {
		t.Errorf("after Restore: %v", err)
	}
	if err := p.SetSurf("ANZ230", Surf{}); err == nil {
		t.Error("SetSurf() of a marine zone succeeded, want an error")
	}
}

// TestSetSwell checks that a set swell is the primary swell of the grid, with the set period.
func TestSetSwell(t *testing.T) {
	p := frozen(t)
	must(t, p.SetGrid(boston, Grid{Hour: func(h Hour) Hour {
		h.Swell, h.Period, h.Seas = new(6.5), new(15.0), new(7.0)
		return h
	}}))
	g := gridAt(t, p, 71, 90)
	at := moment.Truncate(time.Hour).Add(3 * time.Hour)
	if !near(g.Layers["primarySwellHeight"].At(at), 6.5*0.3048, 1e-4) ||
		!near(g.Layers["wavePeriod"].At(at), 15, 0) ||
		!near(g.Layers["secondarySwellHeight"].At(at), 0, 0) {
		t.Errorf("swell %v, period %v, second swell %v", g.Layers["primarySwellHeight"].At(at),
			g.Layers["wavePeriod"].At(at), g.Layers["secondarySwellHeight"].At(at))
	}
}
