package plan

import (
	"context"
	"encoding/json"
	"html/template"
	"net/url"
	"strconv"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/web/calendar"
	"leadline/internal/web/predicted"
	"leadline/internal/web/view"
	"leadline/internal/words"
)

// planAnswer holds the answer of a page of planning.
type planAnswer struct {
	ID, Title  string // of the station
	Station    template.URL
	Distance   string // from the place that was asked for
	Others     []otherWater
	Gates      []gatePassed
	ZoneText   string
	Heading    string
	Sum        string // how a level follows from depths
	Chart      *view.Figure
	ChartWords string // the caption
	Columns    []string
	Rows       []planRow
	Previous   template.URL
	Next       template.URL

	Calendar, Subscribe, Table template.URL

	Sources view.Sources
	Missing []coast.Missing
	Notes   []string
	Calls   []view.Call
}

// otherWater is a station of the other water of a place.
type otherWater struct {
	Title, Water, Differs string
	Link                  template.URL
}

// planRow is a row of the list: the day, which links to the page of the station, and cells.
type planRow struct {
	Day   string
	Link  template.URL
	Cells []string
}

// newAnswer returns an answer about a station.
func (s *pages) newAnswer(
	v *planPage, f coast.Frame, place *place.NamedPlace, span coast.Span,
) *planAnswer {
	v.SetZone(view.ZoneOfStation(f.Station))
	a := &planAnswer{
		ID: f.Station.ID, Title: words.WithState(f.Station.Name, f.Station.State),
		Station:  template.URL("/stations/"+f.Station.ID) + v.Query(),
		ZoneText: view.ZonesText(v.Location, samples(span)...),
		Missing:  f.Missing, Notes: f.Notes,
	}
	for _, source := range f.Sources {
		a.Sources.Add(source)
	}
	if place != nil && place.DistanceKm != nil {
		a.Distance = view.Distance(*place.DistanceKm, v.Units) + " from " + place.Name
		for _, o := range place.Alternatives {
			a.Others = append(a.Others, otherWater{o.Name, string(o.Water), o.Differs(),
				template.URL("/stations/"+o.Station) + v.Query()})
		}
	}
	return a
}

// samples returns times of a span of at most a year, on both sides of each change of the clock.
func samples(span coast.Span) (at []time.Time) {
	const parts = 6
	for i := range parts + 1 {
		at = append(at, span.From.Add(span.To.Sub(span.From)/parts*time.Duration(i)))
	}
	return at
}

// row returns a row that begins with the day of a time.
func (a *planAnswer) row(p view.Prefs, at time.Time, cells ...string) planRow {
	day := at.In(p.Location)
	text := p.Day(at)
	if day.Year() != p.Now.In(p.Location).Year() {
		text += day.Format(" 2006")
	}
	return planRow{Day: text, Cells: cells, Link: template.URL("/stations/"+a.ID) +
		p.Query("date", day.Format(time.DateOnly), "days", "1")}
}

// lasting writes a length: 2 h 30 min.
func lasting(minutes int) string {
	if minutes < 60 {
		return view.Plural(minutes, "min")
	}
	text := strconv.Itoa(minutes/60) + view.Nbsp + "h"
	if rest := minutes % 60; rest > 0 {
		text += " " + strconv.Itoa(rest) + view.Nbsp + "min"
	}
	return text
}

// boundsOf writes what bounds a window other than the level.
func boundsOf(begins, ends, level string) string {
	text := ""
	if begins != "level" {
		text = "from " + causeName(begins, "the start of the span")
	}
	if ends != "level" {
		if text != "" {
			text += ", "
		}
		text += "to " + causeName(ends, "the end of the span")
	}
	if text == "" {
		return level
	}
	return text
}

// causeName names what bounds a window. span is the end of the span that can bound it.
func causeName(cause, span string) string {
	switch cause {
	case "span":
		return span
	case "hours":
		return "the chosen hours"
	case "weekday":
		return "the chosen days"
	}
	return cause
}

// heading counts windows.
func (v *planPage) heading(total, minutes int) string {
	if total == 0 {
		return "No windows"
	}
	return view.Plural(total, "window") + ", " + lasting(minutes) + " in all"
}

// pages fills in the links to other parts of a list.
func (a *planAnswer) pages(v *planPage, q url.Values, next *int, limit int) {
	if offset, _ := strconv.Atoi(q.Get("offset")); offset > 0 {
		a.Previous = v.paging(max(offset-limit, 0))
	}
	if next != nil {
		a.Next = v.paging(*next)
	}
}

// toolCall writes a call of a tool with arguments in pairs; empty ones are left out.
func toolCall(tool string, pairs ...any) string {
	text := tool + " {"
	separator := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		if value, ok := pairs[i+1].(string); ok && (value == "" || value == "any") {
			continue
		}
		value, _ := json.Marshal(pairs[i+1]) // texts and numbers
		text += separator + `"` + pairs[i].(string) + `": ` + string(value)
		separator = ", "
	}
	return text + "}"
}

const listPage = 20

// windowAnswer shows windows of the tide.
func (s *pages) windowAnswer(
	ctx context.Context, v *planPage, q url.Values, out tides.TideWindows,
) *planAnswer {
	a := s.newAnswer(v, out.Frame, out.Place, out.Span)
	c, unit := out.Condition, string(out.HeightUnit)
	a.Heading, a.Sum = v.heading(out.Total, out.MinutesInAll), view.Capital(c.Sum)
	extreme := "Highest"
	if c.Side == "below" {
		extreme = "Lowest"
	}
	a.Columns = []string{"Day", "Time", "Length", extreme, "Bounds"}
	var spans []chart.Span
	at := v.Now
	if v.Date != "" {
		at, _ = time.ParseInLocation(time.DateOnly, v.Date, v.Location)
	}
	for _, w := range out.Windows {
		spans = append(spans, chart.Span{From: w.From, To: w.To})
		a.Rows = append(a.Rows, a.row(v.Prefs, w.From, v.Between(w.From, w.To), lasting(w.Minutes),
			chart.Quantity(w.Extreme.Height, unit)+" at "+v.Time(w.Extreme.Time),
			boundsOf(string(w.BeginsBecause), string(w.EndsBecause), "the level")))
	}
	a.pages(v, q, out.NextOffset, listPage)
	level := view.LevelText(c.Level, unit) + " on " + string(out.Datum) +
		view.EpochText(out.DatumEpoch)
	a.ChartWords = "The bars are windows in which the predicted tide is " + string(c.Side) + " " +
		level + ". The chart begins on the day of the longest window of the list."
	if len(spans) > 0 {
		at = longest(spans).From
	}
	a.Chart = s.planChart(ctx, v, out.Frame, at, &chart.Windows{Level: c.Level, Spans: spans})
	datum := ""
	if out.Datum != "MLLW" {
		datum = string(out.Datum)
	}
	s.links(a, v, q, toolCall("noaa_get_tide_predictions", "station", a.ID, string(c.Side), c.Level,
		"datum", datum, "light", string(c.Light), "units", q.Get("units")))
	return a
}

// longest returns the longest of some spans, the first of equal ones.
func longest(spans []chart.Span) chart.Span {
	best := spans[0]
	for _, s := range spans {
		if s.To.Sub(s.From) > best.To.Sub(best.From) {
			best = s
		}
	}
	return best
}

// chartDays is the span of the chart of a plan.
const chartDays = 3

// planChart draws the predicted tide from the day of a time on.
func (s *pages) planChart(
	ctx context.Context, v *planPage, f coast.Frame, at time.Time, w *chart.Windows,
) *view.Figure {
	p := v.Prefs
	p.Date, p.Days, p.Datum = at.In(v.Location).Format(time.DateOnly), chartDays, string(f.Datum)
	b, err := predicted.Find(ctx, s.Set, f.Station.ID, &p)
	var c chart.Tide
	if err == nil {
		c, err = b.TideChart(ctx, s.Set)
	}
	if err != nil {
		s.Reason(err) // logs a fault of the program; the list says the same
		return nil
	}
	c.Windows = w
	from, to := p.Span()
	narrow, middle := c, from.Add(to.Sub(from)/2)
	narrow.Predicted = c.Predicted.Between(from, middle)
	narrow.Events = predicted.EventsBetween(c.Events, narrow.Predicted)
	return view.Draw("plan", c.Draw(chart.TideWide), narrow.Draw(chart.Narrow))
}

// rankAnswer shows ranked tides, king tides, or springs and neaps.
func (s *pages) rankAnswer(
	ctx context.Context, v *planPage, q url.Values, out tides.TideRanks,
) *planAnswer {
	a := s.newAnswer(v, out.Frame, out.Place, out.Span)
	unit := string(out.HeightUnit)
	height := func(h float64) string { return chart.Quantity(h, unit) }
	at := v.Now
	switch out.What {
	case "king":
		a.Heading = view.Plural(len(out.KingTides), "king tide") + " in " +
			out.Span.From.In(v.Location).Format("2006")
		a.Columns = []string{"Highest on", "Height", "Above MHHW", "High waters", "Moon"}
		for _, k := range out.KingTides {
			above := "unknown"
			if k.AboveMHHW != nil {
				above = height(*k.AboveMHHW)
			}
			a.Rows = append(a.Rows, a.row(v.Prefs, k.Highest.Time, height(k.Highest.Height)+" at "+
				v.Time(k.Highest.Time), above, strconv.Itoa(k.Highs)+", "+v.Day(k.From)+" to "+v.Day(k.To),
				view.Spaced(string(k.Phase))))
		}
		if len(out.KingTides) > 0 {
			at = out.KingTides[0].Highest.Time.AddDate(0, 0, -1)
		}
	case "springs":
		a.Heading = view.Plural(len(out.Springs), "tide")
		a.Columns = []string{"Day", "Kind", "Range", "High", "Low", "Moon"}
		for _, t := range out.Springs {
			a.Rows = append(a.Rows, a.row(v.Prefs, t.High.Time, string(t.Kind), height(t.Range),
				height(t.High.Height)+" at "+v.When(t.High.Time), height(t.Low.Height)+" at "+
					v.When(t.Low.Time), view.Spaced(string(t.Phase))))
		}
		if len(out.Springs) > 0 {
			at = out.Springs[0].High.Time
		}
	default:
		a.Heading = view.Plural(len(out.Ranks), string(out.What)+" tide")
		a.Columns = []string{"Day", "Rank", "Height", "Time", "Sun"}
		for _, r := range out.Ranks {
			sun := ""
			if r.Sunrise != nil && r.Sunset != nil {
				sun = v.Time(*r.Sunrise) + " to " + v.Time(*r.Sunset)
			}
			a.Rows = append(a.Rows, a.row(v.Prefs, r.Time, strconv.Itoa(r.Rank), height(r.Height),
				v.Time(r.Time), sun))
		}
		if len(out.Ranks) > 0 {
			at = out.Ranks[0].Time.AddDate(0, 0, -1)
		}
	}
	a.ChartWords = "The predicted tide on " + string(out.Datum) + view.EpochText(out.DatumEpoch) +
		" around the first row of the list."
	a.Chart = s.planChart(ctx, v, out.Frame, at, nil)
	tool := ""
	if kind := map[string]string{"lowest": "low", "highest": "high"}[string(out.What)]; kind != "" {
		tool = toolCall("noaa_get_tide_predictions", "station", a.ID, "type", kind, "top", 10, "light",
			string(out.Light), "units", q.Get("units"))
	}
	s.links(a, v, q, tool)
	return a
}

// currentAnswer shows windows of a current.
func (s *pages) currentAnswer(
	ctx context.Context, v *planPage, q url.Values, out currents.CurrentWindows,
) *planAnswer {
	a := s.newAnswer(v, out.Frame, out.Place, out.Span)
	unit := string(out.SpeedUnit)
	a.Heading = v.heading(out.Total, out.MinutesInAll)
	a.Columns = []string{"Day", "Time", "Length", "Current", "Bounds"}
	var spans []chart.Span
	at := v.Now
	for _, w := range out.Windows {
		spans = append(spans, chart.Span{From: w.From, To: w.To})
		text := string(w.Turn)
		if w.Before != nil && w.After != nil {
			text += ", " + chart.Quantity(*w.Before, unit) + " before, " + chart.Quantity(*w.After, unit) +
				" after"
		}
		if w.Peak != nil {
			text = chart.Quantity(w.Peak.Speed, unit) + " at " + v.Time(w.Peak.Time)
		}
		a.Rows = append(a.Rows, a.row(v.Prefs, w.From, v.Between(w.From, w.To), lasting(w.Minutes), text,
			boundsOf(string(w.BeginsBecause), string(w.EndsBecause), "the limit")))
	}
	a.pages(v, q, out.NextOffset, listPage)
	c := out.Condition
	a.ChartWords = "The bars are windows in which the predicted current is " +
		view.Spaced(string(c.Side)) + " " +
		view.LevelText(c.Speed, unit) + ". The chart begins on the day of the longest of the list."
	if len(spans) > 0 {
		at = longest(spans).From
	}
	a.Chart = s.currentPlanChart(ctx, v, a.ID, at, spans)
	s.links(a, v, q, toolCall("noaa_get_current_predictions", "station", a.ID, string(c.Side), c.Speed,
		"light", string(c.Light), "units", q.Get("units")))
	return a
}

// currentPlanChart draws two days of the predicted current from the day of a time on.
func (s *pages) currentPlanChart(
	ctx context.Context, v *planPage, id string, at time.Time, windows []chart.Span,
) *view.Figure {
	p := v.Prefs
	p.Date, p.Days = at.In(v.Location).Format(time.DateOnly), 2
	b, err := predicted.Find(ctx, s.Set, id, &p)
	if err != nil {
		s.Reason(err)
		return nil
	}
	from, to := p.Span()
	predict := s.Set.Currents.CurrentPredictions
	curve, err := operation.Run(ctx, predict, b.CurrentInput(id, "6", from, to))
	if err != nil {
		s.Reason(err)
		return nil
	}
	turns, err := operation.Run(ctx, predict, b.CurrentInput(id, "max_slack", from, to))
	if err != nil {
		s.Reason(err)
		return nil
	}
	c := currents.CurrentChart(curve, turns)
	c.Weak = windows
	return b.DrawCurrent(c)
}

// transitAnswer shows departures through a pass.
func (s *pages) transitAnswer(
	ctx context.Context, v *planPage, q url.Values, out currents.Transits,
) *planAnswer {
	a := s.newAnswer(v, out.Frame, out.Place, out.Span)
	a.Heading = departuresHeading(out.Total, len(out.Windows))
	best := "Shortest trip"
	if out.Distance == 0 {
		best = "Least current"
	}
	a.Columns = []string{"Day", "Depart", "Current in the window", best, "Length", "Current then"}
	a.Sum = view.Capital(calendar.LimitsText(out.Limits))
	var spans []chart.Span
	at := v.Now
	for _, w := range out.Windows {
		spans = append(spans, chart.Span{From: w.DepartFrom, To: w.DepartTo})
		a.Rows = append(a.Rows, a.row(v.Prefs, w.DepartFrom, v.Between(w.DepartFrom, w.DepartTo),
			calendar.RangeText(w.Current), v.Between(w.Best.Depart, w.Best.Arrive), lasting(w.Best.Minutes),
			calendar.TripCurrent(w.Best)))
	}
	if len(spans) > 0 {
		at = longest(spans).From
	}
	a.ChartWords = "The bars are departures at which the predicted " +
		calendar.LimitsText(out.Limits) + ", all the way. The chart begins on the day of the longest."
	if most := out.Limits.MaxAgainst; most != nil {
		v.inForce("max_against", *most)
	}
	v.inForce("max_current", out.Limits.MaxCurrent)
	a.Chart = s.currentPlanChart(ctx, v, a.ID, at, spans)
	direction := ""
	if out.Direction != nil {
		direction = string(*out.Direction)
	}
	s.links(a, v, q, toolCall("leadline_plan_transit", "station", a.ID, "distance", out.Distance,
		"speed", out.Speed, "direction", direction, "max_current", out.Limits.MaxCurrent, "light",
		string(out.Light)))
	return a
}
