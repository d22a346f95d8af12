package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/access/credential"
	"leadline/internal/access/quota"
	"leadline/internal/coast"
	"leadline/internal/render"
)

// ReferenceGuideInput names a reference topic.
type ReferenceGuideInput struct {
	Topic string `json:"topic" doc:"The page to read." enum:"products datums units time_zones intervals station_types data_limits quality_flags date_formats marine_forecast currents decisions interpretation limits sources"`
}

// ReferenceGuide is a reference topic, with the same content as the resource.
type ReferenceGuide struct {
	coast.Provenance
	Topic string `json:"topic"`
	Title string `json:"title"`
	URI   string `json:"uri"`
	Text  string `json:"text"` // Markdown
}

// ReferenceGuide returns a reference topic.
func (s serverTools) ReferenceGuide(
	_ context.Context, in ReferenceGuideInput,
) (ReferenceGuide, error) {
	topic, ok := s.topics.Topic(in.Topic)
	if !ok {
		return ReferenceGuide{}, coast.Errorf(coast.NotFound, "There is no reference topic %q.", in.Topic)
	}
	uri := "leadline://reference/" + topic.Name
	fs := s.facts.Set()
	return ReferenceGuide{
		Provenance: fs.From(fs.Calculated("reference", "Reference pages of this server", uri)),
		Topic:      topic.Name, Title: topic.Title, URI: uri, Text: topic.Text,
	}, nil
}

// Describe writes the topic unchanged.
func (g ReferenceGuide) Describe(t *render.Answer) {
	for line := range strings.Lines(strings.TrimSpace(g.Text)) {
		t.Line("%s", strings.TrimSuffix(line, "\n"))
	}
}

// WhoamiInput is empty.
type WhoamiInput struct{}

// Limits are the request limits of a caller; null if there is no such limit.
type Limits struct {
	Minute *int `json:"minute"` // in any 60 seconds, on MCP
	Month  *int `json:"month"`  // in a UTC calendar month
}

// Remaining holds the remaining requests and the times at which more become available.
type Remaining struct {
	Minute         *int          `json:"minute"`
	MinuteResetsAt *time.Time    `json:"minuteResetsAt"` // when one more request is allowed
	Month          *int          `json:"month"`
	MonthResetsAt  *time.Time    `json:"monthResetsAt"` // start of the next month
	Warning        quota.Warning `json:"warning"`       // of the quota: none, approaching, critical, exhausted
}

// Whoami describes the caller as this server identifies it. Null means that there is no
// value, not a limit of zero.
type Whoami struct {
	coast.Provenance
	Tier         access.Tier `json:"tier"`
	IdentifiedBy string      `json:"identifiedBy"`
	Limits       Limits      `json:"limits"`
	Remaining    Remaining   `json:"remaining"`
	Scopes       []string    `json:"scopes"`
	HowToGetMore string      `json:"howToGetMore"`
}

// Whoami returns the caller's identity, scopes and limits.
func (s serverTools) Whoami(ctx context.Context, _ WhoamiInput) (Whoami, error) {
	caller, ok := access.CallerFrom(ctx)
	if !ok {
		return Whoami{}, coast.Errorf(coast.Internal, "The request carries no caller.")
	}
	fs := s.facts.Set()
	out := Whoami{
		Provenance: fs.From(fs.Calculated(
			"access", "This server's record of its caller", "leadline://reference/limits",
		)),
		Tier: caller.Tier, Remaining: Remaining{Warning: quota.None}, Scopes: []string{},
	}
	out.Notes = append(out.Notes, "The address chooses the tools: /mcp?toolsets=core,planning adds "+
		"transits, routes, a whole day, best times, places, telegrams and the decisions.")
	left, limited := access.StandingFrom(ctx)
	if !limited {
		out.IdentifiedBy = "the process that you started"
		out.HowToGetMore = "A local caller has no limits."
		return out, nil
	}
	minute := left.MinuteReset.UTC()
	out.Limits.Minute = &left.MinuteLimit
	out.Remaining = Remaining{
		Minute: &left.MinuteRemaining, MinuteResetsAt: &minute, Warning: left.Warning,
	}
	if caller.Account == "" {
		out.IdentifiedBy = "client address " + caller.Address.String()
		out.Scopes = []string{credential.RawRead, credential.MCPUse}
		out.HowToGetMore = "A key raises the limits: the operator of this server creates one with " +
			"leadline keys create. Send it as Authorization: Bearer KEY. Or connect to /pro/mcp on " +
			"this server and sign in, if the server allows it."
		return out, nil
	}
	out.Limits.Month = &left.MonthLimit
	out.Remaining.Month, out.Remaining.MonthResetsAt = &left.MonthRemaining, &left.MonthReset
	out.IdentifiedBy = credentialOf(caller)
	out.Scopes = caller.Scopes
	out.HowToGetMore = "Limits belong to the plan: the operator of this server moves the account to " +
		"another with leadline accounts plan. All keys and connected apps of an account share " +
		"its allowance."
	return out, nil
}

// credentialOf describes the credential of a caller.
func credentialOf(c access.Caller) string {
	if c.Grant != "" {
		return fmt.Sprintf("the app %s, connected to the account %s", c.App, c.Email)
	}
	text := "API key " + credential.Shown(c.Key)
	if c.Name != "" {
		text += fmt.Sprintf(" (%s)", c.Name)
	}
	return text + " of the account " + c.Email
}

// Describe writes the identity of the caller, the limits and what remains of them.
func (w Whoami) Describe(t *render.Answer) {
	t.Line("This server identifies you by %s; tier %s.", render.Escape(w.IdentifiedBy), w.Tier)
	left := func(what string, remaining, limit *int, resets *time.Time, layout string) {
		if remaining == nil || limit == nil {
			return
		}
		more := ""
		if resets != nil {
			more = ", more from " + resets.UTC().Format(layout)
		}
		t.Line("Requests left %s: %d of %d%s.", what, *remaining, *limit, more)
	}
	left("this minute", w.Remaining.Minute, w.Limits.Minute, w.Remaining.MinuteResetsAt,
		"15:04:05 MST")
	left("this month", w.Remaining.Month, w.Limits.Month, w.Remaining.MonthResetsAt,
		"2006-01-02 15:04 MST")
	if w.Remaining.Warning != quota.None {
		t.Line("Monthly quota: %s.", w.Remaining.Warning)
	}
	if len(w.Scopes) > 0 {
		t.Line("Scopes: %s.", strings.Join(w.Scopes, ", "))
	}
	t.Line("%s", render.Escape(w.HowToGetMore))
}
