package tides

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/telegram"
	"leadline/internal/tide"
)

// TideTelegramInput requests the tides of whole days as a text for one SMS or satellite message.
type TideTelegramInput struct {
	place.StationOrPlace
	Date string `json:"date,omitempty" doc:"First day, as 2026-11-20, or weekend; default: today." example:"2026-11-20"`
	Days int    `json:"days" default:"2" min:"1" max:"7" doc:"Number of days."`
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

// TideTelegram is a telegram with the facts that do not fit into it.
type TideTelegram struct {
	coast.Frame    `always:"station datum units timeZone" never:"quoted"`
	Telegram       string                   `json:"telegram" doc:"Station, unit, datum, offset from UTC; for each day its date and its high (H) and low (L) waters with time and height, or NONE."`
	Characters     int                      `json:"characters" doc:"Length of the telegram, at most 160, all from the basic GSM alphabet."`
	HeightUnit     coast.HeightUnit         `json:"heightUnit" doc:"Unit of heights."`
	PredictionKind directory.PredictionKind `json:"predictionKind" doc:"How the predictions are made: from constants of the station (harmonic), or from those of a reference station (subordinate)."`
	Span           coast.Span               `json:"span" doc:"Days of the telegram, from midnight to midnight by its offset."`
	Events         int                      `json:"events" doc:"Number of high and low waters."`
	Place          *place.NamedPlace        `json:"place,omitempty" doc:"Place of the request; left out if the request names a station."`
}

// TideTelegram writes the high and low waters of whole days as one message of at most 160
// characters. Days begin at midnight by one offset from UTC, that at the end of the first day; a
// day on which clocks change says to which offset. If clocks go back, the hour that lies outside
// these days follows or precedes them under its own date. Errors: those of TidePredictions, and
// RangeTooLong with the number of days that fit; no event is ever left out.
func (s Operations) TideTelegram(_ context.Context, in TideTelegramInput) (TideTelegram, error) {
	at, st, tides, err := s.At(&in.StationOrPlace, &in.OnDatum)
	if err != nil {
		return TideTelegram{}, err
	}
	fs := s.facts.Set()
	z, err := fs.Zone(st, string(in.TimeZone))
	if err != nil {
		return TideTelegram{}, err
	}
	local, err := fs.Days("date", in.Date, in.Days, z)
	if err != nil {
		return TideTelegram{}, err
	}
	fixed, days := fixedDays(local)
	unit := facts.HeightsIn(in.Units)
	m := tideMessage(tides, days, unit)
	for i, d := range local {
		m.Days[i].Clocks = changedClocks(d)
	}
	m.Station, m.Datum = st.ID, string(in.Datum)
	before, after := strayHours(local, days)
	early := eventful(tideMessage(tides, before, unit).Days)
	m.Days = slices.Concat(early, m.Days, eventful(tideMessage(tides, after, unit).Days))
	text, err := shortEnough(m, in.Days, len(early))
	if err != nil {
		return TideTelegram{}, err
	}
	all := slices.Concat(before, days, after)
	span := facts.Interval{From: all[0].From, To: all[len(all)-1].To}
	out := TideTelegram{
		Frame:    Frame(fs, st, string(in.Datum), in.Units, fixed),
		Telegram: text, Characters: len(text), HeightUnit: coast.HeightUnit(unit.Name),
		PredictionKind: directory.KindOf(st), Span: coast.Span{From: span.From, To: span.To},
		Place: at.Place.Place,
	}
	for _, d := range m.Days {
		out.Events += len(d.Events)
	}
	at.Explain(&out.Provenance)
	out.Notes = append(out.Notes, telegramNotes(local, fixed)...)
	if len(m.Days) > len(days) {
		out.Notes = append(out.Notes, "The day on which clocks go back has 25 hours: by the one offset, "+
			"one of them belongs to another date, which has only the events of this hour.")
	}
	out.Notes = append(out.Notes, fs.Far(st, span)...)
	return out, nil
}

// fixedDays returns the days that begin at midnight by the offset at the end of the first of local,
// and the zone with that offset: on most of a day on which clocks change, it is that of clocks.
func fixedDays(local []facts.Interval) (facts.Zone, []facts.Interval) {
	first := local[0]
	end := first.To.Add(-time.Minute) // clocks may change at midnight
	_, seconds := end.Zone()
	label := end.Format("UTC-07:00")
	zone := facts.Zone{Location: time.FixedZone(label, seconds), Label: label}
	days := make([]facts.Interval, len(local))
	for i := range days {
		days[i].From = time.Date(first.From.Year(), first.From.Month(), first.From.Day()+i, 0, 0, 0, 0,
			zone.Location)
		days[i].To = days[i].From.AddDate(0, 0, 1)
	}
	return zone, days
}

// strayHours returns the hour of local days that lies before the days by one offset, or after them:
// the day on which clocks go back has 25 hours.
func strayHours(local, days []facts.Interval) (before, after []facts.Interval) {
	first, last := days[0].From, days[len(days)-1].To
	if from := local[0].From; from.Before(first) {
		before = []facts.Interval{{From: from.In(first.Location()), To: first}}
	}
	if to := local[len(local)-1].To; to.After(last) {
		after = []facts.Interval{{From: last, To: to.In(first.Location())}}
	}
	return before, after
}

// eventful returns the days that have events.
func eventful(days []telegram.Day) []telegram.Day {
	return slices.DeleteFunc(days, func(d telegram.Day) bool { return len(d.Events) == 0 })
}

// changedClocks returns the offset of clocks at the end of a day if it is not that before the day.
func changedClocks(day facts.Interval) *time.Duration {
	_, before := day.From.Add(-time.Minute).Zone()
	_, seconds := day.To.Add(-time.Minute).Zone()
	if before == seconds {
		return nil
	}
	after := time.Duration(seconds) * time.Second
	return &after
}

// tideMessage returns the tides of consecutive days, or of parts of days.
func tideMessage(tides tide.Tides, days []facts.Interval, unit facts.Unit) telegram.Message {
	m := telegram.Message{Unit: strings.ToUpper(unit.Name)}
	for _, d := range days {
		_, seconds := d.From.Zone()
		m.Offset = time.Duration(seconds) * time.Second
		y, month, date := d.From.Date()
		day := telegram.Day{Date: time.Date(y, month, date, 0, 0, 0, 0, d.From.Location())}
		for _, e := range tides.Extremes(d.From, d.To) {
			if e.Time.Before(d.From) || !e.Time.Before(d.To) {
				continue // midnight belongs to the day that it begins
			}
			day.Events = append(day.Events, telegram.Event{
				High: e.High, Time: e.Time.In(d.From.Location()), Height: unit.Of(e.Height),
			})
		}
		m.Days = append(m.Days, day)
	}
	return m
}

// shortEnough writes the telegram of a message, or returns an error with the number of days that
// fit. early of the message's days are before those that were asked for.
func shortEnough(m telegram.Message, asked, early int) (string, error) {
	text, err := telegram.Write(m)
	if !errors.Is(err, telegram.ErrTooLong) {
		return text, err
	}
	fit := asked
	for errors.Is(err, telegram.ErrTooLong) && fit > 1 {
		fit--
		m.Days = m.Days[:early+fit]
		_, err = telegram.Write(m)
	}
	advice := fmt.Sprintf(`Ask for %s. Example: "days": %d.`, dayCount(fit), fit)
	if err != nil {
		advice = "Not even the first of them fits: this station has too many high and low waters."
	}
	e := coast.Errorf(coast.RangeTooLong, "The tides of %s at %s do not fit into a telegram of %d "+
		"characters, and none is left out. %s", dayCount(asked), m.Station, telegram.Most, advice)
	e.Issues = []coast.Issue{{Path: "days", Code: "range_too_long", Message: e.Message}}
	return "", e
}

func dayCount(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

// telegramNotes says what a reader of the telegram alone could get wrong.
func telegramNotes(local []facts.Interval, fixed facts.Zone) []string {
	notes := []string{
		"The telegram does not name the year, and its heights are rounded to 0.1 ft or 0.01 m.",
	}
	if slices.ContainsFunc(local, func(d facts.Interval) bool { return changedClocks(d) != nil }) {
		notes = append(notes, "The clocks change in these days. All times of the telegram are those of "+
			fixed.Label+", the offset at the end of the first day.")
	}
	return notes
}

// Describe writes the telegram on a line of its own, so that it can be copied.
func (t TideTelegram) Describe(text *render.Answer) {
	text.Line("%s%s: %d high and low waters in %d characters.", operation.StationName(t.Station),
		place.ForPlace{Place: t.Place}.Away(), t.Events, t.Characters)
	text.Gap()
	text.Line("%s", t.Telegram)
}
