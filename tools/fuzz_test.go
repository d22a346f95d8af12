package tools

import (
	"errors"
	"net/url"
	"testing"

	"leadline/internal/coast"
	"leadline/internal/schema"
	"leadline/internal/tides"
)

// FuzzDecode checks that any arguments are either accepted or refused with an explanation,
// and that they never cause a panic or an internal error.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"station":"8443970"}`, `{"station":8443970,"hours":"24"}`, `{"station":{},"hours":[]}`, `null`,
		`[`, `{"station":"\ud800","range":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	takes := schema.Arguments[tides.TidePredictionsInput]()
	f.Fuzz(func(t *testing.T, args []byte) {
		var in tides.TidePredictionsInput
		var e *coast.Error
		if err := takes.Decode(args, &in); err != nil &&
			(!errors.As(err, &e) || e.Code != coast.InvalidRequest) {
			t.Errorf("Decode(%q) = %v", args, err)
		}
	})
}

// FuzzQuery checks the same for query strings.
func FuzzQuery(f *testing.F) {
	f.Add("station=8443970&hours=24")
	f.Add("hours=NaN&hours=-1&datum=")
	takes := schema.Arguments[tides.TidePredictionsInput]()
	f.Fuzz(func(t *testing.T, query string) {
		given, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		var in tides.TidePredictionsInput
		var e *coast.Error
		if err := takes.DecodeQuery(given, &in); err != nil &&
			(!errors.As(err, &e) || e.Code != coast.InvalidRequest) {
			t.Errorf("DecodeQuery(%q) = %v", query, err)
		}
	})
}
