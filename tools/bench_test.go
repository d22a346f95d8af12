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
		if _, _, err := r.Forms(1 << 20); err != nil {
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

// BenchmarkLight searches the low tides of a year in each light. Moonlight must take at most twice
// as long as daylight.
func BenchmarkLight(b *testing.B) {
	tool := toolNamed(b, newSet(b), "noaa_get_tide_predictions")
	ctx := caller(b)
	for _, light := range []string{"any", "daylight", "moonlit"} {
		args := `{"station":"8443970","below":1,"begin_date":"2027-01-01","end_date":"2027-12-31",` +
			`"light":"` + light + `"}`
		b.Run(light, func(b *testing.B) {
			for b.Loop() {
				if _, err := tool.Call(ctx, []byte(args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
