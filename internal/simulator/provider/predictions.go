package provider

import (
	"slices"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// predictions serves product=predictions.
func (c *coopsService) predictions(q *query) ([]byte, error) {
	if stations.GreatLakes(q.station) {
		return nil, badRequest(noLakePredictions)
	}
	s, ok := c.predictedStation(q.station)
	if !ok || s.Kind != stations.Tide {
		return nil, noRows(noPredictions)
	}
	if err := checkDatum(q.datum, s); err != nil {
		return nil, err
	}
	tides, ok := c.stations.Tides(s, q.datum)
	if !ok {
		return nil, noRows(noPredictions)
	}
	reference := s
	if s.Subordinate() {
		reference, _ = c.stations.Reference(s)
	}
	e := c.epochOf(reference.ID)
	tides.Level += e.raised("MSL") - e.raised(q.datum)
	if q.date == "today" {
		q.end = q.begin.Add(day - time.Minute)
	}
	r := &rows{query: q, body: []byte("{ \"predictions\" : [\n")}
	if q.interval == "hilo" {
		r.addExtremes(tides)
	} else {
		every, err := q.every("h", "1", "5", "6", "10", "15", "30", "60")
		if err != nil {
			return nil, err
		}
		if s.Subordinate() {
			return nil, noRows(noPredictions)
		}
		r.addHeights(tides, q.steps(every, 0))
	}
	return r.finish("\n]}\n", noPredictions)
}

// addExtremes adds the high and low waters of the window.
func (r *rows) addExtremes(tides tide.Tides) {
	for _, e := range tides.Extremes(r.instant(r.begin), r.instant(r.end)) {
		kind := "L"
		if e.High {
			kind = "H"
		}
		r.row(e.Time).fixed("v", r.length(e.Height), 3).text("type", kind).done()
	}
}

// addHeights adds a series.
func (r *rows) addHeights(tides tide.Tides, at steps) {
	out := make([]float64, at.size())
	tides.Heights(at.first, at.every, out)
	r.body = slices.Grow(r.body, len(out)*38)
	for i, height := range out {
		r.row(at.at(i)).fixed("v", r.length(height), 3).done()
	}
}
