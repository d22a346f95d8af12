package tools

import (
	"context"
	"slices"
	"strings"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/render"
)

// Toolset is a list of tools that clients choose by its name.
type Toolset struct {
	Name  string
	Tools []Tool
}

// Toolsets returns the tool sets, first the default one. A tool may belong to several.
func (s *Set) Toolsets() []Toolset {
	core, planning := s.Catalog(), s.planningTools()
	return []Toolset{
		{"core", core},
		{"planning", append(planning, core[len(core)-1])}, // leadline_whoami
	}
}

// planningTools returns the tools that only the tool set planning has.
func (s *Set) planningTools() []Tool {
	return []Tool{
		declare("leadline_trip_health", "Trip health", PlanningTools,
			"How suitable a time is for an activity at a tide station: a state, a confidence and the "+
				"reasons with their numbers, from tide, current, wind, waves and alerts. Not a "+
				"clearance to go; missing facts are listed, not guessed. One time a call, at most "+
				"366 days ahead, wind and waves about six. Example: stationId=8443970, "+
				"activity=fishing, localDate=2026-11-21, localTime=09:00", true, s.tripHealthByTool),
		declare("leadline_find_places", "Find places", PlanningTools,
			"The position of a town, a bay, a cape or a ZIP code near a US coast, with the nearest "+
				"stations for tides and currents. No street addresses and no places inland. If nothing "+
				"has the name, similar names come marked fuzzy. Default 5 rows, at most 20. Example: "+
				"query=Half Moon Bay CA", false, s.FindPlaces),
	}
}

// tripHealthByTool is TripHealth for callers of MCP. As on REST, a key needs the scope for
// data or the one for decisions; other callers do not need a scope that MCP does not.
func (s decisionTools) tripHealthByTool(
	ctx context.Context, in TripHealthInput,
) (TripHealth, error) {
	caller, _ := access.CallerFrom(ctx)
	if caller.Key != "" && !caller.May(access.RawRead) && !caller.May(access.DecisionRead) {
		return TripHealth{}, coast.Errorf(coast.InsufficientScope,
			"The key %s lacks the scope %s or %s. Create a key with one of them.",
			access.Shown(caller.Key), access.RawRead, access.DecisionRead)
	}
	return s.TripHealth(ctx, in)
}

// describe writes the state of the time, what decided it, and what is missing.
func (t TripHealth) describe(text *render.Text) {
	d := t.Decision
	text.Line("%s, %s at %s: %s", stationName(&d.Station), d.Activity,
		render.Clock(d.RequestedFor, d.EvaluatedAt), render.Escape(d.Headline))
	text.Line("State %s, confidence %s. %s", d.State, d.Confidence,
		localTimes(render.Escape(d.Summary)))
	text.Gap()
	for _, r := range d.Reasons {
		text.Line("- %s: %s", r.Severity, localTimes(render.Escape(r.Message)))
	}
	for _, good := range d.Highlights {
		text.Line("- good: %s", localTimes(render.Escape(good)))
	}
	if w := d.Window; w != nil {
		text.Line("The state is the same from %s to %s.", render.Clock(w.From, d.EvaluatedAt),
			render.Clock(w.To, d.EvaluatedAt))
	}
	var f coast.Frame
	f.Sources, f.Notes, f.DatumEpoch, f.TimeZone = d.Sources, d.Notes, d.DatumEpoch, d.TimeZone
	if len(d.MissingInputs) > 0 {
		f.Missing = []coast.Missing{{
			Input: strings.Join(d.MissingInputs, ", "), Reason: "not available or stale",
		}}
	}
	f.Notes = append(slices.Clip(f.Notes), d.Disclaimer)
	footer(text, f)
}
