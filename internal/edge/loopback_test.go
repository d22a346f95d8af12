package edge

import "testing"

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.9.10": true, "::1": true,
		"": false, "localhost.example.org": false, "127.1": false, "0.0.0.0": false, "::": false,
		"::ffff:127.0.0.1": false, "::1%lo": false, "10.0.0.1": false, "[::1]": false,
	} {
		if got := Loopback(host); got != want {
			t.Errorf("Loopback(%q) = %v, want %v", host, got, want)
		}
	}
}
