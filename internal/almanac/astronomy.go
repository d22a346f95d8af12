package almanac

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
	coast.Frame `always:"timeZone" never:"quoted station datum datumEpoch units"`
	Latitude    float64     `json:"latitude" doc:"Latitude of the point, degrees north."`
	Longitude   float64     `json:"longitude" doc:"Longitude of the point, degrees east; west is negative."`
	Days        []SkyDay    `json:"days" doc:"One row for each civil day of the time zone."`
	NextMoon    []MoonEvent `json:"nextMoonEvents" doc:"The next four principal phases, perigee and apogee, in order of time."`
}

// SkyDay describes the sun and the moon on one civil day.
type SkyDay struct {
	Date string  `json:"date" format:"date" doc:"Civil day of the time zone."`
	Sun  SunDay  `json:"sun" doc:"The sun on that day."`
	Moon MoonDay `json:"moon" doc:"The moon on that day."`
}

// Astronomy returns the data on the sun and the moon together.
func (s Operations) Astronomy(_ context.Context, in AstronomyInput) (Astronomy, error) {
	fs := s.facts.Set()
	sp, days, err := placeAndDays(fs, in.SunTimesInput)
	if err != nil {
		return Astronomy{}, err
	}
	out := Astronomy{Frame: fs.SkyFrame(sp, facts.Sun), Latitude: sp.Latitude, Longitude: sp.Longitude}
	out.Notes = append(out.Notes, coast.HorizonNote)
	facts.Merge(&out.Provenance, fs.SkyFrame(sp, facts.Moon).Provenance)
	events := SunFrom(days, sp)
	for _, d := range days {
		sun, sunNotes := SunOn(d, events, sp)
		out.Days = append(out.Days, SkyDay{sun.Date, sun, MoonOn(fs, d, sp, true)})
		out.Notes = append(out.Notes, sunNotes...)
	}
	out.NextMoon = moonEvents(out.Days[0].Moon.At, sp.Zone)
	return out, nil
}
