// Package trials says how often tests repeat what they try: property tests
// their generated cases, crash tests the killing of a process. Only tests use
// it. The environment variable LEADLINE_TRIALS=all, which scripts/check --all
// sets, asks for ten times as many. LEADLINE_TRIALS=few, which scripts/clock sets
// because it repeats the tests at many hours, asks for a tenth.
package trials

import "os"

// Cases returns the number of cases that a property test generates: 1,000, or
// 10,000 for all, or 100 for few.
func Cases() int { return 100 * factor() }

// Kills returns how many processes a crash test kills: 10, or 100 for all, or 1
// for few.
func Kills() int { return factor() }

// Rounds returns how often a test of several instances goes through its faults: once, or 30 times
// for all, which takes half an hour.
func Rounds() int {
	if factor() == 100 {
		return 30
	}
	return 1
}

// factor panics on a value that it does not know: a misspelled one would
// otherwise run the usual cases under the name of all.
func factor() int {
	switch value := os.Getenv("LEADLINE_TRIALS"); value {
	case "few":
		return 1
	case "":
		return 10
	case "all":
		return 100
	default:
		panic("invalid LEADLINE_TRIALS " + value + ": must be few, all or empty")
	}
}
