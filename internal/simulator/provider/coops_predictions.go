package provider

import (
	"slices"
	"time"

	"leadline/internal/stations"
	"leadline/internal/tide"
)

// predictions answers product=predictions.
func (p *Provider) predictions(q *query) ([]byte, error) {
	if stations.GreatLakes(q.station) {
		return nil, refuse(noLakePredictions)
	}
	s, ok := p.predicted(q.station)
	if !ok || s.Kind != stations.Tide {
		return nil, none(noPredictions)
	}
	if err := checkDatum(q.datum, s); err != nil {
		return nil, err
	}
	tides, ok := p.stations.Tides(s, q.datum)
	if !ok {
		return nil, none(noPredictions)
	}
	reference := s
	if s.Subordinate() {
		reference, _ = p.stations.Reference(s)
	}
	e := p.epoch(reference.ID)
	tides.Level += e.raised("MSL") - e.raised(q.datum)
	if q.date == "today" {
		q.end = q.begin.Add(day - time.Minute)
	}
	if q.interval == "hilo" {
		return q.extremes(tides)
	}
	step, err := q.every("h", "1", "5", "6", "10", "15", "30", "60")
	if err != nil {
		return nil, err
	}
	if s.Subordinate() {
		return nil, none(noPredictions)
	}
	return q.heights(tides, q.grid(step, 0))
}

const (
	predictionsOpen  = "{ \"predictions\" : [\n"
	predictionsClose = "\n]}\n"
)

// extremes writes the high and low waters of the window.
func (q *query) extremes(tides tide.Tides) ([]byte, error) {
	r := rows{body: []byte(predictionsOpen)}
	for _, e := range tides.Extremes(q.zone.instant(q.begin), q.zone.instant(q.end)) {
		kind := `", "type":"L"}`
		if e.High {
			kind = `", "type":"H"}`
		}
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), e.Time)
		r.body = appendFixed(append(r.body, `", "v":"`...), q.length(e.Height), 3)
		r.body = append(r.body, kind...)
	}
	return r.close(predictionsClose, noPredictions)
}

// heights writes a series.
func (q *query) heights(tides tide.Tides, g grid) ([]byte, error) {
	out := make([]float64, g.size())
	tides.Heights(g.first, g.step, out)
	if q.latest {
		last := max(0, len(out)-1)
		g.first, out = g.at(last), out[last:]
	}
	r := rows{body: append(make([]byte, 0, 40+len(out)*38), predictionsOpen...)}
	for i, height := range out {
		t := g.at(i)
		if q.zone.dropped(t) {
			continue
		}
		r.next(",")
		r.body = q.appendTime(append(r.body, `{"t":"`...), t)
		r.body = appendFixed(append(r.body, `", "v":"`...), q.length(height), 3)
		r.body = append(r.body, `"}`...)
	}
	return r.close(predictionsClose, noPredictions)
}

// Datums by the way that the service takes their tokens.
var (
	levels       = []string{"MHHW", "MHW", "MTL", "MSL", "MLW", "MLLW", "NAVD"}
	derivedNames = []string{"DTL", "GT", "MN", "DHQ", "DLQ", "HWI", "LWI"}
)

// checkDatum refuses tokens that are none, and those of scalars on which
// nothing can be measured. The list in the message names the levels of the
// station, and not STND and CRD, which are taken all the same.
func checkDatum(token string, s stations.Station) error {
	switch {
	case slices.Contains(levels, token), token == "STND", token == "CRD", token == "IGLD", token == "LWD":
		return nil
	case slices.Contains(derivedNames, token):
		return refuse(derivedDatum)
	}
	message := " The supported Datum values are: MHHW, MHW, MTL, MSL, MLW, MLLW"
	for _, d := range s.Datums() {
		if d.Name == "NAVD88" {
			message += ", NAVD"
		}
	}
	return refuse(message + ", LWI, HWI")
}
