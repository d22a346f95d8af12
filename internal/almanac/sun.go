package almanac

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/sky"
)

// SunTimesInput requests when the sun rises and sets.
type SunTimesInput struct {
	place.AtNamedPlace
	Date string `json:"date,omitempty" doc:"First day, as 2026-11-20, or weekend; default: today." example:"2026-11-20"`
	Days int    `json:"days" default:"1" min:"1" max:"31" doc:"Number of days."`
	operation.InPlaceZone
	Event  string   `json:"event,omitempty" enum:"sunrise sunset civil_dawn civil_dusk nautical_dawn nautical_dusk astronomical_dawn astronomical_dusk" doc:"Only the next of this kind, within a year of date." example:"sunset"`
	Fields []string `json:"fields,omitempty" enum:"sunrise sunset civil nautical astronomical solar_noon day_length golden_hour blue_hour" doc:"What the text shows; else sunrise, sunset, civil."`
}

// Validate requires exactly one of the ways to name a place, and either days or an event.
func (in *SunTimesInput) Validate() error {
	if in.Event != "" && in.Days > 1 {
		return facts.Invalid("event", "condition", "event returns the next one alone, days lists days. "+
			`Leave out days. Example: "event": "sunset".`)
	}
	return in.AtNamedPlace.CheckPoint()
}

// SunDay describes the sun on one civil day. A time is null if the sun does not cross that
// altitude on that day. Golden and blue hours begin on the day. They may end after midnight,
// or when the sun reverses and leaves the band on the side where it entered. A polar night does not
// have them: it has one twilight around noon.
type SunDay struct {
	Date              string        `json:"date" format:"date" doc:"Civil day of the time zone."`
	Sunrise           *time.Time    `json:"sunrise" doc:"Time of sunrise; null on days without one."`
	Sunset            *time.Time    `json:"sunset" doc:"Time of sunset; null on days without one."`
	SolarNoon         *time.Time    `json:"solarNoon" doc:"Time at which the sun is highest; null if it does not occur on that day."`
	DayLength         string        `json:"dayLength" doc:"Hours:minutes:seconds above the horizon."`
	State             SunState      `json:"state" doc:"Whether the sun crosses the horizon on that day."`
	CivilDawn         *time.Time    `json:"civilDawn" doc:"Time at which the sun rises through -6 degrees; null on days on which it does not."`
	CivilDusk         *time.Time    `json:"civilDusk" doc:"Time at which the sun sets through -6 degrees; null on days on which it does not."`
	NauticalDawn      *time.Time    `json:"nauticalDawn" doc:"Time at which the sun rises through -12 degrees; null on days on which it does not."`
	NauticalDusk      *time.Time    `json:"nauticalDusk" doc:"Time at which the sun sets through -12 degrees; null on days on which it does not."`
	AstronomicalDawn  *time.Time    `json:"astronomicalDawn" doc:"Time at which the sun rises through -18 degrees; null on days on which it does not."`
	AstronomicalDusk  *time.Time    `json:"astronomicalDusk" doc:"Time at which the sun sets through -18 degrees; null on days on which it does not."`
	BlueHourMorning   *coast.Span   `json:"blueHourMorning" doc:"Span in which the sun rises from -6 to -4 degrees; null on days without it."`
	GoldenHourMorning *coast.Span   `json:"goldenHourMorning" doc:"Span in which the sun rises from -4 to +6 degrees; null on days without it."`
	GoldenHourEvening *coast.Span   `json:"goldenHourEvening" doc:"Span in which the sun sets from +6 to -4 degrees; null on days without it."`
	BlueHourEvening   *coast.Span   `json:"blueHourEvening" doc:"Span in which the sun sets from -4 to -6 degrees; null on days without it."`
	Twilight          *coast.Span   `json:"twilight,omitempty" doc:"Civil twilight around noon of a day on which the sun does not rise; left out of other days, and of days without it."`
	CivilState        TwilightState `json:"civilState" doc:"Whether the sun crosses -6 degrees on that day, or is above or below it all day."`
	NauticalState     TwilightState `json:"nauticalState" doc:"Whether the sun crosses -12 degrees on that day, or is above or below it all day."`
	AstronomicalState TwilightState `json:"astronomicalState" doc:"Whether the sun crosses -18 degrees on that day, or is above or below it all day. If it is always above, the night is never fully dark."`
}

// SunTimes describes the sun at a place, day by day.
type SunTimes struct {
	coast.Frame
	Latitude  float64  `json:"latitude"`
	Longitude float64  `json:"longitude"`
	Days      []SunDay `json:"days"`
	// Next is the requested event, without days.
	Next *time.Time `json:"next,omitempty"`
	place.ForPlace
	operation.Page
	input SunTimesInput
}

// SunTimes returns sunrise, sunset, noon and twilights, within 2 s at latitudes up to 60
// degrees. A sun that does not rise is a state, not an error.
func (s Operations) SunTimes(_ context.Context, in SunTimesInput) (SunTimes, error) {
	fs := s.facts.Set()
	at, err := in.AtNamedPlace.Resolve(fs)
	if err != nil {
		return SunTimes{}, err
	}
	in.InPlaceZone = at.Zone(in.InPlaceZone)
	sp, days, err := placeAndDays(fs, in)
	if err != nil {
		return SunTimes{}, err
	}
	out := SunTimes{
		Frame: fs.SkyFrame(sp, facts.Sun), input: in, Latitude: sp.Latitude, Longitude: sp.Longitude,
		ForPlace: at.Place,
	}
	at.Explain(&out.Provenance)
	out.Notes = append(out.Notes, coast.HorizonNote)
	if in.Event != "" {
		from := days[0].From
		if in.Date == "" {
			from = fs.Minute()
		}
		if out.Next = nextSunEvent(in.Event, from, sp); out.Next == nil {
			err = coast.Errorf(coast.ProductUnavailable, "There is no %s here within a year of %s.",
				facts.Spaced(in.Event), from.Format(time.DateOnly))
		}
		out.Days = []SunDay{}
		return out, err
	}
	events := SunFrom(days, sp)
	for _, d := range days {
		day, notes := SunOn(d, events, sp)
		out.Days, out.Notes = append(out.Days, day), append(out.Notes, notes...)
	}
	return out, nil
}

// nextSunEvent returns the first event of a kind at or after a time, nil if a year does not have
// one.
func nextSunEvent(kind string, after time.Time, sp facts.Place) *time.Time {
	const step, year = 8, 366 // days
	for d := 0; d < year; d += step {
		from := after.AddDate(0, 0, d)
		sun := sky.Sun(sp.Place, from, from.AddDate(0, 0, step))
		times := map[string][]time.Time{
			"sunrise": sun.Sun.Rise, "sunset": sun.Sun.Set,
			"civil_dawn": sun.Civil.Rise, "civil_dusk": sun.Civil.Set,
			"nautical_dawn": sun.Nautical.Rise, "nautical_dusk": sun.Nautical.Set,
			"astronomical_dawn": sun.Astronomical.Rise, "astronomical_dusk": sun.Astronomical.Set,
		}[kind]
		if len(times) > 0 {
			return first(times, sp.Zone)
		}
	}
	return nil
}

// SunFrom returns the sun's events from the first day to one day after the last: golden and
// blue hours that begin on a day can end after it.
func SunFrom(days []facts.Interval, sp facts.Place) sky.SunDay {
	return sky.Sun(sp.Place, days[0].From, days[len(days)-1].To.Add(24*time.Hour))
}

// SunOn returns the row and the notes of one day, from the sun's events until the day after it.
func SunOn(d facts.Interval, events sky.SunDay, sp facts.Place) (SunDay, []string) {
	sun := events.Within(d.From, d.To)
	return sunDay(sun, events, d, sp.Zone), sunTwice(d, sp.Zone, sun)
}

func placeAndDays(fs facts.Set, in SunTimesInput) (facts.Place, []facts.Interval, error) {
	sp, err := fs.Place(in.AtPlace, in.InPlaceZone)
	if err != nil {
		return sp, nil, err
	}
	days, err := fs.Days("date", in.Date, in.Days, sp.Zone)
	return sp, days, err
}

// sunDay returns one day's row, and takes the ends of its golden and blue hours from later.
func sunDay(sun, later sky.SunDay, d facts.Interval, z facts.Zone) SunDay {
	day := SunDay{
		Date:              d.From.Format(time.DateOnly),
		Sunrise:           first(sun.Sun.Rise, z),
		Sunset:            first(sun.Sun.Set, z),
		SolarNoon:         first(sun.Noon, z),
		DayLength:         clock(sun.DayLength),
		State:             "rises_and_sets",
		CivilDawn:         first(sun.Civil.Rise, z),
		CivilDusk:         first(sun.Civil.Set, z),
		CivilState:        TwilightState(crossState(sun.Civil)),
		NauticalDawn:      first(sun.Nautical.Rise, z),
		NauticalDusk:      first(sun.Nautical.Set, z),
		NauticalState:     TwilightState(crossState(sun.Nautical)),
		AstronomicalDawn:  first(sun.Astronomical.Rise, z),
		AstronomicalDusk:  first(sun.Astronomical.Set, z),
		AstronomicalState: TwilightState(crossState(sun.Astronomical)),
	}
	switch sun.Sun.State {
	case sky.AlwaysUp:
		day.State = "polar_day"
	case sky.AlwaysDown:
		day.State, day.Twilight = "polar_night", band(sun.Civil.Rise, later.Civil.Set, nil, z)
		return day
	}
	day.BlueHourMorning = band(sun.Civil.Rise, later.GoldenLower.Rise, later.Civil.Set, z)
	day.GoldenHourMorning = band(
		sun.GoldenLower.Rise, later.GoldenUpper.Rise, later.GoldenLower.Set, z,
	)
	day.GoldenHourEvening = band(sun.GoldenUpper.Set, later.GoldenLower.Set, later.GoldenUpper.Rise, z)
	day.BlueHourEvening = band(sun.GoldenLower.Set, later.Civil.Set, later.GoldenLower.Rise, z)
	return day
}

// band returns the time from the sun's first entry into a band of altitudes on a day to its
// next exit, on either side.
func band(enter, through, back []time.Time, z facts.Zone) *coast.Span {
	if len(enter) == 0 {
		return nil
	}
	var out []time.Time
	for _, exits := range [...][]time.Time{through, back} {
		i := slices.IndexFunc(exits, enter[0].Before)
		if i >= 0 && (out == nil || exits[i].Before(out[0])) {
			out = exits[i:]
		}
	}
	if out == nil {
		return nil
	}
	return &coast.Span{From: *first(enter, z), To: *first(out, z)}
}

func crossState(c sky.Crossing) string {
	if c.State == "" {
		return "crosses"
	}
	return string(c.State)
}

// sunTwice returns notes on solar events that occur twice on a day.
func sunTwice(d facts.Interval, z facts.Zone, sun sky.SunDay) (notes []string) {
	for _, e := range []struct {
		what  string
		times []time.Time
	}{
		{"Sunrise", sun.Sun.Rise}, {"Sunset", sun.Sun.Set},
		{"Civil dawn", sun.Civil.Rise}, {"Civil dusk", sun.Civil.Set},
		{"Nautical dawn", sun.Nautical.Rise}, {"Nautical dusk", sun.Nautical.Set},
		{"Astronomical dawn", sun.Astronomical.Rise}, {"Astronomical dusk", sun.Astronomical.Set},
	} {
		notes = append(notes, twice(d, z, e.what, e.times)...)
	}
	return notes
}

func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// Len returns the number of rows.
func (t SunTimes) Len() int { return len(t.Days) }

// First returns the result with its first n rows, and the arguments of the next page.
func (t SunTimes) First(n int) any {
	t.input.Date, t.input.Days = t.Days[n].Date, len(t.Days)-n
	t.Page = operation.Page{Truncated: true, Total: len(t.Days), Next: operation.Arguments(t.input)}
	t.Days = t.Days[:n]
	return t
}

// usualSun lists the default fields of a text.
var usualSun = []string{"sunrise", "sunset", "civil"}

// Describe writes sunrise and sunset of the first day, then a row for each day.
func (t SunTimes) Describe(text *render.Answer) {
	if t.Next != nil {
		at := t.Next.Round(time.Minute)
		text.Line("%s: next %s %s %s", t.At(t.Station, t.Latitude, t.Longitude),
			facts.Spaced(t.input.Event), at.Format("Mon 2006-01-02 15:04"), render.Zone(at))
		return
	}
	first := t.Days[0]
	text.Line("%s, %s: %s", t.At(t.Station, t.Latitude, t.Longitude), first.Date,
		operation.Join(", ", inSentence("sunrise", first.Sunrise), inSentence("sunset", first.Sunset),
			first.states()))
	text.Gap()
	fields := t.input.Fields
	if len(fields) == 0 {
		fields = usualSun
	}
	columns := []string{"day"}
	for _, field := range fields {
		columns = append(columns, facts.Spaced(field))
	}
	text.Rows(append(columns, "state"), len(t.Days), func(i int) []render.Cell {
		d := t.Days[i]
		cells := []render.Cell{render.Word(d.weekday())}
		for j, field := range fields {
			lead := ", "
			if j == 0 {
				lead = " "
			}
			name := columns[j+1]
			cells = append(cells,
				render.Word(strings.TrimPrefix(d.cell(field), name+" ")).As(lead+name+" %s"))
		}
		return append(cells, render.Word(d.states()).As(", %s"))
	})
}

// inSentence returns an event with its time of day and zone.
func inSentence(what string, at *time.Time) string {
	if at == nil {
		return "no " + what
	}
	return what + " " + at.Round(time.Minute).Format("3:04 PM ") + render.Zone(*at)
}

// weekday returns the date with its day of the week.
func (d SunDay) weekday() string {
	day, _ := time.Parse(time.DateOnly, d.Date) // written by SunTimes
	return day.Format("Mon ") + d.Date
}

// states returns where the sun stays all day, or "" if it rises and sets.
func (d SunDay) states() string {
	switch d.State {
	case "polar_day":
		return "sun up all day"
	case "polar_night":
		if d.Twilight != nil {
			return "sun down all day, twilight around noon " + clockSpan(d.Twilight)
		}
		return "sun down all day"
	}
	return ""
}

// cell returns a field of a day, or a dash for an event that does not occur on that day.
func (d SunDay) cell(field string) string {
	switch field {
	case "sunrise":
		return field + " " + minuteOf(d.Sunrise)
	case "sunset":
		return field + " " + minuteOf(d.Sunset)
	case "solar_noon":
		return "solar noon " + minuteOf(d.SolarNoon)
	case "day_length":
		return "day length " + d.DayLength
	case "civil":
		return twilight(field, d.CivilDawn, d.CivilDusk, string(d.CivilState))
	case "nautical":
		return twilight(field, d.NauticalDawn, d.NauticalDusk, string(d.NauticalState))
	case "astronomical":
		return twilight(field, d.AstronomicalDawn, d.AstronomicalDusk, string(d.AstronomicalState))
	case "golden_hour":
		return "golden hour " + clockSpan(d.GoldenHourMorning) + " and " + clockSpan(d.GoldenHourEvening)
	default:
		return "blue hour " + clockSpan(d.BlueHourMorning) + " and " + clockSpan(d.BlueHourEvening)
	}
}

// minuteOf returns a time of day to the nearest minute, or a dash if there is none.
func minuteOf(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.Round(time.Minute).Format("15:04")
}

// twilight returns dawn and dusk or, if there are none, where the sun stays all day.
func twilight(what string, dawn, dusk *time.Time, state string) string {
	if state != "crosses" {
		return what + " " + facts.Spaced(state)
	}
	return fmt.Sprintf("%s dawn %s dusk %s", what, minuteOf(dawn), minuteOf(dusk))
}

// clockSpan returns a span as times of day, or a dash if there is none.
func clockSpan(b *coast.Span) string {
	if b == nil {
		return "-"
	}
	return minuteOf(&b.From) + "-" + minuteOf(&b.To)
}

// SunPositionInput requests the position of the sun.
type SunPositionInput struct {
	place.AtNamedPlace
	Time string `json:"time,omitempty" doc:"2026-11-20 15:04 in time_zone, or RFC 3339; default: now." example:"2026-11-20 15:04"`
	operation.InPlaceZone
}

// Validate requires exactly one of the ways to name a place.
func (in *SunPositionInput) Validate() error { return in.AtNamedPlace.CheckPoint() }

// SunPosition is the position of the sun.
type SunPosition struct {
	coast.Frame
	Latitude  float64   `json:"latitude"`
	Longitude float64   `json:"longitude"`
	Time      time.Time `json:"time"`
	AngleUnit string    `json:"angleUnit"`
	Position  Position  `json:"position"`
	place.ForPlace
}

// Position holds the angles of a body, in degrees.
type Position struct {
	Azimuth           float64  `json:"azimuth"`           // true, from north through east
	Altitude          float64  `json:"altitude"`          // of the center, without refraction
	RefractedAltitude *float64 `json:"refractedAltitude"` // apparent, in standard air; null if not visible
	Declination       float64  `json:"declination"`
	HourAngle         float64  `json:"hourAngle"` // west positive
}

// SunPosition returns the position of the sun, within 0.01 degrees.
func (s Operations) SunPosition(_ context.Context, in SunPositionInput) (SunPosition, error) {
	fs := s.facts.Set()
	where, err := in.AtNamedPlace.Resolve(fs)
	if err != nil {
		return SunPosition{}, err
	}
	sp, err := fs.Place(in.AtPlace, where.Zone(in.InPlaceZone))
	if err != nil {
		return SunPosition{}, err
	}
	at, notes, err := fs.Instant(in.Time, sp.Zone)
	if err != nil {
		return SunPosition{}, err
	}
	sp.Notes = append(sp.Notes, notes...)
	p := sky.SunPosition(sp.Place, at)
	out := SunPosition{
		Frame: fs.SkyFrame(sp, facts.Sun), Latitude: sp.Latitude, Longitude: sp.Longitude, Time: at,
		AngleUnit: "degrees",
		Position: Position{
			thousandths(p.Azimuth), thousandths(p.Altitude), refracted(p), thousandths(p.Declination),
			thousandths(p.HourAngle),
		},
		ForPlace: where.Place,
	}
	where.Explain(&out.Provenance)
	return out, nil
}

// refracted returns the apparent altitude, or nil if the sun is more than a degree below the
// horizon. Refraction raises it by 0.6 degrees at most, so it is not visible there.
func refracted(p sky.Position) *float64 {
	if p.Altitude < -1 {
		return nil
	}
	v := thousandths(p.Refracted)
	return &v
}

// Describe writes the position of the sun.
func (s SunPosition) Describe(t *render.Answer) {
	p := s.Position
	altitude := render.Short(p.Altitude, 2) + "° without refraction"
	if p.RefractedAltitude != nil {
		altitude = render.Short(*p.RefractedAltitude, 2) + "° (" + altitude + ")"
	}
	t.Line("%s, %s %s: sun at azimuth %s° true, altitude %s.",
		s.At(s.Station, s.Latitude, s.Longitude), s.Time.Format("Mon 2006-01-02 15:04"),
		render.Zone(s.Time), render.Short(p.Azimuth, 2), altitude)
	t.Line("Declination %s°, hour angle %s°, west positive.", render.Short(p.Declination, 2),
		render.Short(p.HourAngle, 2))
}
