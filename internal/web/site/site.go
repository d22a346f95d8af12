// Package site has what the pages for people share as responses. What comes in are requests and
// functions that make a page; what goes out are responses, each made once a minute for all who
// request it, within what an address may open. It runs the parts of a page at once, lists stations
// as rows, and writes refusals. It knows no page.
//
//	site.go       Shared: settings, the directory
//	response.go   pages, files, refusals; public ones from memory
//	flights.go    one response for requests that come at a time
//	allowance.go  what an address may open in a minute beyond pages from memory
//	parts.go      parts of a page, which may wait for providers
//	rows.go       stations in lists
package site

import (
	"cmp"
	"log/slog"
	"strings"
	"sync"
	"time"

	"leadline/internal/directory"
	"leadline/internal/page"
	"leadline/tools"
)

// Settings are the operations and settings that all pages share.
type Settings struct {
	Set      *tools.Set
	Base     string // scheme and host that clients see
	Site     page.Site
	Offline  bool // providers are not asked
	Now      func() time.Time
	Log      *slog.Logger  // of unexpected errors
	Patience time.Duration // how long a page waits for all providers together; 0: 800 ms
}

// Shared has what all pages share: settings, the directory, and the responses of this minute. It is
// safe for concurrent use.
type Shared struct {
	Settings
	Flights *flights // responses that are being made
	memory  *memory
	all     func() []directory.FoundStation // the directory, in order of id
	ids     func() map[string]string        // of the directory, by their upper case
}

// New returns what pages with these settings share.
func New(settings Settings) *Shared {
	settings.Patience = cmp.Or(settings.Patience, patience)
	s := &Shared{Settings: settings, memory: newMemory(settings.Now), Flights: newFlights()}
	s.all = sync.OnceValue(s.directory)
	s.ids = sync.OnceValue(func() map[string]string {
		ids := map[string]string{}
		for _, st := range s.all() {
			ids[strings.ToUpper(st.ID)] = st.ID
		}
		return ids
	})
	return s
}

// Stations returns the directory, in order of id.
func (s *Shared) Stations() []directory.FoundStation { return s.all() }

// StationID returns the id of a station of the directory, which may be written in another case.
func (s *Shared) StationID(text string) (id string, ok bool) {
	id, ok = s.ids()[strings.ToUpper(text)]
	return id, ok
}

// Frame returns the frame of a page of a section: "Stations", "Near me", "Docs", "Status" or "".
func (s *Shared) Frame(section, description string) page.Frame {
	return s.Site.Frame(section, description)
}
