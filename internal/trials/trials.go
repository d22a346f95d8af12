// Package trials says how often tests repeat what they try: property tests
// their generated cases, crash tests the killing of a process. Only tests use
// it. The environment variable LEADLINE_TRIALS=all, which scripts/check --all
// sets, asks for ten times as many.
package trials

import "os"

const (
	cases = 1000
	kills = 10
)

// Cases returns the number of cases that a property test generates: 1,000, or
// 10,000 for all.
func Cases() int { return cases * factor() }

// Kills returns how many processes a crash test kills: 10, or 100 for all.
func Kills() int { return kills * factor() }

// factor panics on a value that it does not know: a misspelled one would
// otherwise run the few cases under the name of all.
func factor() int {
	switch value := os.Getenv("LEADLINE_TRIALS"); value {
	case "":
		return 1
	case "all":
		return 10
	default:
		panic("invalid LEADLINE_TRIALS " + value + ": must be all or empty")
	}
}
