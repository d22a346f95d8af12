package rest

import (
	"encoding/csv"
	"strings"
	"testing"

	"leadline/internal/operation"
)

// TestPlainCells checks that no cell is a formula of a spreadsheet, and that numbers are kept.
func TestPlainCells(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "-1.5": "-1.5", "+2": "+2", "-0": "-0", "=1+1": "'=1+1", "@SUM(A1)": "'@SUM(A1)",
		"-1-1": "'-1-1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"a=1": "a=1", "2026-11-24T14:23:00-08:00": "2026-11-24T14:23:00-08:00",
	} {
		if got := plain(cell); got != want {
			t.Errorf("plain(%q) = %q, want %q", cell, got, want)
		}
	}
}

// FuzzTables checks that a reader of CSV gets back every cell, but for carriage returns, and none
// that is a formula.
func FuzzTables(f *testing.F) {
	f.Add("=HYPERLINK(\"http://x\")", "a,b\r\n\"c\"")
	f.Add("-2+3", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		text := encodeTable(operation.Table{Header: []string{"a", "b"}, Rows: [][]string{{a, b}}})
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 2 {
			t.Fatalf("%q: %v %v", text, rows, err)
		}
		for i, given := range []string{a, b} {
			got := rows[1][i]
			if strings.HasPrefix(got, "=") || strings.HasPrefix(got, "@") {
				t.Errorf("%q is a formula", got)
			}
			// encoding/csv writes the carriage returns of line ends only.
			without := strings.NewReplacer("\r", "").Replace
			if want := without(given); without(got) != want && without(got) != "'"+want {
				t.Errorf("%q was read as %q", given, got)
			}
		}
	})
}
