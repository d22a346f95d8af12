package coast

import (
	"strconv"
	"strings"
)

// Clip returns text, truncated to 60 bytes if it is longer, for messages that
// quote callers.
func Clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// Quote returns the clipped text in quotation marks.
func Quote(text string) string { return strconv.Quote(Clip(text)) }

// Distance returns the number of bytes to insert, delete or replace in a to get b
// (Levenshtein, 1966).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
