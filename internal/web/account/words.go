package account

import (
	"html/template"
	"strings"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
)

// The formats of days and times. Times of accounts are in UTC, as quotas are.
const (
	dayFormat    = "2 Jan 2006"
	momentFormat = "2 Jan 2006, 15:04 UTC"
	secondFormat = "2 Jan 2006, 15:04:05 UTC"
	monthName    = "January 2006"
)

// day writes the UTC day of a time, or "today".
func (v *visit) day(t time.Time) template.HTML {
	t = t.UTC()
	if now := v.c.Now().UTC(); t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return element(t.Format(time.DateOnly), "today")
	}
	return dayElement(t)
}

// dayElement writes the UTC day of a time.
func dayElement(t time.Time) template.HTML {
	return element(t.UTC().Format(time.DateOnly), t.UTC().Format(dayFormat))
}

// moment writes a time.
func moment(t time.Time) template.HTML {
	t = t.UTC()
	return element(t.Format(time.RFC3339), t.Format(momentFormat))
}

// second writes a time with its second.
func second(t time.Time) template.HTML {
	t = t.UTC()
	return element(t.Format(time.RFC3339), t.Format(secondFormat))
}

// element returns an element with a text about a time, and the time for programs.
func element(time, text string) template.HTML {
	return template.HTML(`<time datetime="` + time + `">` + text + `</time>`)
}

// quoted writes a name that a person has chosen, in quotation marks and apart from the direction of
// the text around it.
func quoted(name string) template.HTML {
	return template.HTML("“<bdi>" + template.HTMLEscapeString(name) + "</bdi>”")
}

// allows describes in words what scopes allow.
func allows(scopes []string) string {
	var list []string
	for _, s := range scopesAbout {
		for _, scope := range scopes {
			if s.Name == scope {
				list = append(list, s.About)
			}
		}
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// planName writes the name of a plan.
func planName(t access.Tier) string {
	return strings.ToUpper(string(t[:1])) + string(t[1:])
}

// forPeople returns the message of an error in the words of the pages. Messages name fields and
// examples as programs send them.
func forPeople(e *coast.Error) string {
	if e.Code == coast.StationNotFound {
		return "No station has this id. Find the id on the station's page, under Stations."
	}
	if len(e.Issues) == 0 {
		return inWords(e.Explain(func(h coast.Hint) string { return h.Do + "." }).Message)
	}
	texts := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		texts[i] = inWords(issue.Message)
	}
	return strings.Join(texts, " ")
}

// forPrograms matches what is for programs in messages: examples of JSON.
var forPrograms = coast.Pattern(` Example: "\w+": .*\.$`)

// fieldNames are the names of fields where they begin a message, and inside it.
var fieldNames = strings.NewReplacer(
	"stationId", "the station", "localDate", "the day", "localTime", "the time",
	"their URLs", "their addresses",
)

// hours and minutes match parts of durations in messages about limits, such as 1h5m0s.
var (
	hours   = coast.Pattern(`\b(\d+)h(\d+m0s\b)`)
	minutes = coast.Pattern(`\b(\d+)m0s\b`)
)

// inWords returns a message as a sentence, without what is for programs.
func inWords(message string) string {
	text := forPrograms().ReplaceAllString(message, "")
	text = minutes().ReplaceAllString(hours().ReplaceAllString(text, "$1 h $2"), "$1 min")
	switch name, rest, _ := strings.Cut(text, " "); name {
	case "url":
		text = "the address " + rest
	case "events":
		text = "the list of events " + strings.Replace(rest, `"*"`, "all kinds", 1)
	case "since":
		text = "the time " + rest
	case "description", "name", "activity":
		text = "the " + text
	}
	text = strings.TrimSuffix(fieldNames.Replace(text), ".") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

// plain returns an identifier as words: cold_water is "cold water".
func plain(id string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(id) }

// known writes a time, or "" if there is none.
func known(t *time.Time) template.HTML {
	if t == nil {
		return ""
	}
	return moment(*t)
}
