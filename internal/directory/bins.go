package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// CurrentStationBinsInput requests the depth bins of a current station.
type CurrentStationBinsInput struct {
	place.StationOrPlace
	operation.InUnits
}

// CurrentBin is one depth bin of a current station.
type CurrentBin struct {
	ID               string      `json:"id" doc:"Station id with the number of the bin."`
	Bin              *int        `json:"bin" doc:"Number of the bin; null if the station has one depth only."`
	Predicted        bool        `json:"predicted" doc:"Whether the current of the bin is predicted."`
	Default          bool        `json:"default" doc:"Whether predictions without a bin are of this one."`
	Depth            *float64    `json:"depth" doc:"Depth below the surface in the unit heightUnit; null if NOAA does not publish it."`
	Directions       *Directions `json:"directions,omitempty" doc:"Directions of flood and ebb; left out of bins that are not predicted."`
	MeanFlow         *float64    `json:"meanFlowKnots,omitempty" doc:"Mean flow in knots, left out if NOAA does not publish it."`
	ReferenceStation string      `json:"referenceStation,omitempty" doc:"Id of the reference station; left out of bins that are not subordinate."`
	Offsets          *Offsets    `json:"offsets,omitempty" doc:"Offsets from the reference station; left out of bins that are not subordinate."`
}

// Offsets convert events of the reference bin to events of a subordinate bin, as minutes and
// ratios.
type Offsets struct {
	SlackBeforeFlood int     `json:"slackBeforeFloodMinutes" doc:"Minutes to add to the slack before flood of the reference station."`
	Flood            int     `json:"floodMinutes" doc:"Minutes to add to its maximum flood."`
	SlackBeforeEbb   int     `json:"slackBeforeEbbMinutes" doc:"Minutes to add to its slack before ebb."`
	Ebb              int     `json:"ebbMinutes" doc:"Minutes to add to its maximum ebb."`
	FloodRatio       float64 `json:"floodSpeedRatio" doc:"Factor of its maximum flood speed."`
	EbbRatio         float64 `json:"ebbSpeedRatio" doc:"Factor of its maximum ebb speed."`
}

// CurrentStationBins holds the depth bins of a current station.
type CurrentStationBins struct {
	coast.Frame
	DepthUnit string       `json:"depthUnit"`
	Bins      []CurrentBin `json:"bins"`
	place.ForPlace
}

// CurrentStationBins returns the bins of a current station: the bins that the metadata
// service lists with their depths, joined with the embedded data. If the service is
// unavailable, depths and bin numbers are missing.
func (s Operations) CurrentStationBins(
	ctx context.Context, in CurrentStationBinsInput,
) (CurrentStationBins, error) {
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	return currentStationBins(ctx, s.facts.Set(), in)
}

func currentStationBins(
	ctx context.Context, fs facts.Set, in CurrentStationBinsInput,
) (CurrentStationBins, error) {
	id, _, _ := strings.Cut(in.Station, "_")
	st, err := fs.Listed(ctx, id)
	if err == nil && st.Kind != stations.Gauge && !fs.Weak(st) {
		st, err = fs.CurrentStation(st.ID)
	}
	if err != nil {
		return CurrentStationBins{}, err
	}
	if st.Kind == stations.Gauge {
		out, err := meterBins(ctx, fs, st, in.Units)
		out.Notes = append(
			out.Notes,
			"NOAA observes here and predicts nothing: the default bin is the one whose observations are "+
				"returned if none is named.",
		)
		return out, err
	}
	if _, known := st.DepthBins(); !known {
		err = fs.Overlay.UpdateBins(ctx)
	}
	out := CurrentStationBins{
		Frame: fs.ConstantsFrame(st, in.Units, stations.PartBins, facts.Origin{
			ID: "current-bins", Label: "Bins of the current station",
			Page: "https://tidesandcurrents.noaa.gov/noaacurrents/Predictions?id=",
		}),
		DepthUnit: facts.DepthsIn(in.Units).Name, Bins: []CurrentBin{},
	}
	if bins, known := st.DepthBins(); known {
		out.Bins = listedBins(fs, st, bins, facts.DepthsIn(in.Units))
		addMeter(ctx, fs, &out, st)
		return out, nil
	}
	for _, bin := range fs.Stations.Bins(st.ID) {
		out.Bins = append(out.Bins, currentBinOf(bin))
	}
	missing := "depths and further bins"
	if slices.ContainsFunc(out.Bins, func(b CurrentBin) bool { return b.Bin == nil }) {
		missing = "depths, numbers and further bins"
	}
	reason := "only NOAA's metadata service has them, and it does not list the station"
	if err != nil {
		e, _ := coast.AsError(errors.Unwrap(err))
		reason = e.Message
	}
	out.Missing = append(out.Missing, coast.Missing{Input: missing, Reason: reason})
	return out, nil
}

// listedBins returns the bins that NOAA predicts, each with its data from the directory.
func listedBins(
	fs facts.Set, st stations.Station, bins []stations.DepthBin, depth facts.Unit,
) []CurrentBin {
	rows := []CurrentBin{}
	for _, b := range bins {
		row, ok := fs.Stations.Station(fmt.Sprintf("%s_%d", st.ID, b.Number))
		if b.Number == st.BinNumber() {
			row, ok = st, true
		}
		one := CurrentBin{ID: fmt.Sprintf("%s_%d", st.ID, b.Number)}
		if ok && b.Predicted {
			one = currentBinOf(row)
		}
		one.Bin, one.Depth = &b.Number, depth.Known(b.Depth)
		one.Default, one.Predicted = b.Default, b.Predicted
		rows = append(rows, one)
	}
	return rows
}

// addMeter adds the bins that a station observes but NOAA does not predict.
func addMeter(ctx context.Context, fs facts.Set, out *CurrentStationBins, st stations.Station) {
	if kinds, _ := st.Observes("currents"); kinds == nil {
		return
	}
	observed, err := meterBins(ctx, fs, st, out.Units)
	if err != nil {
		out.Missing = append(out.Missing, coast.Unobtained("observed bins", err))
		return
	}
	for _, b := range observed.Bins {
		if b.Default {
			out.Notes = append(out.Notes, fmt.Sprintf(
				"Observations are of bin %d if none is named; the default here is that of predictions.",
				*b.Bin,
			))
		}
		same := func(have CurrentBin) bool { return have.Bin != nil && *have.Bin == *b.Bin }
		if b.Default = false; !slices.ContainsFunc(out.Bins, same) {
			out.Bins = append(out.Bins, b)
		}
	}
	facts.Merge(&out.Provenance, observed.Provenance)
}

// meterBins returns the bins of a meter without predictions.
func meterBins(
	ctx context.Context, fs facts.Set, st stations.Station, units coast.Units,
) (CurrentStationBins, error) {
	live, err := fs.Water.Bins(ctx, st.ID)
	if err != nil {
		return CurrentStationBins{}, err
	}
	o := facts.COOPS(
		"meter-bins", "Bins of the current meter, from NOAA's metadata service", coast.Calculation,
		"https://tidesandcurrents.noaa.gov/cdata/StationInfo?id="+st.ID,
	)
	out := CurrentStationBins{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: units, TimeZone: st.Zone,
			Provenance: fs.Provenance(st, fs.Document(o, live.ReceivedAt)),
		},
		DepthUnit: facts.DepthsIn(units).Name, Bins: []CurrentBin{},
	}
	for _, b := range live.Data.Bins {
		real := live.Data.RealTime
		out.Bins = append(out.Bins, CurrentBin{
			ID: st.ID, Bin: &b.Number, Default: real != nil && *real == b.Number,
			Depth: facts.DepthsIn(units).Known(b.Depth),
		})
	}
	return out, nil
}

func currentBinOf(st stations.Station) CurrentBin {
	_, number := st.Bin()
	directions := DirectionsOf(st)
	b := CurrentBin{
		ID: st.ID, Bin: facts.BinOf(st), Predicted: true, Default: number == 0, Directions: &directions,
		ReferenceStation: st.Reference,
	}
	if o := st.CurrentOffsets(); o != nil {
		b.Offsets = &Offsets{
			o.SlackBeforeFlood, o.Flood, o.SlackBeforeEbb, o.Ebb, o.FloodRatio, o.EbbRatio,
		}
		return b
	}
	flow := st.MeanFlow()
	b.MeanFlow = &flow
	return b
}

// Describe writes the default bin, then a row for each bin.
func (b CurrentStationBins) Describe(t *render.Answer) {
	text := operation.Plural(len(b.Bins), "depth bin")
	for _, bin := range b.Bins {
		if bin.Default {
			text += "; by default " + bin.name(b.DepthUnit)
			break
		}
	}
	t.Line("%s: %s.", operation.StationName(b.Station)+b.Away(), text)
	describeBins(t, b.Bins, b.DepthUnit)
}

// describeBins writes a row for each bin.
func describeBins(t *render.Answer, bins []CurrentBin, unit string) {
	t.Gap()
	t.Line("Bins, each with the id that the station argument takes:")
	for _, b := range bins {
		t.Line("%s", b.text(unit))
	}
}

// name returns the number and the depth of a bin, omitting what is unknown.
func (b CurrentBin) name(unit string) string {
	name := "bin of unknown number"
	if b.Bin != nil {
		name = fmt.Sprintf("bin %d", *b.Bin)
	}
	if b.Depth != nil {
		name += fmt.Sprintf(", %s %s deep", render.Short(*b.Depth, 1), unit)
	}
	return name
}

func (b CurrentBin) text(unit string) string {
	use, flow, mean, offsets := "not predicted", "", "", ""
	if b.Predicted {
		use = "predicted"
	}
	if b.Default {
		use += ", default"
	}
	if b.Directions != nil {
		flow = b.Directions.text()
	}
	if b.MeanFlow != nil {
		mean = "mean flow " + render.Short(*b.MeanFlow, 3) + " kn"
	}
	if b.Offsets != nil {
		offsets = b.Offsets.text(b.ReferenceStation)
	}
	return operation.Join("; ", b.ID+" "+b.name(unit), use, flow, mean, offsets)
}

func (o Offsets) text(reference string) string {
	return fmt.Sprintf("from %s: slack before flood %+d min, flood %+d min and speed times %s, slack "+
		"before ebb %+d min, ebb %+d min and speed times %s", reference, o.SlackBeforeFlood, o.Flood,
		render.Short(o.FloodRatio, 2), o.SlackBeforeEbb, o.Ebb, render.Short(o.EbbRatio, 2))
}
