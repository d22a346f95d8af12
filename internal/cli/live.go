package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/config"
	"leadline/internal/probe"
	"leadline/internal/server"
)

// liveRun is the part of a run of verify --live that its owner chooses.
type liveRun struct {
	wanted  bool
	archive string
}

// liveHelp is the part of the help of verify about --live.
const liveHelp = "With --live, send about 65 requests to each provider, one for each product and " +
	"format that Leadline reads, print whether each response could be read and how far " +
	"predictions differ, and write an archive of the responses for the project."

// addLive adds the flags of verify --live.
func addLive(c *cobra.Command, run *liveRun) {
	c.Flags().BoolVar(&run.wanted, "live", false,
		"request everything that Leadline reads from both providers once, check each response, and "+
			"write an archive of them")
	c.Flags().StringVar(&run.archive, "archive", "",
		"`FILE` to write with --live; by default leadline-live-TIME.zip in the current folder")
}

// shortestContact is the length of the shortest mail address or website that can be one. A shorter
// text could not be removed from the archive without damage.
const shortestContact = 6

// verifyLive probes the providers and writes the archive. Nothing is cached: each request is new.
func (p *program) verifyLive(ctx context.Context, run liveRun) error {
	settings := *p.config
	switch contact := settings.Contact; {
	case !run.wanted:
		return errors.New("--archive needs --live, which makes the requests that it is about")
	case settings.Offline:
		return errors.New("--live sends requests: run verify --live without --offline")
	case contact == "":
		return errors.New("missing --contact: the weather service asks its clients for a mail " +
			"address or a website, such as --contact you@example.org; the archive does not have it")
	case len(contact) < shortestContact || !strings.ContainsAny(contact, "@."):
		return fmt.Errorf("invalid --contact %q: must be a mail address or a website", contact)
	}
	began := time.Now()
	file := cmp.Or(run.archive, probe.FileName(began))
	if err := probe.Check(file); err != nil {
		return err
	}
	settings.Data, settings.Plans = "", "" // no cache, and no plans
	quiet(&settings)
	recorder := &probe.Recorder{Now: time.Now}
	parts := p.parts(&settings)
	recorder.Attach(&parts.Upstream)
	live, err := server.OpenLive(parts)
	if err != nil {
		return err
	}
	report := probe.Run(ctx, probe.Config{
		Water: live.Set.NOAA, Weather: live.Set.NWS, Stations: live.Set.Stations,
		Recorder: recorder, Version: parts.Version, Contact: settings.Contact,
		Now: time.Now, Wait: p.wait, Out: p.streams.Out,
	})
	live.Close()
	p.printf("\n%s\n", report.Summary()) // the archive is written even if this fails
	if err := report.WriteFile(file); err != nil {
		return err
	}
	if err := p.printf("archive: %s, without your contact; look into it and send it to the "+
		"project\n", file); err != nil {
		return err
	}
	switch {
	case !report.Complete():
		return fmt.Errorf("incomplete: %w; the archive has the probes up to then", context.Cause(ctx))
	case report.Faults() > 0:
		return fmt.Errorf("%d of %d probes differ or failed; the archive has the responses",
			report.Faults(), report.Planned)
	}
	return nil
}

// quiet reduces the default log of a command to errors: what it prints says what a provider lacks.
func quiet(c *config.Config) {
	if c.LogLevel == slog.LevelInfo {
		c.LogLevel = slog.LevelError
	}
}

// wait waits until ctx ends or a time has passed, and says so.
func (p *program) wait(ctx context.Context, d time.Duration) {
	p.notef("waiting %v: the provider gets no requests until then\n", d)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
