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
}

// Stronger returns the wind of the text at a time, in knots, if it is stronger than another one.
func (w *TextWind) Stronger(than float64, at time.Time) (knots float64, stronger bool) {
	if w == nil {
		return than, false
	}
	for _, p := range w.Periods {
		if p.knots != nil && *p.knots > than && !at.Before(p.from) && at.Before(p.To) {
			than, stronger = *p.knots, true
		}
	}
	return than, stronger
}

// TextWind requests the wind of the text of a place for the times in span, and adds its source or
// what is missing to the provenance in to. It returns nil if there is no text.
func (s Set) TextWind(
	ctx context.Context, to *coast.Provenance, at Place, span Interval, units coast.Units,
) *TextWind {
	const input = "wind of the marine text"
	point, err := s.Weather.Point(ctx, at.Latitude, at.Longitude)
	if err != nil {
		s.Missing(to, textOrigin("CWF", ""), input, err)
		return nil
	}
	zone, err := s.waterAt(ctx, at, point.Data)
	if err == nil && zone == nil {
		err = coast.Errorf(coast.ProductUnavailable,
			"No marine zone of the weather service lies within 10 km of the point.")
	}
	if err != nil {
		s.Missing(to, textOrigin("CWF", point.Data.Office), input, err)
		return nil
	}
	bulletin, err := s.Weather.BulletinFor(ctx, zone.ID, zone.Office)
	if err != nil {
		s.Missing(to, textOrigin("CWF", zone.Office), input, err)
		return nil
	}
	b := bulletin.Data
	segment, _ := b.Segment(zone.ID)
	out := &TextWind{Zone: zone.ID, Product: MarineProduct(b.Product), Periods: []TextWindPeriod{}}
	speeds := Unit{"kn", 1, 10, 0}
	if units == "metric" {
		speeds = Unit{"m/s", 1852.0 / 3600, 10, 0}
	}
	times := segment.Times(b.Issued, at.Zone.Location)
	for i, p := range segment.Periods {
		if times[i].From.Before(span.To) && times[i].To.After(span.From) {
			out.Periods = append(out.Periods, TextWindPeriod{
				Name: p.Name, To: times[i].To.In(at.Zone.Location), from: times[i].From,
				Speed: speeds.Known(p.Wind()), Gust: speeds.Known(p.Gust()), knots: p.Wind(),
			})
		}
	}
	source := s.textSource(b, segment, bulletin.ReceivedAt)
	source.Required = false
	to.Sources = append(to.Sources, source)
	return out
}
