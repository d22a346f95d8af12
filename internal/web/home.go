package web

import (
	"context"
	"net/http"
	"time"

	"leadline/internal/chart"
	"leadline/internal/page"
	"leadline/internal/words"
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
	Address         string // of the MCP endpoint
	PerMinute       int    // requests without an account
	Public          bool   // clients on the internet can connect
}

// exampleStation is the station whose tide the front page shows: Boston.
const exampleStation = "8443970"

// examplePatience limits how long the front page waits for the gauge.
const examplePatience = 300 * time.Millisecond

// home serves the front page.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	signIn := r.URL.Query().Get("signin") == "1" && s.Site.Accounts
	key := "/"
	if signIn {
		key = "/?signin=1"
	}
	s.once(w, r, key, func(ctx context.Context, now time.Time) response {
		v := homePage{
			Frame: s.frame("", "Tides, currents and coastal weather for AI clients over MCP, for programs "+
				"over REST and for people, with the source and the age of every fact."),
			SignedIn: signIn, CanSignIn: s.Site.Accounts, SignUp: s.c.SignUp, Public: IsPublic(s.Base),
			Address: s.Base + "/mcp", PerMinute: s.c.PerMinute,
		}
		if signIn {
			v.Address = s.Base + "/pro/mcp"
		}
		v.Clients = Clients(s.Base, v.Address)
		v.Canonical = s.Base + "/"
		v.Image = s.Base + "/stations/" + exampleStation + "/tide.png"
		v.OwnSearch = true
		v.Skip = "the search"
		tides, currents := 0, 0
		for _, st := range s.Stations() {
			switch st.Predicts {
			case "tides":
				tides++
			case "currents":
				currents++
			}
		}
		v.Tides, v.Currents = chart.Thousands(tides), chart.Thousands(currents)
		var complete bool
		v.Example, complete = s.stations.example(ctx, now)
		return render(homeView, v, keptIf(complete, time.Minute))
	})
}

// example returns the tide of the example station, and whether nothing is missing that a later
// request may have.
func (s *stationPages) example(ctx context.Context, now time.Time) (v *stationPage, complete bool) {
	live, cancel := context.WithTimeout(ctx, min(examplePatience, s.Patience))
	defer cancel()
	p := prefsOf(nil, now)
	v = &stationPage{Gauge: &gaugeView{}}
	info, err := s.describe(live, exampleStation, p)
	if err != nil {
		return v, false
	}
	p.in(zoneOfStation(info.Station))
	v.Title, v.ID = words.WithState(info.Station.Name, info.Station.State), info.Station.ID
	b := s.newBuilder(info, &p, v, !s.Offline)
	g := s.gather(ctx, live)
	b.askTide(g)
	b.lay(g)
	v.At = instant(p.now, p.clock(p.now))
	v.prefs = p
	return v, b.complete
}
