package render

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestDays checks that the rows of each day, and those after a change of the clock, follow a
// line with the date and the zone, and that both forms have the same rows. The clocks of New York
// changed at 06:00 UTC on 2026-11-01.
func TestDays(t *testing.T) {
	var a Answer
	a.Line("two days")
	start := time.Date(2026, 11, 1, 3, 30, 0, 0, time.UTC)
	a.Days([]string{"letter", "never"}, 4, func(i int) (time.Time, []Cell) {
		return start.Add(time.Duration(i) * time.Hour).In(newYork), []Cell{Word(string(rune('a' + i)))}
	})
	const text = "two days\n\nSat 2026-10-31 EDT\n23:30 a\n\n" +
		"Sun 2026-11-01 EDT\n00:30 b\n01:30 c\n\nSun 2026-11-01 EST\n01:30 d\n"
	if got := string(a.Text()); got != text {
		t.Errorf("got %q\nwant %q", got, text)
	}
	const want = `{"summary":"two days","columns":["time","letter"],"days":[` +
		`{"date":"Sat 2026-10-31","zone":"EDT","rows":[["23:30","a"]]},` +
		`{"date":"Sun 2026-11-01","zone":"EDT","rows":[["00:30","b"],["01:30","c"]]},` +
		`{"date":"Sun 2026-11-01","zone":"EST","rows":[["01:30","d"]]}]}`
	if got := string(a.JSON()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestAnswer checks what both forms have of lines, tables with titles, values that are missing, and
// members.
func TestAnswer(t *testing.T) {
	var a Answer
	half := 0.5
	a.Line("summary with “<b>”")
	a.Gap()
	a.Line("Levels:")
	a.Rows([]string{"name", "height ft", "flagged"}, 2, func(i int) []Cell {
		if i == 0 {
			return []Cell{Word("HAT"), Figure(12.3, 2), {}}
		}
		return []Cell{Word("LAT").As("the %s:"), Value(nil, 1), Word("flat").As(" (%s)")}
	})
	a.Rows([]string{"share", "empty"}, 1, func(int) []Cell { return []Cell{Value(&half, 2)} })
	a.Line("a line")
	a.Write("Source: x")
	a.Member("source", "x")
	const text = "summary with “<b>”\n\nLevels:\nHAT 12.30\nthe LAT: - (flat)\n0.5\na line\n" +
		"Source: x\n"
	if got := string(a.Text()); got != text {
		t.Errorf("got %q\nwant %q", got, text)
	}
	var got, want any
	if err := json.Unmarshal(a.JSON(), &got); err != nil {
		t.Fatalf("%v: %s", err, a.JSON())
	}
	_ = json.Unmarshal([]byte(`{"summary": "summary with “<b>”", "lines": ["a line"], "tables": [
		{"title": "Levels:", "columns": ["name", "height ft", "flagged"],
			"rows": [["HAT", 12.30], ["LAT", null, "flat"]]},
		{"columns": ["share"], "rows": [[0.5]]}], "source": "x"}`), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
