package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/coast"
	"leadline/internal/currents"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/planning"
	"leadline/internal/render"
	"leadline/internal/server"
	"leadline/internal/stations"
	"leadline/internal/tides"
	"leadline/internal/weather"
	"leadline/internal/words"
)

// nowTimeout limits the requests of now together.
const nowTimeout = 3 * time.Second

// present holds the results that now prints. Those of providers may be empty.
type present struct {
	at       time.Time
	asked    *coast.Station        // the current station of the request, or nil
	tide     tides.TidePredictions // only the frame on the Great Lakes
	lake     []coast.Missing       // why there is no tide on the Great Lakes
	day      planning.Day
	current  *currents.CurrentPredictions // nil if none is near
	readings weather.Conditions
	missing  []coast.Missing
	parts    map[string]json.RawMessage // the results as JSON
}

// nowCommand returns leadline now.
func (p *program) nowCommand() *cobra.Command {
	var asJSON, short bool
	units := coast.English
	c := uses(&cobra.Command{
		Use:   "now STATION|PLACE",
		Short: "Print what the water, the wind and the sky do now",
		Long: "Print the next turns of the tide and of the current, the observed level and wind, the " +
			"wind of the coastal waters text, sun, moon and alerts, and what is missing. NOAA and the " +
			"weather service have 3 seconds to respond. With --offline, print what is computed. On the " +
			"Great Lakes, give the id of a gauge: there is no tide, and the rest is printed.",
		Example: "leadline now boston --contact jane@example.org\n" +
			"leadline now 42.36,-71.05 --offline\n" +
			"leadline now ACT0091 --units metric --json",
		Args: takesSome("STATION or PLACE"), ValidArgsFunction: completeStation,
	}, "offline", "contact", "coops-url", "nws-url")
	c.RunE = p.run(func(ctx context.Context, args []string) error {
		s, err := p.screen()
		if err != nil {
			return err
		}
		now, err := p.present(ctx, strings.Join(args, " "), units)
		switch {
		case err != nil:
			return err
		case asJSON:
			return printJSON(p.streams.Out, map[string]any{
				"results": now.parts, "missing": append(now.missing, now.lake...),
			})
		}
		b := board{sheet: sheet{screen: s}, present: now, decimals: decimals(units, short)}
		if b.zone, err = time.LoadLocation(now.tide.TimeZone); err != nil {
			return fmt.Errorf("read the zone of %s: %w", now.tide.Station.ID, err)
		}
		return p.printf("%s", b.text())
	})
	addUnits(c, &units)
	c.Flags().BoolVar(&asJSON, "json", false, "print the whole results as JSON")
	addShort(c, &short)
	p.addColor(c)
	return c
}

// present asks the operations. Errors: those of the tide, without which there is no station, and on
// the Great Lakes, which have no tide, those of the station.
func (p *program) present(
	ctx context.Context, where string, units coast.Units,
) (now present, err error) {
	live, err := p.storeless()
	if err != nil {
		return now, err
	}
	defer live.Close()
	ctx, cancel := context.WithTimeout(ctx, nowTimeout)
	defer cancel()
	set, in := live.Set, operation.InUnits{Units: units}
	now = present{at: p.now(), parts: map[string]json.RawMessage{}}
	at, flow := whereAt(set.Stations, where)
	asked := flow != ""
	now.tide, err = set.Tides.TidePredictions(ctx, tides.TidePredictionsInput{
		StationOrPlace: at, Interval: "hilo", Span: operation.Span{Range: 48}, InUnits: in,
	})
	day := func() (planning.Day, error) {
		return set.Days.Day(ctx, planning.DayInput{StationOrPlace: at, InUnits: in})
	}
	gauge := where
	switch {
	case err == nil:
		gauge = now.tide.Station.ID
		now.add("tide", now.tide, nil)
	case stations.GreatLakes(where):
		now.lake = []coast.Missing{coast.Unobtained("tide", err)}
		day = func() (planning.Day, error) { return set.Days.WithoutTide(ctx, where, in) }
	default:
		return now, inFlags(err, toolNamed(set.Catalog(), tidePredictions))
	}
	var dayErr, readErr error
	var both sync.WaitGroup
	both.Go(func() { now.day, dayErr = day() })
	both.Go(func() {
		now.readings, readErr = set.Weather.Conditions(ctx, weather.ConditionsInput{
			AtStation: operation.AtStation{Station: gauge}, InUnits: in,
		})
	})
	both.Wait()
	if now.lake != nil {
		if dayErr != nil {
			return now, dayErr
		}
		now.tide.Frame = now.day.Frame
	}
	now.add("day", now.day, dayErr)
	now.add("observations", now.readings, readErr)
	now.missing = append(now.missing, now.day.Missing...)
	for _, m := range now.readings.Missing {
		if now.lake != nil && strings.HasPrefix(m.Input, "predicted") {
			continue // which lake says
		}
		m.Input = "observed " + m.Input
		now.missing = append(now.missing, m)
	}
	if near := now.day.Currents; near != nil && flow == "" {
		flow = near.Station.ID
	}
	if flow == "" {
		return now, nil
	}
	current, err := set.Currents.CurrentPredictions(ctx, currents.CurrentPredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: flow}, Interval: "max_slack",
		VelType: "default", Span: operation.Span{Range: 48}, InUnits: in,
	})
	now.current = &current
	if asked && err == nil {
		now.asked = current.Station
	}
	now.add("current", current, err)
	return now, nil
}

// storeless opens the operations with their providers for a command that stores nothing. The caller
// closes them.
func (p *program) storeless() (server.Live, error) {
	settings := *p.config
	settings.Data = ""
	quiet(&settings)
	return p.live(&settings)
}

// whereAt returns a station or a place. A current station is the place that it is at; then flow is
// its id.
func whereAt(d *stations.Directory, where string) (at place.StationOrPlace, flow string) {
	if st, ok := d.Station(where); ok && st.Kind == stations.Current {
		flow, where = st.ID, operation.Position(st.Latitude, st.Longitude)
	}
	if stationID().MatchString(where) {
		return place.StationOrPlace{Station: where}, flow
	}
	return place.StationOrPlace{InPlace: place.InPlace{Place: where}}, flow
}

// add adds a result to the JSON, or why it is missing.
func (n *present) add(name string, value any, err error) {
	if err == nil {
		n.parts[name], err = operation.Result{Value: value, Full: true}.Structured()
	}
	if err != nil {
		n.missing = append(n.missing, coast.Unobtained(name, err))
	}
}

// board lays out what now prints.
type board struct {
	sheet
	present
	zone     *time.Location
	decimals int // of heights
}

// text lays out all parts.
func (b *board) text() string {
	title, from := headOf(b.tide.Station, b.tide.Place)
	if b.asked != nil {
		title = operation.StationTitle(b.asked)
	}
	b.lines = []string{b.styled(bold, title) + "  " + b.at.In(b.zone).Format("Mon 2 Jan 15:04 MST")}
	if b.lake == nil {
		b.line(faint, "tide at", from, "")
		b.addTide()
	} else {
		b.line(faint, "gauge", from, "")
		b.line(0, "tide", "none: NOAA predicts no tide on the Great Lakes", "")
	}
	b.addLevel()
	b.addCurrent()
	b.addWind()
	b.addSky()
	b.addAlerts()
	b.addMissing(b.missing)
	b.line(faint, "", coast.Disclaimer, "")
	return b.String()
}

// headOf returns the name of a place, or of the station without a place, and the station whose
// water counts.
func headOf(st *coast.Station, at *place.NamedPlace) (title, from string) {
	from = operation.StationTitle(st)
	if at == nil {
		return words.WithState(st.Name, st.State), from
	}
	return at.Name, from + ", " + at.String()
}

// clock returns a time of day, with the weekday on other days than today.
func (b *board) clock(t time.Time) string {
	t, now := t.In(b.zone), b.present.at.In(b.zone)
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 15:04")
}

// in returns how long it is until a time.
func (b *board) in(t time.Time) string {
	minutes := int(t.Sub(b.present.at.Truncate(time.Minute)) / time.Minute)
	if minutes < 60 {
		return fmt.Sprintf("in %d min", minutes)
	}
	return fmt.Sprintf("in %d h %d min", minutes/60, minutes%60)
}

// sign returns an arrow in front of a text if the locale has arrows.
func (b *board) sign(arrow, text string) string {
	if !b.signs {
		return text
	}
	return arrow + " " + text
}

// addTide adds both turns of the tide, the sooner first.
func (b *board) addTide() {
	next := slices.DeleteFunc(slices.Clone(b.tide.Extremes), func(e tides.TideEvent) bool {
		return e.Time.Before(b.present.at)
	})
	from := "above " + string(b.tide.Datum) + ", predicted"
	if b.tide.Now == nil || len(next) == 0 {
		b.line(0, "tide", b.tide.Nothing(), from)
		return
	}
	state := strings.ReplaceAll(string(b.tide.Now.State), "_", " ")
	doing := map[string]string{
		"rising": b.sign("▲", "rising to "), "falling": b.sign("▼", "falling to "),
	}[state]
	if doing == "" {
		doing = state + ", then "
	}
	height := func(v float64) string {
		return fmt.Sprintf("%.*f %s", b.decimals, v, b.tide.HeightUnit)
	}
	first := next[0]
	b.line(0, "tide", b.styled(cyan, doing+string(first.Type)+" "+height(first.Height))+" at "+
		b.styled(bold, b.clock(first.Time))+", "+b.in(first.Time), "now "+height(b.tide.Now.Height))
	if len(next) > 1 {
		b.line(0, "", fmt.Sprintf("then %s %s at %s", next[1].Type, height(next[1].Height),
			b.clock(next[1].Time)), from)
	}
}

// addLevel adds the observed level, and its difference from the prediction.
func (b *board) addLevel() {
	l, r := b.readings.WaterLevel, b.readings.Residual
	if l == nil {
		return
	}
	text := fmt.Sprintf("%.*f %s", b.decimals, l.Height, b.readings.HeightUnit)
	if b.lake != nil {
		text += " above " + string(b.readings.Datum)
	}
	text += " at " + b.clock(l.Time)
	switch {
	case r == nil:
	case *r < 0:
		text += fmt.Sprintf(", %.*f below the prediction", b.decimals, -*r)
	default:
		text += fmt.Sprintf(", %.*f above the prediction", b.decimals, *r)
	}
	b.line(0, "water", text, "observed, "+render.Age(int(b.present.at.Sub(l.Time)/time.Minute)))
}

// addCurrent adds the current now, its next slack and its next greatest speed, the sooner first.
func (b *board) addCurrent() {
	if b.current == nil || b.current.Station == nil {
		return
	}
	var turns []string
	seen := map[bool]bool{}
	for _, e := range b.current.Events {
		if slack := e.Type == "slack"; e.Time.After(b.present.at) && !seen[slack] && e.Peak != "min" {
			seen[slack] = true
			at := b.clock(e.Time)
			if len(turns) == 0 {
				at = b.styled(bold, at) + ", " + b.in(e.Time)
			}
			what := e.Type
			if !slack {
				what = "strongest " + what
			}
			turns = append(turns, what+" "+b.speed(e)+"at "+at)
		}
	}
	if len(turns) == 0 {
		turns = []string{b.current.Nothing()}
	}
	from := operation.StationTitle(b.current.Station)
	if near := b.day.Currents; near != nil && near.Station.ID == b.current.Station.ID {
		from += ", " + distance(near.Station.DistanceKm, b.tide.Units)
		another := func(note string) bool { return strings.HasSuffix(note, "another channel.") }
		if slices.ContainsFunc(b.day.Notes, another) {
			from += ", of another channel"
		}
	}
	label := "current"
	if n := b.current.Now; n != nil {
		b.line(0, label, fmt.Sprintf("now %s %.2f %s", n.Phase, n.Speed, b.current.SpeedUnit), "")
		label = ""
	}
	b.line(0, label, strings.Join(turns, ", then "), from+", predicted")
}

// speed returns the speed of a flood or an ebb, or "" if NOAA publishes none.
func (b *board) speed(e currents.CurrentEvent) string {
	if e.Type == "slack" || e.Speed == nil {
		return ""
	}
	return fmt.Sprintf("%.2f %s ", *e.Speed, b.current.SpeedUnit)
}

// addWind adds the observed wind, and that of the coastal waters text.
func (b *board) addWind() {
	label := "wind"
	read := map[string]weather.Measurement{}
	for _, m := range b.readings.Readings {
		read[m.Quantity] = m
	}
	if w, ok := read["wind_speed"]; ok {
		text := fmt.Sprintf("%.0f %s", w.Value, w.Unit)
		if from, ok := read["wind_direction"]; ok {
			text = operation.Compass(from.Value) + " " + text
		}
		if gust, ok := read["wind_gust"]; ok {
			text += fmt.Sprintf(", gusts %.0f", gust.Value)
		}
		b.line(0, label, text, "observed "+b.clock(w.Time)+", "+render.Age(w.AgeMinutes))
		label = ""
	}
	w := b.day.Wind
	if w == nil || w.TextSpeed == nil {
		return
	}
	text := fmt.Sprintf("today up to %.0f %s", *w.TextSpeed, w.SpeedUnit)
	if w.TextGust != nil {
		text += fmt.Sprintf(", gusts %.0f", *w.TextGust)
	}
	b.line(0, label, text, "coastal waters text")
}

// addSky adds the next sunrise or sunset of the day, and the moon.
func (b *board) addSky() {
	l, m := b.day.Light, b.day.Moon
	if l == nil || m == nil {
		return
	}
	sun := operation.Join(", ", b.next("sunrise", l.Sunrise), b.next("sunset", l.Sunset))
	if sun == "" {
		sun = cmp.Or(l.Polar(), "the sun has set")
	}
	text := fmt.Sprintf("%s; moon %.0f %%", sun, 100*m.Illumination)
	b.line(0, "sky", operation.Join(", ", text, b.next("rises", m.Rise), b.next("sets", m.Set)), "")
}

// next returns an event of the sky and its time, or "" if it is not still to come today.
func (b *board) next(name string, at *time.Time) string {
	if at == nil || at.Before(b.present.at) {
		return ""
	}
	return name + " " + b.clock(*at)
}

// addAlerts adds the alerts, or that there are none if that is known.
func (b *board) addAlerts() {
	if b.day.AlertsAsOf == nil {
		return
	}
	for _, a := range b.day.Alerts {
		until := "until further notice"
		if a.Until != nil {
			until = "until " + b.clock(*a.Until)
		}
		b.line(yellow, "alert", a.Event+" "+until, "")
	}
	if len(b.day.Alerts) == 0 {
		b.line(0, "alerts", "none", "weather service, read "+b.clock(*b.day.AlertsAsOf))
	}
}
