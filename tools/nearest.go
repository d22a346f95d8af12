package tools

import "strings"

// Nearest returns the name most like the one given, or "" where none is
// within a third of its letters: what a caller probably meant.
func Nearest(name string, known []string) string {
	name = strings.ToLower(Clip(name))
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := edits(name, strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the letters to insert, delete or replace (Levenshtein, 1966).
func edits(a, b string) int {
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
