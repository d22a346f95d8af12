package tools

import "testing"

// BenchmarkTideCall measures a request for two days of high and low water at Boston in both
// response formats.
func BenchmarkTideCall(b *testing.B) {
	tool := toolNamed(b, newSet(b), "noaa_get_tide_predictions")
	ctx := caller(b)
	for b.Loop() {
		r, err := tool.Call(ctx, []byte(`{"station":"8443970"}`))
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

// BenchmarkTidePlace compares requests by station and by place, for which a name is looked up and
// the water chosen.
func BenchmarkTidePlace(b *testing.B) {
	tool := toolNamed(b, newSet(b), "noaa_get_tide_predictions")
	ctx := caller(b)
	for name, args := range map[string]string{
		"station": `{"station":"8721120"}`, "place": `{"place":"Daytona Beach, FL"}`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := tool.Call(ctx, []byte(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
