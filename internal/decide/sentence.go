package decide

import (
	"fmt"
	"strings"
	"time"

	"leadline/internal/coast"
)

// LongestSentence limits the sentence about hours, in characters.
const LongestSentence = 90

// people writes times for people, by a clock of twelve hours. Within a day the day is left out.
type people struct {
	from time.Time // in the zone of the texts
	date string    // format of a day if it is not left out
	days bool      // the span has several days, so that each time has its day
}

// people returns the times of the request in a zone.
func (r HoursRequest) people(zone *time.Location) people {
	p := people{from: r.From.In(zone), date: "Mon "}
	last := r.To.Add(-1).In(zone)
	p.days = last.YearDay() != p.from.YearDay() || last.Year() != p.from.Year()
	if last.Sub(p.from) > 6*24*time.Hour { // weekdays come twice
		p.date = "2 Jan "
	}
	return p
}

// day returns the day of a time, followed by a space, or "" if it is left out.
func (p people) day(t time.Time) string {
	if !p.days && t.YearDay() == p.from.YearDay() && t.Year() == p.from.Year() {
		return ""
	}
	return t.Format(p.date)
}

// at returns a time, such as 9 AM, Sat 4:44 PM or noon.
func (p people) at(t time.Time) string {
	t = t.In(p.from.Location()).Truncate(time.Minute)
	day := p.day(t)
	switch clock := t.Format("15:04"); {
	case clock == "12:00":
		return day + "noon"
	case clock == "00:00" && (day == "" || !p.days && p.day(t.Add(-1)) == ""):
		return "midnight"
	}
	return day + strings.Replace(t.Format("3:04 PM"), ":00", "", 1)
}

// span returns a span, such as 2 to 4 PM, 9 AM to 5 PM or Sat 11 PM to Sun 3 AM.
func (p people) span(from, to time.Time) string {
	a, b := p.at(from), p.at(to)
	if day := p.day(from.In(p.from.Location())); day != "" {
		b = strings.TrimPrefix(b, day)
	}
	if half := a[len(a)-2:]; (half == "AM" || half == "PM") && strings.HasSuffix(b, half) &&
		to.Sub(from) < 12*time.Hour {
		a = a[:len(a)-3]
	}
	return a + " to " + b
}

// lasts returns a length, such as 2 h 44 min.
func lasts(d time.Duration) string {
	hours, minutes := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case hours == 0:
		return fmt.Sprintf("%d min", minutes)
	case minutes == 0:
		return fmt.Sprintf("%d h", hours)
	}
	return fmt.Sprintf("%d h %d min", hours, minutes)
}

// clauses has the words for each look of a run.
var clauses = map[string]string{
	Run{State: Normal, Confidence: High}.looks(): "nothing found against it",
	Run{State: Normal, Confidence: Low}.looks():  "nothing known against it yet",
	string(WatchState):                           "take care",
	string(ActionNeeded):                         "reasons against",
	string(Unknown):                              "cannot tell",
}

// sentence writes runs as one sentence.
type sentence struct {
	runs     []Run
	best     *Best
	times    people
	light    []coast.Span
	decisive []string // what decides a single state, the preferred words first
}

// text returns the sentence: at most two clauses, or the number of changes and the best run. It has
// at most LongestSentence characters.
func (s sentence) text() string {
	var forms []string
	switch n := len(s.runs); {
	case n == 0:
		return "No hours to look at."
	case n == 1:
		forms = s.single()
	case n == 2:
		first, last := s.clause(0)+" until "+s.times.at(s.runs[0].To), "; after that "+s.clause(1)
		forms = []string{first + last + s.until(), first + last}
	case n == 3 && s.clause(0) == s.clause(2):
		forms = []string{s.clause(0) + " until " + s.times.at(s.runs[0].To) + " and from " +
			s.times.at(s.runs[2].From) + "; in between " + s.clause(1)}
	}
	for _, form := range append(forms, s.changes()) {
		if text := title(form) + "."; len([]rune(text)) <= LongestSentence {
			return text
		}
	}
	return title(s.clause(0)) + "." // a single state whose reason is long
}

func (s sentence) clause(run int) string { return clauses[s.runs[run].looks()] }

// single returns the forms of one state, with its reason if that is short enough.
func (s sentence) single() []string {
	run := s.runs[0]
	when, forms := " from "+s.times.span(run.From, run.To), []string{}
	if s.allDay(run) {
		when = " all day"
	}
	if run.State == Unknown {
		when = ""
	}
	if run.State != Normal {
		for _, why := range s.decisive {
			forms = append(forms, s.clause(0)+when+": "+why)
		}
	}
	return append(forms, s.clause(0)+when)
}

// allDay reports whether a run lasts from first to last light of one day.
func (s sentence) allDay(run Run) bool {
	if s.times.days {
		return false
	}
	has := false
	for _, light := range s.light {
		if light.To.After(run.From) && light.From.Before(run.To) {
			if light.From.Before(run.From) || light.To.After(run.To) {
				return false
			}
			has = true
		}
	}
	return has
}

// until returns the end of the last run, with the word dark if it ends at last light.
func (s sentence) until() string {
	end := s.runs[len(s.runs)-1].To
	for _, light := range s.light {
		if light.To.Equal(end) {
			return " until dark (" + s.times.at(end) + ")"
		}
	}
	return " until " + s.times.at(end)
}

// changes returns the number of changes and the best run.
func (s sentence) changes() string {
	text := fmt.Sprintf("changes %d times: ", len(s.runs)-1)
	if len(s.runs) == 2 {
		text = "changes once: "
	}
	if s.best == nil {
		return text + "no best run in daylight"
	}
	text += "best from " + s.times.span(s.best.From, s.best.To)
	if s.best.State == WatchState {
		text += ", with care"
	}
	return text
}
