package tools

import "testing"

// BenchmarkTideCall is two days of high and low water at Boston, both forms.
func BenchmarkTideCall(b *testing.B) {
	s := newSet(b)
	for b.Loop() {
		r, err := call(b, s, "noaa_get_tide_predictions", `{"station":"8443970"}`)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Structured(); err != nil {
			b.Fatal(err)
		}
		if _, err := r.Text(); err != nil {
			b.Fatal(err)
		}
	}
}
