package facts

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/overlay"
	"leadline/internal/stations"
)

// GaugeOrigin returns the origin of observed levels.
func GaugeOrigin(station string) Origin {
	return COOPS("observed-water-level", "Observed water levels", coast.Observation,
		"https://tidesandcurrents.noaa.gov/waterlevels.html?id="+station)
}

const residualNote = "The residual is observed minus predicted at the newest observation: wind, " +
	"pressure, river flow and the change of sea level since the datum epoch are all in it."

// Levels holds observed levels above a datum, in meters.
type Levels struct {
	coast.Provenance
	Epoch  string // of the datum
	Rows   []noaa.Level
	Column Column // of the rows
	Source coast.Source
	Newest *noaa.Level // nil if no row has a height that NOAA does not flag
	step   noaa.Step
	// Predicted and Residual apply at the time of the newest level. They are nil if not
	// available.
	Predicted, Residual *float64
}

// Levels requests the levels of a gauge over a span and compares the newest level with the
// prediction, both above the datums in force. interval is 1, 6 or hourly.
func (s Set) Levels(
	ctx context.Context, st stations.Station, z Zone, span Interval, datum, interval string,
) (Levels, error) {
	st = st.Snapshot()
	by, err := s.Conversion(ctx, st, datum)
	if err != nil {
		return Levels{}, s.ungauged(ctx, st, span, interval, err)
	}
	found, err := s.Water.Levels(ctx, st.ID, by.Datum, noaa.Step(interval), span.Period())
	if err != nil {
		return Levels{}, s.DatumError(st, datum, s.ungauged(ctx, st, span, interval, err))
	}
	out := Levels{Provenance: s.Heights(st), Epoch: by.Epoch, Rows: by.rows(found.Rows),
		step: noaa.Step(interval)}
	out.Notes = append(append(out.Notes, span.Notes...), out.levelNotes()...)
	out.Column = NewColumn(len(out.Rows), func(i int) time.Time { return out.Rows[i].Time },
		stepOf(interval), span)
	if over := out.Column.Over; over > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%d of the provider's values lie between the steps "+
			"of the series and are left out of it.", over))
	}
	var at *time.Time
	if out.Newest = out.newest(); out.Newest != nil {
		at = &out.Newest.Time
	}
	out.Source = s.Observation(GaugeOrigin(st.ID), QuickLifetime, at, span, interval == "hourly",
		found.ReceivedAt)
	out.Source.DatumEpoch = by.Epoch
	out.Sources = append(out.Sources, out.Source)
	out.Missing = append(out.Missing, Gaps(found.Gaps, z)...)
	if reason := out.Doubt(); reason != "" {
		out.Missing = append(out.Missing, coast.Missing{Input: "observed height", Reason: reason})
	}
	if out.Newest == nil {
		return out, nil
	}
	s.compare(&out, st, datum, by)
	return out, nil
}

// firstSixMinutes is the time before which NOAA has no levels every six minutes.
var firstSixMinutes = time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)

// ungauged completes the error that a gauge has no levels in a span. Until NOAA's list of gauges
// has been obtained, the sensors of the station say whether there is a gauge.
func (s Set) ungauged(
	ctx context.Context, st stations.Station, span Interval, interval string, err error,
) error {
	if noaa.IsNoData(err) && interval != string(noaa.Hourly) && span.To.Before(firstSixMinutes) {
		return coast.Errorf(coast.ProductUnavailable, "Before 1996 NOAA has hourly heights at most, and "+
			"%s (%s) may have them. Example: \"interval\": \"hourly\".", st.ID, st.Name)
	}
	if _, _, known := s.Stations.Observing("waterlevels"); !known {
		return s.unsensed(ctx, st, "water_level", span, err)
	}
	return s.Unobserved(st, span, err, "waterlevels", "water level gauge")
}

// compare adds the predicted level and the residual at the newest observation, or the reason why
// there are none. Both levels are above the same datum of the same epoch: levels above the datums
// of two epochs are not compared.
func (s Set) compare(out *Levels, st stations.Station, datum string, by Conversion) {
	tides, err := s.Tides(st, datum)
	if own := s.Epoch(st); err == nil && !by.own && (by.Epoch == UnknownEpoch || own != by.Epoch) {
		err = coast.Errorf(coast.DatumUnavailable, "the observation is above %s of the epoch %s, the "+
			"prediction above that of the epoch %s: they are not compared", datum, by.Epoch, own)
	}
	if err != nil {
		o := COOPS("tide-prediction", "Tide predictions computed here from NOAA's harmonic constants",
			coast.Prediction, StationPage(st.ID))
		s.Missing(&out.Provenance, o, "predicted, residual", err)
		return
	}
	var predicted [1]float64
	tides.Heights(out.Newest.Time, time.Minute, predicted[:])
	residual := *out.Newest.Height - predicted[0]
	out.Predicted, out.Residual = &predicted[0], &residual
	out.Sources = append(out.Sources, s.Tide(st))
	out.Notes = append(out.Notes, residualNote)
}

// Conversion converts observed levels to a datum. The levels are requested above station datum,
// which does not move when the tidal datums are revised. They are converted with the station's
// datums in force.
type Conversion struct {
	Datum string  // to request: STND, or the caller's if its height is not known
	zero  float64 // height of the caller's datum above Datum, m
	Epoch string  // of the datums; UnknownEpoch if NOAA converts, empty on the Great Lakes
	own   bool    // the station's own predictions use the same datums
}

// Above returns an observed height above the caller's datum.
func (c Conversion) Above(height *float64) *float64 {
	if height == nil {
		return nil
	}
	h := *height - c.zero
	return &h
}

// Conversion returns the conversion of levels at a station to a datum. The station is a snapshot.
// Its unknown datums are requested. If they are not available, NOAA converts to the datum, and
// its epoch is unknown.
func (s Set) Conversion(
	ctx context.Context, st stations.Station, datum string,
) (Conversion, error) {
	if stations.GreatLakes(st.ID) {
		return Conversion{Datum: datum}, nil
	}
	datums, epoch := st.Datums(), s.Epoch(st)
	if st.Kind != stations.Tide || st.Subordinate() {
		epoch = EpochName(st.Epoch())
	}
	if len(datums) == 0 && datum != "STND" {
		live, err := s.Water.Datums(ctx, st.ID)
		if err != nil {
			return Conversion{Datum: datum, Epoch: UnknownEpoch}, nil
		}
		u := overlay.Datums(live.Data, live.ReceivedAt)
		datums, epoch = u.Datums, EpochName(stations.Years{First: u.FirstEpoch, Last: u.LastEpoch})
	}
	out := Conversion{Datum: "STND", Epoch: epoch, own: !st.Subordinate() && len(st.Datums()) > 0}
	if datum == "STND" {
		return out, nil
	}
	i := slices.IndexFunc(datums, func(d stations.Datum) bool { return d.Name == datumKey(datum) })
	if i < 0 {
		return out, s.DatumError(st, datum, coast.Errorf(coast.DatumUnavailable,
			"%s (%s) has no datum %s.", st.ID, st.Name, datum))
	}
	out.zero = datums[i].Value
	return out, nil
}

// rows returns levels above the caller's datum. An impossible height is missing.
func (c Conversion) rows(list []noaa.Level) []noaa.Level {
	out := slices.Clone(list)
	for i := range out {
		out[i].Height = c.Above(levelBounds.Possible(out[i].Height))
	}
	return out
}

// Flags returns the names of NOAA's flags on a row.
func (l Levels) Flags(row noaa.Level) []string { return row.Flagged(l.step) }

// newest returns the last row whose height NOAA does not doubt; nil if all are doubted.
func (l Levels) newest() *noaa.Level {
	for i := len(l.Rows) - 1; i >= 0; i-- {
		if row := &l.Rows[i]; row.Height != nil && !noaa.Doubtful(l.Flags(*row)) {
			return row
		}
	}
	return nil
}

// Any reports whether a row has a height.
func (l Levels) Any() bool {
	return slices.ContainsFunc(l.Rows, func(row noaa.Level) bool { return row.Height != nil })
}

// Doubt returns why the newest height is not a fact, or "" if it is one: NOAA flags it, or there is
// none.
func (l Levels) Doubt() string {
	for _, row := range slices.Backward(l.Rows) {
		if row.Height == nil {
			continue
		}
		return Doubt(l.Flags(row))
	}
	return "NOAA has rows for this span but no value in them"
}

// Doubt returns why a value with these flags of NOAA is not a fact, or "" if it is one.
func Doubt(flags []string) string {
	if !noaa.Doubtful(flags) {
		return ""
	}
	return "NOAA flags the newest value (" + strings.Join(flags, ", ") + "): it can be wrong and " +
		"is not used"
}

// stepOf returns the minutes between two levels.
func stepOf(interval string) int {
	switch interval {
	case "1":
		return 1
	case "6":
		return 6
	}
	return 60
}

// levelNotes returns notes on rows that are preliminary or flagged by NOAA.
func (l Levels) levelNotes() []string {
	var names []string
	counts, preliminary := map[string]int{}, false
	for _, row := range l.Rows {
		preliminary = preliminary || row.Quality == "p"
		if row.Height == nil {
			continue
		}
		for _, name := range l.Flags(row) {
			if counts[name]++; counts[name] == 1 {
				names = append(names, name)
			}
		}
	}
	var notes []string
	if preliminary {
		notes = append(notes, "Preliminary values are as the gauge sent them; NOAA has not verified "+
			"them yet and may still change them.")
	}
	for _, name := range names {
		notes = append(notes, fmt.Sprintf("NOAA flags %d of the values: %s.", counts[name], name))
	}
	return notes
}
