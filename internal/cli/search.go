package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/places"
)

// The operations behind search.
const (
	searchStations  = "noaa_search_stations"
	nearestStations = "noaa_find_nearest_stations"
)

// searchCommand returns leadline search.
func (p *program) searchCommand(catalog []operation.Tool) *cobra.Command {
	var near string
	var asJSON bool
	units := coast.English
	arguments := map[string]any{}
	c := uses(&cobra.Command{
		Use:   "search [TEXT...]",
		Short: "Print stations by name, id or position",
		Long: "Print stations by name or id, best match first, or those near a position, nearest " +
			"first. The exit code is 1 if there are none.",
		Example: "leadline search san francisco\n" +
			"leadline search 42.35,-71.05\n" +
			"leadline search --near 42.35,-71.05 --type tidepredictions\n" +
			"leadline search boston --state MA --json",
	}, "offline", "contact")
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		name := searchStations
		text := strings.Join(args, " ")
		if _, _, pair := places.Pair(text); pair && near == "" {
			text, near = "", text
		}
		switch {
		case text == "" && near == "":
			return errors.New("missing TEXT or --near; usage: " + c.UseLine())
		case text != "" && near != "":
			return fmt.Errorf("invalid --near %q: must be given without TEXT", near)
		case near == "":
			arguments["query"] = text
		default:
			name = nearestStations
			if err := readPosition(near, arguments); err != nil {
				return err
			}
		}
		return p.search(ctx, name, arguments, units, asJSON)
	})
	c.Flags().StringVar(&near, "near", "", "`POSITION` to list by distance from, such as 42.35,-71.05")
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	p.addColumns(c)
	addUnits(c, &units)
	if catalog != nil {
		bindSearch(c, properties(toolNamed(catalog, searchStations)), arguments)
	}
	return c
}

// bindSearch adds the flags of the operation.
func bindSearch(c *cobra.Command, of map[string]property, arguments map[string]any) {
	of["type"].bind(c, "type", "what the stations must have: "+of["type"].oneOf(), arguments)
	of["state"].bind(c, "state", "two letters of a state, such as MA", arguments)
	limit := of["limit"]
	limit.Default = nil // --near has another default
	limit.bind(c, "limit", "number of stations to print", arguments)
	of["offset"].bind(c, "offset", "number of stations to leave out", arguments)
}

// search runs one of the operations and prints its result.
func (p *program) search(
	ctx context.Context, name string, arguments map[string]any, units coast.Units, asJSON bool,
) error {
	settings := *p.config
	settings.Data = "" // nothing is stored
	live, err := p.live(&settings)
	if err != nil {
		return err
	}
	defer live.Close()
	value, err := p.streams.call(ctx, toolNamed(live.Set.Catalog(), name), arguments, asJSON)
	if err != nil || value == nil {
		return err
	}
	var rows [][]string
	var provenance coast.Provenance
	switch v := value.(type) {
	case directory.StationList:
		rows, provenance = stationRows(v, units), v.Provenance
	case directory.NearestStations:
		rows, provenance = nearRows(v, units), v.Provenance
	}
	if notes := strings.Join(provenance.Notes, " "); len(rows) == 1 {
		return errors.New(cmp.Or(notes, "no station found"))
	} else if notes != "" {
		p.notef("%s\n", notes)
	}
	return p.printFitting(rows)
}

// readPosition reads the value of --near.
func readPosition(text string, arguments map[string]any) error {
	latitude, longitude, _ := strings.Cut(text, ",")
	for name, part := range map[string]string{"latitude": latitude, "longitude": longitude} {
		degrees, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if most := map[string]float64{"latitude": 90, "longitude": 180}[name]; err != nil ||
			!(math.Abs(degrees) <= most) {
			return fmt.Errorf("invalid --near %q: must be a latitude from -90 to 90 and a longitude "+
				"from -180 to 180, such as 42.35,-71.05", text)
		}
		arguments[name] = degrees
	}
	return nil
}

func stationRows(l directory.StationList, units coast.Units) [][]string {
	rows := [][]string{{"ID", "NAME", "KIND", "PLACE", "MATCH"}}
	for _, st := range l.Stations {
		match := string(st.Match)
		if st.DistanceKm != nil {
			match += ", " + distance(*st.DistanceKm, units)
		}
		rows = append(rows, append(stationCells(st.StationRow), match))
	}
	return rows
}

func nearRows(l directory.NearestStations, units coast.Units) [][]string {
	rows := [][]string{{"ID", "NAME", "KIND", "PLACE", "DISTANCE"}}
	for _, st := range l.Stations {
		away := fmt.Sprintf("%s at %.0f°", distance(st.DistanceKm, units), st.Bearing)
		rows = append(rows, append(stationCells(st.StationRow), away))
	}
	return rows
}

// stationCells returns the id, name, kind and place of a station.
func stationCells(st directory.StationRow) []string {
	kind := string(st.Predicts)
	switch {
	case kind == "nothing" && len(st.Observes) > 0:
		kind = "observes " + strings.Join(coast.Strings(st.Observes...), ", ")
	case kind == "nothing":
		kind = "no predictions"
	case st.PredictionKind == "subordinate":
		kind += ", subordinate"
	}
	place := fmt.Sprintf("%s %s", degrees(st.Latitude, "N", "S"), degrees(st.Longitude, "E", "W"))
	if st.State != "" {
		place = st.State + " " + place
	}
	return []string{st.ID, st.Name, kind, place}
}

// degrees formats an angle with the letter of its direction.
func degrees(angle float64, positive, negative string) string {
	if angle < 0 {
		return fmt.Sprintf("%.3f°%s", -angle, negative)
	}
	return fmt.Sprintf("%.3f°%s", angle, positive)
}
