package tools

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/sky"
)

// AtPlace is the argument of operations about a point: coordinates, or a
// station's.
type AtPlace struct {
	Latitude  *float64 `json:"latitude,omitempty" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Longitude *float64 `json:"longitude,omitempty" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Station   string   `json:"station,omitempty" pattern:"^[A-Za-z0-9_]{4,16}$" doc:"A station id in place of coordinates." example:"8443970"`
}

// check holds the ways to name a place to exactly one, or none where allowed.
func (p AtPlace) check(required bool) error {
	switch {
	case (p.Latitude == nil) != (p.Longitude == nil):
		missing := "latitude"
		if p.Longitude == nil {
			missing = "longitude"
		}
		return fault(missing, "required", `latitude and longitude go together; %s is missing. Example: "latitude": 42.35, "longitude": -71.05.`, missing)
	case p.Latitude != nil && p.Station != "":
		return fault("station", "place", `give latitude and longitude, or station, not both. Example: "station": "8443970".`)
	case required && p.Latitude == nil && p.Station == "":
		return fault("latitude", "required", `a place is needed: latitude and longitude, or station. Example: "latitude": 42.35, "longitude": -71.05.`)
	}
	return nil
}

func (p AtPlace) given() bool { return p.Latitude != nil || p.Station != "" }

// InPlaceZone is the argument of sky operations that write times.
type InPlaceZone struct {
	TimeZone string `json:"time_zone,omitempty" doc:"IANA name such as America/New_York, or gmt; the place's own where left out." example:"America/New_York"`
}

// spot is a place, its zone and how the zone was found.
type spot struct {
	sky.Place
	zone    zone
	station *coast.Station
	notes   []string
}

// zoneReach is how far a station's zone is taken for a point's (ours).
const zoneReach = 100 // km

// spot finds the place and its zone.
func (m moment) spot(p AtPlace, in InPlaceZone) (spot, error) {
	out := spot{notes: []string{}}
	name := "Etc/UTC"
	switch {
	case p.Station != "":
		st, err := m.anyStation(p.Station)
		if err != nil {
			return out, err
		}
		out.Place, out.station, name = sky.Place{Latitude: degrees(st.Latitude), Longitude: degrees(st.Longitude)}, card(st), st.Zone
	case p.Latitude != nil:
		out.Place = sky.Place{Latitude: *p.Latitude, Longitude: *p.Longitude}
		var note string
		name, note = m.zoneAt(out.Place)
		if in.TimeZone == "" {
			out.notes = append(out.notes, note)
		}
	}
	var err error
	out.zone, err = m.zones.named(in.TimeZone, name, m.now)
	return out, err
}

// zoneAt is the zone of the nearest station within zoneReach, else the
// nautical zone of the longitude (15 degrees an hour), and a note saying which.
func (s *Set) zoneAt(p sky.Place) (name, note string) {
	if near := s.Stations.Nearest(p.Latitude, p.Longitude, 1, nil); len(near) > 0 && near[0].Kilometers <= zoneReach {
		st := near[0].Station
		return st.Zone, fmt.Sprintf("Time zone %s is that of the nearest station, %s (%s), %.0f km away.", st.Zone, st.ID, st.Name, near[0].Kilometers)
	}
	hours := int(math.Round(p.Longitude / 15))
	name = fmt.Sprintf("Etc/GMT%+d", -hours) // the sign of these names runs the other way
	if hours == 0 {
		name = "Etc/GMT"
	}
	return name, fmt.Sprintf("Time zone %s, UTC%+03d:00, is that of the longitude: no station lies within %d km.", name, hours, zoneReach)
}

// zoneName is what names of zones look like; other files of a machine's zone
// database, such as localtime, are not the same everywhere.
var zoneName = regexp.MustCompile(`^(UTC|[A-Z][A-Za-z]+(/[A-Z][A-Za-z0-9_+-]*)+)$`)

// named is the zone that a caller asks for by name, or the place's.
func (z *zones) named(asked, place string, now time.Time) (zone, error) {
	switch asked {
	case "", "lst_ldt":
		return z.at(place, "lst_ldt", now)
	case "gmt", "lst":
		return z.at(place, asked, now)
	}
	named, err := z.at(asked, "lst_ldt", now)
	if err != nil || !zoneName.MatchString(asked) {
		return named, fault("time_zone", "zone", `time_zone must be an IANA name or gmt, not %s. Example: "time_zone": "America/New_York".`, quote(asked))
	}
	return named, nil
}

// skySource is where a body's series come from.
type skySource struct{ id, label, page string }

// VSOP87: Bretagnon and Francou, Astronomy and Astrophysics 202 (1988). The
// moon is Meeus' chapter 47, by a library of that name.
var (
	sunSource  = skySource{"sun", "Sun, computed here from VSOP87", "https://ui.adsabs.harvard.edu/abs/1988A%26A...202..309B"}
	moonSource = skySource{"moon", "Moon, computed here after Meeus, Astronomical Algorithms", "https://github.com/soniakeys/meeus"}
)

// skyFrame is the frame of what is computed from place and time.
func (m moment) skyFrame(sp spot, of skySource) coast.Frame {
	return coast.Frame{
		Station: sp.station, TimeZone: sp.zone.label, Provenance: coast.Provenance{
			Sources: []coast.Source{m.calculated(of.id, of.label, of.page)}, Missing: []coast.Missing{}, Notes: sp.notes,
		},
	}
}

const horizonNote = "Rise and set are for the upper limb at a sea-level horizon with 34' of refraction; real air and terrain can shift them by minutes."

// days resolves the days asked for; a day is the zone's civil day.
func (m moment) days(name, date string, count int, z zone) ([]interval, error) {
	first := m.now.In(z.Location)
	if date != "" && date != "today" {
		day, err := skyDay(name, date, z)
		if err != nil {
			return nil, err
		}
		first = day
	}
	list := make([]interval, count)
	for i := range list {
		list[i].from, list[i].to = nextDay(first, i), nextDay(first, i+1)
	}
	return list, nil
}

// skyDay reads an argument that names a day.
func skyDay(name, text string, z zone) (time.Time, error) {
	day, ok := readDay(text, z)
	if !ok {
		return day, fault(name, "date", `%s must be a day that the calendar has, as 2026-11-20 or 20261120, not %s.`, name, quote(text))
	}
	return day, checkYear(name, day)
}

// SunTimesInput asks when the sun rises and sets.
type SunTimesInput struct {
	AtPlace
	Date string `json:"date,omitempty" doc:"First day, 2026-11-20; today where left out." example:"2026-11-20"`
	Days int    `json:"days" default:"1" min:"1" max:"31" doc:"How many days."`
	InPlaceZone
}

// Validate holds the place to one.
func (in *SunTimesInput) Validate() error { return in.check(true) }

// SunDay is what the sun does on one civil day. A time is null where the sun
// does not cross that altitude on that day. Golden and blue hours begin on the
// day and may end after midnight, or where the sun turns back.
type SunDay struct {
	Date              string     `json:"date"`
	Sunrise           *time.Time `json:"sunrise"`
	Sunset            *time.Time `json:"sunset"`
	SolarNoon         *time.Time `json:"solarNoon"`
	DayLength         string     `json:"dayLength"`         // hours:minutes:seconds above the horizon
	State             string     `json:"state"`             // rises_and_sets, polar_day, polar_night
	CivilDawn         *time.Time `json:"civilDawn"`         // sun at -6 degrees
	CivilDusk         *time.Time `json:"civilDusk"`         //
	NauticalDawn      *time.Time `json:"nauticalDawn"`      // -12 degrees
	NauticalDusk      *time.Time `json:"nauticalDusk"`      //
	AstronomicalDawn  *time.Time `json:"astronomicalDawn"`  // -18 degrees
	AstronomicalDusk  *time.Time `json:"astronomicalDusk"`  //
	BlueHourMorning   *Between   `json:"blueHourMorning"`   // -6 to -4 degrees
	GoldenHourMorning *Between   `json:"goldenHourMorning"` // -4 to +6 degrees
	GoldenHourEvening *Between   `json:"goldenHourEvening"` // +6 to -4 degrees
	BlueHourEvening   *Between   `json:"blueHourEvening"`   // -4 to -6 degrees
	CivilState        string     `json:"civilState"`        // as state: always_up means no civil dusk that day
	NauticalState     string     `json:"nauticalState"`     //
	AstronomicalState string     `json:"astronomicalState"` // always_up: the night never gets fully dark
}

// Between is a stretch of time.
type Between struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// SunTimes is what the sun does at a place, day by day.
type SunTimes struct {
	coast.Frame
	Latitude  float64  `json:"latitude"`
	Longitude float64  `json:"longitude"`
	Days      []SunDay `json:"days"`
	cut
	asked SunTimesInput
}

// SunTimes tells sunrise, sunset, noon and twilights, within 2 s at
// latitudes up to 60 degrees. A sun that does not rise is a state.
func (s *Set) SunTimes(_ context.Context, in SunTimesInput) (SunTimes, error) {
	m := s.moment()
	sp, days, err := m.placeAndDays(in)
	if err != nil {
		return SunTimes{}, err
	}
	out := SunTimes{Frame: m.skyFrame(sp, sunSource), asked: in, Latitude: sp.Latitude, Longitude: sp.Longitude}
	out.Notes = append(out.Notes, horizonNote)
	for _, d := range days {
		day, notes := sunOn(d, sp)
		out.Days, out.Notes = append(out.Days, day), append(out.Notes, notes...)
	}
	return out, nil
}

// sunOn is the sun on one day.
func sunOn(d interval, sp spot) (SunDay, []string) {
	sun, later := sky.Sun(sp.Place, d.from, d.to), sky.Sun(sp.Place, d.from, d.to.Add(24*time.Hour))
	return sunDay(sun, later, d, sp.zone), sunTwice(d, sp.zone, sun)
}

func (m moment) placeAndDays(in SunTimesInput) (spot, []interval, error) {
	sp, err := m.spot(in.AtPlace, in.InPlaceZone)
	if err != nil {
		return sp, nil, err
	}
	days, err := m.days("date", in.Date, in.Days, sp.zone)
	return sp, days, err
}

// sunDay is one day's row. Golden and blue hours that begin on the day can end
// after it: later is what the sun does from the day on.
func sunDay(sun, later sky.SunDay, d interval, z zone) SunDay {
	day := SunDay{
		Date: d.from.Format(time.DateOnly), Sunrise: first(sun.Sun.Rise, z), Sunset: first(sun.Sun.Set, z), SolarNoon: first(sun.Noon, z),
		DayLength: clock(sun.DayLength), State: "rises_and_sets",
		CivilDawn: first(sun.Civil.Rise, z), CivilDusk: first(sun.Civil.Set, z), CivilState: crossState(sun.Civil),
		NauticalDawn: first(sun.Nautical.Rise, z), NauticalDusk: first(sun.Nautical.Set, z), NauticalState: crossState(sun.Nautical),
		AstronomicalDawn: first(sun.Astronomical.Rise, z), AstronomicalDusk: first(sun.Astronomical.Set, z), AstronomicalState: crossState(sun.Astronomical),
	}
	switch sun.Sun.State {
	case sky.AlwaysUp:
		day.State = "polar_day"
	case sky.AlwaysDown:
		day.State = "polar_night"
	}
	day.BlueHourMorning = band(sun.Civil.Rise, later.GoldenLower.Rise, later.Civil.Set, z)
	day.GoldenHourMorning = band(sun.GoldenLower.Rise, later.GoldenUpper.Rise, later.GoldenLower.Set, z)
	day.GoldenHourEvening = band(sun.GoldenUpper.Set, later.GoldenLower.Set, later.GoldenUpper.Rise, z)
	day.BlueHourEvening = band(sun.GoldenLower.Set, later.Civil.Set, later.GoldenLower.Rise, z)
	return day
}

// band is the time from the day's first entry into a band of altitudes to the
// next exit, on the other side or back on the same one.
func band(enter, through, back []time.Time, z zone) *Between {
	if len(enter) == 0 {
		return nil
	}
	var out *time.Time
	for _, t := range slices.Concat(through, back) {
		if t.After(enter[0]) && (out == nil || t.Before(*out)) {
			out = &t
		}
	}
	if out == nil {
		return nil
	}
	return &Between{*first(enter, z), *first([]time.Time{*out}, z)}
}

func crossState(c sky.Crossing) string {
	if c.State == "" {
		return "crosses"
	}
	return string(c.State)
}

// first is the first of an event's times, to the second.
func first(times []time.Time, z zone) *time.Time {
	if len(times) == 0 {
		return nil
	}
	t := times[0].Round(time.Second).In(z.Location)
	return &t
}

// twice tells of what a day holds twice: where the midnight sun begins or
// ends, or the clock adds an hour, a day can have two of an event.
func twice(d interval, z zone, what string, times []time.Time) []string {
	if len(times) < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%s comes twice on %s: also at %s.", what, d.from.Format(time.DateOnly), first(times[1:], z).Format(time.RFC3339))}
}

// sunTwice are the notes of a day's sun.
func sunTwice(d interval, z zone, sun sky.SunDay) (notes []string) {
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

func (t SunTimes) rows() int { return len(t.Days) }

func (t SunTimes) head(n int) any {
	t.asked.Date, t.asked.Days = t.Days[n].Date, len(t.Days)-n
	t.cut = cut{Truncated: true, Total: len(t.Days), Next: arguments(t.asked)}
	t.Days = t.Days[:n]
	return t
}

// SunPositionInput asks where the sun stands.
type SunPositionInput struct {
	AtPlace
	Time string `json:"time,omitempty" doc:"2026-11-20 15:04 in the zone, or RFC 3339; now where left out." example:"2026-11-20 15:04"`
	InPlaceZone
}

// Validate holds the place to one.
func (in *SunPositionInput) Validate() error { return in.check(true) }

// SunPosition is where the sun stands.
type SunPosition struct {
	coast.Frame
	Latitude  float64   `json:"latitude"`
	Longitude float64   `json:"longitude"`
	Time      time.Time `json:"time"`
	AngleUnit string    `json:"angleUnit"`
	Position  Position  `json:"position"`
}

// Position are the angles of a body, in degrees.
type Position struct {
	Azimuth           float64  `json:"azimuth"`           // true, from north through east
	Altitude          float64  `json:"altitude"`          // of the centre, without refraction
	RefractedAltitude *float64 `json:"refractedAltitude"` // as seen through standard air; null where nothing is seen
	Declination       float64  `json:"declination"`
	HourAngle         float64  `json:"hourAngle"` // west positive
}

// SunPosition tells where the sun stands, within 0.01 degrees.
func (s *Set) SunPosition(_ context.Context, in SunPositionInput) (SunPosition, error) {
	m := s.moment()
	sp, err := m.spot(in.AtPlace, in.InPlaceZone)
	if err != nil {
		return SunPosition{}, err
	}
	at, notes, err := m.instant(in.Time, sp.zone)
	if err != nil {
		return SunPosition{}, err
	}
	sp.notes = append(sp.notes, notes...)
	p := sky.SunPosition(sp.Place, at)
	return SunPosition{
		Frame: m.skyFrame(sp, sunSource), Latitude: sp.Latitude, Longitude: sp.Longitude, Time: at, AngleUnit: "degrees",
		Position: Position{thousandths(p.Azimuth), thousandths(p.Altitude), refracted(p), thousandths(p.Declination), thousandths(p.HourAngle)},
	}, nil
}

// instant reads the time argument, now where it was left out.
func (m moment) instant(text string, z zone) (at time.Time, notes []string, err error) {
	if text == "" {
		return m.now.In(z.Location), nil, nil
	}
	if _, day := readDay(text, z); day {
		return at, nil, fault("time", "date", `time must be a minute, as "2026-11-20 15:04", not the whole day %s.`, quote(text))
	}
	p, err := readTime("time", text, z)
	if err == nil {
		err = checkYear("time", p.first)
	}
	return p.first, p.notes, err
}

// refracted is the altitude as seen, or nil where the sun stands so far below
// the horizon that no refraction lifts it (a degree; it lifts by 0.6 at most).
func refracted(p sky.Position) *float64 {
	if p.Altitude < -1 {
		return nil
	}
	v := thousandths(p.Refracted)
	return &v
}

func thousandths(v float64) float64 { return math.Round(v*1000)/1000 + 0 }

// MoonPhaseInput asks for the moon, at a place or without one.
type MoonPhaseInput struct {
	Date  string `json:"date,omitempty" doc:"A day, 2026-11-20; today where left out." example:"2026-11-20"`
	Begin string `json:"begin_date,omitempty" doc:"First of several days." example:"2026-11-20"`
	End   string `json:"end_date,omitempty" doc:"Last of several days, at most 31." example:"2026-11-26"`
	AtPlace
	InPlaceZone
}

// Validate holds the days and the place to one way of naming each.
func (in *MoonPhaseInput) Validate() error {
	if in.Date != "" && in.Begin+in.End != "" {
		return contradiction("date", `date and begin_date or end_date together name the days twice. Example: "date": "2026-11-20".`)
	}
	if (in.Begin == "") != (in.End == "") {
		return contradiction("begin_date", `begin_date and end_date go together. Example: "begin_date": "2026-11-20", "end_date": "2026-11-26".`)
	}
	return in.check(false)
}

// MoonDay is the moon on one civil day.
type MoonDay struct {
	Date         string     `json:"date"`
	At           time.Time  `json:"at"`    // the instant of the values: now for today, else noon
	Phase        string     `json:"phase"` // new_moon, waxing_crescent, first_quarter, ...
	AgeDays      float64    `json:"ageDays"`
	Illumination float64    `json:"illumination"` // fraction 0 to 1
	DistanceKm   float64    `json:"distanceKm"`   // from the earth's centre
	Moonrise     *time.Time `json:"moonrise"`
	Moonset      *time.Time `json:"moonset"`
	Transit      *time.Time `json:"transit"`
	NextMoonrise *time.Time `json:"nextMoonrise,omitempty"` // on days without a moonrise
	NextMoonset  *time.Time `json:"nextMoonset,omitempty"`
	State        string     `json:"state,omitempty"` // rises_and_sets, always_up, always_down
}

// MoonEvent is a principal phase, perigee or apogee to come.
type MoonEvent struct {
	Event      string    `json:"event"`
	Time       time.Time `json:"time"`
	DistanceKm float64   `json:"distanceKm,omitempty"`
}

// MoonPhase is the moon, day by day, and its next events.
type MoonPhase struct {
	coast.Frame
	Latitude         *float64    `json:"latitude,omitempty"`
	Longitude        *float64    `json:"longitude,omitempty"`
	IlluminationUnit string      `json:"illuminationUnit"` // fraction
	Days             []MoonDay   `json:"days"`
	Next             []MoonEvent `json:"next"` // four principal phases, perigee, apogee, in order of time
}

// MoonPhase tells the moon's phase, age, illumination and distance, and with
// a place when it rises and sets (within 2 s at latitudes up to 60 degrees).
func (s *Set) MoonPhase(_ context.Context, in MoonPhaseInput) (MoonPhase, error) {
	m := s.moment()
	sp, err := m.spot(in.AtPlace, in.InPlaceZone)
	if err != nil {
		return MoonPhase{}, err
	}
	days, err := m.moonDays(in, sp.zone)
	if err != nil {
		return MoonPhase{}, err
	}
	out := MoonPhase{Frame: m.skyFrame(sp, moonSource), IlluminationUnit: "fraction", Days: []MoonDay{}}
	if in.AtPlace.given() {
		out.Latitude, out.Longitude = &sp.Latitude, &sp.Longitude
		out.Notes = append(out.Notes, horizonNote)
	} else {
		out.Missing = append(out.Missing, coast.Missing{Input: "moonrise, moonset, transit", Reason: "they need a place: give latitude and longitude, or station"})
	}
	for _, d := range days {
		day, notes := m.moonDay(d, sp, in.AtPlace.given())
		out.Days, out.Notes = append(out.Days, day), append(out.Notes, notes...)
	}
	out.Next = moonEvents(out.Days[0].At, sp.zone)
	return out, nil
}

func (m moment) moonDays(in MoonPhaseInput, z zone) ([]interval, error) {
	if in.Begin == "" {
		return m.days("date", in.Date, 1, z)
	}
	first, err := skyDay("begin_date", in.Begin, z)
	if err != nil {
		return nil, err
	}
	last, err := skyDay("end_date", in.End, z)
	if err != nil {
		return nil, err
	}
	count := int(math.Round(last.Sub(first).Hours()/24)) + 1
	if count < 1 {
		return nil, contradiction("begin_date", "begin_date %s is after end_date %s. Give the earlier one as begin_date.", quote(in.Begin), quote(in.End))
	}
	if count > 31 {
		e := coast.Errorf(coast.RangeTooLong, "The span is %d days long; it may be at most 31. Ask for it in parts.", count)
		e.Issues = []coast.Issue{{Path: "end_date", Code: "range_too_long", Message: e.Message}}
		return nil, e
	}
	return m.days("begin_date", in.Begin, count, z)
}

func (m moment) moonDay(d interval, sp spot, placed bool) (day MoonDay, notes []string) {
	at := time.Date(d.from.Year(), d.from.Month(), d.from.Day(), 12, 0, 0, 0, d.from.Location())
	if !m.now.Before(d.from) && m.now.Before(d.to) {
		at = m.now.In(sp.zone.Location)
	}
	moon := sky.Moon(at)
	day = MoonDay{
		Date: d.from.Format(time.DateOnly), At: at, Phase: moon.Phase, AgeDays: math.Round(moon.Age*100) / 100,
		Illumination: thousandths(moon.Illumination), DistanceKm: math.Round(moon.Distance),
	}
	if !placed {
		return day, nil
	}
	times := sky.MoonTimes(sp.Place, d.from, d.to)
	day.risings(times, sp.zone)
	return day, append(twice(d, sp.zone, "Moonrise", times.Moon.Rise), twice(d, sp.zone, "Moonset", times.Moon.Set)...)
}

func (day *MoonDay) risings(m sky.MoonDay, z zone) {
	day.Moonrise, day.Moonset, day.Transit = first(m.Moon.Rise, z), first(m.Moon.Set, z), first(m.Transit, z)
	if day.Moonrise == nil && !m.NextRise.IsZero() {
		day.NextMoonrise = first([]time.Time{m.NextRise}, z)
	}
	if day.Moonset == nil && !m.NextSet.IsZero() {
		day.NextMoonset = first([]time.Time{m.NextSet}, z)
	}
	day.State = "rises_and_sets"
	if m.Moon.State != "" {
		day.State = string(m.Moon.State)
	}
}

func moonEvents(after time.Time, z zone) []MoonEvent {
	events := append(sky.NextPhases(after), sky.NextApsides(after)...)
	slices.SortFunc(events, func(a, b sky.MoonEvent) int { return a.Time.Compare(b.Time) })
	rows := make([]MoonEvent, len(events))
	for i, e := range events {
		rows[i] = MoonEvent{e.Name, e.Time.Round(time.Second).In(z.Location), math.Round(e.Distance)}
	}
	return rows
}

// AstronomyInput asks for sun and moon at a point, day by day (REST only).
type AstronomyInput struct {
	SunTimesInput
}

// Astronomy is what sun and moon do at a place, day by day.
type Astronomy struct {
	coast.Frame
	Latitude  float64     `json:"latitude"`
	Longitude float64     `json:"longitude"`
	Days      []SkyDay    `json:"days"`
	NextMoon  []MoonEvent `json:"nextMoonEvents"`
}

// SkyDay is sun and moon on one civil day.
type SkyDay struct {
	Date string  `json:"date"`
	Sun  SunDay  `json:"sun"`
	Moon MoonDay `json:"moon"`
}

// Astronomy tells sun and moon together.
func (s *Set) Astronomy(_ context.Context, in AstronomyInput) (Astronomy, error) {
	m := s.moment()
	sp, days, err := m.placeAndDays(in.SunTimesInput)
	if err != nil {
		return Astronomy{}, err
	}
	out := Astronomy{Frame: m.skyFrame(sp, sunSource), Latitude: sp.Latitude, Longitude: sp.Longitude}
	out.Notes = append(out.Notes, horizonNote)
	merge(&out.Provenance, m.skyFrame(sp, moonSource).Provenance)
	for _, d := range days {
		sun, sunNotes := sunOn(d, sp)
		moon, moonNotes := m.moonDay(d, sp, true)
		out.Days = append(out.Days, SkyDay{sun.Date, sun, moon})
		out.Notes = append(append(out.Notes, sunNotes...), moonNotes...)
	}
	out.NextMoon = moonEvents(out.Days[0].Moon.At, sp.zone)
	return out, nil
}
