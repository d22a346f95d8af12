package rest

import (
	"log/slog"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/coast"
	"leadline/tools"
)

// New returns the door, which answers every path given to it.
func New(set *tools.Set, log *slog.Logger) http.Handler {
	d := door{log}
	r := httprouter.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	r.NotFound = http.HandlerFunc(notFound)
	r.MethodNotAllowed = http.HandlerFunc(methodNotAllowed)

	read := func(path string, h httprouter.Handle) {
		r.GET(path, h)
		r.HEAD(path, h)
	}
	read("/api/v1/stations", get[stationsQuery](d, set.SearchStations))
	read("/api/v1/stations/:id", nearestOr(get[nearestQuery](d, set.NearestStations), get[stationQuery](d, set.StationInfo)))
	read("/api/v1/stations/:id/predictions", get[predictionsQuery](d, set.TidePredictions))
	read("/api/v1/astronomy", get[astronomyQuery](d, set.Astronomy))
	return r
}

// nearestOr serves nearest as a reserved id: the router holds no fixed name
// beside a parameter.
func nearestOr(nearest, station httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		if path.ByName("id") == "nearest" {
			nearest(w, r, nil)
			return
		}
		station(w, r, path)
	}
}

func notFound(w http.ResponseWriter, r *http.Request) {
	coast.WriteError(w, coast.Errorf(coast.NotFound, "no such route: %s. The routes are /api/v1/stations, /api/v1/stations/nearest, /api/v1/stations/{id}, /api/v1/stations/{id}/predictions and /api/v1/astronomy.", tools.Clip(r.URL.Path)))
}

func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed, "%s is not allowed here; the Allow header lists what is", tools.Clip(r.Method)))
}

type stationsQuery struct {
	Q      string `json:"q,omitempty" doc:"Name or id, tolerant of spelling." example:"Boston"`
	State  string `json:"state,omitempty" doc:"Two letters." pattern:"^[A-Za-z]{2}$" example:"MA"`
	Limit  int    `json:"limit" default:"200" min:"1" max:"5000" doc:"Stations in the answer."`
	Offset int    `json:"offset" default:"0" min:"0" max:"10000" doc:"Stations to leave out, for the next page."`
	tools.OfType
	anyForm
}

func (q stationsQuery) Input() tools.SearchStationsInput {
	return tools.SearchStationsInput{Query: q.Q, State: q.State, OfType: q.OfType, Limit: q.Limit, Offset: q.Offset}
}

// anyForm are the parameters that every data route takes, so that a client can
// send the same ones to all; here no answer has heights or times for them.
type anyForm struct {
	tools.InUnits
	tools.InZone
}

type nearestQuery struct {
	Lat float64 `json:"lat" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Lon float64 `json:"lon" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	tools.OfType
	anyForm
}

func (q nearestQuery) Input() tools.NearestStationsInput {
	return tools.NearestStationsInput{Latitude: q.Lat, Longitude: q.Lon, OfType: q.OfType, Limit: 10}
}

// atStation is the path parameter of every {id} route.
type atStation struct {
	ID string `json:"id" doc:"Station id." pattern:"^[A-Za-z0-9]{4,16}$" example:"8443970"`
}

type stationQuery struct {
	atStation
	tools.InUnits
	tools.InZone
}

func (q stationQuery) Input() tools.StationInfoInput {
	return tools.StationInfoInput{
		AtStation: tools.AtStation{Station: q.ID}, InUnits: q.InUnits,
		Expand: []string{"details", "products", "datums", "floodlevels", "bins"},
	}
}

type predictionsQuery struct {
	atStation
	Interval string `json:"interval" default:"hilo" enum:"hilo h 1 5 6 10 15 30 60" doc:"hilo: high and low waters; else a series by hour (h) or minutes."`
	Begin    string `json:"begin_date,omitempty" doc:"First day, 2026-11-20; now where left out." example:"2026-11-20"`
	Hours    int    `json:"hours" default:"48" min:"1" max:"168" doc:"Length of the span."`
	tools.OnDatum
	tools.InUnits
	tools.InZone
}

func (q predictionsQuery) Input() tools.TidePredictionsInput {
	return tools.TidePredictionsInput{
		AtStation: tools.AtStation{Station: q.ID}, Interval: q.Interval, OnDatum: q.OnDatum,
		Span: tools.Span{Begin: q.Begin, Range: q.Hours}, InUnits: q.InUnits, InZone: q.InZone,
	}
}

type astronomyQuery struct {
	Lat  float64 `json:"lat" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Lon  float64 `json:"lon" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Date string  `json:"date,omitempty" doc:"First day, 2026-11-20; today where left out." example:"2026-11-20"`
	Days int     `json:"days" default:"1" min:"1" max:"31" doc:"How many days."`
	tools.InUnits
	tools.InPlaceZone
}

func (q astronomyQuery) Input() tools.AstronomyInput {
	return tools.AstronomyInput{SunTimesInput: tools.SunTimesInput{
		AtPlace: tools.AtPlace{Latitude: &q.Lat, Longitude: &q.Lon}, Date: q.Date, Days: q.Days, InPlaceZone: q.InPlaceZone,
	}}
}
