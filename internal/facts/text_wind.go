package facts

import (
	"context"
	"time"

	"leadline/internal/coast"
)

// TextWind is the wind of the forecast text for the water near a point. Cells of the grid that
// contain land give too little wind over the water, so both are shown.
type TextWind struct {
	Zone    string           `json:"zone" doc:"Marine zone of the text, such as ANZ230."`
	Product MarineProduct    `json:"product" doc:"Bulletin that the text is from."`
	Periods []TextWindPeriod `json:"periods" doc:"Periods of the text within the requested hours, in order of time."`
}

// TextWindPeriod is the strongest wind of one period of the text.
type TextWindPeriod struct {
	Name  string    `json:"name" quoted:"yes" doc:"Period, such as TONIGHT."`
	To    time.Time `json:"to" doc:"End of the period."`
	Speed *float64  `json:"speed" doc:"Largest wind of the period; null if the text gives no number, which does not mean calm."`
	Gust  *float64  `json:"gust" doc:"Largest gust of the period; null if the text mentions none."`
	from  time.Time
	knots *float64 // Speed
	whole bool     // all that the period says of the wind is read
}

// Stronger returns the wind of the text at a time, in knots, if it is stronger than another one.
// sure is false if the text may have more: if it is missing, does not cover the time, or says more
// of the wind than is read.
func (w *TextWind) Stronger(than float64, at time.Time) (knots float64, stronger, sure bool) {
	if w == nil {
		return than, false, false
	}
	covered, whole := false, true
	for _, p := range w.Periods { // which can overlap
		if at.Before(p.from) || !at.Before(p.To) {
			continue
		}
		covered, whole = true, whole && p.whole
		if p.knots != nil && *p.knots > than {
			than, stronger = *p.knots, true
		}
	}
	return than, stronger, covered && whole
}

// TextWind requests the wind of the text of a place for the times in span, and adds its source or
// what is missing to the provenance in to. It returns nil without a text; applies is false if
// no text is written for the place, which no marine zone is near.
func (s Set) TextWind(
	ctx context.Context, to *coast.Provenance, at Place, span Interval, units coast.Units,
) (w *TextWind, applies bool) {
	const input = "wind of the marine text"
	point, err := s.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		s.Missing(to, TextOrigin("CWF", ""), input, err)
		return nil, true
	}
	zone, err := s.WaterAt(ctx, at, point.Data)
	inland := err == nil && zone == nil
	if inland {
		err = coast.Errorf(coast.ProductUnavailable,
			"No marine zone of the weather service lies within 10 km of the point.")
	}
	if err != nil {
		s.Missing(to, TextOrigin("CWF", point.Data.Office), input, err)
		return nil, !inland
	}
	bulletin, err := s.Weather.BulletinFor(ctx, zone.ID, zone.Office)
	if err != nil {
		s.Missing(to, TextOrigin("CWF", zone.Office), input, err)
		return nil, true
	}
	b := bulletin.Data
	segment, _ := b.Segment(zone.ID)
	out := &TextWind{Zone: zone.ID, Product: MarineProduct(b.Product), Periods: []TextWindPeriod{}}
	speeds := WindsIn(units)
	times := segment.Times(b.Issued, at.Zone.Location)
	for i, p := range segment.Periods {
		if times[i].From.Before(span.To) && times[i].To.After(span.From) {
			out.Periods = append(out.Periods, TextWindPeriod{
				Name: p.Name, To: times[i].To.In(at.Zone.Location), from: times[i].From,
				Speed: speeds.Known(p.Wind()), Gust: speeds.Known(p.Gust()), knots: p.Wind(),
				whole: p.WindRead(),
			})
		}
	}
	source := s.TextSource(b, segment, bulletin.ReceivedAt)
	source.Required = false
	to.Sources = append(to.Sources, source)
	return out, true
}
