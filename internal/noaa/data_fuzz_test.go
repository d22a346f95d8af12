package noaa

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"leadline/internal/coast"
)

// seed adds every fixture and every sentence.
func seed(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "data_*.json"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range sentences {
		f.Add([]byte(`{"error": {"message":"` + s.reason + `"}}`))
	}
}

func (p product[R]) fuzz(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) { p.agree(t, body) })
}

// agree compares what a product's reader reads from any body with encoding/json: the rows are
// equal, value by value, and both reject the same texts as invalid JSON.
func (p product[R]) agree(t *testing.T, body []byte) {
	t.Helper()
	got, reason, err := p.format.parse(body)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "not a JSON object"):
		if _, ok := oracle(body).(map[string]any); ok {
			t.Fatalf("%.100q: %v", body, err)
		}
	case err == nil && reason == "" && !got.weak:
		p.check(t, body, got.rows, false)
	}
}

func FuzzLevels(f *testing.F)             { ofLevels.fuzz(f) }
func FuzzHighLows(f *testing.F)           { ofHighLows.fuzz(f) }
func FuzzReadings(f *testing.F)           { ofReadings.fuzz(f) }
func FuzzSalinities(f *testing.F)         { ofSalinities.fuzz(f) }
func FuzzWinds(f *testing.F)              { ofWinds.fuzz(f) }
func FuzzCurrents(f *testing.F)           { ofCurrents.fuzz(f) }
func FuzzMonthly(f *testing.F)            { ofMonthlyMeans.fuzz(f) }
func FuzzPredictions(f *testing.F)        { ofPredictions.fuzz(f) }
func FuzzCurrentPredictions(f *testing.F) { ofCurrentPredictions.fuzz(f) }

// FuzzDaily reads each body as daily means and as daily extremes.
func FuzzDaily(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		ofDailyMeans.agree(t, body)
		checkExtremes(t, body)
	})
}

// checkExtremes compares daily extremes with encoding/json. They are one list deeper than other
// rows.
func checkExtremes(t *testing.T, body []byte) {
	t.Helper()
	got, reason, err := dailyExtremeFormat.parse(body)
	if err != nil || reason != "" {
		return
	}
	objects, _ := rawRows(body, "data")
	count := 0
	for _, object := range objects {
		for _, k := range kinds {
			rows, _ := object[k.list].([]any)
			count += len(rows)
		}
	}
	if count < len(got.rows) {
		return // encoding/json returns the last list of a key
	}
	if count > len(got.rows) {
		t.Fatalf("%.200q: %d extremes, want %d", body, len(got.rows), count)
	}
	for _, row := range got.rows {
		if !foundExtreme(objects, row) {
			t.Fatalf("%.200q: %+v is not in it", body, row)
		}
	}
}

// foundExtreme reports whether a row has an extreme.
func foundExtreme(objects []map[string]any, d DailyExtreme) bool {
	for _, object := range objects {
		for _, k := range kinds {
			rows, _ := object[k.list].([]any)
			for _, row := range rows {
				if row, ok := row.(map[string]any); ok && k.kind == d.Kind && sameExtreme(row, k.ending, d) {
					return true
				}
			}
		}
	}
	return false
}

func sameExtreme(row map[string]any, ending string, d DailyExtreme) bool {
	r := newRaw(row)
	r.time(d.Time, []string{"date" + ending, "time" + ending}, "2006-01-02 15:04", "20060102 15:04",
		"2006-01-02", "20060102")
	r.number("value"+ending, d.Height)
	r.number("pcComplete"+ending, d.Complete)
	r.text("flag"+ending, d.Flags)
	return len(r.wrong) == 0
}

// FuzzRecord compares records with encoding/json.
func FuzzRecord(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s))
		f.Add([]byte(`{"v":` + s + `}`))
	}
	f.Fuzz(checkRecord)
}

// FuzzError checks that an error message of the provider is quoted, limited in length and on one
// line. If encoding/json finds no message, there is none.
func FuzzError(f *testing.F) {
	for _, s := range sentences {
		f.Add([]byte(`{"error": {"message":"` + s.reason + `"}}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, err := levelFormat.read(responseOf(400, string(body)))
		var e *coast.Error
		if !errors.As(err, &e) {
			if err == nil {
				t.Fatalf("%q: rows with status 400", body)
			}
			return
		}
		if strings.ContainsFunc(e.Message, func(r rune) bool { return r < ' ' || r == 0x7f }) ||
			len(e.Message) > 4*maxQuote+1000 || e.Status() < 400 {
			t.Fatalf("%q: %d %q", body, e.Status(), e.Message)
		}
		top, ok := oracle(body).(map[string]any)
		if !ok {
			t.Fatalf("%q: %s for invalid JSON", body, e.Message)
		}
		object, _ := top["error"].(map[string]any)
		message, _ := object["message"].(string)
		if want := strings.Join(strings.Fields(message), " "); want == "" ||
			!strings.HasSuffix(e.Message, quote(want)) {
			t.Fatalf("%q: %s, want %q", body, e.Message, want)
		}
	})
}
