package provider

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

type constituent struct {
	Number      int    `json:"number"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Amplitude   single `json:"amplitude"`
	PhaseGMT    single `json:"phase_GMT"`
	PhaseLocal  single `json:"phase_local"`
	Speed       single `json:"speed"`
}

type currentConstituent struct {
	ConstNum        int     `json:"constNum"`
	ConstituentName string  `json:"constituentName"`
	Description     string  `json:"description"`
	MajorAmplitude  single  `json:"majorAmplitude"`
	MajorPhase      single  `json:"majorPhase"`
	MajorPhaseGMT   single  `json:"majorPhaseGMT"`
	MinorAmplitude  single  `json:"minorAmplitude"`
	MinorPhase      single  `json:"minorPhase"`
	MinorPhaseGMT   single  `json:"minorPhaseGMT"`
	MajorMeanSpeed  single  `json:"majorMeanSpeed"`
	MinorMeanSpeed  single  `json:"minorMeanSpeed"`
	Azi             single  `json:"azi"`
	BinNbr          int     `json:"binNbr"`
	BinDepth        *single `json:"binDepth"`
}

type constituentList struct {
	Units                string `json:"units"`
	HarmonicConstituents []any  `json:"HarmonicConstituents"`
	Self                 string `json:"self"`
}

// harcon lists the constants of a tide station, or of the bin asked for of a current station.
func (a *inquiry) harcon(id string) any {
	list := constituentList{Units: a.units(), HarmonicConstituents: []any{}, Self: address(id, "harcon")}
	s, ok := a.predicted(id)
	if !ok || !s.HasConstants() {
		return list
	}
	offset := a.zones[s.Zone].offset
	if s.Kind == stations.Current {
		list.HarmonicConstituents = a.currentConstants(s, offset)
		return list
	}
	amplitude, phase := byNumber(s.Harmonics())
	amplitude[0] += a.revision(id) // M2
	for i, c := range tide.Constituents()[:listed(s.Harmonics())] {
		list.HarmonicConstituents = append(list.HarmonicConstituents, constituent{
			c.Number, c.Name, c.Description, rounded(amplitude[i], a.metric), tenths(phase[i]), tenths(localPhase(phase[i], c.Speed, offset)), single(c.Speed),
		})
	}
	return list
}

// currentConstants are the constants of the bin asked for, none for a bin that
// is not predicted. Without a bin they are those of every predicted bin, in
// ascending order.
func (a *inquiry) currentConstants(s stations.Station, offset time.Duration) []any {
	rows := []any{}
	bins := slices.SortedFunc(slices.Values(a.bins(s)), func(b, c bin) int { return b.number - c.number })
	for _, b := range bins {
		if a.bin == "" || strconv.Itoa(b.number) == a.bin {
			rows = append(rows, a.binConstants(b, offset)...)
		}
	}
	return rows
}

func (a *inquiry) binConstants(b bin, offset time.Duration) []any {
	rows := []any{}
	unit := b.part
	if a.metric {
		unit *= cmPerKnot
	}
	speed := func(knots float64) single { return single(math.Round(knots*unit*1000) / 1000) }
	var depth *single
	if b.feet > 0 {
		d := rounded(b.feet*metresPerFoot, a.metric)
		depth = &d
	}
	axis, _, _ := b.row.Directions()
	amplitude, phase := byNumber(b.row.Harmonics())
	for i, c := range tide.Constituents()[:listed(b.row.Harmonics())] {
		there := tenths(localPhase(phase[i], c.Speed, offset))
		rows = append(rows, currentConstituent{
			ConstNum: c.Number, ConstituentName: c.Name, Description: c.Description,
			MajorAmplitude: speed(amplitude[i]), MajorPhase: there, MajorPhaseGMT: tenths(phase[i]),
			MinorAmplitude: speed(amplitude[i] / 20), MinorPhase: there, MinorPhaseGMT: tenths(phase[i]),
			MajorMeanSpeed: speed(b.row.MeanFlow()), Azi: tenths(axis), BinNbr: b.number, BinDepth: depth,
		})
	}
	return rows
}

// byNumber spreads constants over all constituents: those that a station lacks are 0.
func byNumber(harmonics []tide.Harmonic) (amplitude, phase []float64) {
	n := len(tide.Constituents())
	amplitude, phase = make([]float64, n), make([]float64, n)
	for _, h := range harmonics {
		amplitude[h.Constituent], phase[h.Constituent] = h.Amplitude, h.Phase
	}
	return amplitude, phase
}

// listed is how many constituents are listed: the 37 of every station, or
// all, at the one station that has more.
func listed(harmonics []tide.Harmonic) int {
	for _, h := range harmonics {
		if h.Constituent >= 37 {
			return len(tide.Constituents())
		}
	}
	return 37
}

// localPhase is a phase lag in standard time, degrees. Nothing stays nothing.
func localPhase(phase, speed float64, offset time.Duration) float64 {
	if phase == 0 {
		return 0
	}
	return math.Mod(math.Mod(phase+speed*offset.Hours(), 360)+360, 360)
}

func tenths(v float64) single { return single(math.Round(v*10) / 10) }

type tideOffsets struct {
	RefStationID         string  `json:"refStationId"`
	Type                 string  `json:"type"`
	HeightOffsetHighTide single  `json:"heightOffsetHighTide"`
	HeightOffsetLowTide  single  `json:"heightOffsetLowTide"`
	TimeOffsetHighTide   int     `json:"timeOffsetHighTide"`
	TimeOffsetLowTide    int     `json:"timeOffsetLowTide"`
	HeightAdjustedType   string  `json:"heightAdjustedType"`
	Self                 *string `json:"self"`
}

// tidepredoffsets are a subordinate station's offsets. Fixed ones are feet
// or metres; reference stations have none.
func (a *inquiry) tidepredoffsets(id string) any {
	list := tideOffsets{Type: "R", HeightAdjustedType: "F"}
	s, ok := a.predicted(id)
	o := s.TideOffsets()
	if !ok || o == nil {
		return list
	}
	list.RefStationID, list.Type = s.Reference, "S"
	list.TimeOffsetHighTide, list.TimeOffsetLowTide = o.HighMinutes, o.LowMinutes
	if o.Fixed {
		list.HeightOffsetHighTide, list.HeightOffsetLowTide = rounded(o.High, a.metric), rounded(o.Low, a.metric)
		return list
	}
	list.HeightAdjustedType = "R"
	list.HeightOffsetHighTide, list.HeightOffsetLowTide = single(o.High), single(o.Low)
	return list
}

type currentOffsets struct {
	RefStationID  string  `json:"refStationId"`
	RefStationBin int     `json:"refStationBin"`
	MeanFloodDir  *single `json:"meanFloodDir"`
	MeanEbbDir    *single `json:"meanEbbDir"`
	MfcTimeAdjMin int     `json:"mfcTimeAdjMin"`
	SbeTimeAdjMin int     `json:"sbeTimeAdjMin"`
	MecTimeAdjMin int     `json:"mecTimeAdjMin"`
	SbfTimeAdjMin int     `json:"sbfTimeAdjMin"`
	MfcAmpAdj     single  `json:"mfcAmpAdj"`
	MecAmpAdj     single  `json:"mecAmpAdj"`
	Self          *string `json:"self"`
}

// currentpredictionoffsets wants an id with a bin, ID_BIN.
func (a *inquiry) currentpredictionoffsets(id string) any {
	list := currentOffsets{}
	id, number, found := strings.Cut(id, "_")
	s, ok := a.predicted(id)
	if !found || !ok || s.Kind != stations.Current {
		return list
	}
	if _, err := pick(id, a.bins(s), number); err != nil {
		return list
	}
	flood, ebb, _ := s.Directions()
	list.MeanFloodDir, list.MeanEbbDir = known(flood), known(ebb)
	o := s.CurrentOffsets()
	if o == nil {
		return list
	}
	reference, _ := a.stations.Station(s.Reference)
	_, list.RefStationBin = reference.Bin()
	list.RefStationID, _, _ = strings.Cut(s.Reference, "_")
	if list.RefStationBin == 0 {
		list.RefStationBin = a.bins(reference)[0].number
	}
	list.MfcTimeAdjMin, list.MecTimeAdjMin, list.SbfTimeAdjMin, list.SbeTimeAdjMin = o.Flood, o.Ebb, o.SlackBeforeFlood, o.SlackBeforeEbb
	list.MfcAmpAdj, list.MecAmpAdj = single(o.FloodRatio), single(o.EbbRatio)
	return list
}

// known is a direction, nil where NOAA has published none.
func known(degrees float64) *single {
	if math.IsNaN(degrees) {
		return nil
	}
	s := single(math.Round(degrees))
	return &s
}
