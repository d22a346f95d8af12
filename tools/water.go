package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// WaterLevelsInput asks for observed water levels.
type WaterLevelsInput struct {
	AtStation
	Interval string `json:"interval" default:"6" enum:"1 6 hourly" doc:"Minutes between values, or hourly (verified)."`
	Span
	OnDatum
	InUnits
	InZone
}

// LevelSeries are observed heights at equal steps of time; null where NOAA
// has no value.
type LevelSeries struct {
	Start       time.Time  `json:"start"`
	StepMinutes int        `json:"stepMinutes"`
	Count       int        `json:"count"`
	Heights     []*float64 `json:"heights"`
}

// QualityRun is a run of values of one quality.
type QualityRun struct {
	Quality string    `json:"quality"` // preliminary, verified
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
}

// NewestLevel is the newest observed height.
type NewestLevel struct {
	Time    time.Time `json:"time"`
	Height  float64   `json:"height"`
	Quality string    `json:"quality,omitempty"` // preliminary, verified; empty where NOAA does not say
}

// WaterLevels are observed levels, with the predicted level beside the
// newest of them, never merged.
type WaterLevels struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Newest     *NewestLevel `json:"newest"`
	Predicted  *float64     `json:"predicted"` // at the newest observation
	Residual   *float64     `json:"residual"`  // observed - predicted, there
	Quality    []QualityRun `json:"quality"`
	Observed   LevelSeries  `json:"observed"`
	cut
	asked WaterLevelsInput
}

// gaugeOrigin is where observed levels come from.
func gaugeOrigin(station string) origin {
	return origin{"observed-water-level", "Observed water levels", coast.COOPS, coast.Observation, "https://tidesandcurrents.noaa.gov/waterlevels.html?id=" + station}
}

const residualNote = "The residual is observed minus predicted at the newest observation: wind, pressure, river flow and the change of sea level since the datum epoch are all in it."

// WaterLevels tells observed levels at a gauge. It answers StationNotFound,
// ProductUnavailable where the station has no gauge or no data in the span,
// DatumUnavailable, RangeTooLong and ProviderUnavailable.
func (s *Set) WaterLevels(ctx context.Context, in WaterLevelsInput) (WaterLevels, error) {
	m := s.moment()
	ctx, cancel := asking(ctx)
	defer cancel()
	st, z, span, err := m.observing(ctx, in.Station, in.Span, in.TimeZone, day)
	if err != nil {
		return WaterLevels{}, err
	}
	return m.waterLevels(ctx, st, z, span, in)
}

// waterLevels is WaterLevels at a station, with the datums that it has in force:
// those of the prediction at the newest of them.
func (m moment) waterLevels(ctx context.Context, st stations.Station, z zone, span interval, in WaterLevelsInput) (WaterLevels, error) {
	st = st.Snapshot()
	staff, err := m.staffOf(ctx, st, in.Datum)
	if err != nil {
		return WaterLevels{}, m.noneHere(st, err, "waterlevels", "water level gauge")
	}
	found, err := m.levels(ctx, st, staff, noaa.Step(in.Interval), span)
	if err != nil {
		return WaterLevels{}, m.datumsOf(st, in.Datum, m.noneHere(st, err, "waterlevels", "water level gauge"))
	}
	h := heightsIn(in.Units)
	out := WaterLevels{
		Frame:      coast.Frame{Station: card(st), Datum: in.Datum, DatumEpoch: staff.epoch, Units: in.Units, TimeZone: z.label, Provenance: m.heights(st)},
		HeightUnit: h.name, Quality: qualityRuns(found.Rows, z), asked: in,
	}
	out.Notes = append(append(out.Notes, span.notes...), levelNotes(found.Rows)...)
	out.series(found.Rows, span, h, z)
	newest := newestLevel(found.Rows)
	source := m.observation(gaugeOrigin(st.ID), quickShelf, timeOf(newest), span, in.Interval == "hourly", found.ReceivedAt)
	source.DatumEpoch = staff.epoch
	out.Sources = append(out.Sources, source)
	out.Missing = append(out.Missing, gaps(found.Gaps, z)...)
	if newest == nil {
		out.Missing = append(out.Missing, coast.Missing{Input: "observed height", Reason: "NOAA has rows for this span but no value in them"})
		return out, nil
	}
	out.Newest = &NewestLevel{newest.Time.In(z.Location), h.of(*newest.Height), qualityName(newest.Quality)}
	m.compare(&out, st, staff, *newest, h)
	return out, nil
}

// staff is how observed levels are put above a datum. They are asked for above
// station datum, which no revision of the tidal datums moves, and converted with
// the station's datums in force.
type staff struct {
	datum string  // that NOAA is asked for: STND, or the caller's where its zero is not known
	zero  float64 // of the caller's datum above that one, m
	epoch string  // of the datums; unknownEpoch where NOAA converts, empty on the Great Lakes
	own   bool    // the datums are those that the station's own predictions rest on
}

// above is an observed height above the caller's datum.
func (s staff) above(height *float64) *float64 {
	if height == nil {
		return nil
	}
	h := *height - s.zero
	return &h
}

// staffOf finds how levels at a station, which is a snapshot, are put above a
// datum. Where its datums are not known they are asked for; where they cannot be
// had, NOAA is asked for the datum itself, of which the epoch is unknown then.
func (m moment) staffOf(ctx context.Context, st stations.Station, datum string) (staff, error) {
	if stations.GreatLakes(st.ID) {
		return staff{datum: datum}, nil
	}
	datums, epoch := st.Datums(), m.epochOf(st)
	if st.Kind != stations.Tide || st.Subordinate() {
		epoch = epochName(st.Epoch())
	}
	if len(datums) == 0 && datum != "STND" {
		live, err := m.Water.Datums(ctx, st.ID)
		if err != nil {
			return staff{datum: datum, epoch: unknownEpoch}, nil
		}
		u := overlay.Datums(live.Data, live.ReceivedAt)
		datums, epoch = u.Datums, epochName(stations.Years{First: u.FirstEpoch, Last: u.LastEpoch})
	}
	out := staff{datum: "STND", epoch: epoch, own: !st.Subordinate() && len(st.Datums()) > 0}
	if datum == "STND" {
		return out, nil
	}
	i := slices.IndexFunc(datums, func(d stations.Datum) bool { return d.Name == datumKey(datum) })
	if i < 0 {
		return out, m.datumsOf(st, datum, coast.Errorf(coast.DatumUnavailable, "%s (%s) has no datum %s.", st.ID, st.Name, datum))
	}
	out.zero = datums[i].Value
	return out, nil
}

// levels are observed levels above the caller's datum.
func (m moment) levels(ctx context.Context, st stations.Station, by staff, step noaa.Step, span interval) (noaa.Records[noaa.Level], error) {
	found, err := m.Water.Levels(ctx, st.ID, by.datum, step, span.period())
	found.Rows = possibleLevels(found.Rows)
	for i, row := range found.Rows {
		found.Rows[i].Height = by.above(row.Height)
	}
	return found, err
}

// possibleLevels are the rows, of which a height that cannot be is none.
func possibleLevels(rows []noaa.Level) []noaa.Level {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Height = levelBounds.possible(out[i].Height)
	}
	return out
}

// noneHere adds to an error that there is no data where the nearest station
// is that has what was asked for, if NOAA is known not to list this one.
func (m moment) noneHere(st stations.Station, err error, kind, what string) error {
	var e *coast.Error
	has, _, known := m.Stations.Observing(kind)
	if !errors.As(err, &e) || e.Code != coast.ProductUnavailable || !known || has(st.ID) {
		return err
	}
	near := m.Stations.Nearest(st.Latitude, st.Longitude, 1, func(o stations.Station) bool {
		_, bin := o.Bin()
		return bin == 0 && has(o.ID)
	})
	if len(near) == 0 {
		return err
	}
	n := near[0]
	return coast.Errorf(coast.ProductUnavailable, "%s (%s) has no %s now. The nearest is %s (%s), %.1f km away: its water need not be this water.", st.ID, st.Name, what, n.Station.ID, n.Station.Name, n.Kilometers)
}

// datumsOf adds to an error about a datum which ones the station has.
func (m moment) datumsOf(st stations.Station, datum string, err error) error {
	var e *coast.Error
	if !errors.As(err, &e) || e.Code != coast.DatumUnavailable {
		return err
	}
	has := m.Stations.TideDatums(st)
	if stations.GreatLakes(st.ID) {
		has = []string{"IGLD", "LWD", "STND"}
	}
	out := *e
	if len(has) > 0 {
		out.Message = fmt.Sprintf("%s (%s) has no datum %s. It has %s. Example: \"datum\": %q.", st.ID, st.Name, datum, strings.Join(has, ", "), has[0])
	}
	out.Issues = []coast.Issue{{Path: "datum", Code: "unavailable", Message: out.Message}}
	return &out
}

// newestLevel is the last row that has a height, nil if none has.
func newestLevel(rows []noaa.Level) *noaa.Level {
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].Height != nil {
			return &rows[i]
		}
	}
	return nil
}

func timeOf(l *noaa.Level) *time.Time {
	if l == nil {
		return nil
	}
	return &l.Time
}

// compare adds the predicted level at an observation, and the residual, or why
// there is none. Observed and predicted level are above the same datum of the
// same epoch: levels above the datums of two epochs are not compared.
func (m moment) compare(out *WaterLevels, st stations.Station, by staff, newest noaa.Level, h unit) {
	tides, err := m.tides(st, out.Datum)
	if own := m.epochOf(st); err == nil && !by.own && (by.epoch == unknownEpoch || own != by.epoch) {
		err = coast.Errorf(coast.DatumUnavailable, "the observation is above %s of the epoch %s, the prediction above that of the epoch %s: they are not compared", out.Datum, by.epoch, own)
	}
	if err != nil {
		m.lack(&out.Provenance, origin{"tide-prediction", "Tide predictions computed here from NOAA's harmonic constants", coast.COOPS, coast.Prediction, stationPage(st.ID)}, "predicted, residual", err)
		return
	}
	var predicted [1]float64
	tides.Heights(newest.Time, time.Minute, predicted[:])
	height, residual := h.of(predicted[0]), h.of(*newest.Height-predicted[0])
	out.Predicted, out.Residual = &height, &residual
	out.Sources = append(out.Sources, m.tideSource(st))
	out.Notes = append(out.Notes, residualNote)
}

// series writes the rows as one column from the first step of the span to
// the newest row.
func (l *WaterLevels) series(rows []noaa.Level, span interval, h unit, z zone) {
	c := layColumn(len(rows), func(i int) time.Time { return rows[i].Time }, stepOf(l.asked.Interval), span)
	l.Observed = LevelSeries{Start: c.start.In(z.Location), StepMinutes: c.step, Heights: make([]*float64, c.count), Count: c.count}
	for _, row := range rows {
		if at, ok := c.index(row.Time); ok && row.Height != nil {
			height := h.of(*row.Height)
			l.Observed.Heights[at] = &height
		}
	}
	if over := c.over; over > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("%d of the provider's values lie between the steps of the series and are left out of it.", over))
	}
}

func stepOf(interval string) int {
	switch interval {
	case "1":
		return 1
	case "6":
		return 6
	}
	return 60
}

func qualityName(letter string) string {
	switch letter {
	case "p":
		return "preliminary"
	case "v":
		return "verified"
	}
	return ""
}

// qualityRuns are the stretches of equal quality.
func qualityRuns(rows []noaa.Level, z zone) []QualityRun {
	runs := []QualityRun{}
	for _, row := range rows {
		name := qualityName(row.Quality)
		if name == "" || row.Height == nil {
			continue
		}
		t := row.Time.In(z.Location)
		if last := len(runs) - 1; last >= 0 && runs[last].Quality == name {
			runs[last].To = t
			continue
		}
		runs = append(runs, QualityRun{name, t, t})
	}
	return runs
}

// levelFlags are the letters of NOAA's flags in the order of a row's field:
// first those of preliminary rows, then those of verified ones. The first of
// a preliminary row counts samples beyond three sigma and is no fault.
var levelFlags = map[string][]string{
	"p": {"", "flat", "rate of change", "limit"},
	"v": {"inferred", "flat", "rate of change", "limit"},
	"":  {"inferred", "limit"}, // hourly
}

// levelNotes say what of the rows is preliminary, and what NOAA flags.
func levelNotes(rows []noaa.Level) []string {
	counts, preliminary := map[string]int{}, false
	for _, row := range rows {
		preliminary = preliminary || row.Quality == "p"
		names := levelFlags[row.Quality]
		for i, flag := range strings.Split(row.Flags, ",") {
			if i < len(names) && names[i] != "" && flag == "1" && row.Height != nil {
				counts[names[i]]++
			}
		}
	}
	var notes []string
	if preliminary {
		notes = append(notes, "Preliminary values are as the gauge sent them; NOAA has not verified them yet and may still change them.")
	}
	for _, name := range []string{"inferred", "flat", "rate of change", "limit"} {
		if n := counts[name]; n > 0 {
			notes = append(notes, fmt.Sprintf("NOAA flags %d of the values: %s.", n, name))
		}
	}
	return notes
}

func (l WaterLevels) rows() int { return len(l.Observed.Heights) }

func (l WaterLevels) head(n int) any {
	l.asked.Span = from(At(l.Observed.Start, n, l.Observed.StepMinutes), Between{l.Observed.Start, At(l.Observed.Start, len(l.Observed.Heights)-1, l.Observed.StepMinutes)})
	l.cut = cut{Truncated: true, Total: l.rows(), Next: arguments(l.asked)}
	l.Observed.Heights, l.Observed.Count = l.Observed.Heights[:n], n
	return l
}
