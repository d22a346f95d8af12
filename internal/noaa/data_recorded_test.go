package noaa

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"leadline/internal/coast"
	"leadline/internal/trials"
)

// raw is a row as encoding/json reads it. Its methods compare it with the values that the package
// read, by other means, and record which members were compared.
type raw struct {
	row   map[string]any
	left  map[string]bool // members that were not compared
	wrong []string
}

func newRaw(row map[string]any) *raw {
	r := &raw{row: row, left: map[string]bool{}}
	for key := range row {
		r.left[key] = true
	}
	return r
}

// word returns a member as text: a string without surrounding spaces, the digits of a number, ""
// for null.
func (r *raw) word(key string) string {
	delete(r.left, key)
	switch v := r.row[key].(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	default:
		return fmt.Sprint("not a scalar: ", v)
	}
}

func (r *raw) text(key, got string) {
	if want := r.word(key); got != want {
		r.wrong = append(r.wrong, fmt.Sprintf("%s is %q, want %q", key, got, want))
	}
}

// number compares a number with the exact decimal in the text.
func (r *raw) number(key string, got *float64) {
	word := r.word(key)
	missing := word == "" || strings.EqualFold(strings.TrimLeft(word, "+-"), "nan")
	if missing && got == nil {
		return
	}
	exact, _, err := big.ParseFloat(word, 10, 2000, big.ToNearestEven)
	if got == nil || err != nil {
		r.wrong = append(r.wrong, fmt.Sprintf("%s: %v of %q, %v", key, got, word, err))
	} else if want, _ := exact.Float64(); *got != want {
		r.wrong = append(r.wrong, fmt.Sprintf("%s is %v, want %s", key, *got, word))
	}
}

func (r *raw) integer(key string, got int) {
	x := float64(got)
	r.number(key, &x)
}

// time compares a time with one member, or with several joined by spaces, in one of some layouts.
func (r *raw) time(got time.Time, keys []string, forms ...string) {
	var words []string
	for _, key := range keys {
		if w := r.word(key); w != "" {
			words = append(words, w)
		}
	}
	for _, format := range forms {
		if want, err := time.Parse(format, strings.Join(words, " ")); err == nil && got.Equal(want) &&
			got.Location() == time.UTC {
			return
		}
	}
	r.wrong = append(r.wrong, fmt.Sprintf("time %v, want %q", got, words))
}

func (r *raw) minute(key string, got time.Time) { r.time(got, []string{key}, "2006-01-02 15:04") }

// product describes how to compare the rows of one product with encoding/json.
type product[R any] struct {
	format  format[R]
	compare func(*raw, R)
}

var (
	ofLevels = product[Level]{levelFormat, func(r *raw, l Level) {
		r.minute("t", l.Time)
		r.number("v", l.Height)
		r.number("s", l.Sigma)
		r.text("f", l.Flags)
		r.text("q", l.Quality)
	}}
	ofHighLows = product[HighLow]{highLowFormat, func(r *raw, h HighLow) {
		r.minute("t", h.Time)
		r.text("ty", h.Type)
		r.number("v", h.Height)
		r.text("f", h.Flags)
	}}
	ofDailyMeans = product[DailyMean]{dailyMeanFormat, func(r *raw, d DailyMean) {
		r.time(d.Day, []string{"t"}, "2006-01-02", "20060102")
		r.number("v", d.Height)
		r.text("f", d.Flags)
	}}
	ofMonthlyMeans = product[MonthlyMean]{monthlyMeanFormat, func(r *raw, m MonthlyMean) {
		r.integer("year", m.Year)
		r.integer("month", m.Month)
		r.text("inferred", m.Inferred)
		for key, got := range map[string]*float64{"highest": m.Highest, "MHHW": m.MHHW, "MHW": m.MHW,
			"MSL": m.MSL, "MTL": m.MTL, "MLW": m.MLW, "MLLW": m.MLLW,
			"DTL": m.DTL, "GT": m.GT, "MN": m.MN, "DHQ": m.DHQ, "DLQ": m.DLQ, "HWI": m.HWI, "LWI": m.LWI,
			"lowest": m.Lowest} {
			r.number(key, got)
		}
	}}
	ofReadings = product[Reading]{readingFormat, func(r *raw, v Reading) {
		r.minute("t", v.Time)
		r.number("v", v.Value)
		r.number("s", v.Sigma)
		r.text("f", v.Flags)
	}}
	ofSalinities = product[Reading]{salinityFormat, func(r *raw, v Reading) {
		r.minute("t", v.Time)
		r.number("s", v.Value)
		r.number("g", v.Gravity)
		r.text("f", v.Flags)
	}}
	ofWinds = product[Wind]{windFormat, func(r *raw, w Wind) {
		r.minute("t", w.Time)
		r.number("s", w.Speed)
		r.number("g", w.Gust)
		r.number("d", w.Direction)
		r.text("dr", w.Compass)
		r.text("f", w.Flags)
	}}
	ofCurrents = product[Current]{currentFormat, func(r *raw, c Current) {
		r.minute("t", c.Time)
		r.integer("b", c.Bin)
		r.number("s", c.Speed)
		r.number("d", c.Direction)
		for i, got := range c.Echo {
			r.number(fmt.Sprint("echo", i+1), got)
		}
		for i, got := range c.Correlation {
			r.number(fmt.Sprint("corr", i+1), got)
		}
	}}
	ofPredictions = product[PredictedLevel]{predictionFormat, func(r *raw, p PredictedLevel) {
		r.minute("t", p.Time)
		r.number("v", &p.Height)
		r.text("type", p.Type)
	}}
	ofCurrentPredictions = product[PredictedCurrent]{currentPredictionFormat,
		func(r *raw, p PredictedCurrent) {
			r.minute("Time", p.Time)
			r.text("Type", p.Type)
			r.number("Velocity_Major", p.Velocity)
			r.number("meanFloodDir", p.FloodDirection)
			r.number("meanEbbDir", p.EbbDirection)
			r.text("Bin", p.Bin)
			r.number("Depth", p.Depth)
		}}
)

// rawRows returns the rows of a body as encoding/json reads them; ok is false if there are none.
func rawRows(body []byte, list string) (rows []map[string]any, ok bool) {
	top, _ := oracle(body).(map[string]any)
	found := top[list]
	if inner, is := found.(map[string]any); is {
		found = inner["cp"]
	}
	values, ok := found.([]any)
	for _, v := range values {
		row, is := v.(map[string]any)
		rows, ok = append(rows, row), ok && is
	}
	return rows, ok
}

// check compares rows with the body that they were read from, and returns the number of values
// compared. If integer is set, all members must have been compared.
func (p product[R]) check(t *testing.T, body []byte, got []R, integer bool) (values int) {
	t.Helper()
	rows, ok := rawRows(body, p.format.list)
	if !ok || len(rows) != len(got) {
		t.Fatalf("%.100q: %d rows, want %d, %v", body, len(got), len(rows), ok)
	}
	for i, row := range got {
		r := newRaw(rows[i])
		p.compare(r, row)
		values += len(rows[i])
		if len(r.wrong) > 0 || integer && len(r.left) > 0 {
			t.Fatalf("row %d, %v: %v, left over %v", i, rows[i], r.wrong, r.left)
		}
	}
	return values
}

// recording reads a recorded body and compares every value of it.
func (p product[R]) recording(t *testing.T, body []byte) int {
	t.Helper()
	got, err := p.format.read(responseOf(200, string(body)))
	if err != nil {
		t.Fatal(err)
	}
	return p.check(t, body, got.rows, true)
}

// recordings returns the paths of all recorded bodies of the data service.
func recordings(t *testing.T) []string {
	t.Helper()
	root := filepath.Join(trials.Shared(t), "recordings")
	var list []string
	err := filepath.WalkDir(filepath.Join(root, "coops"),
		func(path string, d fs.DirEntry, err error) error {
			if strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".headers.json") {
				name, _ := filepath.Rel(root, path) // it is below root
				list = append(list, filepath.ToSlash(name))
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestRecordedData compares every value of every recorded body.
func TestRecordedData(t *testing.T) {
	folders := map[string]func(*testing.T, []byte) int{
		"water_level":          ofLevels.recording,
		"currents":             ofCurrents.recording,
		"wind":                 ofWinds.recording,
		"water_temperature":    ofReadings.recording,
		"currents_predictions": ofCurrentPredictions.recording,
	}
	values, bodies := 0, 0
	for _, name := range recordings(t) {
		folder := strings.Split(name, "/")[1]
		if folder == "errors" || strings.HasSuffix(name, "_PARTIAL.json") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			compare, ok := folders[folder]
			if !ok {
				t.Fatal("no reader")
			}
			values += compare(t, recorded(t, name))
			bodies++
		})
	}
	t.Logf("%d values of %d bodies", values, bodies)
	if bodies < 40 || values < 80000 {
		t.Errorf("%d values of %d bodies: missing recordings", values, bodies)
	}
}

// TestRecordedPartial checks that rows without a minute are rejected.
func TestRecordedPartial(t *testing.T) {
	for _, name := range recordings(t) {
		if strings.HasSuffix(name, "_PARTIAL.json") {
			unknown(t, currentPredictionFormat, 200, string(recorded(t, name)), "Time is")
		}
	}
}

// TestRecordedErrors checks that each recorded error response is classified as "no data".
func TestRecordedErrors(t *testing.T) {
	count := 0
	for _, name := range recordings(t) {
		if !strings.HasPrefix(name, "coops/errors/") {
			continue
		}
		count++
		if e := refusal(t, levelFormat, 200, string(recorded(t, name))); e != nil && !IsNoData(e) {
			t.Errorf("%s: %v", name, e)
		}
	}
	if count < 40 {
		t.Errorf("%d recorded refusals, want 40", count)
	}
}

// TestRecordedSentences checks that the table lists the recorded sentences, in the same order.
// They are for other stations, and one is about a query that is never sent.
func TestRecordedSentences(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(recorded(t, "coops", "errors", "MESSAGES.tsv"))),
		"\n")
	if len(lines) != 17 {
		t.Fatalf("%d recorded sentences, want 17", len(lines))
	}
	for i, line := range lines {
		status, body, _ := strings.Cut(line, "\t")
		code, err := strconv.Atoi(status)
		if err != nil {
			t.Fatal(err)
		}
		want := sentences[i].code
		if i == 16 {
			want = coast.ProductUnavailable
		}
		if e := refusal(t, levelFormat, code, body); e != nil &&
			(e.Code != want || i < 16 && code != sentences[i].status) {
			t.Errorf("%s is %s: %s, want %s", line, e.Code, e.Message, want)
		}
	}
}
