package tools

import (
	"context"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
)

// longestPicture is the longest span of a picture. The labels of more high and low waters would
// hide each other. Ours.
const longestPicture = 7 * 24 * time.Hour

// sparkColumns is the length of a curve in the text of a result, in characters.
const sparkColumns = 48

// picture is a chart of a result.
type picture struct {
	png  []byte
	text string // the curve in one line, or the reason why there is no picture
}

// pictureInput is the input of a tool whose results can have a picture. REST serves pictures at
// addresses of their own, and has no such parameter.
type pictureInput[In any] struct {
	toolInput[In]
	Chart bool `json:"chart,omitempty" doc:"Adds a picture of it, about 430 tokens."`
}

// declarePictured is declare for an operation with a picture, which draw makes of its output.
func declarePictured[In any, Out described](
	name, title string, group Group, about string, live bool, h Handler[In, Out],
	draw func(context.Context, Out) (picture, error),
) Tool {
	t := declare(name, title, group, about, live, h)
	takes, layout := inputOf[pictureInput[In]](), layoutOf[Out]()
	t.Input, t.Pictured = takes.json, true
	t.call = func(ctx context.Context, args []byte) (Result, error) {
		var in pictureInput[In]
		if err := takes.Decode(args, &in); err != nil {
			return Result{}, err
		}
		out, result, err := resultOf(ctx, h, in.toolInput, layout())
		if err != nil || !in.Chart {
			return result, err
		}
		p, err := draw(ctx, out)
		if err != nil {
			return Result{}, err
		}
		result.Image, result.curve = p.png, p.text
		return result, nil
	}
	return t
}

// pictureOf returns a scene as PNG, and the series that it shows as text.
func pictureOf(scene *chart.Scene, what string, s chart.Series) (picture, error) {
	line := chart.Sparkline(s, sparkColumns)
	if line == "" {
		return noPicture("there are fewer than two values to draw"), nil
	}
	end := s.Start.Add(time.Duration(len(s.Values)-1) * s.Step)
	png, err := scene.PNG(chart.LightTheme, 1)
	return picture{png, what + ", " + render.Clock(s.Start, s.Start) + " to " +
		render.Clock(end, s.Start) + ": " + line}, err
}

// noPicture returns the reason why a result has no picture. The result itself is complete.
func noPicture(reason string) picture { return picture{text: "No picture: " + reason + "."} }

// drawable refuses a span that is too long for a picture.
func drawable(span coast.Span) error {
	length := span.To.Sub(span.From)
	if length <= longestPicture+time.Hour { // a week in which the clocks go back
		return nil
	}
	e := coast.Errorf(coast.RangeTooLong,
		`The span is %.0f days long; a picture shows at most 7. Ask for a shorter span, or leave out `+
			`chart. Example: "range": 168, "chart": true.`, length.Hours()/24)
	e.Issues = []coast.Issue{{Path: "chart", Code: "range_too_long", Message: e.Message}}
	return e
}

// undrawn refuses the picture of a list of windows or ranks.
func undrawn(filters string) error {
	return facts.Invalid("chart", "condition",
		`chart draws a curve, not what %s give. Leave out chart, or these. Example: "chart": true.`,
		filters)
}

// drawTides draws a predicted tide: the curve in steps of 6 minutes, and its high and low waters.
func (s tideTools) drawTides(ctx context.Context, p TidePredictions) (picture, error) {
	if p.Windows != nil || p.Ranks != nil {
		return picture{}, undrawn("below, above and top")
	}
	if err := drawable(p.Span); err != nil {
		return picture{}, err
	}
	events := p
	in := p.input
	in.Span, in.TideFilters = from(p.Span.From, p.Span), TideFilters{}
	var err error
	if p.Interval != "hilo" {
		in.Interval = "hilo"
		events, err = s.TidePredictions(ctx, in)
	}
	in.Interval = "6"
	curve, curveErr := s.TidePredictions(ctx, in)
	if err != nil || curveErr != nil {
		return refusedPicture(err, curveErr)
	}
	c := TideChart(curve, events)
	c.Now = p.Now.Chart()
	return drawTide(c, p.Station, "Predicted heights", c.Predicted)
}

// drawTide draws a tide at a station. The text shows the given series of it.
func drawTide(c chart.Tide, st *coast.Station, what string, s chart.Series) (picture, error) {
	c.Clock.Twelve = true
	c.Daylight = daylightOver(st.Latitude, st.Longitude, c.Predicted)
	return pictureOf(c.Draw(chart.Picture), what, s)
}

// refusedPicture returns the reason of the first error as the reason why there is no picture.
func refusedPicture(errs ...error) (picture, error) {
	for _, err := range errs {
		if e, known := coast.AsError(err); err != nil && known {
			return picture{text: "No picture: " + e.Message}, nil
		} else if err != nil {
			return picture{}, err
		}
	}
	return picture{}, nil
}

// drawLevels draws observed levels over the tide that was predicted for their times, each in a
// line of its own. Levels that are not compared have no picture.
func (s levelTools) drawLevels(ctx context.Context, l WaterLevels) (picture, error) {
	o := l.Observed
	if o.Count == 0 {
		return noPicture("there is no observed level in this span"), nil
	}
	span := coast.Span{From: o.Start, To: At(o.Start, o.Count-1, o.StepMinutes)}
	if err := drawable(span); err != nil {
		return picture{}, err
	}
	if l.Predicted == nil {
		return noPicture(l.uncompared()), nil
	}
	in := TidePredictionsInput{
		StationOrPlace: StationOrPlace{Station: l.Station.ID}, Interval: "6",
		Span: from(span.From, span), OnDatum: OnDatum{l.Datum}, InUnits: InUnits{l.Units},
		InZone: l.input.InZone,
	}
	predicted := newTideTools(s.facts)
	curve, err := predicted.TidePredictions(ctx, in)
	in.Interval = "hilo"
	events, eventsErr := predicted.TidePredictions(ctx, in)
	if err != nil || eventsErr != nil {
		return refusedPicture(err, eventsErr)
	}
	c := TideChart(curve, events)
	c.Observed = o.Chart()
	c.Source = "Blue: predicted. Orange: observed. " + sourceLine(l.Sources)
	return drawTide(c, l.Station, "Observed levels", c.Observed)
}

// uncompared returns the reason why no predicted level goes with the observed ones. Levels above
// the datums of two epochs do not belong on one axis.
func (l WaterLevels) uncompared() string {
	reason := "no predicted level is known for these times"
	for _, m := range l.Missing {
		if m.Input == "observed height" || strings.HasPrefix(m.Input, "predicted") {
			reason = strings.TrimSuffix(m.Reason, ".")
		}
	}
	return reason
}

// drawCurrents draws a predicted current: the velocity in steps of 6 minutes, and its events.
func (s currentTools) drawCurrents(ctx context.Context, p CurrentPredictions) (picture, error) {
	if p.Windows != nil {
		return picture{}, undrawn("at_most and at_least")
	}
	if err := drawable(p.Span); err != nil {
		return picture{}, err
	}
	events := p
	in := p.input
	in.Span, in.CurrentFilters = from(p.Span.From, p.Span), CurrentFilters{}
	var err error
	if p.Interval != "max_slack" {
		in.Interval = "max_slack"
		events, err = s.CurrentPredictions(ctx, in)
	}
	in.Interval = "6"
	curve, curveErr := s.CurrentPredictions(ctx, in)
	if err != nil || curveErr != nil {
		return refusedPicture(err, curveErr)
	}
	c := CurrentChart(curve, events)
	c.Clock.Twelve = true
	c.Daylight = daylightOver(p.Station.Latitude, p.Station.Longitude, c.Series)
	return pictureOf(c.Draw(chart.Picture), "Predicted velocities, flood positive", c.Series)
}

// drawWind draws a wind forecast.
func (s weatherTools) drawWind(_ context.Context, f WindForecast) (picture, error) {
	c := f.Chart()
	c.Clock.Twelve = true
	c.Daylight = daylightOver(f.Place.Latitude, f.Place.Longitude, c.Speeds)
	return pictureOf(c.Draw(chart.Picture), "Forecast wind speed", c.Speeds)
}

// daylightOver returns the light over the span of a series.
func daylightOver(latitude, longitude float64, s chart.Series) chart.Daylight {
	return Daylight(latitude, longitude, s.Start, s.Start.Add(time.Duration(len(s.Values))*s.Step))
}
