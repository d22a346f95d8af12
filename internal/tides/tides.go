package tides

import (
	"context"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/stations"
	"leadline/internal/tide"
)

// TideEvent is a predicted high or low water.
type TideEvent struct {
	Time   time.Time `json:"time" doc:"The minute that NOAA publishes."`
	Type   TideType  `json:"type" doc:"High or low water."`
	Height float64   `json:"height" doc:"Height above the datum."`
}

// Resolve replaces the place in a request with its station.
func (s Operations) Resolve(
	at *place.StationOrPlace, datum operation.OnDatum,
) (place.Resolved, error) {
	if at.Place == "" {
		return place.Resolved{}, nil
	}
	can := func(st stations.Station) bool {
		if facts.Predicts(st) != "tides" {
			return false
		}
		_, ok := s.facts.Stations.Tides(st, datum.Of(st))
		return ok
	}
	found, err := at.Resolver(s.facts.Set(), can, "predicts tides", place.OfWater).Resolve()
	at.Station, at.Place = found.ID, ""
	return found, err
}

// At finds the station of a request, or of its place, and sets the datum if the request
// does not. It returns the predictor of heights above the datum.
func (s Operations) At(
	where *place.StationOrPlace, datum *operation.OnDatum,
) (at place.Resolved, st stations.Station, tides tide.Tides, err error) {
	if at, err = s.Resolve(where, *datum); err != nil {
		return at, st, tides, err
	}
	if st, err = s.facts.TideStation(where.Station); err != nil {
		return at, st, tides, err
	}
	datum.Datum = coast.Datum(datum.Of(st))
	tides, err = s.facts.Tides(st, string(datum.Datum))
	return at, st, tides, err
}

// Frame returns the frame of predicted tides at a station.
func Frame(
	fs facts.Set, st stations.Station, datum string, units coast.Units, z facts.Zone,
) coast.Frame {
	source := fs.Tide(st)
	return coast.Frame{
		Station: facts.Card(st), Datum: coast.Datum(datum), DatumEpoch: source.DatumEpoch, Units: units,
		TimeZone: z.Label, Provenance: fs.Predictions(st, source),
	}
}

// longestStep limits the span that is computed between two looks at the context: a year of
// extremes takes at most 10 ms (idle Xeon of 2.8 GHz). Ours.
const longestStep = 366 * facts.Day

// extremesOf returns the high and low waters of a span, as Extremes does, or the cause of the end
// of ctx. A span of years is computed by parts: an event is in the part that has its minute.
func extremesOf(
	ctx context.Context, tides tide.Tides, from, to time.Time,
) ([]tide.Extreme, error) {
	if to.Sub(from) <= longestStep {
		return tides.Extremes(from, to), context.Cause(ctx)
	}
	tides.Almanac = nil // which keeps no span of years
	var all []tide.Extreme
	for ; !from.After(to); from = from.Add(longestStep) {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		last := from.Add(longestStep - time.Nanosecond)
		if last.After(to) {
			last = to
		}
		all = append(all, tides.Extremes(from, last)...)
	}
	return all, nil
}

// within returns the events in a span.
func within(events []tide.Extreme, span facts.Interval) []tide.Extreme {
	byTime := func(e tide.Extreme, t time.Time) int { return e.Time.Compare(t) }
	from, _ := slices.BinarySearchFunc(events, span.From, byTime)
	to := len(events)
	for to > from && events[to-1].Time.After(span.To) {
		to--
	}
	return events[from:to]
}

func tideEvents(extremes []tide.Extreme, h facts.Unit, z facts.Zone) []TideEvent {
	events := make([]TideEvent, len(extremes))
	for i, e := range extremes {
		events[i] = tideEvent(e, h, z)
	}
	return events
}

func tideEvent(e tide.Extreme, h facts.Unit, z facts.Zone) TideEvent {
	what := "low"
	if e.High {
		what = "high"
	}
	return TideEvent{e.Time.In(z.Location), TideType(what), h.Of(e.Height)}
}

// TideMinute is a minute with its predicted height.
type TideMinute struct {
	Time   time.Time `json:"time" doc:"The minute."`
	Height float64   `json:"height" doc:"Height above the datum."`
}

// longClock returns a time with its date and zone: 11:38 AM EST on Sat 23 Jan 2027.
func longClock(t time.Time) string { return t.Format("3:04 PM MST on Mon 2 Jan 2006") }
