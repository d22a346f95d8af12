package web

import (
	"net/http"
	"time"

	"leadline/internal/page"
)

var homeView = view[homePage](withCharts, "home", "curve", "copy", "suggest")

// homePage is the front page.
type homePage struct {
	page.Frame
	Tides, Currents string // numbers of stations
	Example         *stationPage
	Clients         []Client
	SignedIn        bool // the blocks are for people who sign in
	CanSignIn       bool
	SignUp          bool
	Address         string
	Public          bool // clients on the internet can connect
}

// exampleStation is the station whose tide the front page shows: Boston.
const exampleStation = "8443970"

// examplePatience limits how long the front page waits for the gauge.
const examplePatience = 300 * time.Millisecond

// home serves the front page.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	signIn := r.URL.Query().Get("signin") == "1" && s.c.Accounts
	key := "/"
	if signIn {
		key = "/?signin=1"
	}
	s.once(w, r, key, func(now time.Time) rendered {
		v := homePage{
			Frame: s.frame("", "Tides, currents and coastal weather for AI clients over MCP, for programs "+
				"over REST and for people, with the source and the age of every fact."),
			SignedIn: signIn, CanSignIn: s.c.Accounts, SignUp: s.c.SignUp, Public: isPublic(s.c.Base),
			Address: s.c.Base + "/mcp",
		}
		if signIn {
			v.Address = s.c.Base + "/pro/mcp"
		}
		v.Clients = Clients(s.c.Base, v.Address)
		v.Canonical = s.c.Base + "/"
		v.Image = s.c.Base + "/stations/" + exampleStation + "/tide.png"
		v.OwnSearch = true
		v.Skip = "the search"
		tides, currents := 0, 0
		for _, st := range s.all() {
			switch st.Predicts {
			case "tides":
				tides++
			case "currents":
				currents++
			}
		}
		v.Tides, v.Currents = thousands(tides), thousands(currents)
		v.Example = s.example(r, now)
		return render(homeView, v, caching{!v.Example.Waiting, time.Minute})
	})
}

// example returns the tide of the example station.
func (s *Server) example(r *http.Request, now time.Time) *stationPage {
	p := prefsOf(nil, now)
	info, state := s.describe(r.Context(), exampleStation, p)
	v := &stationPage{}
	if !state.Here() {
		return v
	}
	p.in(zoneOfStation(info.Station))
	v.Title, v.ID = titleOf(info.Station.Name, info.Station.State), info.Station.ID
	b := &stationBuilder{Server: s, info: info, p: &p, v: v, live: !s.c.Offline}
	b.v.Gauge = &gaugeView{}
	g := gather(r.Context(), examplePatience)
	var layouts []func()
	b.askTide(g, func(f func()) { layouts = append(layouts, f) })
	g.done()
	for _, layout := range layouts {
		layout()
	}
	v.At = instant(p.now, p.clock(p.now))
	v.prefs = p
	return v
}
