package directory

import (
	"cmp"
	"context"
	"slices"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// StationFloodLevelsInput requests the heights at which flooding begins.
type StationFloodLevelsInput struct {
	place.StationOrPlace
	operation.OnDatum
	operation.InUnits
}

// FloodLevel is the height at which flooding of one severity begins.
type FloodLevel struct {
	Authority FloodAuthority `json:"authority" doc:"Who defines the level: NOAA's Ocean Service (NOS) or the weather service (NWS)."`
	Level     FloodSeverity  `json:"level" doc:"Severity of the flooding that begins at the height."`
	Height    float64        `json:"height" doc:"Height above the datum."`
	Datum     coast.Datum    `json:"datum" doc:"Level that the height is measured from."`
	Basis     FloodBasis     `json:"basis" doc:"Whether the height is published, or derived from the great diurnal range."`
}

// StationFloodLevels holds the heights at which flooding begins.
type StationFloodLevels struct {
	coast.Frame
	HeightUnit string       `json:"heightUnit"`
	Levels     []FloodLevel `json:"levels"`
	place.ForPlace
}

// StationFloodLevels returns the heights at which flooding begins, as the metadata service
// publishes them. For Ocean Service severities without a published level, it derives the
// level from the station's great diurnal range.
func (s Operations) StationFloodLevels(
	ctx context.Context, in StationFloodLevelsInput,
) (StationFloodLevels, error) {
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	return FloodLevelsOf(ctx, s.facts.Set(), in)
}

// FloodLevelsOf is StationFloodLevels with the facts of another result.
func FloodLevelsOf(
	ctx context.Context, fs facts.Set, in StationFloodLevelsInput,
) (StationFloodLevels, error) {
	st, err := fs.LevelStation(ctx, in.Station)
	if err != nil {
		return StationFloodLevels{}, err
	}
	var notes []string
	if stations.GreatLakes(st.ID) && in.Datum == "" {
		notes = append(notes, "The Great Lakes have no MLLW: heights are above IGLD.")
	}
	in.Datum = coast.Datum(in.OnDatum.Of(st))
	st, zero, err := fs.Zero(ctx, st, string(in.Datum))
	if err != nil {
		return StationFloodLevels{}, err
	}
	h := facts.HeightsIn(in.Units)
	out := StationFloodLevels{
		Frame: coast.Frame{
			Station: facts.Card(st), Datum: in.Datum, DatumEpoch: fs.Epoch(st), Units: in.Units,
			TimeZone: st.Zone,
			Provenance: fs.Heights(st, fs.Constants(
				st, stations.PartLevels, facts.DatumsOrigin.ID, facts.DatumsOrigin.Label,
				facts.DatumsOrigin.Page+st.ID,
			)),
		},
		HeightUnit: h.Name, Levels: []FloodLevel{},
	}
	out.Notes = append(out.Notes, notes...)
	published, missing := publishedFloods(ctx, fs, &out.Provenance, st)
	for _, level := range published {
		out.Levels = append(out.Levels, FloodLevel{
			FloodAuthority(level.Authority), FloodSeverity(level.Severity),
			h.Of(level.AboveSTND - zero), in.Datum, "published",
		})
	}
	out.derive(fs, st, zero, h)
	if len(out.Levels) == 0 {
		return out, missing
	}
	return out, nil
}

// publishedFloods returns the published levels, and the error to return if there is no level
// at all. A failed request is listed in missing.
func publishedFloods(
	ctx context.Context, fs facts.Set, p *coast.Provenance, st stations.Station,
) ([]facts.PublishedFlood, error) {
	o := facts.COOPS(
		"published-flood-levels", "Flood levels published by NOS and NWS", coast.Calculation,
		"https://tidesandcurrents.noaa.gov/stationhome.html?id="+st.ID,
	)
	live, err := fs.Water.FloodLevels(ctx, st.ID)
	if err != nil {
		fs.Missing(p, o, "published flood levels", err)
		return nil, err
	}
	source := fs.Document(o, live.ReceivedAt)
	source.DatumEpoch = fs.Epoch(st)
	p.Sources = append(p.Sources, source)
	floods, refused := facts.PublishedFloods(st, live.Data)
	p.Missing = append(p.Missing, refused...)
	return floods, coast.Errorf(
		coast.ProductUnavailable,
		"NOAA publishes no flood levels of %s (%s), and it has no great diurnal range to derive them "+
			"from.", st.ID, st.Name,
	)
}

// derive adds the Ocean Service levels that are not published, if the station has a great
// diurnal range.
func (f *StationFloodLevels) derive(fs facts.Set, st stations.Station, zero float64, h facts.Unit) {
	before := len(f.Levels)
	for _, severity := range []FloodSeverity{"minor", "moderate", "major"} {
		published := func(l FloodLevel) bool { return l.Authority == "NOS" && l.Level == severity }
		above, ok := facts.DerivedFlood(st, string(severity))
		if ok && !slices.ContainsFunc(f.Levels, published) {
			f.Levels = append(f.Levels, FloodLevel{
				"NOS", severity, h.Of(above - zero), f.Datum, "derived",
			})
		}
	}
	if len(f.Levels) > before {
		f.Sources = append(f.Sources, fs.Derived(
			st, "flood-levels", "Flood levels derived from the great diurnal range (NOS CO-OPS 086)",
			"https://tidesandcurrents.noaa.gov/publications/techrpt86_PaP_of_HTFlooding.pdf",
		))
		f.Notes = append(
			f.Notes,
			"Derived levels are a regression over all gauges: the published level of one place can differ.",
		)
	}
}

// Describe writes the lowest level, then a row for each.
func (f StationFloodLevels) Describe(t *render.Answer) {
	if len(f.Levels) > 0 {
		first := slices.MinFunc(f.Levels, func(a, b FloodLevel) int {
			return cmp.Compare(a.Height, b.Height)
		})
		t.Line("%s: the lowest flood level, %s %s, is %s %s above %s (%s).",
			operation.StationName(f.Station)+f.Away(),
			first.Authority, first.Level, render.Short(first.Height, 2), f.HeightUnit, first.Datum,
			first.Basis)
	}
	describeFloods(t, f.Levels, f.HeightUnit)
}

// describeFloods writes a row for each level.
func describeFloods(t *render.Answer, levels []FloodLevel, unit string) {
	t.Gap()
	t.Line("Flood levels in %s above %s:", unit, levels[0].Datum)
	for _, l := range levels {
		t.Line("%s %s %s, %s", l.Authority, l.Level, render.Short(l.Height, 2), l.Basis)
	}
}

// floodRoles are the severities of flooding that a chart draws.
var floodRoles = map[string]chart.Role{
	"minor": chart.Minor, "moderate": chart.Moderate, "major": chart.Major,
}

// Chart returns one level of each severity as lines of a chart: the published one of the weather
// service, to which its warnings refer, otherwise that of the Ocean Service, otherwise the
// derived one. The order is ours.
func (f StationFloodLevels) Chart() []chart.Level {
	rank := func(l FloodLevel) int {
		switch {
		case l.Basis == "derived":
			return 2
		case l.Authority == "NOS":
			return 1
		}
		return 0
	}
	byRank := slices.SortedStableFunc(slices.Values(f.Levels), func(a, b FloodLevel) int {
		return cmp.Compare(rank(a), rank(b))
	})
	var list []chart.Level
	for _, l := range byRank {
		role, drawn := floodRoles[string(l.Level)]
		taken := func(o chart.Level) bool { return o.Role == role }
		if !drawn || slices.ContainsFunc(list, taken) {
			continue
		}
		name := l.Level + " flooding"
		if l.Basis == "derived" {
			name += " (derived)"
		}
		list = append(list, chart.Level{Name: string(name), Value: l.Height, Role: role})
	}
	return list
}
