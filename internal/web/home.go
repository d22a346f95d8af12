package web

import (
	"context"
	"embed"
	"net/http"
	"time"

	"leadline/internal/chart"
	"leadline/internal/page"
	"leadline/internal/web/site"
	"leadline/internal/web/station"
	"leadline/internal/web/view"
)

//go:embed pages/*.html
var files embed.FS

var homeView = view.New[homePage](files, view.WithCharts, "home", "curve", "copy", "suggest")

// homePage is the front page.
type homePage struct {
	page.Frame
	Tides, Currents string // numbers of stations
	Example         *station.Page
	Clients         []Client
	SignedIn        bool // the blocks are for people who sign in
	CanSignIn       bool
	SignUp          bool
	Address         string // of the MCP endpoint
	PerMinute       int    // requests without an account
	Public          bool   // clients on the internet can connect
}

// home serves the front page.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	signIn := r.URL.Query().Get("signin") == "1" && s.Site.Accounts
	key := "/"
	if signIn {
		key = "/?signin=1"
	}
	s.Once(w, r, key, func(ctx context.Context, now time.Time) site.Response {
		v := homePage{
			Frame: s.Frame("", "Tides, currents and coastal weather for AI clients over MCP, for programs "+
				"over REST and for people, with the source and the age of every fact."),
			SignedIn: signIn, CanSignIn: s.Site.Accounts, SignUp: s.c.SignUp, Public: IsPublic(s.Base),
			Address: s.Base + "/mcp", PerMinute: s.c.PerMinute,
		}
		if signIn {
			v.Address = s.Base + "/pro/mcp"
		}
		v.Clients = Clients(s.Base, v.Address)
		v.Canonical = s.Base + "/"
		v.Image = s.Base + "/stations/" + station.ExampleID + "/tide.png"
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
		v.Example, complete = s.stations.Example(ctx, now)
		return site.Render(homeView, v, site.KeptIf(complete, time.Minute))
	})
}
