package currents

import (
	"context"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/stations"
)

const unrated = "NOAA's speed ratio for that phase is 0 here: its table gives no strength, which " +
	"does not mean still water"

// CurrentPredictions predicts the tidal current at a station. Errors: StationNotFound,
// ProductUnavailable if NOAA predicts no currents there, ProviderUnavailable if only the
// provider knows the bin, and RangeTooLong.
func (s Operations) CurrentPredictions(
	ctx context.Context, in CurrentPredictionsInput,
) (CurrentPredictions, error) {
	fs := s.facts.Set()
	at, err := currentPlace(fs, &in.StationOrPlace)
	if err != nil {
		return CurrentPredictions{}, err
	}
	st, err := fs.CurrentBin(ctx, in.Station, in.Bin)
	if err != nil {
		return CurrentPredictions{}, err
	}
	st = st.Snapshot()
	if in.VelType == "speed_dir" {
		return CurrentPredictions{}, coast.Errorf(coast.ProductUnavailable,
			`vel_type speed_dir needs the minor axis of the current, which the embedded constants do not `+
				`include. Use "vel_type": "default": the velocity along the main axis, flood positive, with `+
				`the directions of flood and ebb.`)
	}
	currents, err := currentsOf(fs, st)
	if err != nil {
		return CurrentPredictions{}, err
	}
	z, span, err := fs.Forward(in.windowSpan(), string(in.TimeZone), st)
	if err != nil {
		return CurrentPredictions{}, err
	}
	out := currentFrame(fs, st, in, z)
	out.Span = coast.Span{From: span.From, To: span.To}
	out.ForPlace = at.Place
	at.Explain(&out.Provenance)
	out.Notes = append(append(out.Notes, span.Notes...), span.NewYear()...)
	out.Notes = append(out.Notes, fs.Far(st, span)...)
	p := flow{Currents: currents, out: &out, speed: facts.SpeedsIn(in.Units), zone: z,
		place: at.Position(), point: at.Sky(st)}
	if in.windowed() {
		err = p.windows(ctx, fs, st, span)
	} else if err = p.fill(ctx, span); err == nil {
		err = p.moments(ctx, fs.Clock, span)
	}
	if err != nil {
		return CurrentPredictions{}, err
	}
	if facts.Unrated(p.Currents) {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "now, slackWindow and the speeds of one phase", Reason: unrated,
		})
	}
	out.Notes = append(out.Notes, out.oddities()...)
	if what := in.Itself(in.InLight); what != "" {
		out.Notes = append(out.Notes, at.ItselfNote(what)...)
	}
	if in.Lit() {
		err = p.keepLit(ctx, span)
	}
	if err != nil {
		return CurrentPredictions{}, err
	}
	if st.Subordinate() && out.interpolated() {
		out.Sources = append(out.Sources, fs.Derived(
			st, "current-interpolation",
			"Velocities between the events, interpolated along the reference station's curve",
			facts.StationPage(st.ID),
		))
		out.Notes = append(
			out.Notes,
			"Velocities between the events, and the slack windows, are interpolated by Leadline, not "+
				"published by NOAA: "+st.ID+" is subordinate to "+st.Reference+".",
		)
	}
	return out, nil
}

// oddities returns notes on values in NOAA's own tables that look like mistakes.
func (p CurrentPredictions) oddities() []string {
	for i := 1; i < len(p.Events); i++ {
		before, after := p.Events[i-1].Type, p.Events[i].Type
		if before == after && before == "slack" ||
			before != after && before != "slack" && after != "slack" {
			return []string{
				"Events do not alternate here. Floods and ebbs below 0.1 kn are not listed, so slacks can " +
					"follow each other. Offsets from a reference station can also change the order of " +
					"weak events.",
			}
		}
	}
	return nil
}

// interpolated reports whether the result contains interpolated values, not only events.
func (p CurrentPredictions) interpolated() bool {
	hasWindow := func(e CurrentEvent) bool { return e.SlackWindow != nil }
	return p.Series != nil || p.Now != nil || p.Begin != nil || p.Windows != nil ||
		slices.ContainsFunc(p.Events, hasWindow)
}

func currentFrame(
	fs facts.Set, st stations.Station, in CurrentPredictionsInput, z facts.Zone,
) CurrentPredictions {
	out := CurrentPredictions{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: z.Label,
			Provenance: fs.Predictions(st, fs.Current(st)),
		},
		SpeedUnit: facts.SpeedsIn(in.Units).Name, DirectionUnit: coast.DegreesToward,
		PredictionKind: facts.PredictionKind(st), Bin: facts.BinOf(st),
		DepthUnit: facts.DepthsIn(in.Units).Name, Directions: directory.DirectionsOf(st),
		Interval: in.Interval,
		input:    in,
	}
	out.Depth = facts.DepthsIn(in.Units).Known(fs.Depth(st))
	if note := otherDefault(st); note != "" {
		out.Notes = append(out.Notes, note)
	}
	if out.Bin == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "bin",
			Reason: "the embedded data does not number this station's predicted bin, and NOAA's metadata " +
				"service has given no number",
		})
	}
	if out.Directions.Flood == nil || out.Directions.Ebb == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input: "directions", Reason: "NOAA gives no mean direction of this station's flood or ebb",
		})
	}
	if out.Depth == nil {
		out.Missing = append(out.Missing, coast.Missing{
			Input:  "depth",
			Reason: "the embedded data does not hold depths, and NOAA's metadata service has given none",
		})
	}
	return out
}
