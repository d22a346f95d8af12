package operation

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/facts"
	"leadline/internal/render"
)

// ChartSeries returns values at even steps as a series of a chart.
func ChartSeries(start time.Time, stepMinutes int, values []float64) chart.Series {
	return chart.Series{
		Start: start, Step: time.Duration(stepMinutes) * time.Minute, Values: values,
	}
}

// WithGaps returns values with NaN for those that are missing.
func WithGaps(values []*float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = math.NaN()
		if v != nil {
			list[i] = *v
		}
	}
	return list
}

// SourceLine names the providers of a picture.
func SourceLine(sources []coast.Source) string {
	var providers []coast.Provider
	for _, s := range sources {
		if s.Available && !slices.Contains(providers, s.Provider) {
			providers = append(providers, s.Provider)
		}
	}
	return "Source: " + strings.Join(coast.Strings(providers...), ", ") + ". " + coast.Disclaimer
}

// longestPicture is the longest span of a picture. The labels of more high and low waters would
// hide each other. Ours.
const longestPicture = 7 * 24 * time.Hour

// sparkColumns is the length of a curve in the text of a result, in characters.
const sparkColumns = 48

// Picture is a chart of a result.
type Picture struct {
	png  []byte
	text string // the curve in one line, or the reason why there is no picture
}

// pictureInput is the input of a tool whose results can have a picture. REST serves pictures at
// addresses of their own, and has no such parameter.
type pictureInput[In any] struct {
	toolInput[In]
	Chart bool `json:"chart,omitempty" doc:"Adds a picture, about 430 tokens."`
}

// DeclarePictured is Declare for an operation with a picture, which draw makes of its output.
func DeclarePictured[In any, Out described](
	name, title string, group Group, about string, live bool, h Handler[In, Out],
	draw func(context.Context, Out) (Picture, error),
) Tool {
	t := Declare(name, title, group, about, live, h)
	takes, layout := inputOf[pictureInput[In]](), layoutOf[Out]()
	t.Input, t.Pictured = takes.json, true
	t.call = func(ctx context.Context, args []byte) (Result, error) {
		var in pictureInput[In]
		if err := takes.Decode(args, &in); err != nil {
			return Result{}, err
		}
		out, result, err := resultOf(ctx, group, h, in.toolInput, layout())
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

// PictureOf returns a scene as PNG, and the series that it shows as text.
func PictureOf(scene *chart.Scene, what string, s chart.Series) (Picture, error) {
	line := chart.Sparkline(s, sparkColumns)
	if line == "" {
		return NoPicture("there are fewer than two values to draw"), nil
	}
	end := s.Start.Add(time.Duration(len(s.Values)-1) * s.Step)
	png, err := scene.PNG(chart.LightTheme, 1)
	return Picture{png, what + ", " + render.Clock(s.Start, s.Start) + " to " +
		render.Clock(end, s.Start) + ": " + line}, err
}

// NoPicture returns the reason why a result has no picture. The result itself is complete.
func NoPicture(reason string) Picture { return Picture{text: "No picture: " + reason + "."} }

// Drawable refuses a span that is too long for a picture.
func Drawable(span coast.Span) error {
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

// Undrawn refuses the picture of a list of windows or ranks.
func Undrawn(filters string) error {
	return facts.Invalid("chart", "condition",
		`chart draws a curve, not what %s give. Leave out chart, or these. Example: "chart": true.`,
		filters)
}

// RefusedPicture returns the reason of the first error as the reason why there is no picture.
func RefusedPicture(errs ...error) (Picture, error) {
	for _, err := range errs {
		if e, known := coast.AsError(err); err != nil && known {
			return Picture{text: "No picture: " + e.Message}, nil
		} else if err != nil {
			return Picture{}, err
		}
	}
	return Picture{}, nil
}
