package directory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/noaa"
	"leadline/internal/operation"
	"leadline/internal/overlay"
	"leadline/internal/place"
	"leadline/internal/render"
	"leadline/internal/stations"
)

// StationInfoInput requests the description of a station.
type StationInfoInput struct {
	place.StationOrPlace
	Expand []string `json:"expand,omitempty" enum:"details sensors floodlevels datums products notices disclaimers benchmarks bins deployments nearby" doc:"Parts to add, as nearby or datums."`
	operation.InUnits
}

// StationInfo describes a station and the operations that apply to it.
type StationInfo struct {
	coast.Frame      `always:"station units timeZone" never:"quoted datum"`
	Kind             stations.Kind       `json:"kind" doc:"Kind of station: NOAA predicts tides or currents there, or it only observes (gauge)."`
	PredictionKind   PredictionKind      `json:"predictionKind" doc:"How the station is predicted: from constants of its own, from a reference station, or not at all."`
	ReferenceStation *StationRow         `json:"referenceStation" doc:"Station that a subordinate station is predicted from; null for other stations."`
	Observes         []Observed          `json:"observes" doc:"What the station measures: water levels, weather, currents. Empty too if NOAA's lists are missing."`
	Tools            []string            `json:"tools" doc:"Names of the MCP tools that apply to the station. New ones may appear."`
	Operations       []string            `json:"operations,omitempty" doc:"Ids of the operations of this document that have data of the station, left out if there are none. New ones may appear. The forecast depends on the weather service and is not among them."`
	DatumNames       []coast.Datum       `json:"datums" doc:"Datums that predictions accept."`
	Details          *StationDetails     `json:"details,omitempty" doc:"Further facts of the station; left out if they are not requested."`
	DatumLevels      []DatumLevel        `json:"datumLevels,omitempty" doc:"Datums of the station with their heights, the highest first; left out if there are none."`
	FloodLevels      []FloodLevel        `json:"floodLevels,omitempty" doc:"Heights at which flooding begins; left out if there are none."`
	HeightUnit       coast.HeightUnit    `json:"heightUnit,omitempty" doc:"Unit of heights and depths; left out of results without datums."`
	Bins             []CurrentBin        `json:"bins,omitempty" doc:"Depth bins of a current station; left out of other stations."`
	Nearby           []NearStation       `json:"nearby,omitempty" schema:"-" doc:"Stations nearby, nearest first; REST does not request them."`
	BearingUnit      coast.DirectionUnit `json:"bearingUnit,omitempty" schema:"-" doc:"Unit of the bearings of nearby."`
	Lists            *StationLists       `json:"lists,omitempty" doc:"Lists that NOAA's metadata service has for the station; left out if none is requested."`
	place.ForPlace
}

// StationDetails holds further facts of a station.
type StationDetails struct {
	Constituents int         `json:"constituents" doc:"Number of harmonic constants that the station has itself."`
	Directions   *Directions `json:"directions,omitempty" doc:"Directions of flood and ebb; left out of stations that are not for currents."`
	TideRegime   TideRegime  `json:"tideRegime,omitempty" doc:"Kind of tide, from the form number; left out without a form number."`
	FormNumber   *float64    `json:"formNumber,omitempty" doc:"(K1 + O1) / (M2 + S2) of the amplitudes; left out if the station does not have these constants."`
	Established  string      `json:"established,omitempty" doc:"Day on which the station was established; left out if NOAA does not list it."`
	Removed      string      `json:"removed,omitempty" doc:"Day on which the station was removed; left out if it was not, or NOAA does not list it."`
	Chart        string      `json:"chart,omitempty" doc:"Number of the nautical chart; left out if NOAA does not list it."`
}

// StationLists holds the lists that NOAA's metadata service has for a station. REST requests
// products alone.
type StationLists struct {
	Sensors     []Sensor      `json:"sensors,omitzero" schema:"-" doc:"Sensors of the station."`
	Products    []ProductPage `json:"products,omitzero" doc:"Pages of NOAA about the station; left out if NOAA lists none, or its lists are missing."`
	Notices     []Remark      `json:"notices,omitzero" schema:"-" doc:"Notices about the station."`
	Disclaimers []Remark      `json:"disclaimers,omitzero" schema:"-" doc:"Disclaimers about the station."`
	Benchmarks  []Benchmark   `json:"benchmarks,omitzero" schema:"-" doc:"Survey marks near the station."`
	Deployments []Deployment  `json:"deployments,omitzero" schema:"-" doc:"Periods in which current meters were in place."`
	Meter       *CurrentMeter `json:"currentMeter,omitempty" schema:"-" doc:"How the current is measured."`
}

// CurrentMeter describes how the current is measured at a station. The period of good data
// can end before the newest deployment begins.
type CurrentMeter struct {
	DepthUnit         coast.HeightUnit `json:"depthUnit" doc:"Unit of depths and heights."`
	FloodDirection    *float64         `json:"floodDirection" doc:"Direction that the flood flows toward, degrees true; null if NOAA does not list it."`
	Orientation       string           `json:"orientation,omitempty" doc:"How the meter is mounted; left out if NOAA does not list it."`
	SensorDepth       *float64         `json:"sensorDepth" doc:"Depth of the sensor; null if NOAA does not list it."`
	WaterDepth        *float64         `json:"waterDepth" doc:"Depth of the water; null if NOAA does not list it."`
	HeightAboveBottom *float64         `json:"heightAboveBottom" doc:"Height of the sensor above the bottom; null if NOAA does not list it."`
	FirstGoodData     string           `json:"firstGoodData,omitempty" doc:"First day with good data; left out if NOAA does not list it."`
	LastGoodData      string           `json:"lastGoodData,omitempty" doc:"Last day with good data; left out if NOAA does not list it."`
}

// Remark is a notice or a disclaimer that NOAA publishes about a station.
type Remark struct {
	Name string `json:"name" quoted:"yes" doc:"Title of the remark, in NOAA's words."`
	Text string `json:"text" quoted:"yes" doc:"Text of the remark, in NOAA's words."`
}

// Benchmark is a survey mark on the ground with a known height.
type Benchmark struct {
	Designation string   `json:"designation" doc:"Designation of the mark."`
	Stamping    string   `json:"stamping,omitempty" quoted:"yes" doc:"Text on the mark; left out if NOAA does not list it."`
	Description string   `json:"description" quoted:"yes" doc:"Where to find the mark, in NOAA's words."`
	Latitude    *float64 `json:"latitude" doc:"Degrees north; null if NOAA does not list it."`
	Longitude   *float64 `json:"longitude" doc:"Degrees east; west is negative; null if NOAA does not list it."`
}

// Deployment is a period in which a current meter was in place.
type Deployment struct {
	From       string `json:"from" doc:"First day."`
	To         string `json:"to,omitempty" doc:"Last day; left out while the meter is in place."`
	Instrument string `json:"instrument,omitempty" doc:"The instrument; left out if NOAA does not list it."`
}

// StationInfo describes a station and the operations that apply to it. It fetches parts that
// only NOAA's metadata service has; unavailable parts are listed in missing.
func (s Operations) StationInfo(ctx context.Context, in StationInfoInput) (StationInfo, error) {
	fs := s.facts.Set()
	ctx, cancel := operation.WithAdditionTimeout(ctx)
	defer cancel()
	st, err := fs.Listed(ctx, in.Station)
	if err != nil {
		return StationInfo{}, err
	}
	st = st.Snapshot()
	out := StationInfo{
		Frame: coast.Frame{
			Station: facts.Card(st), Units: in.Units, TimeZone: st.Zone,
			Provenance: fs.Heights(st, directoryOf(fs, st)),
		},
		Kind: st.Kind, PredictionKind: KindOf(st),
		Observes: observes(st), Tools: toolsOf(ctx, fs, st), DatumNames: []coast.Datum{},
	}
	if st.Kind == stations.Tide || len(st.Datums()) > 0 {
		out.DatumEpoch = fs.Epoch(st)
	}
	if st.Kind == stations.Tide {
		out.DatumNames = operation.Typed[coast.Datum](fs.Stations.TideDatums(st))
	}
	if facts.Predicts(st) == "tides" && !slices.Contains(out.DatumNames, "MLLW") {
		out.Notes = append(out.Notes, fmt.Sprintf(
			"Predictions here need \"datum\": %q: the station has no MLLW.", out.DatumNames[0],
		))
	}
	if fs.Weak(st) {
		out.Notes = append(
			out.Notes,
			"NOAA calls the currents here weak and variable and predicts none. That is not the same as no "+
				"current.",
		)
	}
	if r, ok := fs.Stations.Station(st.Reference); ok && st.Subordinate() {
		row := rowOf(r)
		out.ReferenceStation = &row
	}
	if out.Observes == nil {
		out.Observes = []Observed{}
		out.Missing = append(out.Missing, coast.Missing{
			Input:  "observations",
			Reason: "NOAA's metadata service, which lists what the station measures, has not responded",
		})
	}
	for _, p := range infoParts(ctx, fs, &out, st, in) {
		p.AddTo(&out.Provenance, fs.Clock)
	}
	return out, nil
}

// StationCard returns the resource leadline://stations/{id}: the description of a
// station, as JSON.
func (s Operations) StationCard(ctx context.Context, id string) ([]byte, error) {
	in := StationInfoInput{
		StationOrPlace: place.StationOrPlace{Station: id}, Expand: []string{"details", "bins"},
		InUnits: operation.InUnits{Units: "english"},
	}
	if st, ok := s.facts.Stations.Station(id); ok && st.Kind == stations.Tide {
		in.Expand = []string{"details", "datums"}
	}
	info, err := s.StationInfo(ctx, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(info)
}

// directoryOf returns the source of a station's directory entry.
func directoryOf(fs facts.Set, st stations.Station) coast.Source {
	if at := st.Listed(); !at.IsZero() {
		return fs.Document(
			facts.COOPS(
				"station-directory", "Station, from NOAA's metadata service", coast.Calculation,
				facts.StationPage(st.ID),
			),
			at,
		)
	}
	return fs.Directory()
}

// infoParts fetches the parts of a result concurrently. Each part writes fields of out
// that no other part writes.
func infoParts(
	ctx context.Context, fs facts.Set, out *StationInfo, st stations.Station, in StationInfoInput,
) []facts.Part {
	list := make([]facts.Part, len(in.Expand))
	provenances := make([]coast.Provenance, len(in.Expand))
	if slices.ContainsFunc(in.Expand, func(name string) bool { return listers[name] != nil }) {
		out.Lists = &StationLists{}
	}
	jobs := make([]func(), len(in.Expand))
	for i, name := range in.Expand {
		jobs[i] = func() { list[i], provenances[i] = infoPart(ctx, fs, out, st, name, in.Units) }
	}
	facts.Concurrently(jobs...)
	for _, p := range provenances {
		facts.Merge(&out.Provenance, p)
	}
	return list
}

// infoPart adds one part to out, or returns the reason why it is unavailable.
func infoPart(
	ctx context.Context, fs facts.Set, out *StationInfo, st stations.Station, name string,
	units coast.Units,
) (facts.Part, coast.Provenance) {
	p := facts.Part{
		Origin: facts.COOPS(
			"station-"+name, "Station's "+name+", from NOAA's metadata service", coast.Calculation,
			facts.StationPage(st.ID),
		),
		Input: name,
	}
	of := coast.Provenance{}
	switch name {
	case "nearby":
		out.BearingUnit = coast.DegreesTrue
		others := func(o stations.Station) bool { return o.ID != st.ID }
		for _, n := range fs.Stations.Nearest(st.Latitude, st.Longitude, 6, others) {
			out.Nearby = append(out.Nearby, nearStation(n))
		}
	case "datums":
		var d StationDatums
		d, p.Err = stationDatums(ctx, fs, StationDatumsInput{
			StationOrPlace: place.StationOrPlace{Station: st.ID}, Epoch: "current",
			InUnits: operation.InUnits{Units: units},
		})
		out.DatumLevels, of = d.Datums, d.Provenance
		out.HeightUnit = coast.HeightUnit(facts.HeightsIn(units).Name)
	case "floodlevels":
		var f StationFloodLevels
		f, p.Err = FloodLevelsOf(ctx, fs, StationFloodLevelsInput{
			StationOrPlace: place.StationOrPlace{Station: st.ID}, InUnits: operation.InUnits{Units: units},
		})
		out.FloodLevels, of = f.Levels, f.Provenance
	case "bins":
		var b CurrentStationBins
		b, p.Err = currentStationBins(ctx, fs, CurrentStationBinsInput{
			place.StationOrPlace{Station: st.ID}, operation.InUnits{Units: units},
		})
		out.Bins, of = b.Bins, b.Provenance
	case "details":
		out.Details = detailsOf(st)
		p.Source, p.Err = history(ctx, fs, out.Details, st, p.Origin)
	default:
		var received time.Time
		if received, p.Err = listers[name](ctx, fs, out.Lists, st, units); p.Err == nil {
			source := fs.Document(p.Origin, received)
			p.Source = &source
		}
	}
	if p.Err == nil {
		return p, of
	}
	e, _ := coast.AsError(p.Err)
	if listers[name] != nil && e.Code == coast.ProductUnavailable {
		return facts.Part{}, coast.Provenance{Notes: []string{e.Message}} // an empty list is a result
	}
	return p, coast.Provenance{}
}

// history adds to the details when a station was established and removed. Current stations
// with predictions only have no such record.
func history(
	ctx context.Context, fs facts.Set, d *StationDetails, st stations.Station, o facts.Origin,
) (*coast.Source, error) {
	if st.Kind == stations.Current {
		return nil, nil
	}
	live, err := fs.Water.Details(ctx, st.ID)
	if err != nil {
		return nil, err
	}
	d.Established, d.Removed = dayOf(live.Data.Established), dayOf(live.Data.Removed)
	d.Chart = live.Data.Chart
	source := fs.Document(o, live.ReceivedAt)
	return &source, nil
}

func dayOf(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format(time.DateOnly)
}

// lister fetches one list of a station and returns when it was received.
type lister func(
	ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, units coast.Units,
) (time.Time, error)

// listers holds the parts that are lists of the metadata service.
var listers = map[string]lister{
	"sensors": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, units coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Sensors(ctx, st.ID)
		l.Sensors = sensorRows(v.Data, facts.HeightsIn(units))
		return v.ReceivedAt, err
	},
	"products": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, _ coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Products(ctx, st.ID)
		for _, p := range v.Data {
			l.Products = append(l.Products, ProductPage{strings.Join(strings.Fields(p.Name), " "), p.URL})
		}
		return v.ReceivedAt, err
	},
	"notices": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, _ coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Notices(ctx, st.ID)
		l.Notices = remarks(v.Data)
		return v.ReceivedAt, err
	},
	"disclaimers": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, _ coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Disclaimers(ctx, st.ID)
		l.Disclaimers = remarks(v.Data)
		return v.ReceivedAt, err
	},
	"benchmarks": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, _ coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Benchmarks(ctx, st.ID)
		for _, b := range v.Data {
			l.Benchmarks = append(l.Benchmarks, Benchmark{
				b.Designation, b.Stamping, strings.Join(strings.Fields(b.Description), " "), b.Latitude,
				b.Longitude,
			})
		}
		return v.ReceivedAt, err
	},
	"deployments": func(
		ctx context.Context, fs facts.Set, l *StationLists, st stations.Station, units coast.Units,
	) (time.Time, error) {
		v, err := fs.Water.Deployments(ctx, st.ID)
		for _, d := range v.Data.Deployments {
			l.Deployments = append(l.Deployments, Deployment{dayOf(d.From), dayOf(d.To), d.Instrument})
		}
		if err == nil {
			l.Meter = meterRow(v.Data, facts.HeightsIn(units))
		}
		return v.ReceivedAt, err
	},
}

// meterRow returns how a current meter measures, or nil if nothing is known.
func meterRow(m noaa.CurrentMeter, h facts.Unit) *CurrentMeter {
	row := CurrentMeter{
		DepthUnit: coast.HeightUnit(h.Name), FloodDirection: m.FloodDirection, Orientation: m.Orientation,
		SensorDepth: h.Known(m.SensorDepth), WaterDepth: h.Known(cmp.Or(m.MeasuredDepth, m.Depth)),
		HeightAboveBottom: h.Known(m.Height), FirstGoodData: dayOf(m.FirstGood),
		LastGoodData: dayOf(m.LastGood),
	}
	if row == (CurrentMeter{DepthUnit: coast.HeightUnit(h.Name)}) {
		return nil
	}
	return &row
}

func remarks(list []noaa.Notice) []Remark {
	var rows []Remark
	for _, n := range list {
		rows = append(rows, Remark{n.Name, facts.Plain(n.Text)})
	}
	return rows
}

// toolsOf names the tools that apply to a station and that the caller can call. Tools that return
// observations are included if NOAA is known to list the station.
func toolsOf(ctx context.Context, fs facts.Set, st stations.Station) []string {
	_, great := st.Level("GT")
	kinds, _ := overlay.Observes(st)
	level, weather := slices.Contains(kinds, "waterlevels"), slices.Contains(kinds, "met")
	tools := []string{}
	for _, t := range []struct {
		name    string
		applies bool
	}{
		{"noaa_get_tide_predictions", facts.Predicts(st) == "tides"},
		{"noaa_get_current_predictions", facts.Predicts(st) == "currents"},
		{"noaa_get_water_levels", level},
		{"noaa_get_water_level_summaries", level},
		{"noaa_get_meteorological_data", weather},
		{"noaa_get_currents", slices.Contains(kinds, "currents")},
		{"noaa_get_station_sensors", level || weather},
		{
			"noaa_get_current_station_bins",
			st.Kind == stations.Current || slices.Contains(kinds, "currents"),
		},
		{"noaa_get_harmonic_constituents", st.HasConstants()},
		{"noaa_get_tide_prediction_offsets", st.TideOffsets() != nil},
		{"noaa_get_station_datums", len(st.Datums()) > 0 || level},
		{"noaa_get_station_flood_levels", great || level},
	} {
		if t.applies && operation.Offers(ctx, t.name) {
			tools = append(tools, t.name)
		}
	}
	return tools
}

func detailsOf(st stations.Station) *StationDetails {
	d := &StationDetails{Constituents: len(st.Harmonics())}
	if st.Kind == stations.Current {
		directions := DirectionsOf(st)
		d.Directions = &directions
	}
	if form, ok := FormNumber(st); ok {
		d.FormNumber, d.TideRegime = &form, regime(form)
	}
	return d
}

// Describe writes a description of the station and what applies to it, then the requested
// parts.
func (i StationInfo) Describe(t *render.Answer) {
	t.Line("%s: %s", operation.StationName(i.Station)+i.Away(), i.sentence())
	t.Line("Position %s, time zone %s.", operation.Position(i.Station.Latitude, i.Station.Longitude),
		i.Station.TimeZone)
	if r := i.ReferenceStation; r != nil {
		t.Line("Predicted from %s.", r.text())
	}
	if len(i.Tools) > 0 {
		t.Line("Tools: %s", strings.Join(i.Tools, ", "))
	}
	if len(i.DatumNames) > 0 {
		t.Line("Datums: %s%s", strings.Join(coast.Strings(i.DatumNames...), ", "), epochOf(i.Frame))
	}
	if i.Details != nil {
		i.Details.Describe(t)
	}
	if len(i.DatumLevels) > 0 {
		describeDatums(t, i.DatumLevels, string(i.HeightUnit))
	}
	if len(i.FloodLevels) > 0 {
		describeFloods(t, i.FloodLevels, i.unit())
	}
	if len(i.Bins) > 0 {
		describeBins(t, i.Bins, i.unit())
	}
	if len(i.Nearby) > 0 {
		t.Gap()
		describeNear(t, i.Nearby)
	}
	if i.Lists != nil {
		i.Lists.describe(t, i.unit())
	}
}

// unit returns the unit of heights and depths.
func (i StationInfo) unit() string { return facts.HeightsIn(i.Units).Name }

// sentence describes the predictions and observations of the station in a sentence.
func (i StationInfo) sentence() string {
	text := map[string]string{
		"harmonic":    "predicted from constants of its own",
		"subordinate": "predicted from a reference station",
	}[string(i.PredictionKind)]
	if text == "" {
		text = "not predicted"
	}
	text = string(i.Kind) + " station, " + text
	if len(i.Observes) > 0 {
		text += ", observes " + strings.Join(coast.Strings(i.Observes...), ", ")
	}
	return text + "."
}

// Describe writes one line with the known details.
func (d StationDetails) Describe(t *render.Answer) {
	regime, flow, constants := "", "", ""
	if d.FormNumber != nil {
		regime = fmt.Sprintf("tide %s (form number %s)", d.TideRegime, render.Short(*d.FormNumber, 2))
	}
	if d.Directions != nil {
		flow = d.Directions.text()
	}
	if d.Constituents > 0 {
		constants = operation.Plural(d.Constituents, "harmonic constant")
	}
	dated := func(what, day string) string {
		if day == "" {
			return ""
		}
		return what + " " + render.Escape(day)
	}
	if text := operation.Join("; ", regime, flow, constants, dated("established", d.Established),
		dated("removed", d.Removed), dated("chart", d.Chart)); text != "" {
		t.Line("Details: %s.", text)
	}
}

// describe writes the lists that are not empty.
func (l StationLists) describe(t *render.Answer, unit string) {
	section := func(name string, n int, row func(i int) string) {
		if n == 0 {
			return
		}
		t.Gap()
		t.Line("%s:", name)
		for i := range n {
			t.Line("- %s", row(i))
		}
	}
	section("Sensors", len(l.Sensors), func(i int) string { return l.Sensors[i].text(unit) })
	section("Products", len(l.Products), func(i int) string {
		return render.Escape(l.Products[i].Name + ": " + l.Products[i].URL)
	})
	section("Notices", len(l.Notices), func(i int) string { return l.Notices[i].line() })
	section("Disclaimers", len(l.Disclaimers), func(i int) string { return l.Disclaimers[i].line() })
	section("Benchmarks", len(l.Benchmarks), func(i int) string { return l.Benchmarks[i].text() })
	section("Deployments", len(l.Deployments), func(i int) string { return l.Deployments[i].text() })
	if l.Meter != nil {
		t.Gap()
		t.Line("Current meter: %s", l.Meter.text())
	}
}

func (r Remark) line() string { return render.Quote(r.Name) + ": " + render.Quote(r.Text) }

func (b Benchmark) text() string {
	stamping, at := "", ""
	if b.Stamping != "" {
		stamping = "stamped " + render.Quote(b.Stamping)
	}
	if b.Latitude != nil && b.Longitude != nil {
		at = operation.Position(*b.Latitude, *b.Longitude)
	}
	return operation.Join("; ", render.Escape(b.Designation), stamping, render.Quote(b.Description),
		at)
}

func (d Deployment) text() string {
	to := "now"
	if d.To != "" {
		to = d.To
	}
	return operation.Join(", ", d.From+" to "+to, render.Escape(d.Instrument))
}

func (m CurrentMeter) text() string {
	measure := func(what string, v *float64) string {
		if v == nil {
			return ""
		}
		return fmt.Sprintf("%s %s %s", what, render.Short(*v, 1), m.DepthUnit)
	}
	flood, good := "", ""
	if m.FloodDirection != nil {
		flood = "flood toward " + render.Short(*m.FloodDirection, 1) + "° true"
	}
	if m.FirstGoodData != "" {
		good = "good data from " + m.FirstGoodData
	}
	if m.LastGoodData != "" {
		good = operation.Join(" ", good, "good data to "+m.LastGoodData)
	}
	return operation.Join("; ", flood, render.Escape(m.Orientation),
		measure("sensor depth", m.SensorDepth),
		measure("water depth", m.WaterDepth), measure("above the bottom", m.HeightAboveBottom), good)
}

// GreatLakes reports whether the station is on the Great Lakes, where NOAA predicts no tide.
func (i StationInfo) GreatLakes() bool { return stations.GreatLakes(i.Station.ID) }
