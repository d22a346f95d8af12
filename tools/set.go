package tools

import (
	"context"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/accounts"
	"leadline/internal/coast"
	"leadline/internal/noaa"
	"leadline/internal/nws"
	"leadline/internal/overlay"
	"leadline/internal/stations"
	"leadline/internal/status"
	"leadline/resources"
)

// Config is what the operations work with. An operation whose part is nil must not
// be called.
type Config struct {
	Stations *stations.Directory
	Water    *noaa.Client
	Weather  *nws.Client
	Overlay  *overlay.Overlay
	Topics   *resources.Library
	Now      func() time.Time
	NewID    func(time.Time) string // returns the id of a decision made at a time

	// Accounts has the keys and the usage of accounts.
	Accounts *accounts.Service

	// Probes returns the health of the providers and the store, Notices the
	// published incidents and maintenance; nil reports none.
	Probes  func(context.Context) []status.Component
	Notices func(context.Context, status.Kind) ([]status.Incident, error)
}

// Set holds the operations. A Set is safe for concurrent use and must not be copied.
type Set struct {
	Config
	zones   zones
	waters  waters // marine zones of stations
	lands   waters // land zones of stations on water
	doubted sync.Once
	doubts  map[string]bool
}

// New returns the operations over what c holds.
func New(c Config) *Set { return &Set{Config: c} }

// Catalog returns the 26 tools in their groups' order.
func (s *Set) Catalog() []Tool {
	return []Tool{
		declare("noaa_get_water_levels", "Observed water levels", Water,
			"Observed water levels at a gauge, with the predicted level and the residual beside them. For the tide to come use noaa_get_tide_predictions.", true, s.WaterLevels),
		declare("noaa_get_water_level_summaries", "Water level summaries", Water,
			"Observed high and low waters, daily or monthly means and extremes at a gauge.", true, s.WaterLevelSummaries),
		declare("noaa_get_tide_predictions", "Tide predictions", Water,
			"Predicted high and low waters, or a height series: the astronomical tide as NOAA publishes it, no weather. Flood, ebb and slack are noaa_get_current_predictions.", false, s.TidePredictions),
		declare("noaa_get_currents", "Observed currents", Water,
			"Observed current speed, direction and depth at a current meter. For predictions use noaa_get_current_predictions.", true, s.Currents),
		declare("noaa_get_current_predictions", "Tidal current predictions", Water,
			"Predicted flood, ebb and slack, or a velocity series, at a current station (noaa_find_nearest_stations, type currentpredictions).", false, s.CurrentPredictions),

		declare("noaa_get_meteorological_data", "Weather observations", Weather,
			"Observed wind, pressure, temperatures, visibility and more at a NOAA station.", true, s.MeteorologicalData),
		declare("nws_get_wind_forecast", "Wind forecast", Weather,
			"Hourly forecast of wind, gusts, weather and waves at a point or a station, from the weather service's grid.", true, s.WindForecast),
		declare("nws_get_marine_forecast", "Marine forecast", Weather,
			"The coastal waters forecast text of a point's zone, its headlines, and the alerts in force.", true, s.MarineForecast),

		declare("noaa_search_stations", "Search stations", Stations,
			"Finds stations by name, id or state; spelling mistakes are forgiven. By coordinates use noaa_find_nearest_stations.", false, s.SearchStations),
		declare("noaa_find_nearest_stations", "Nearest stations", Stations,
			"The stations nearest a point, with distance, bearing and what each predicts.", false, s.NearestStations),
		declare("noaa_get_station_info", "Station information", Stations,
			"What a station is, what it can answer and with which tools; expand adds datums, bins, flood levels, nearby stations.", false, s.StationInfo),
		declare("noaa_get_station_datums", "Station datums", Stations,
			"The tidal datums of a station, and the heights to add to go from one to another.", false, s.StationDatums),
		declare("noaa_get_harmonic_constituents", "Harmonic constituents", Stations,
			"The harmonic constants that a station's predictions are made of.", false, s.HarmonicConstituents),
		declare("noaa_get_tide_prediction_offsets", "Tide prediction offsets", Stations,
			"How a subordinate station's tide follows from its reference station.", false, s.TidePredictionOffsets),
		declare("noaa_get_station_sensors", "Station sensors", Stations,
			"The sensors of a station, and which tool and product reads each.", true, s.StationSensors),
		declare("noaa_get_current_station_bins", "Current station bins", Stations,
			"The depth bins of a current station, and which is predicted.", false, s.CurrentStationBins),
		declare("noaa_get_station_flood_levels", "Flood levels", Stations,
			"Where minor, moderate and major flooding begins at a station, each marked published or derived.", false, s.StationFloodLevels),

		declare("noaa_get_sea_level_trends", "Sea level trends", Derived,
			"The long-term trend of relative sea level at a station, in a state, or everywhere.", true, s.SeaLevelTrends),
		declare("noaa_get_extreme_water_levels", "Extreme water levels", Derived,
			"Observed extremes and exceedance probabilities at a station.", true, s.ExtremeWaterLevels),
		declare("noaa_get_high_tide_flooding", "High tide flooding", Derived,
			"Counts, outlooks and projections of high-tide flood days at a station.", true, s.HighTideFlooding),
		declare("noaa_get_top_ten_water_levels", "Top ten water levels", Derived,
			"The highest observed water levels at a station.", true, s.TopTenWaterLevels),

		declare("astro_get_moon_phase", "Moon", Sky,
			"Moon phase, age, illumination, distance and next events; with a place also moonrise, moonset and transit.", false, s.MoonPhase),
		declare("astro_get_sun_times", "Sun times", Sky,
			"Sunrise, sunset, solar noon, twilights, golden and blue hour at a place, day by day.", false, s.SunTimes),
		declare("astro_get_sun_position", "Sun position", Sky,
			"Where the sun stands at a place and time.", false, s.SunPosition),

		declare("noaa_get_reference_guide", "Reference guide", Reference,
			"A page of reference: datums, units, products, intervals, how to read results.", false, s.ReferenceGuide),
		declare("leadline_whoami", "Who am I", Reference,
			"Who you are to this server, what you may ask, and how to get more.", false, s.Whoami),
	}
}

// stationPage is where NOAA shows a station to people.
func stationPage(id string) string {
	return "https://tidesandcurrents.noaa.gov/stationhome.html?id=" + id
}

// embedded is a source that stands in the binary: age counts from the day
// on which the data was built.
func (m moment) embedded(id, label string, kind coast.Kind, page string) coast.Source {
	now, built := m.now, m.Stations.Built()
	age := int(now.Sub(built) / time.Minute)
	return coast.Source{
		ID: id, Label: label, Provider: coast.COOPS, Kind: kind, Required: true, Available: true,
		Freshness: builtFreshness(now, built), SourceAt: &built, ReceivedAt: now, AgeMinutes: &age, AttributionURL: page,
	}
}

// constantsOf is the source of a part of a station's facts, such as its datums:
// the embedded ones, or those of the metadata service.
func (m moment) constantsOf(st stations.Station, part stations.Part, id, label, page string) coast.Source {
	at := st.Obtained(part)
	var s coast.Source
	if at.IsZero() {
		s = m.embeddedAt(st, id, label+", embedded", coast.Calculation, page)
	} else {
		s = m.document(origin{id, label + ", from NOAA's metadata service", coast.COOPS, coast.Calculation, page}, at)
	}
	if part == stations.PartLevels {
		s.DatumEpoch = m.epochOf(st)
	}
	return s
}

// predictionOf is the source of predictions computed here from a station's
// constants and offsets: the embedded ones, or those of the metadata service.
func (m moment) predictionOf(st stations.Station, id, label, page string) coast.Source {
	at := st.Obtained(stations.PartConstants)
	if st.Subordinate() {
		at = st.Obtained(stations.PartOffsets) // with which the constants of the reference came
	}
	var s coast.Source
	if at.IsZero() {
		s = m.embeddedAt(st, id, label, coast.Prediction, page)
	} else {
		label += fmt.Sprintf(", which its metadata service gave on %s", at.Format(time.DateOnly))
		s = m.document(origin{id, label, coast.COOPS, coast.Prediction, page}, at)
	}
	s.DatumEpoch = m.epochOf(st)
	return s
}

// builtFreshness: NOAA revises constants quarterly and datums every few
// years; up to 12 months old is fresh, older is aging and noted, never stale.
// The months are ours.
func builtFreshness(now, built time.Time) coast.Freshness {
	if now.Before(built.AddDate(1, 0, 0)) {
		return coast.Fresh
	}
	return coast.Aging
}

// derived is what this server works out from embedded constants of a station: it
// is no younger than they are.
func (m moment) derived(st stations.Station, id, label, page string) coast.Source {
	s := m.embeddedAt(st, id, label, coast.Calculation, page)
	s.Provider, s.DatumEpoch = coast.Leadline, m.epochOf(st)
	return s
}

// calculated is what this server computes from the clock, or knows of itself.
func (m moment) calculated(id, label, page string) coast.Source {
	now, none := m.now, 0
	return coast.Source{
		ID: id, Label: label, Provider: coast.Leadline, Kind: coast.Calculation, Required: true, Available: true,
		Freshness: coast.Fresh, SourceAt: &now, ReceivedAt: now, AgeMinutes: &none, AttributionURL: page,
	}
}

// moment is a Set at one reading of the clock: all of an answer is of one now.
type moment struct {
	*Set
	now time.Time // UTC, to the second
}

func (s *Set) moment() moment { return moment{s, s.Now().UTC().Truncate(time.Second)} }

// ageNotes warns of embedded constants that are over two years old.
func (m moment) ageNotes() []string {
	built := m.Stations.Built()
	if m.now.Before(built.AddDate(2, 0, 0)) {
		return []string{}
	}
	return []string{fmt.Sprintf("The station data of this server is of %s: NOAA has revised constants since. A newer release has them.", built.Format(time.DateOnly))}
}

// provenance is that of facts from one source, of which none is missing.
func (m moment) provenance(source coast.Source) coast.Provenance {
	return coast.Provenance{Sources: []coast.Source{source}, Missing: []coast.Missing{}, Notes: m.ageNotes()}
}

// of is the provenance of facts about a station: NOAA's own remark on the
// station's data stands among the notes.
func (m moment) of(st stations.Station, sources ...coast.Source) coast.Provenance {
	p := coast.Provenance{Sources: sources, Missing: []coast.Missing{}, Notes: append(m.ageNotes(), m.doubtsOf(st)...)}
	if remark := disclaimer(st); remark != "" {
		p.Notes = append(p.Notes, remark)
	}
	return p
}

var markup = regexp.MustCompile(`<[^>]*>`)

// disclaimer is NOAA's remark on a station's data as plain text, mostly empty.
func disclaimer(st stations.Station) string {
	text := plain(st.Disclaimer())
	if text == "" {
		return ""
	}
	return "NOAA says of this station: " + text
}

// plain is text without markup and with single blanks.
func plain(text string) string {
	return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(text, ""))), " ")
}

// merge adds to p what another answer is made of, each source and note once.
func merge(p *coast.Provenance, other coast.Provenance) {
	for _, s := range other.Sources {
		if !slices.ContainsFunc(p.Sources, func(have coast.Source) bool { return have.ID == s.ID }) {
			p.Sources = append(p.Sources, s)
		}
	}
	for _, n := range other.Notes {
		if !slices.Contains(p.Notes, n) {
			p.Notes = append(p.Notes, n)
		}
	}
	p.Missing = append(p.Missing, other.Missing...)
}

// card is the part of a station that every frame shows.
func card(st stations.Station) *coast.Station {
	return &coast.Station{ID: st.ID, Name: st.Name, State: st.State, Latitude: degrees(st.Latitude), Longitude: degrees(st.Longitude), TimeZone: st.Zone}
}

// degrees rounds a coordinate to 5 decimals, a metre.
func degrees(v float64) float64 { return math.Round(v*1e5) / 1e5 }
