package provider

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"testing"
)

// decoded decodes the body at a path.
func decoded(t *testing.T, p *Provider, path string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(p.body(t, path)), into); err != nil {
		t.Fatal(err)
	}
}

// TestSetEpoch checks that after a revision of its datums the levels and predictions of a station
// are above the revised MLLW. The metadata service then lists the revised datums for the new epoch
// and the earlier ones as superseded. Levels above station datum and NAVD do not change.
func TestSetEpoch(t *testing.T) {
	p := frozen(t)
	level := func(datum string) float64 {
		var body struct{ Data []struct{ V string } }
		decoded(t, p, Data+"datagetter?product=water_level&station=8443970&date=latest&units=metric"+
			"&format=json&datum="+datum, &body)
		v, err := strconv.ParseFloat(body.Data[0].V, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	high := func() float64 {
		var body struct{ Predictions []struct{ V string } }
		decoded(t, p, Data+"datagetter?product=predictions&station=8443970&date=today&units=metric"+
			"&interval=hilo&format=json&datum=MLLW", &body)
		v, err := strconv.ParseFloat(body.Predictions[0].V, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := map[string]float64{}
	for _, datum := range []string{"MLLW", "MHHW", "STND", "NAVD", "MSL"} {
		before[datum] = level(datum)
	}
	predicted := high()
	post(t, p, "/-/epoch",
		`{"station": "8443970", "first": 2002, "last": 2020, "raise": 0.06, "mean": 0.09}`,
		http.StatusNoContent)
	for datum, raised := range map[string]float64{
		"MLLW": 0.06, "MHHW": 0.06, "STND": 0, "NAVD": 0, "MSL": 0.09,
	} {
		if got := before[datum] - level(datum); math.Abs(got-raised) > 0.0011 {
			t.Errorf("levels above %s are %v m lower, want %v", datum, got, raised)
		}
	}
	if got := high() - predicted; math.Abs(got-0.03) > 0.0011 {
		t.Errorf("a predicted high water is %v m higher, want 0.03", got)
	}
	var now, then struct {
		Epoch  string
		Datums []struct {
			Name  string
			Value float64
		}
	}
	decoded(t, p, Metadata+"stations/8443970/datums.json?units=metric", &now)
	decoded(t, p, Metadata+"stations/8443970/supersededdatums.json?units=metric", &then)
	if now.Epoch != "2002-2020" || then.Epoch != "1983-2001" || len(now.Datums) != len(then.Datums) ||
		len(now.Datums) == 0 {
		t.Fatalf("epoch %q with %d datums, superseded %q with %d", now.Epoch, len(now.Datums), then.Epoch,
			len(then.Datums))
	}
	for i, d := range now.Datums {
		want := map[string]float64{
			"MHHW": 0.06, "MHW": 0.06, "DTL": 0.06, "MTL": 0.06, "MLW": 0.06, "MLLW": 0.06, "MSL": 0.09,
		}[d.Name]
		if got := d.Value - then.Datums[i].Value; math.Abs(got-want) > 0.0006 {
			t.Errorf("%s is raised by %v m, want %v", d.Name, got, want)
		}
	}
	for _, wrong := range []string{
		`{"station": "8443970"}`, `{"station": "8443970", "first": 2020, "last": 2002}`, `{"station": "8557863", "first": 2002, "last": 2020}`,
		`{"station": "none", "first": 2002, "last": 2020}`, `{"station": "8443970", "first": 2002, "last": 2020, "raise": "6"}`,
		`{"station": "8443970", "first": 2002, "last": 2020, "depth": 1}`,
	} {
		post(t, p, "/-/epoch", wrong, http.StatusBadRequest)
	}
	if p.Restore(); math.Abs(level("MLLW")-before["MLLW"]) > 0.0006 {
		t.Errorf("level after Restore = %v, want %v", level("MLLW"), before["MLLW"])
	}
}
