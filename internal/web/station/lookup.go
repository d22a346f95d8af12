package station

import (
	"context"
	"strings"

	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/operation"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
)

// stationID matches a station id.
var stationID = coast.Pattern(`^\w{4,16}$`)

// nearestIn finds the station that an error names instead, and the sentence about it.
var nearestIn = coast.Pattern(` The nearest [a-z]+ station is (\w{4,16}) .*$`)

// noStation refuses an id with the reason, and with stations that the person may have meant: the
// one that the reason names, or what a search for the words finds.
func (s *Pages) noStation(ctx context.Context, id string, why error) site.Refusal {
	words := strings.NewReplacer("-", " ", "_", " ", "+", " ").Replace(id)
	v := site.Fault{
		Title: "There is no such station", Query: words,
		Paragraphs: []string{"No station of NOAA that predicts or observes has this id."},
	}
	code := coast.StationNotFound
	if why != nil {
		s.Reason(why) // logs a fault of the program
		e, _ := coast.AsError(why)
		switch {
		case e.Transient():
			return s.Refuse(coast.ProviderUnavailable, site.Fault{
				Title: "This station cannot be looked up at the moment", Query: words,
				Paragraphs: []string{"It is not in the directory of this server, and NOAA’s list could " +
					"not be queried. Stations with predictions do not depend on that."},
			})
		case e.Code == coast.ProductUnavailable:
			v.Title, code = "Nothing is predicted at this station", e.Code
			v.Paragraphs = []string{view.Sentence(e.Message)}
		case strings.Contains(e.Message, "is retired"):
			v.Title = "This station is retired"
			v.Paragraphs = []string{view.Sentence(nearestIn().ReplaceAllString(e.Message, ""))}
		case strings.Contains(e.Message, "could not be queried"):
			v.Paragraphs = []string{"No station in the directory of this server has this id. NOAA’s own " +
				"list, which has more, could not be queried."}
		}
		if named := nearestIn().FindStringSubmatch(e.Message); named != nil {
			v.Found, _ = s.search(ctx, directory.SearchStationsInput{Query: named[1], Limit: 1})
			v.Paragraphs = append(v.Paragraphs, "The nearest active station:")
			return s.Refuse(code, v)
		}
	}
	v.Found, _ = s.search(ctx, directory.SearchStationsInput{Query: words, Limit: 8})
	if len(v.Found) > 0 {
		v.Paragraphs = append(v.Paragraphs, "These stations have a similar name:")
	}
	return s.Refuse(code, v)
}

// search returns the stations that a search finds.
func (s *Pages) search(
	ctx context.Context, in directory.SearchStationsInput,
) ([]view.Row, error) {
	in.Query = site.Clip(in.Query)
	list, err := operation.Run(ctx, s.Set.Directory.SearchStations, in)
	if err != nil {
		return nil, err
	}
	return s.Rows(ctx, list, s.Minute()), nil
}
