package main

import (
	"strings"
	"testing"
)

// TestRun checks that the output of packages that pass is shortened, that of others is whole, and
// that tests are sorted by their time.
func TestRun(t *testing.T) {
	const in = `{"Action":"run","Package":"a","Test":"TestQuick"}
{"Action":"output","Package":"a","Test":"TestQuick","Output":"=== RUN TestQuick\n"}
{"Action":"pass","Package":"a","Test":"TestQuick","Elapsed":0.5}
{"Action":"pass","Package":"a","Test":"TestQuick/part","Elapsed":9}
{"Action":"output","Package":"b","Test":"TestSlow","Output":"    b_test.go:1: wrong\n"}
{"Action":"fail","Package":"b","Test":"TestSlow","Elapsed":2.25}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.6s\n"}
{"Action":"pass","Package":"a","Elapsed":0.6}
{"Action":"output","Package":"b","Output":"FAIL\tb\t2.3s\n"}
{"Action":"fail","Package":"b","Elapsed":2.3}
`
	const want = "ok  \ta\t0.6s\n    b_test.go:1: wrong\nFAIL\tb\t2.3s\n" +
		"   2.25 s  b TestSlow\n   0.50 s  a TestQuick\n"
	var got strings.Builder
	if err := run(strings.NewReader(in), &got); err != nil || got.String() != want {
		t.Errorf("got %q, %v, want %q", got.String(), err, want)
	}
	if err := run(strings.NewReader("panic"), &got); err == nil {
		t.Error("input that is not JSON: got no error")
	}
}
