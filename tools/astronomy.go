package tools

import (
	"context"

	"leadline/internal/coast"
	"leadline/internal/facts"
)

// AstronomyInput requests data on the sun and the moon at a point, day by day (REST only).
type AstronomyInput struct {
	SunTimesInput
}

// Astronomy describes the sun and the moon at a place, day by day.
type Astronomy struct {
	coast.Frame `always:"timeZone" never:"station datum datumEpoch units"`
	Latitude  float64     `json:"latitude"`
	Longitude float64     `json:"longitude"`
	Days      []SkyDay    `json:"days"`
	NextMoon  []MoonEvent `json:"nextMoonEvents"`
}

// SkyDay describes the sun and the moon on one civil day.
type SkyDay struct {
	Date string  `json:"date" format:"date"`
	Sun  SunDay  `json:"sun"`
	Moon MoonDay `json:"moon"`
}

// Astronomy returns the data on the sun and the moon together.
func (s skyTools) Astronomy(_ context.Context, in AstronomyInput) (Astronomy, error) {
	fs := s.facts.Set()
	sp, days, err := placeAndDays(fs, in.SunTimesInput)
	if err != nil {
		return Astronomy{}, err
	}
	out := Astronomy{Frame: fs.SkyFrame(sp, facts.Sun), Latitude: sp.Latitude, Longitude: sp.Longitude}
	out.Notes = append(out.Notes, horizonNote)
	facts.Merge(&out.Provenance, fs.SkyFrame(sp, facts.Moon).Provenance)
	events := sunFrom(days, sp)
	for _, d := range days {
		sun, sunNotes := sunOn(d, events, sp)
		moon, moonNotes := moonDay(fs, d, sp, true)
		out.Days = append(out.Days, SkyDay{sun.Date, sun, moon})
		out.Notes = append(append(out.Notes, sunNotes...), moonNotes...)
	}
	out.NextMoon = moonEvents(out.Days[0].Moon.At, sp.Zone)
	return out, nil
}
