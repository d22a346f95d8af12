// Package trials has what the tests of all packages share: how often they repeat what they try,
// which of them a run selects, where the published values are, and how they wait. Only tests use
// it.
//
//	trials.go   cases, kills and rounds
//	sets.go     tests that only some runs select
//	shared.go   the folder with published values and recorded responses
//	wait.go     waiting for what other goroutines and processes do
package trials

import "os"

// variable is the environment variable with the size of a run: empty for the few cases of `go test
// ./...`, "check" for those of scripts/check, "all" for those of scripts/check --all.
const variable = "LEADLINE_TRIALS"

// Cases returns the number of cases that a property test generates: 100, or 1,000 for check, or
// 10,000 for all.
func Cases() int { return 100 * factor() }

// Kills returns how many processes a crash test kills: 1, or 10 for check, or 100 for all.
func Kills() int { return factor() }

// Thorough reports whether a test tries everything, in check and in all, instead of a sample.
func Thorough() bool { return factor() > 1 }

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
	switch value := os.Getenv(variable); value {
	case "":
		return 1
	case "check":
		return 10
	case "all":
		return 100
	default:
		panic("invalid " + variable + " " + value + ": must be check, all or empty")
	}
}
