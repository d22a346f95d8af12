package facts

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/internal/waters"
)

// Sources names the sources of embedded data and of values that are computed from it.
type Sources struct {
	Clock
	directory *stations.Directory
}

// embedded returns a source in the binary, received on the day of the data build, from which its
// age counts. Equal requests within a minute so have equal results.
func (s Sources) embedded(id, label string, kind coast.Kind, page string) coast.Source {
	now, built := s.Now, s.directory.Built()
	age := int(now.Sub(built) / time.Minute)
	return coast.Source{
		ID: id, Label: label, Provider: coast.COOPS, Kind: kind, Required: true, Available: true,
		Freshness: builtFreshness(now, built), SourceAt: &built, ReceivedAt: built, AgeMinutes: &age,
		AttributionURL: page,
	}
}

// embeddedOf returns the source of embedded facts about a station. Once NOAA has revised datums
// elsewhere, the facts of a tide station are aging before they are a year old.
func (s Sources) embeddedOf(
	st stations.Station, id, label string, kind coast.Kind, page string,
) coast.Source {
	source := s.embedded(id, label, kind, page)
	if _, begun := s.directory.Revised(); begun && st.Kind == stations.Tide &&
		source.Freshness == coast.Fresh {
		source.Freshness = coast.Aging
	}
	return source
}

// builtFreshness returns the freshness of embedded data. NOAA revises constants
// quarterly and datums every few years: up to 12 months old is fresh, older is aging and
// noted, never stale. The months are ours.
func builtFreshness(now, built time.Time) coast.Freshness {
	if now.Before(built.AddDate(1, 0, 0)) {
		return coast.Fresh
	}
	return coast.Aging
}

// Directory returns the source of the embedded station directory.
func (s Sources) Directory() coast.Source {
	return s.embedded("station-directory", "Station directory, embedded", coast.Calculation,
		"https://tidesandcurrents.noaa.gov/stations.html")
}

// Constants returns the source of a part of a station's facts, such as its datums, which are
// embedded or from the metadata service.
func (s Sources) Constants(
	st stations.Station, part stations.Part, id, label, page string,
) coast.Source {
	at := st.Obtained(part)
	var source coast.Source
	if at.IsZero() {
		source = s.embeddedOf(st, id, label+", embedded", coast.Calculation, page)
	} else {
		source = s.Document(COOPS(id, label+", from NOAA's metadata service", coast.Calculation, page),
			at)
	}
	if part == stations.PartLevels {
		source.DatumEpoch = s.Epoch(st)
	}
	return source
}

// Derived returns the source of values that this server derives from embedded constants of a
// station. They are as old as the constants.
func (s Sources) Derived(st stations.Station, id, label, page string) coast.Source {
	source := s.embeddedOf(st, id, label, coast.Calculation, page)
	source.Provider, source.DatumEpoch = coast.Leadline, s.Epoch(st)
	return source
}

// prediction returns the source of predictions computed here from a station's constants and
// offsets, which are embedded or from the metadata service.
func (s Sources) prediction(st stations.Station, id, label, page string) coast.Source {
	at := st.Obtained(stations.PartConstants)
	if st.Subordinate() {
		at = st.Obtained(stations.PartOffsets) // obtained together with the constants of the reference
	}
	var source coast.Source
	if at.IsZero() {
		source = s.embeddedOf(st, id, label, coast.Prediction, page)
	} else {
		label += fmt.Sprintf(", which its metadata service gave on %s", at.Format(time.DateOnly))
		source = s.Document(COOPS(id, label, coast.Prediction, page), at)
	}
	source.DatumEpoch = s.Epoch(st)
	return source
}

// Tide returns the source of a station's predicted tide.
func (s Sources) Tide(st stations.Station) coast.Source {
	return s.prediction(st, "tide-prediction",
		"Tide predictions computed here from NOAA's harmonic constants",
		"https://tidesandcurrents.noaa.gov/noaatidepredictions.html?id="+st.ID)
}

// Current returns the source of a station's predicted current.
func (s Sources) Current(st stations.Station) coast.Source {
	return s.prediction(st, "current-prediction",
		"Tidal current predictions computed here from NOAA's harmonic constants",
		"https://tidesandcurrents.noaa.gov/noaacurrents/Predictions?id="+st.ID)
}

// farAhead is the number of years for which predictions are made without a note (ours).
const farAhead = 20

// Far returns a note if a span lies before the epoch of the station's datums, or so far
// ahead that the constants and the datums will have changed.
func (s Sources) Far(st stations.Station, span Interval) []string {
	if span.To.After(s.Now.AddDate(farAhead, 0, 0)) {
		return []string{fmt.Sprintf("Dates more than %d years ahead: sea level and the shape of the "+
			"coast change, so the constants and datums of today may not apply then.", farAhead)}
	}
	if epoch := s.epoch(st); span.From.Year() < epoch.First {
		return []string{fmt.Sprintf("Dates before the datum epoch %s: NOAA measured the constants and "+
			"datums later, so heights then may differ.", EpochName(epoch))}
	}
	return nil
}

// ageNotes returns a note on embedded constants that are over two years old.
func (s Sources) ageNotes() []string {
	built := s.directory.Built()
	if s.Now.Before(built.AddDate(2, 0, 0)) {
		return []string{}
	}
	return []string{fmt.Sprintf("The station data of this server is of %s: NOAA has revised "+
		"constants since. A newer release has them.", built.Format(time.DateOnly))}
}

// From returns the provenance of facts from one source with nothing missing.
func (s Sources) From(source coast.Source) coast.Provenance {
	return coast.Provenance{Sources: []coast.Source{source}, Missing: []coast.Missing{},
		Notes: s.ageNotes()}
}

// Provenance returns the provenance of facts about a station. NOAA's own remark on the
// station's data is among the notes.
func (s Sources) Provenance(st stations.Station, sources ...coast.Source) coast.Provenance {
	p := coast.Provenance{
		Sources: sources, Missing: []coast.Missing{},
		Notes: append(s.ageNotes(), s.contradictions(st)...),
	}
	if note := aboutZone(st); note != "" {
		p.Notes = append(p.Notes, note)
	}
	if remark := Plain(st.Disclaimer()); remark != "" {
		p.Notes = append(p.Notes, "NOAA says of this station: "+remark)
	}
	return p
}

// Heights returns the provenance of heights at a station, with a note on the epoch of its datums
// if NOAA has begun to replace it.
func (s Sources) Heights(st stations.Station, sources ...coast.Source) coast.Provenance {
	p := s.Provenance(st, sources...)
	if note := s.revision(st); note != "" {
		p.Notes = append(p.Notes, note)
	}
	return p
}

// Predictions returns the provenance of predictions. Its note is in every result, so that no
// model misses it.
func (s Sources) Predictions(st stations.Station, source coast.Source) coast.Provenance {
	p := s.Heights(st, source)
	p.Notes = append(p.Notes, coast.AstronomicalNote)
	return p
}

// ConstantsFrame returns the frame of constants that NOAA publishes for a station. part names the
// constants, and the station's id completes the address of the origin's page.
func (s Sources) ConstantsFrame(
	st stations.Station, units coast.Units, part stations.Part, o Origin,
) coast.Frame {
	f := coast.Frame{
		Station: Card(st), Units: units, TimeZone: st.Zone,
		Provenance: s.Heights(st, s.Constants(st, part, o.ID, o.Label, o.Page+st.ID)),
	}
	if part == stations.PartLevels {
		f.DatumEpoch = s.Epoch(st)
	}
	return f
}

// Body is the sun or the moon as a source.
type Body struct{ Label, id, Page string }

// VSOP87: Bretagnon and Francou, Astronomy and Astrophysics 202 (1988). The moon is computed as
// in chapter 47 of Meeus, by a library of that name.
var (
	Sun = Body{"Sun, computed here from VSOP87", "sun",
		"https://ui.adsabs.harvard.edu/abs/1988A%26A...202..309B"}
	Moon = Body{"Moon, computed here after Meeus, Astronomical Algorithms", "moon",
		"https://github.com/soniakeys/meeus"}
)

var markup = coast.Pattern(`<[^>]*>`)

// Plain returns text without markup and with single spaces.
func Plain(text string) string {
	if text == "" {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(markup().ReplaceAllString(text, ""))), " ")
}

// Epoch returns the epoch of the datums of heights at a station, empty if there are no tidal
// datums. A subordinate station has the epoch of its reference.
func (s Sources) Epoch(st stations.Station) string {
	if !hasTidalDatums(st) {
		return ""
	}
	return EpochName(s.epoch(st))
}

// epoch returns the years of Epoch, or zero if there are no tidal datums or no years are known.
func (s Sources) epoch(st stations.Station) stations.Years {
	if !hasTidalDatums(st) {
		return stations.Years{}
	}
	reference, _ := s.directory.Reference(st)
	return reference.Epoch()
}

func hasTidalDatums(st stations.Station) bool {
	return st.Kind != stations.Current && !stations.GreatLakes(st.ID)
}

// revision returns a note on a station whose datums in force have another epoch than the embedded
// ones, or may be superseded because other stations have new datums.
func (s Sources) revision(st stations.Station) string {
	if st.Kind != stations.Tide {
		return ""
	}
	reference, _ := s.directory.Reference(st)
	was, is := reference.EmbeddedEpoch(), reference.Epoch()
	if is != was && was.First > 0 {
		return fmt.Sprintf("NOAA has revised the datums of %s (%s) from the epoch %s to %s, and the "+
			"heights here rest on the revised ones.%s Heights above the datums of the two epochs do not "+
			"compare.",
			reference.ID, reference.Name, EpochName(was), EpochName(is), datumRise(reference))
	}
	newest, begun := s.directory.Revised()
	if !begun || !reference.Obtained(stations.PartLevels).IsZero() {
		return ""
	}
	return fmt.Sprintf("NOAA has begun to revise datums to the epoch %s. Those here are still the "+
		"embedded ones of the epoch %s: heights above them may be superseded.", EpochName(newest),
		EpochName(was))
}

// maxLowest is the height in meters by which the lowest astronomical tide may lie above MLLW
// without a note (ours). It is below the mean of the lower low waters by definition; centimeters
// result from rounding and from different years.
const maxLowest = 0.1

// contradictions returns notes on datums of a station and of its reference station that contradict
// each other.
func (s Sources) contradictions(st stations.Station) []string {
	notes := []string{ofDatums(st)}
	if reference, ok := s.directory.Reference(st); ok && st.Subordinate() {
		notes = append(notes, ofDatums(reference))
	}
	return slices.DeleteFunc(notes, func(note string) bool { return note == "" })
}

// ofDatums returns a note if the lowest tide is above the mean low water.
func ofDatums(st stations.Station) string {
	lowest, has := st.Level("LAT")
	mean, ok := st.Level("MLLW")
	if !has || !ok || lowest-mean <= maxLowest {
		return ""
	}
	return fmt.Sprintf("NOAA's datums of %s contradict each other: the lowest astronomical tide "+
		"would lie %.2f m above MLLW, which is the mean of the lower low waters. Heights above MLLW "+
		"may be wrong by as much.", st.ID, lowest-mean)
}

// Card returns the part of a station that every frame shows.
func Card(st stations.Station) *coast.Station {
	class, _ := waters.Of(st.ID)
	return &coast.Station{
		ID: st.ID, Name: st.Name, State: st.State, Water: class.Water,
		Latitude: Degrees(st.Latitude), Longitude: Degrees(st.Longitude), TimeZone: st.Zone,
		NOAATimeZone: st.NOAAZone(),
	}
}

// aboutZone returns a note on a station for which NOAA's tables have another clock than the place,
// and "" for others.
func aboutZone(st stations.Station) string {
	if st.NOAAZone() == "" {
		return ""
	}
	return fmt.Sprintf("Local times are %s, the clock of the place; NOAA's tables of %s use %s.",
		st.Zone, st.ID, st.NOAAZone())
}
