package decide

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// writer describes a check in sentences.
type writer struct{ *check }

// This file writes the texts for people. No text gives permission: normal only reports that
// no limit was reached.

// reasons returns the findings that raise something and the missing facts, worst first,
// otherwise in the order of the table.
func (c writer) reasons() []Reason {
	list := []Reason{}
	for _, s := range []Severity{Action, Watch, Info} {
		for _, f := range c.findings {
			if f.severity == s {
				list = append(list, c.reason(f))
			}
		}
		if s == Watch {
			for _, l := range c.lacking {
				list = append(list, c.absent(l))
			}
		}
	}
	if g := c.gauge(); g != nil {
		list = append(list, c.nearby(*g))
	}
	return gathered(list, mostAlerts)
}

// mostAlerts limits the alerts of a severity that are reported one by one (ours).
const mostAlerts = 4

// gathered returns the reasons. If a severity has more than most alerts, one reason replaces
// them and names each.
func gathered(list []Reason, most int) []Reason {
	count, first := map[Severity]int{}, map[Severity]int{}
	for _, r := range list {
		if strings.HasPrefix(r.Code, alertPrefix) {
			count[r.Severity]++
		}
	}
	out := []Reason{}
	for _, r := range list {
		if !strings.HasPrefix(r.Code, alertPrefix) || count[r.Severity] <= most {
			out = append(out, r)
			continue
		}
		i, begun := first[r.Severity]
		if !begun {
			first[r.Severity], r.Code = len(out), alerts
			out = append(out, r)
			continue
		}
		out[i].Message += " " + r.Message
		if r.At.Before(*out[i].At) {
			out[i].At = r.At
		}
	}
	return out
}

func (c writer) reason(f finding) Reason {
	r := Reason{
		Code:      f.code,
		Severity:  f.severity,
		Message:   c.message(f),
		SourceID:  f.source,
		StationID: f.station,
	}
	if f.unit != "" {
		margin := round(f.value-f.threshold, 1000)
		if f.down {
			margin = round(f.threshold-f.value, 1000)
		}
		r.Value, r.Unit, r.Threshold, r.Margin = &f.value, &f.unit, &f.threshold, &margin
	}
	if f.height {
		r.Datum, r.DatumEpoch = c.facts.Tide.Datum, c.facts.Tide.DatumEpoch
	}
	if !f.at.IsZero() {
		at := f.at.In(c.facts.Zone)
		r.At = &at
	}
	if f.code == lowWaterObserved {
		age := int(c.now.Sub(f.at).Minutes())
		r.PredictedLow, r.Residual, r.ResidualAgeMinutes = &f.low, &f.value, &age
		r.Datum, r.DatumEpoch = c.facts.Tide.Datum, c.facts.Tide.DatumEpoch
	}
	return r
}

// absent returns the reason for a missing fact.
func (c writer) absent(l lack) Reason {
	so := "That makes the state unknown."
	if l.need == watches {
		so = "That makes the state watch at least."
	}
	at := c.from.In(c.facts.Zone)
	return Reason{
		Code:      l.code,
		Severity:  Watch,
		Message:   fmt.Sprintf("%s %s: %s. %s", title(l.how), l.name, l.why, so),
		SourceID:  l.id,
		StationID: c.facts.Station.ID,
		At:        &at,
	}
}

// nearby returns the reason that reports a gauge other than the station's.
func (c writer) nearby(g Gauge) Reason {
	unit, at := "ft", g.Time.In(c.facts.Zone)
	return Reason{
		Code: "nearby_gauge", Severity: Info, SourceID: g.Source.ID, StationID: g.StationID,
		Value: &g.Residual, Unit: &unit, At: &at,
		Message: fmt.Sprintf("The nearest gauge, %s (%s), %s km away, observed %s ft against "+
			"its own prediction. Its level is not this station's.",
			g.Name, g.StationID, number(g.Kilometers), signed(g.Residual)),
	}
}

// message describes a finding: the quantity, its value, its time and its limit.
func (c writer) message(f finding) string {
	if f.event != "" {
		return c.alertWords(f)
	}
	if f.unit == "" {
		return c.says(f) + "."
	}
	from := "from %s %s on"
	switch {
	case f.down && f.past:
		from = "below %s %s"
	case f.down:
		from = "at %s %s or less"
	case f.past:
		from = "over %s %s"
	}
	return fmt.Sprintf("%s; %s %s.", c.says(f), f.severity,
		fmt.Sprintf(from, number(f.threshold), f.unit))
}

// says describes the value of a finding, without its limit.
func (c writer) says(f finding) string {
	value, when := number(f.value), c.clock(f.at)
	of := ""
	if f.source == MarineText {
		of = " in the coastal waters text"
	}
	switch f.code {
	case "wind":
		return fmt.Sprintf("Wind of %s kn%s, %s", value, of, when)
	case "gust":
		return fmt.Sprintf("Gusts of %s kn%s, %s", value, of, when)
	case "seas":
		return fmt.Sprintf("Seas of %s ft%s, %s", value, of, when)
	case "seas_against_current":
		return fmt.Sprintf("A current of %s kn against seas of %s ft from %s degrees, %s",
			value, number(f.seas), number(f.from), when)
	case "long_swell":
		return fmt.Sprintf("Swell of %s ft every %s s%s, %s: waves can run up a beach without warning",
			value, number(f.period), of, when)
	case waveRunup:
		return fmt.Sprintf("Seas of %s ft every %s s, %s: waves can run up the shore beyond the tide",
			value, number(f.period), when)
	case ripCurrent:
		return fmt.Sprintf("The surf zone forecast gives a %s risk of rip currents, %s",
			f.risk.word(), when)
	case "steep_seas":
		return fmt.Sprintf("Steep seas of %s ft every %s s, %s", value, number(f.period), when)
	case "wind_against_current":
		by := ""
		if f.text {
			by = " (the text's, from where the grid has it)"
		}
		return fmt.Sprintf("A current of %s kn against a wind of %s kn from %s degrees%s, %s",
			value, number(f.wind), number(f.from), by, when)
	case "current":
		return fmt.Sprintf("A current of %s kn, %s", value, when)
	case "thunderstorms", "fog", "freezing_spray", "waterspouts", "volcanic_ash", "heavy_smoke",
		"heavy_snow", "severe_weather":
		return fmt.Sprintf("%s with a coverage of %s percent%s, %s",
			title(strings.ReplaceAll(f.code, "_", " ")), value, of, when)
	case "visibility":
		return fmt.Sprintf("Visibility of %s nmi%s, %s", value, of, when)
	case unreadText:
		return fmt.Sprintf("The coastal waters text also says, %s: %q", when, shortened(f.quote))
	case "darkness":
		return fmt.Sprintf("The sun is at %s degrees, %s: outside civil daylight", value, when)
	case "low_water":
		return fmt.Sprintf("The predicted level falls to %s ft above %s, %s", height(f.value),
			c.facts.Tide.Datum, when)
	case lowWaterObserved:
		return fmt.Sprintf("The gauge was %s ft from its prediction, %s, and the lowest predicted "+
			"level is %s ft above %s, %s: together they are below the charts", signed(f.value), when,
			height(f.low), c.facts.Tide.Datum, c.clock(f.lowAt))
	case "cold_water":
		return fmt.Sprintf("Water of %s degrees F, observed %s", value, when)
	case "rising_tide":
		return fmt.Sprintf("The water still rises %s min after low, %s", value, when)
	case "fast_rise":
		return fmt.Sprintf("The predicted level rises by %s ft an hour, %s", value, when)
	}
	return c.saysOfFlooding(f, when)
}

// longestQuote limits the words of the text in a reason (ours).
const longestQuote = 240 // characters

// shortened returns at most longestQuote characters of a text.
func shortened(text string) string {
	if all := []rune(text); len(all) > longestQuote {
		return string(all[:longestQuote-3]) + "..."
	}
	return text
}

func (c writer) saysOfFlooding(f finding, when string) string {
	flood := fmt.Sprintf("minor flooding begins at %s ft above %s (%s)",
		height(*c.facts.Flood.Level), c.facts.Tide.Datum, c.facts.Flood.Name)
	switch f.code {
	case "flooding_predicted":
		return fmt.Sprintf("The predicted level rises to %s ft, %s; %s", height(f.value), when, flood)
	case "flooding_observed":
		return fmt.Sprintf("The gauge was at %s ft, %s; %s", height(f.value), when, flood)
	case "flooding_residual":
		return fmt.Sprintf("The gauge was %s ft from its prediction, %s; "+
			"the highest predicted level leaves %s ft, and %s",
			signed(f.value), when, height(f.left), flood)
	}
	panic("decide: no sentence for " + f.code) // the codes are ours
}

func (c writer) alertWords(f finding) string {
	name := f.event
	if f.grave != "" {
		name += " (severity " + f.grave + ")"
	}
	if f.until == nil {
		return name + ", until further notice."
	}
	return fmt.Sprintf("%s, until %s.", name, c.clock(*f.until))
}

// Verdict returns a state in words for people. Below moderate confidence a normal state says only
// that nothing is known against the plan yet.
func Verdict(s State, c Confidence) string {
	if s == Normal && c == Low {
		return "normal, nothing known against it yet"
	}
	return string(s)
}

// Verdict returns the state in words for people: see the function Verdict.
func (s Summary) Verdict() string { return Verdict(s.State, s.Confidence) }

// headline returns the state and what decided it.
func (c writer) headline(d Decision) string {
	switch d.State {
	case Normal:
		if unsure := Verdict(d.State, d.Confidence); unsure != string(Normal) {
			return fmt.Sprintf("%s for %s, with low confidence.", title(unsure), d.Activity)
		}
		return fmt.Sprintf("Normal: nothing reaches a limit for %s.", d.Activity)
	case Unknown:
		return fmt.Sprintf("Unknown: %s.", strings.Join(c.lackingOf(acts), ", "))
	case ActionNeeded:
		return "Action needed: " + brief(d.Reasons[0])
	}
	return "Watch: " + brief(d.Reasons[0])
}

// brief returns the message of a reason without its limit, for use within a sentence. Names
// of events keep their capitals.
func brief(r Reason) string {
	found, _, _ := strings.Cut(strings.TrimSuffix(r.Message, "."), "; ")
	if r.Code != alerts && !strings.HasPrefix(r.Code, alertPrefix) {
		found = strings.ToLower(found[:1]) + found[1:]
	}
	return found + "."
}

// lackingOf describes the missing facts with at least the need n, such as "missing marine alerts"
// or "incomplete wind forecast".
func (c writer) lackingOf(n need) []string {
	var names []string
	for _, l := range c.lacking {
		if l.need >= n {
			names = append(names, l.how+" "+l.name)
		}
	}
	return names
}

// summary describes the decision in a few sentences.
func (c writer) summary(d Decision) string {
	from, to := c.from.In(c.facts.Zone), c.to.In(c.facts.Zone)
	b := fmt.Sprintf("%s at %s, %s to %s: %s, with %s confidence.", title(string(d.Activity)),
		d.Station.Name, from.Format("Mon 2 Jan 2006 15:04"), to.Format("15:04"),
		Verdict(d.State, d.Confidence), d.Confidence)
	for _, part := range []struct {
		severity Severity
		words    string
	}{{Action, "at action"}, {Watch, "at watch"}} {
		if codes := codesOf(c.findings, part.severity); len(codes) > 0 {
			b += fmt.Sprintf(" Reasons %s: %s.", part.words, strings.Join(codes, ", "))
		}
	}
	if len(c.lacking) > 0 {
		b += " Of the facts: " + strings.Join(c.lackingOf(watches), ", ") + "."
	}
	return b
}

func codesOf(findings []finding, s Severity) []string {
	var codes []string
	for _, f := range findings {
		switch {
		case f.severity != s:
		case f.event != "":
			codes = append(codes, f.event)
		default:
			codes = append(codes, strings.ReplaceAll(f.code, "_", " "))
		}
	}
	return codes
}

// alerted reports whether an alert of the kind overlaps the span and raises at least the
// given severity.
func (c writer) alerted(least Severity, kind func(event string) bool) bool {
	return slices.ContainsFunc(c.findings, func(f finding) bool {
		return f.event != "" && f.severity.rank() >= least.rank() && kind(f.event)
	})
}

// highlights describes favorable conditions: quantities below half of their limits, from facts that
// are neither missing nor stale, and events of interest. It returns none under a grave event,
// and none about what an alert or a reason is about, or could be if a missing fact were known:
// losing data announces nothing good. Sun and moon are known without any.
func (c writer) highlights() []string {
	list := []string{}
	if c.alerted(Watch, isGrave) {
		return list
	}
	for _, h := range []struct {
		code, fact string
		about      subject
		format     string
	}{
		{"wind", WindForecast, aboutWind, "Wind at most %s kn; watch from %s."},
		{"gust", WindForecast, aboutWind, "Gusts at most %s kn; watch from %s."},
		{"seas", SeaState, aboutSeas, "Seas at most %s ft; watch from %s."},
		{"current", CurrentPrediction, aboutCurrent, "Current at most %s kn; watch from %s."},
	} {
		f, limit := c.found(h.code), threshold(h.code).limits(c.activity, c.facts.Floor).watch.value
		if f != nil && f.value < limit/2 && c.holds(h.fact) && !c.lull(f) && !c.concerned(h.about) &&
			(h.code != "current" || !c.facts.Current.Far) {
			list = append(
				list,
				fmt.Sprintf(h.format, number(f.value), number(limit)),
			)
		}
	}
	list = append(list, c.unflooded()...)
	list = append(list, c.turns()...)
	list = append(list, c.currents()...)
	list = append(list, c.sun()...)
	return append(list, c.moon()...)
}

// reasonsFrom has the subjects of the reasons that each fact can raise: waves of the grid run up
// the shore, and whether seas are complete depends on the current and on the seas of the text.
var reasonsFrom = map[string]subject{
	WindForecast:      aboutWind | aboutSeas | aboutCurrent | aboutLevel,
	MarineText:        aboutWind | aboutSeas | aboutCurrent | aboutLevel,
	SeaState:          aboutSeas | aboutCurrent | aboutLevel,
	SurfForecast:      aboutSeas | aboutCurrent,
	CurrentPrediction: aboutWind | aboutSeas | aboutCurrent | aboutLevel,
	FloodThresholds:   aboutLevel,
	ObservedLevel:     aboutLevel,
	MarineAlerts:      aboutWind | aboutSeas | aboutCurrent | aboutLevel,
}

// concerned reports whether an alert or a reason of the span is about a subject, or could be if a
// missing fact were known. Darkness that is only information counts as no reason: people go out for
// it.
func (c writer) concerned(s subject) bool {
	if slices.ContainsFunc(c.lacking, func(l lack) bool { return reasonsFrom[l.id]&s != 0 }) {
		return true
	}
	return slices.ContainsFunc(c.findings, func(f finding) bool {
		about := reasonSubjects[f.code]
		if f.event != "" {
			about = subjectsOf(f.event)
		}
		return about&s != 0 && f.severity.rank() >= Info.rank() &&
			(about != aboutLight || f.severity != Info)
	})
}

// lull reports whether the gusts are below the wind: a land cell of the grid gives less than
// the text, which is not a favorable condition.
func (c writer) lull(gust *finding) bool {
	wind := c.found("wind")
	return gust.code == "gust" && wind != nil && gust.value < wind.value
}

// unflooded describes the margin between the prediction and the flood level.
func (c writer) unflooded() []string {
	f := c.found("flooding_predicted")
	if f == nil || c.concerned(aboutLevel) {
		return nil
	}
	if !c.holds(TidePrediction) || !c.holds(FloodThresholds) {
		return nil
	}
	return []string{
		fmt.Sprintf(
			"The highest predicted level, %s ft at %s, leaves %s ft to minor flooding (%s).",
			number(round(f.value, 10)),
			c.clock(f.at),
			number(round(*c.facts.Flood.Level-f.value, 10)),
			c.facts.Flood.Name,
		),
	}
}

// turns describes the high and low waters of the span.
func (c writer) turns() []string {
	var list []string
	if c.concerned(aboutLevel) {
		return list
	}
	for _, e := range c.facts.Tide.Turns {
		if c.holds(TidePrediction) && c.within(e.Time) {
			name := "Low"
			if e.High {
				name = "High"
			}
			list = append(
				list,
				fmt.Sprintf("%s water of %s ft above %s at %s.", name, number(round(e.Height, 10)),
					c.facts.Tide.Datum, c.clock(e.Time)),
			)
		}
	}
	return list
}

// currents describes the floods, ebbs and slacks of the span, only from a current station nearby,
// and only if the current is not a reason: a strong one is not a favorable condition.
func (c writer) currents() []string {
	var list []string
	if !Uses(c.activity, CurrentPrediction) || !c.holds(CurrentPrediction) ||
		c.facts.Current.Far || c.concerned(aboutCurrent) {
		return list
	}
	for _, e := range c.facts.Current.Events {
		if !c.within(e.Time) {
			continue
		}
		if e.Phase == "slack" {
			list = append(list,
				fmt.Sprintf("Slack at %s (%s).", c.clock(e.Time), c.facts.Current.StationID))
		} else {
			list = append(list, fmt.Sprintf("%s of %s kn at %s (%s).",
				title(e.Phase), number(e.Speed), c.clock(e.Time), c.facts.Current.StationID))
		}
	}
	return list
}

// sun describes sunrise and sunset in the span.
func (c writer) sun() []string {
	var list []string
	if c.concerned(aboutLight) {
		return list
	}
	for _, e := range []struct {
		name  string
		times []time.Time
	}{{"Sunrise", c.facts.Sun.Rise}, {"Sunset", c.facts.Sun.Set}} {
		for _, t := range e.times {
			if c.holds(Daylight) && c.within(t) {
				list = append(list, fmt.Sprintf("%s at %s.", e.name, c.clock(t)))
			}
		}
	}
	return list
}

func (c writer) moon() []string {
	if c.facts.Moon.Phase == "" {
		return nil
	}
	phase := strings.ReplaceAll(c.facts.Moon.Phase, "_", " ")
	return []string{
		fmt.Sprintf("Moon: %s, %.0f percent lit.", phase, math.Round(c.facts.Moon.Illumination*100)),
	}
}

// notes returns the notes of the facts and names the facts that do not apply.
func (c writer) notes() []string {
	list := append([]string{}, c.facts.Notes...)
	if f := c.found("flooding_residual"); f != nil && f.severity == "" && height(f.value) != "0" {
		list = append(list, fmt.Sprintf("The gauge was %s ft from its prediction, %s. "+
			"The predicted margin to flooding does not include that.",
			signed(f.value), c.clock(f.at)))
	}
	list = append(list, c.beyondTide()...)
	if level := c.fact(ObservedLevel); inputOf(ObservedLevel).needs[c.activity] >= watches &&
		level.Waived == "" && c.tooFarForGauge() {
		list = append(list, "The observed level counts up to 6 h ahead: later times are compared with "+
			"the prediction alone.")
	}
	for _, in := range inputs {
		if in.needs[c.activity] < watches {
			continue
		}
		if f := c.fact(in.id); f.Waived != "" {
			list = append(list, fmt.Sprintf("Does not apply: %s; %s.", in.name, f.Waived))
		}
	}
	return list
}

// riverWords lists words in station names that indicate flowing fresh water.
var riverWords = []string{"river", "creek", "bayou", "slough"}

// beyondTide describes relevant effects that the predicted tide leaves out.
func (c writer) beyondTide() []string {
	var list []string
	for _, word := range strings.Fields(plainName(c.facts.Station.Name)) {
		if slices.Contains(riverWords, word) {
			list = append(list, "The station's name says that it is on a "+word+
				": river flow is not in the prediction.")
			break
		}
	}
	if c.activity == CoastalLiving && c.facts.Flood.Derived && c.facts.Flood.Level != nil {
		list = append(list, "The level of minor flooding is derived, not published. "+
			"Predictions leave out sea-level rise since the epoch of the station's datums.")
	}
	return list
}

// word returns the category of risk as the surf zone forecast writes it.
func (l RipLevel) word() string {
	return map[RipLevel]string{RipLow: "low", RipModerate: "moderate", RipHigh: "high"}[l]
}
