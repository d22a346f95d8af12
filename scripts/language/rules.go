package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// most is the maximum number of columns in a line.
const most = 100

// finding is a place where a file breaks a rule.
type finding struct {
	file   string
	line   int
	phrase string // as it is written, or "columns"
	rule   string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %q: %s", f.file, f.line, f.phrase, f.rule)
}

// rule is a phrase that may not be used, and what to do instead.
type rule struct {
	phrase *regexp.Regexp
	advice string
}

func ruleOf(phrase, advice string) rule {
	return rule{regexp.MustCompile(`(?i)\b(?:` + phrase + `)\b`), advice}
}

// rules are the phrases that the style and the glossary rule out. Words that
// are right in another sense are not among them.
var rules = []rule{
	ruleOf(`stands? (?:in|for|beside|there|here|at)|stood`, "say what it is"),
	ruleOf(`tells?|told|telling`, "return, report, print or describe"),
	ruleOf(`whoever|whomever`, "name the caller"),
	ruleOf(`whatever`, "say which"),
	ruleOf(`beside`, "next to, with, and"),
	ruleOf(`amid`, "during"),
	ruleOf(`parted`, "separated, split into pages"),
	ruleOf(`anew`, "again"),
	ruleOf(`mend(?:s|ed|ing)?`, "fix"),
	ruleOf(`com(?:e|es|ing) to pass`, "happen"),
	ruleOf(`go(?:es)? by`, "follows"),
	ruleOf(`what is left of`, "the rest of"),
	ruleOf(`ha(?:s|ve|d) none`, "does not have"),
	ruleOf(`misspelt`, "misspelled or malformed"),
	ruleOf(`(?:it|that|this|which|who|he|a) is no \w+`, "is not a"),
	ruleOf(`is not to be`, "must not be"),
	ruleOf(`knocks?|knocked|wears?|wearing|worn|dies|died|forgets?|forgot|hears?|heard`,
		"no personification"),
	ruleOf(`patient(?:ly)?|thirsty|hungry|polite(?:ly)?`, "no personification"),
	ruleOf(`doors?`, "endpoint or front end"),
	ruleOf(`errands?`, "operation"),
	ruleOf(`dress(?:es|ed)?`, "middleware, wrap"),
	ruleOf(`minutes slide|units in hand`, "rate limit window, quota lease"),
	ruleOf(`once for all|ere|thereof|therein|wherein|hence|thus|lest|nigh|akin`, "plainer words"),
}

// verdict matches the words of verdicts for people, which name the state unknown.
var verdict = regexp.MustCompile(`(?i)\bcannot tell\b`)

// described matches a doc comment that defines its name with a question word.
var described = regexp.MustCompile(`^\s*// [A-Za-z]\w* (?:is|are) (?:what|how|where|when|who|why)\b`)

// check returns the findings of the lines of a file.
func check(file string, lines []line) []finding {
	var findings []finding
	add := func(l line, phrase, advice string) {
		findings = append(findings, finding{file, l.number, phrase, advice})
	}
	for _, l := range lines {
		prose := verdict.ReplaceAllString(l.prose, "")
		for _, r := range rules {
			for _, phrase := range r.phrase.FindAllString(prose, -1) {
				add(l, strings.ToLower(phrase), r.advice)
			}
		}
		if described.MatchString(l.source) {
			add(l, "is what", "begin a doc comment with the name and a verb")
		}
		if n := utf8.RuneCountInString(l.source); n > most && !l.wide {
			add(l, "columns", fmt.Sprintf("%d columns; at most %d", n, most))
		}
	}
	return findings
}
