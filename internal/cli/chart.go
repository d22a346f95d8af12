package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/tides"
)

// The styles of --chart.
const (
	chartAuto    = "auto" // braille if the locale is UTF-8
	chartBraille = "braille"
	chartASCII   = "ascii"
)

// defaultColumns is the width of a chart that is not on a terminal, if COLUMNS is not set.
const defaultColumns = 74

// maxChart is the longest time span of a chart on a terminal. The figure is
// ours.
const maxChart = 10 * 24 * time.Hour

// chartStyle returns the style that --chart selects, or an error if it is
// unknown.
func (p *program) chartStyle(style string) (ascii bool, err error) {
	switch style {
	case chartBraille:
		return false, nil
	case chartASCII:
		return true, nil
	case chartAuto:
		return !utf8Locale(p.config.Getenv), nil
	}
	return false, fmt.Errorf("invalid --chart %q: must be %s, %s or %s",
		style, chartAuto, chartBraille, chartASCII)
}

// utf8Locale reports whether the locale uses UTF-8. The first locale variable
// that is set decides (POSIX.1-2024, 8.2).
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToUpper(getenv(name)); value != "" {
			return strings.Contains(value, "UTF-8") || strings.Contains(value, "UTF8")
		}
	}
	return false
}

// drawPrediction prints the curve of a prediction and returns its provenance.
// It requests the curve in steps of six minutes over the same span. Between the
// events of a subordinate station the curve is interpolated.
func (p *program) drawPrediction(
	ctx context.Context, op operation.Tool, arguments map[string]any, style string,
) (coast.Provenance, error) {
	var from coast.Provenance
	ascii, err := p.chartStyle(style)
	if err != nil {
		return from, err
	}
	series := maps.Clone(arguments)
	series["interval"] = "6"
	value, err := p.streams.call(ctx, op, series, false)
	if err != nil {
		return from, err
	}
	screen, err := p.screen()
	if err != nil {
		return from, err
	}
	text, err := curveOf(value)
	if err != nil {
		return from, err
	}
	var axis string
	switch v := value.(type) {
	case tides.TidePredictions:
		from, axis = v.Provenance, string(v.HeightUnit)+" above "+string(v.Datum)
	case currents.CurrentPredictions:
		from, axis = v.Provenance, v.SpeedUnit+" along the axis, flood above zero"
	}
	lines := text.Lines(cmp.Or(screen.width, defaultColumns), ascii)
	_, err = io.WriteString(p.streams.Out, axis+"\n"+lines+"\n")
	return from, err
}

// curveOf returns the series of a prediction.
func curveOf(value any) (chart.Text, error) {
	var t chart.Text
	var start time.Time
	var minutes int
	switch v := value.(type) {
	case tides.TidePredictions:
		if v.Series == nil {
			return t, fmt.Errorf("--chart needs heights between the events, which %s lacks", v.Station.ID)
		}
		start, minutes, t.Series.Values = v.Series.Start, v.Series.StepMinutes, v.Series.Heights
		t.Unit = string(v.HeightUnit)
	case currents.CurrentPredictions:
		if v.Series == nil {
			return t, fmt.Errorf("--chart needs velocities along the axis, which %s lacks", v.Station.ID)
		}
		start, minutes, t.Series.Values = v.Series.Start, v.Series.StepMinutes, v.Series.Velocities
		t.Unit = v.SpeedUnit
	}
	t.Series.Start, t.Series.Step = start, time.Duration(minutes)*time.Minute
	t.Clock.Zone = start.Location()
	if span := time.Duration(len(t.Series.Values)) * t.Series.Step; span > maxChart {
		return t, fmt.Errorf("--chart draws at most 10 days; ask for fewer than %.0f", span.Hours()/24)
	}
	return t, nil
}
