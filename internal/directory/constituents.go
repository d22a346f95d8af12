package directory

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// HarmonicConstituentsInput requests the constants of a station.
type HarmonicConstituentsInput struct {
	place.StationOrPlace
	Bin *int `json:"bin,omitempty" doc:"Depth bin of a current station; default: its predicted one." min:"0" max:"200" example:"1"`
	operation.InUnits
}

// ConstituentRow is one harmonic constituent of a station.
type ConstituentRow struct {
	Number      int     `json:"number"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Amplitude   float64 `json:"amplitude"`
	Phase       float64 `json:"phase"` // Greenwich phase lag, degrees
	Speed       float64 `json:"speed"` // degrees per hour
}

// HarmonicConstituents holds the constants of a station, in NOAA's order.
type HarmonicConstituents struct {
	coast.Frame
	AmplitudeUnit string           `json:"amplitudeUnit"`
	PhaseUnit     string           `json:"phaseUnit"`
	SpeedUnit     string           `json:"speedUnit"`
	MeanFlow      *float64         `json:"meanFlow,omitempty"` // along the axis of a current, flood positive
	Bin           *int             `json:"bin,omitempty"`
	Constituents  []ConstituentRow `json:"constituents"`
	place.ForPlace
}

// HarmonicConstituents returns the constants of a reference station.
func (s Operations) HarmonicConstituents(
	ctx context.Context, in HarmonicConstituentsInput,
) (HarmonicConstituents, error) {
	fs := s.facts.Set()
	st, err := harmonicStation(ctx, fs, in)
	if err != nil {
		return HarmonicConstituents{}, err
	}
	u := facts.HeightsIn(in.Units)
	out := HarmonicConstituents{
		Frame: fs.ConstantsFrame(st, in.Units, stations.PartConstants, facts.Origin{
			ID: "harmonic-constituents", Label: "Harmonic constants",
			Page: "https://tidesandcurrents.noaa.gov/harcon.html?id=",
		}),
		AmplitudeUnit: u.Name, PhaseUnit: "degrees, Greenwich phase lag", SpeedUnit: "degrees per hour",
		Constituents: []ConstituentRow{},
	}
	if st.Kind == stations.Current {
		u = facts.SpeedsIn(in.Units)
		u.Steps = 1000 // as published, with more digits than predictions
		mean := u.Of(st.MeanFlow())
		out.AmplitudeUnit, out.MeanFlow, out.Bin = u.Name, &mean, facts.BinOf(st)
	}
	all := tide.Constituents()
	for _, h := range st.Harmonics() {
		c := all[h.Constituent]
		out.Constituents = append(out.Constituents, ConstituentRow{
			c.Number, c.Name, c.Description, u.Of(h.Amplitude), math.Round(h.Phase*10) / 10, c.Speed,
		})
	}
	return out, nil
}

// harmonicStation returns a station that has constants of its own.
func harmonicStation(
	ctx context.Context, fs facts.Set, in HarmonicConstituentsInput,
) (stations.Station, error) {
	st, err := fs.AnyStation(in.Station)
	if err == nil && (st.Kind == stations.Current || in.Bin != nil) {
		st, err = fs.CurrentBin(ctx, in.Station, in.Bin)
	}
	if err != nil {
		return st, err
	}
	if st.Subordinate() {
		return st, coast.Errorf(
			coast.ProductUnavailable,
			"%s (%s) is a subordinate station: it is predicted from %s and has no constants of its own.",
			st.ID, st.Name, st.Reference,
		).With(coast.GetHarmonicConstituents.Hint("Get those of "+st.Reference, st.Reference))
	}
	if !st.HasConstants() {
		return st, coast.Errorf(
			coast.ProductUnavailable, "%s (%s) has no harmonic constants in NOAA's data.", st.ID, st.Name,
		)
	}
	return st, nil
}

// FormNumber returns (K1+O1)/(M2+S2), computed from a tide station's amplitudes.
func FormNumber(st stations.Station) (float64, bool) {
	amplitude := map[string]float64{}
	all := tide.Constituents()
	for _, h := range st.Harmonics() {
		amplitude[all[h.Constituent].Name] = h.Amplitude
	}
	semidiurnal := amplitude["M2"] + amplitude["S2"]
	if st.Kind != stations.Tide || semidiurnal == 0 {
		return 0, false
	}
	return math.Round((amplitude["K1"]+amplitude["O1"])/semidiurnal*100) / 100, true
}

// regime returns the tidal regime for a form number (Courtier, 1938).
func regime(form float64) TideRegime {
	switch {
	case form < 0.25:
		return Semidiurnal
	case form < 1.5:
		return MainlySemidiurnal
	case form < 3:
		return MainlyDiurnal
	}
	return Diurnal
}

// TidePredictionOffsetsInput requests the offsets of a subordinate station.
type TidePredictionOffsetsInput struct {
	place.StationOrPlace
}

// TidePredictionOffsets describes how the tide at a subordinate station is computed from the
// tide at its reference station.
type TidePredictionOffsets struct {
	coast.Frame
	ReferenceStation StationRow    `json:"referenceStation"`
	TimeOffsets      TimeOffsets   `json:"timeOffsets"`
	HeightOffsets    HeightOffsets `json:"heightOffsets"`
	place.ForPlace
}

// TimeOffsets are added to the times of events at the reference station.
type TimeOffsets struct {
	High int `json:"highMinutes"`
	Low  int `json:"lowMinutes"`
}

// HeightOffsets are applied to the heights, above MLLW, of events at the reference station.
type HeightOffsets struct {
	Type string  `json:"type"` // ratio: multiply; fixed: add
	High float64 `json:"high"`
	Low  float64 `json:"low"`
	Unit string  `json:"unit,omitempty"` // meters, for fixed offsets
}

// TidePredictionOffsets returns the offsets of a subordinate station. It returns
// ProductUnavailable for a reference station, which has no offsets.
func (s Operations) TidePredictionOffsets(
	_ context.Context, in TidePredictionOffsetsInput,
) (TidePredictionOffsets, error) {
	fs := s.facts.Set()
	st, err := fs.TideStation(in.Station)
	if err != nil {
		return TidePredictionOffsets{}, err
	}
	o := st.TideOffsets()
	reference, ok := fs.Stations.Reference(st)
	if o == nil || !ok {
		return TidePredictionOffsets{}, coast.Errorf(
			coast.ProductUnavailable,
			"%s (%s) is a reference station: it is predicted from its own constants and has no offsets.",
			st.ID, st.Name,
		).With(coast.GetHarmonicConstituents.Hint("Get the constants", st.ID))
	}
	out := TidePredictionOffsets{
		Frame: fs.ConstantsFrame(st, "", stations.PartOffsets, facts.Origin{
			ID: "tide-prediction-offsets", Label: "Tide prediction offsets",
			Page: "https://tidesandcurrents.noaa.gov/noaatidepredictions.html?id=",
		}),
		ReferenceStation: rowOf(reference), TimeOffsets: TimeOffsets{o.HighMinutes, o.LowMinutes},
		HeightOffsets: HeightOffsets{Type: "ratio", High: o.High, Low: o.Low},
	}
	out.Frame.Datum, out.Frame.DatumEpoch = "MLLW", fs.Epoch(st)
	if o.Fixed {
		out.HeightOffsets.Type, out.HeightOffsets.Unit = "fixed", "m"
	}
	return out, nil
}

// Describe writes the largest constituent, then a row for each one.
func (h HarmonicConstituents) Describe(t *render.Answer) {
	text := "no constants"
	if len(h.Constituents) > 0 {
		largest := slices.MaxFunc(h.Constituents, func(a, b ConstituentRow) int {
			return cmp.Compare(a.Amplitude, b.Amplitude)
		})
		text = fmt.Sprintf("%s, the largest %s with %s %s",
			operation.Plural(len(h.Constituents), "harmonic constant"), largest.Name,
			render.Short(largest.Amplitude, 3), h.AmplitudeUnit)
	}
	if h.MeanFlow != nil {
		text += fmt.Sprintf("; mean flow %s %s, flood positive", render.Short(*h.MeanFlow, 3),
			h.AmplitudeUnit)
	}
	if h.Bin != nil {
		text += fmt.Sprintf("; bin %d", *h.Bin)
	}
	t.Line("%s: %s", operation.StationName(h.Station)+h.Away(), text)
	t.Gap()
	t.Line("number name amplitude(%s) Greenwich-phase-lag(degrees) speed(degrees/hour)",
		h.AmplitudeUnit)
	for _, c := range h.Constituents {
		t.Line("%d %s %s %s %s", c.Number, c.Name, render.Short(c.Amplitude, 3), render.Short(c.Phase, 1),
			render.Short(c.Speed, 7))
	}
}

// Describe explains how the events are computed from events at the reference station.
func (o TidePredictionOffsets) Describe(t *render.Answer) {
	shift := func(minutes int) string {
		if minutes < 0 {
			return fmt.Sprintf("%d min before", -minutes)
		}
		return fmt.Sprintf("%d min after", minutes)
	}
	t.Line("%s: high water %s that of %s, low water %s.", operation.StationName(o.Station)+o.Away(),
		shift(o.TimeOffsets.High), o.ReferenceStation.name(), shift(o.TimeOffsets.Low))
	t.Line("%s", o.HeightOffsets.text())
}

func (h HeightOffsets) text() string {
	if h.Type == "fixed" {
		return fmt.Sprintf("Heights above MLLW: add %s %s to highs, %s %s to lows.",
			render.Short(h.High, 3), h.Unit, render.Short(h.Low, 3), h.Unit)
	}
	return fmt.Sprintf("Heights above MLLW: highs times %s, lows times %s.", render.Short(h.High, 3),
		render.Short(h.Low, 3))
}
