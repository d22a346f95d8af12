// Package probe asks the providers once for everything that Leadline reads from them, and reports
// whether the readers accept each response. The input is the clients of the program, whose rate,
// deadline and breaker it shares, and the embedded stations. The output is a line for each probe
// and an archive of all responses, from which recordings for tests can be made. The package does
// not decide what a difference means.
//
//	probe.go    a run and its outcomes
//	table.go    the probes
//	words.go    what a probe read, in a few words
//	compare.go  predictions of a provider and ours
//	recorder.go the responses as received
//	members.go  members of responses that are new or missing
//	archive.go  the archive
package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/stations"
)

// Config has the parts of a run.
type Config struct {
	Water    *noaa.Client
	Weather  *nws.Client
	Stations *stations.Directory
	Recorder *Recorder // attached to the clients of both providers
	Version  string    // of the program
	Contact  string    // removed from everything in the archive
	Now      func() time.Time
	Wait     func(context.Context, time.Duration) // returns early if the context ends
	Out      io.Writer                            // receives a line for each probe
}

// Outcome classifies the end of a probe.
type Outcome string

// The outcomes. Empty says that the provider has no such data: the format is not at fault.
const (
	OK      Outcome = "ok"
	Differs Outcome = "differs" // predictions that are not ours
	Empty   Outcome = "empty"
	Failed  Outcome = "failed"
)

// Report is the result of a run.
type Report struct {
	began, ended      time.Time
	version, contact  string
	agents            []string // User-Agent headers
	results           []result
	Planned, Requests int
	counts            map[Outcome]int
}

// result is the outcome of one probe.
type result struct {
	name      string
	outcome   Outcome
	words     string
	took      time.Duration
	exchanges []*exchange
	err       error
}

// maxWaits limits how often a run waits until a provider gets requests again. One that is down
// would otherwise cost half a minute for each probe (ours).
const maxWaits = 3

// Run carries out all probes, one after the other, until ctx ends.
func Run(ctx context.Context, c Config) *Report { return run(ctx, c, probes()) }

func run(ctx context.Context, c Config, list []probe) *Report {
	r := &Report{
		began: c.Now().UTC(), version: c.Version, contact: c.Contact, counts: map[Outcome]int{},
	}
	r.Planned = len(list)
	waits := 0
	for _, p := range list {
		one := c.try(ctx, p)
		if after := one.pause(); after > 0 && waits < maxWaits {
			waits++
			c.Wait(ctx, after)
			one = c.try(ctx, p)
		}
		if ctx.Err() != nil {
			break // the probe did not end
		}
		r.results = append(r.results, one)
		r.counts[one.outcome]++
		r.Requests += len(one.exchanges)
		fmt.Fprintln(c.Out, one.line())
	}
	r.ended, r.agents = c.Now().UTC(), c.Recorder.userAgents()
	return r
}

// try carries out a probe once.
func (c Config) try(ctx context.Context, p probe) result {
	began := c.Now()
	found, err := p.ask(ctx, c)
	r := result{name: p.name, words: found.words, took: c.Now().Sub(began), err: err}
	var unread error
	r.exchanges, unread = c.Recorder.take()
	switch {
	case err != nil:
		r.outcome, r.words = judge(err)
		if unread != nil {
			r.words += ": " + unread.Error()
		}
	case found.differs:
		r.outcome = Differs
	default:
		r.outcome = OK
	}
	if notes := notes(r.exchanges, found.hollow); err == nil && notes != "" {
		r.words += "; " + notes
	}
	r.words = coast.Clean(r.words) // members and sentences are the words of others
	return r
}

// judge returns the outcome of an error and its words.
func judge(err error) (Outcome, string) {
	e, ok := errors.AsType[*coast.Error](err)
	if !ok {
		return Failed, err.Error()
	}
	words := strings.TrimSuffix(strings.TrimSuffix(e.Message, " No data is invented."), ".")
	outcome := Failed
	if e.Code == coast.ProductUnavailable && !strings.HasPrefix(words, noaa.UnknownReason) {
		outcome = Empty
	}
	if i := strings.Index(words, "NOAA says: "); i >= 0 {
		words = words[i:] // the rest is advice for callers
	}
	return outcome, words
}

// pause returns how long the provider gets no requests, if that is why none was sent.
func (r result) pause() time.Duration {
	e, ok := errors.AsType[*coast.Error](r.err)
	if !ok || len(r.exchanges) > 0 {
		return 0
	}
	return time.Duration(e.RetryAfterSeconds) * time.Second
}

// line returns a result as a line for people.
func (r result) line() string {
	return fmt.Sprintf("%-7s  %4.1f s  %s: %s", r.outcome, r.took.Seconds(), r.name, r.words)
}

// Complete reports whether every probe was carried out.
func (r *Report) Complete() bool { return len(r.results) == r.Planned }

// Summary returns the number of probes by outcome, as a sentence.
func (r *Report) Summary() string {
	return fmt.Sprintf("%d of %d probes with %d requests: %d ok, %d empty, %d differ, %d failed",
		len(r.results), r.Planned, r.Requests,
		r.counts[OK], r.counts[Empty], r.counts[Differs], r.counts[Failed])
}

// Faults returns the number of probes that differ or failed.
func (r *Report) Faults() int { return r.counts[Differs] + r.counts[Failed] }
