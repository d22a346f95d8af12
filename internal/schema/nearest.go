package schema

import "strings"

// Nearest returns the known name most like the one given, or "" if none is within
// a third of its letters: what a caller probably meant.
func Nearest(name string, known []string) string {
	name = strings.ToLower(Clip(name))
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := Distance(name, strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Distance returns the number of bytes to insert, delete or replace to turn a into
// b (Levenshtein, 1966).
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
