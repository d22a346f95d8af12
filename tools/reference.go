package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/stations"
)

// ReferenceGuideInput asks for a page of reference.
type ReferenceGuideInput struct {
	Topic string `json:"topic" doc:"Which page." enum:"products datums units time_zones intervals station_types data_limits quality_flags date_formats marine_forecast currents decisions interpretation limits sources"`
}

// ReferenceGuide is a page of reference, the same as the resource.
type ReferenceGuide struct {
	coast.Provenance
	Topic string `json:"topic"`
	Title string `json:"title"`
	URI   string `json:"uri"`
	Text  string `json:"text"` // Markdown
}

// ReferenceGuide tells a page of reference.
func (s *Set) ReferenceGuide(_ context.Context, in ReferenceGuideInput) (ReferenceGuide, error) {
	topic, ok := s.Topics.Topic(in.Topic)
	if !ok {
		return ReferenceGuide{}, coast.Errorf(coast.NotFound, "no topic %q", in.Topic)
	}
	uri := "leadline://reference/" + topic.Name
	m := s.moment()
	return ReferenceGuide{
		Provenance: m.provenance(m.calculated("reference", "Reference pages of this server", uri)),
		Topic:      topic.Name, Title: topic.Title, URI: uri, Text: topic.Text,
	}, nil
}

// Markdown is the page as it stands, and where it comes from.
func (g ReferenceGuide) Markdown() string {
	return fmt.Sprintf("%s\n\nSource: %s (%s), %s, %s.\n", strings.TrimSpace(g.Text), g.Sources[0].Label, g.Sources[0].Provider, g.URI, g.Sources[0].ReceivedAt.Format(time.RFC3339))
}

// WhoamiInput is empty.
type WhoamiInput struct{}

// Requests are numbers of requests, null where there is no figure.
type Requests struct {
	Minute *int `json:"minute"`
	Month  *int `json:"month"`
}

// Whoami is who the caller is to this server. A null is no figure, not a
// limit of none.
type Whoami struct {
	coast.Provenance
	Tier         access.Tier `json:"tier"`
	IdentifiedBy string      `json:"identifiedBy"`
	Limits       Requests    `json:"limits"`
	Remaining    Requests    `json:"remaining"`
	Scopes       []string    `json:"scopes"`
	HowToGetMore string      `json:"howToGetMore"`
}

// Whoami tells who the caller is.
func (s *Set) Whoami(ctx context.Context, _ WhoamiInput) (Whoami, error) {
	caller, ok := access.CallerFrom(ctx)
	if !ok {
		return Whoami{}, coast.Errorf(coast.Internal, "no door has named the caller")
	}
	m := s.moment()
	out := Whoami{
		Provenance: m.provenance(m.calculated("access", "This server's own knowledge of its caller", "leadline://reference/limits")),
		Tier:       caller.Tier, Scopes: []string{},
	}
	if caller.Tier == access.Local {
		out.IdentifiedBy = "the process that you started"
		out.HowToGetMore = "There is no more to get: a local caller has no limits."
		return out, nil
	}
	allowance := access.AllowanceOf(caller.Tier)
	out.IdentifiedBy = allowance.By + " " + caller.Address
	out.Limits.Minute = &allowance.PerMinute
	out.Scopes = []string{"raw:read", "mcp:use"}
	out.HowToGetMore = "This server has no accounts yet: every caller is anonymous."
	out.Missing = append(out.Missing, coast.Missing{Input: "remaining", Reason: "this server does not count requests yet; the limit is not enforced"})
	return out, nil
}

// CompleteStation returns the ids of up to 20 stations that a client's
// unfinished text can mean.
func (s *Set) CompleteStation(_ context.Context, prefix string) []string {
	const most = 20
	ids := []string{}
	for _, st := range s.Stations.Search(strings.TrimSpace(prefix), nil) {
		if len(ids) == most {
			break
		}
		ids = append(ids, st.ID)
	}
	return ids
}

// StationCard returns the resource leadline://stations/{id}: what a station
// is and what it can answer, as JSON.
func (s *Set) StationCard(ctx context.Context, id string) ([]byte, error) {
	in := StationInfoInput{AtStation: AtStation{id}, Expand: []string{"details", "bins"}, InUnits: InUnits{"english"}}
	if st, ok := s.Stations.Station(id); ok && st.Kind == stations.Tide {
		in.Expand = []string{"details", "datums"}
	}
	info, err := s.StationInfo(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(info)
}
