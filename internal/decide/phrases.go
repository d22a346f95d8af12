package decide

import (
	"fmt"
	"math"
	"strings"
)

// This file has the sentences for people: one for each code of a reason. Reason.Message is for
// programs, and keeps its form.

// phrases has the words of each code of the table of thresholds, with the names of phraseWords in
// braces: what was found, and in what form the sentence has it. Most have the form usual.
var phrases = map[string]struct{ what, form string }{
	"wind":                 {"wind {value} kn", usual},
	"gust":                 {"gusts {value} kn", usual},
	"seas":                 {"seas {value} ft", usual},
	"steep_seas":           {"steep seas {value} ft every {period} s", usual},
	"wind_against_current": {"current {value} kn against wind {wind} kn", usual},
	"seas_against_current": {"current {value} kn against seas {seas} ft", usual},
	"long_swell":           {"long swell {value} ft every {period} s", usual},
	waveRunup:              {"seas {value} ft every {period} s run up the shore", usual},
	ripCurrent:             {"{risk} risk of rip currents", "{What} from {from}."},
	"current":              {"current {value} kn", usual},
	"thunderstorms":        {"thunderstorms", covering},
	"fog":                  {"fog", covering},
	"freezing_spray":       {"freezing spray", covering},
	"waterspouts":          {"waterspouts", covering},
	"volcanic_ash":         {"volcanic ash", covering},
	"heavy_smoke":          {"heavy smoke", covering},
	"heavy_snow":           {"heavy snow", covering},
	"severe_weather":       {"severe weather", covering},
	"visibility":           {"visibility {value} nmi", usual},
	"darkness":             {"dark {dark}", "{What}."},
	"low_water":            {"low water {value} ft {datum}", usual},
	lowWaterObserved: {"the gauge is {size} ft below its prediction",
		"{What}; the lowest predicted level is {low} ft {datum}, at {lowAt}."},
	"cold_water": {"water {value} °F", "{What}, observed {at}; limit {limit}."},
	"rising_tide": {"the tide rises {value} min after low water",
		"At {at} the tide has risen for {value} min since low water; limit {limit}."},
	"fast_rise": {"the water rises {value} ft an hour", usual},
	unreadText:  {"the coastal text says more", "The coastal text also says: {quote}"},
	"flooding_predicted": {"high water {value} ft {datum}",
		"{What} at {at}; minor flooding begins at {flood} ft."},
	"flooding_observed": {"the gauge was at {value} ft {datum}",
		"{What} at {at}; minor flooding begins at {flood} ft."},
	"flooding_residual": {"the gauge is {value} ft above its prediction",
		"{What}; the tide leaves {left} ft to minor flooding."},
}

const (
	usual    = "{What}{of} at {at}; limit {limit}."
	covering = "{What}, coverage {value} %{of} at {at}; limit {limit} %."
)

// phrase returns the sentence of a spell for people.
func (c writer) phrase(s spell) string {
	switch {
	case s.lack != nil:
		return c.lackPhrase(s)
	case s.event != "" && s.until == nil:
		return s.event + ", until further notice."
	case s.event != "":
		return s.event + ", until " + c.people().at(*s.until) + "."
	}
	form := strings.Replace(phrases[s.code].form, "{What}", title(phrases[s.code].what), 1)
	return title(c.phraseWords(s).Replace(form))
}

// short returns what was found in a few words, for use within a sentence.
func (c writer) short(s spell) string {
	if s.event != "" {
		return s.event
	}
	return c.phraseWords(s).Replace(phrases[s.code].what)
}

// phraseWords replaces the names in the words of a finding.
func (c writer) phraseWords(s spell) *strings.Replacer {
	at, of, flood := c.people().at, "", ""
	if s.source == MarineText {
		of = " (coastal text)"
	}
	if level := c.facts.Flood.Level; level != nil {
		flood = height(*level)
	}
	limit := number(s.threshold)
	if s.unit != "percent" {
		limit += " " + strings.Replace(s.unit, "degrees F", "°F", 1)
	}
	return strings.NewReplacer("{value}", number(s.value), "{limit}", limit, "{at}", at(s.at),
		"{of}", of, "{period}", number(s.period), "{wind}", number(s.wind), "{seas}", number(s.seas),
		"{risk}", s.risk.word(), "{from}", at(s.from),
		"{dark}", c.dark(s), "{datum}", string(c.facts.Tide.Datum),
		"{size}", number(math.Abs(s.value)), "{low}", number(s.low), "{lowAt}", at(s.lowAt),
		"{quote}", shortened(s.quote), "{flood}", flood, "{left}", number(s.left))
}

// dark returns when it is dark within a spell: from last light to first light, as far as these lie
// in it.
func (c writer) dark(s spell) string {
	from, to, dawn := s.from, s.to, false
	for _, light := range c.facts.Sun.Light {
		if !light.To.Before(s.from) && light.To.Before(s.to) {
			from = light.To
		}
		if light.From.After(s.from) && light.From.Before(s.to) && light.From.After(from) && !dawn {
			to, dawn = light.From, true
		}
	}
	if !dawn && !to.Before(c.to) {
		return "from " + c.people().at(from)
	}
	return "from " + c.people().span(from, to)
}

// lackPhrase returns the sentence of a missing fact.
func (c writer) lackPhrase(s spell) string {
	l, when := s.lack, c.people().span(s.from, s.to)
	switch {
	case l.code == WeatherNotOffered:
		return "No weather service reaches here."
	case l.how == "stale":
		return fmt.Sprintf("The %s is too old, from %s.", l.name, when)
	case l.how == "undated":
		return fmt.Sprintf("The age of the %s is not known.", l.name)
	case l.how == "incomplete":
		return fmt.Sprintf("Parts of the %s are missing from %s: that does not mean none.", l.name, when)
	}
	return fmt.Sprintf("No %s from %s: that does not mean none.", l.name, when)
}

func (c writer) people() people {
	return HoursRequest{From: c.from, To: c.to}.people(c.facts.Zone)
}

// decisive returns what decides the worst state of the spells in a few words, the preferred words
// first. The spells are in the order of the reasons.
func (c writer) decisive(spells []spell) []string {
	if len(spells) == 0 {
		return nil
	}
	l := spells[0].lack
	switch {
	case l == nil:
		return []string{c.short(spells[0])}
	case l.code == WeatherNotOffered:
		return []string{"no weather service reaches here"}
	case l.how == "missing":
		return []string{l.why, "no " + l.name}
	case l.how == "stale":
		return []string{"the " + l.name + " is too old"}
	}
	return []string{"parts of the " + l.name + " are missing"}
}
