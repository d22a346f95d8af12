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

// harcon lists the constants of a tide station, or of the requested bin of a current station.
func (d *document) harcon(id string) any {
	rows := []object{}
	if s, ok := d.predictedStation(id); ok && s.HasConstants() && s.Kind == stations.Current {
		rows = d.currentConstants(s)
	} else if ok && s.HasConstants() {
		rows = d.tideConstants(s)
	}
	return object{
		{"units", d.units()}, {"HarmonicConstituents", rows},
	}
}

func (d *document) tideConstants(s stations.Station) (rows []object) {
	revision, _ := setFor(d.settings, &d.settings.amplitude, s.ID)
	for i, c := range constantsOf(s, d.zones[s.Zone].offset) {
		if i == 0 { // M2
			c.amplitude += revision
		}
		rows = append(rows, object{
			{"number", c.Number}, {"name", c.Name}, {"description", c.Description},
			{"amplitude", d.rounded(c.amplitude)},
			{"phase_GMT", tenths(c.phase)}, {"phase_local", tenths(c.local)}, {"speed", single(c.Speed)},
		})
	}
	return rows
}

// currentConstants returns the constants of the requested bin, none for a bin that is not
// predicted. Without a bin it returns the constants of every predicted bin, in ascending order.
func (d *document) currentConstants(s stations.Station) []object {
	rows := []object{}
	bins := d.bins(s)
	slices.SortFunc(bins, func(b, c currentBin) int { return b.number - c.number })
	for _, b := range bins {
		if d.bin != "" && strconv.Itoa(b.number) != d.bin {
			continue
		}
		unit := b.part
		if d.metric {
			unit *= cmPerKnot
		}
		speed := func(knots float64) single { return single(math.Round(knots*unit*1000) / 1000) }
		var depth any
		if b.feet > 0 {
			depth = d.rounded(b.feet * metersPerFoot)
		}
		axis, _, _ := b.row.Directions()
		for _, c := range constantsOf(b.row, d.zones[s.Zone].offset) {
			rows = append(rows, object{
				{"constNum", c.Number}, {"constituentName", c.Name}, {"description", c.Description},
				{"majorAmplitude", speed(c.amplitude)}, {"majorPhase", tenths(c.local)},
				{"majorPhaseGMT", tenths(c.phase)},
				{"minorAmplitude", speed(c.amplitude / 20)}, {"minorPhase", tenths(c.local)},
				{"minorPhaseGMT", tenths(c.phase)},
				{"majorMeanSpeed", speed(b.row.MeanFlow())}, {"minorMeanSpeed", single(0)},
				{"azi", tenths(axis)}, {"binNbr", b.number}, {"binDepth", depth},
			})
		}
	}
	return rows
}

// constant is a listed constituent with its amplitude and its phase lags in Greenwich and in
// standard time, degrees: 0 if the station does not have it.
type constant struct {
	tide.Constituent
	amplitude, phase, local float64
}

// constantsOf lists the constants of a station: 37, or all if the station has more.
func constantsOf(s stations.Station, offset time.Duration) []constant {
	all := make([]constant, len(tide.Constituents()))
	for i, c := range tide.Constituents() {
		all[i].Constituent = c
	}
	listed := 37
	for _, h := range s.Harmonics() {
		c := &all[h.Constituent]
		c.amplitude, c.phase = h.Amplitude, h.Phase
		if h.Phase != 0 {
			c.local = math.Mod(math.Mod(h.Phase+c.Speed*offset.Hours(), 360)+360, 360)
		}
		if h.Constituent >= 37 {
			listed = len(all)
		}
	}
	return all[:listed]
}

// tidepredoffsets returns the offsets of a subordinate station. Fixed offsets are in feet or
// meters. Those of reference stations are zero.
func (d *document) tidepredoffsets(id string) any {
	reference, kind, adjusted, highMinutes, lowMinutes := "", "R", "F", 0, 0
	var high, low single
	if s, ok := d.predictedStation(id); ok && s.TideOffsets() != nil {
		o := s.TideOffsets()
		reference, kind, highMinutes, lowMinutes = s.Reference, "S", o.HighMinutes, o.LowMinutes
		high, low = d.rounded(o.High), d.rounded(o.Low)
		if !o.Fixed {
			adjusted, high, low = "R", single(o.High), single(o.Low)
		}
	}
	return object{
		{"refStationId", reference}, {"type", kind},
		{"heightOffsetHighTide", high}, {"heightOffsetLowTide", low},
		{"timeOffsetHighTide", highMinutes}, {"timeOffsetLowTide", lowMinutes},
		{"heightAdjustedType", adjusted},
	}
}

// currentpredictionoffsets returns the offsets of a bin, whose id is ID_BIN.
func (d *document) currentpredictionoffsets(id string) any {
	id, number, found := strings.Cut(id, "_")
	s, ok := d.predictedStation(id)
	ok = ok && found && s.Kind == stations.Current
	if ok {
		_, ok = binNamed(d.bins(s), number)
	}
	var flood, ebb any
	reference, referenceBin, o := "", 0, &tide.CurrentOffsets{}
	if ok {
		floods, ebbs, _ := s.Directions()
		flood, ebb = wholeOrNull(floods), wholeOrNull(ebbs)
	}
	if ok && s.CurrentOffsets() != nil {
		o = s.CurrentOffsets()
		reference, referenceBin = d.referenceBin(s)
	}
	return object{
		{"refStationId", reference}, {"refStationBin", referenceBin}, {"meanFloodDir", flood},
		{"meanEbbDir", ebb},
		{"mfcTimeAdjMin", o.Flood}, {"sbeTimeAdjMin", o.SlackBeforeEbb}, {"mecTimeAdjMin", o.Ebb},
		{"sbfTimeAdjMin", o.SlackBeforeFlood},
		{"mfcAmpAdj", single(o.FloodRatio)}, {"mecAmpAdj", single(o.EbbRatio)},
	}
}

// referenceBin returns the reference of a subordinate current station.
func (d *document) referenceBin(s stations.Station) (id string, number int) {
	reference, _ := d.stations.Station(s.Reference)
	id, _, _ = strings.Cut(s.Reference, "_")
	if _, number = reference.Bin(); number == 0 {
		number = d.bins(reference)[0].number
	}
	return id, number
}

// wholeOrNull returns a direction, nil if NOAA has published none.
func wholeOrNull(degrees float64) any {
	if math.IsNaN(degrees) {
		return nil
	}
	return single(math.Round(degrees))
}
