package rest

import (
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/tools"
)

// operation is one line of the table of routes.
type operation struct {
	method  string
	path    string // parameters in braces
	id      string // what clients call the operation
	tag     string // its chapter in the document, one of tags
	summary string
	about   string // for readers of the document
	endpoint
}

// read is an operation that answers GET, and HEAD.
func read(path, id, tag, summary, about string, e endpoint) operation {
	return operation{http.MethodGet, path, id, tag, summary, about, e}
}

// send is an operation that answers POST: its question is longer than an
// address may be, or it changes something.
func send(path, id, tag, summary, about string, e endpoint) operation {
	return operation{http.MethodPost, path, id, tag, summary, about, e}
}

// contract is the table of the versioned contract, in the order of the document.
func contract(set *tools.Set) []operation {
	return []operation{
		read("/api/v1/stations", "searchStations", "Stations", "Search the station directory",
			"Finds stations by name or id, forgiving spelling, best match first; without `q`, all of them in order of id. `state` and `type` narrow the list, `limit` and `offset` turn its pages.",
			get[stationsQuery](set.SearchStations)),
		read("/api/v1/stations/nearest", "findNearestStations", "Stations", "Find the stations nearest a point",
			"The ten nearest stations with distance and bearing, nearest first. Distances are straight lines over the earth: the nearest station may lie on another body of water.",
			get[nearestQuery](set.NearestStations)),
		read("/api/v1/stations/{id}", "getStation", "Stations", "Tell what a station is and what it can answer",
			"Place, time zone, kind of predictions, reference station, datums and flood levels. What only a provider knows and could not be had stands in `missing`.",
			get[stationQuery](set.StationInfo)),
		read("/api/v1/stations/{id}/predictions", "getPredictions", "Water", "Predict high and low waters, or a series of heights",
			"The astronomical tide as NOAA publishes it, computed here. `extremes` holds the high and low waters of interval `hilo`, `series` the heights of every other interval, `now` the tide at this moment where the span covers it. Weather, surge and river flow are not in it, and flood, ebb and slack do not follow from it.",
			get[predictionsQuery](set.TidePredictions)),
		read("/api/v1/stations/{id}/water-levels", "getWaterLevels", "Water", "Tell the observed water levels",
			"The heights that the gauge measured in the last hours, with the predicted height at the newest of them and the residual, which is observed less predicted. Preliminary values are marked; a height is null where NOAA has none.",
			get[waterLevelsQuery](set.WaterLevels)),
		read("/api/v1/stations/{id}/conditions", "getConditions", "Weather", "Tell the newest readings",
			"The newest water level with the prediction and the residual beside it, wind, air and water temperature and pressure, each with its own time and age. What could not be had stands in `missing`.",
			get[conditionsQuery](set.Conditions)),
		read("/api/v1/stations/{id}/forecast", "getForecast", "Weather", "Tell the forecast of wind, seas and hazards",
			"Hourly wind, weather and waves from the weather service's grid; the coastal waters text of the nearest marine zone; the alerts as of `alertsAsOf`; and the risk of rip currents where an office tells it. No alert is no promise: where they could not be had, `missing` says so.",
			get[forecastQuery](set.Forecast)),
		read("/api/v1/astronomy", "getAstronomy", "Sky", "Compute sun and moon at a point",
			"Rise, set and transit, twilights, golden and blue hours, phase and illumination for each civil day, and the moon's next events. A time is null on days without the event.",
			get[astronomyQuery](set.Astronomy)),
		send("/api/v1/decisions/trip-health", "decideTripHealth", "Decisions", "Tell how a time looks for an activity",
			"A state, a confidence and the reasons with their numbers, for the hours from the time asked for on. Every fact stands in `sources`; what applies and could not be had in `missingInputs`, and without a fact that the activity cannot do without the state is `unknown`. A provider that does not answer narrows the decision and never fails it.",
			needs(tripHealth, post(set.TripHealth))),
		send("/api/v1/decisions/best-window", "rankWindows", "Decisions", "Rank times for an activity",
			"Decides about 2 to 12 times and ranks them by state, confidence and score, ties by time. Every part of a score is told. `recommended` is null where no state is `normal` or `watch`.",
			keyed(post(set.BestWindow))),
		send("/api/v1/decisions/evaluate-rules", "evaluateRules", "Decisions", "Judge a new decision by rules",
			"Decides, and holds the decision against 1 to 20 rules. Each result says what was expected and what there is.",
			keyed(post(set.EvaluateRules))),
		send("/api/v1/decisions/material-change", "compareDecision", "Decisions", "Tell what has changed since an earlier decision",
			"Decides, and compares with the `baseline`: an earlier decision, or the `summary` of an earlier answer. Material are a change of state or confidence, a reason at watch or action gained or lost, and a fact lost or regained that the activity cannot do without.",
			keyed(post(set.MaterialChange))),
		read("/api/developer/status", "getStatus", "Service", "Tell how the service and its providers are",
			"Whether the API and the tool server answer, and how the providers did when they were last asked. A provider that fails makes the service degraded: what is computed here is answered all the same.",
			priced(free, get[statusQuery](set.Status))),
	}
}

// tripHealth is what the public decision needs: a key that is sent may be one
// for data or one for decisions.
var tripHealth = access.Need{By: access.Nobody | access.Key, Scopes: []string{access.RawRead, access.DecisionRead}}

// API is the door. It answers every path given to it.
type API struct {
	contract  []operation
	developer []operation
	router    http.Handler
}

// New binds the tables of routes to the operations of set. Requests come
// through the Wear of gate.
func New(set *tools.Set, gate *access.Gate, log *slog.Logger) *API {
	return serve(door{gate, log}, contract(set), developer(set))
}

// serve routes requests by the tables.
func serve(d door, contract, developer []operation) *API {
	table := slices.Concat(contract, developer)
	r := httprouter.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	r.NotFound = d.counted(notFound(table))
	r.MethodNotAllowed = d.counted(methodNotAllowed)
	d.mount(r, table)
	return &API{contract, developer, r}
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// anybody is what a request needs that no operation answers.
var anybody = access.Need{By: access.Nobody | access.Key}

// counted takes a request of the caller's minute before next answers.
func (d door) counted(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.gate.Admit(r, anybody); err != nil {
			h := w.Header()
			h.Del("Allow")
			d.fail(w, r, err)
			return
		}
		next(w, r)
	})
}

// mount gives the table to the router. The router holds no fixed name beside
// a parameter, so such a name is served as a reserved value of the parameter.
func (d door) mount(r *httprouter.Router, table []operation) {
	fixed := map[string]map[string]httprouter.Handle{} // the names beside {id}, by what stands before it
	for _, o := range table {
		if parent, name := path.Split(o.path); name == "{id}" {
			fixed[parent] = map[string]httprouter.Handle{}
		}
	}
	for _, o := range table {
		parent, name := path.Split(o.path)
		handle := d.handle(o.endpoint)
		if o.public() {
			handle = shared(o.methods(), handle)
		}
		pattern := strings.NewReplacer("{", ":", "}", "").Replace(o.path)
		if o.method != http.MethodGet {
			r.Handle(o.method, pattern, handle)
			if o.public() {
				r.OPTIONS(pattern, handle)
			}
			continue
		}
		if names, ok := fixed[parent]; ok && name == "{id}" {
			handle = reserved(names, handle)
		} else if ok {
			names[name] = handle
			continue
		}
		r.GET(pattern, handle)
		r.HEAD(pattern, handle)
		if o.public() {
			r.OPTIONS(pattern, handle)
		}
	}
}

// public reports whether pages of any site may ask the operation: whatever
// needs no credential.
func (o operation) public() bool { return o.price == free || o.need.By&access.Nobody != 0 }

// methods are those of the operation.
func (o operation) methods() []string {
	if o.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{o.method}
}

// shared lets pages of any site ask an operation.
func shared(methods []string, next httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		if !edge.Public(w, r, methods...) {
			next(w, r, path)
		}
	}
}

// reserved serves the fixed names, and every other id.
func reserved(names map[string]httprouter.Handle, other httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		if named, ok := names[p.ByName("id")]; ok {
			named(w, r, nil)
			return
		}
		other(w, r, p)
	}
}

// notFound answers where no route is, and tells which ones are.
func notFound(table []operation) http.HandlerFunc {
	paths := make([]string, len(table))
	for i, o := range table {
		paths[i] = o.method + " " + o.path
	}
	routes := strings.Join(paths, ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		coast.WriteError(w, coast.Errorf(coast.NotFound, "no such route: %s. The routes are %s; /openapi.json describes them.", coast.Clip(r.URL.Path), routes))
	}
}

// methodNotAllowed answers where a route is, but not for the method. Allow is
// set by then; the router names OPTIONS in it, which nothing here answers.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := strings.Split(w.Header().Get("Allow"), ", ")
	allowed = slices.DeleteFunc(allowed, func(method string) bool { return method == http.MethodOptions })
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	coast.WriteError(w, coast.Errorf(coast.MethodNotAllowed, "%s is not allowed here; the Allow header lists what is", coast.Clip(r.Method)))
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
	Begin    string `json:"begin_date,omitempty" doc:"First day, 2026-11-20; now where left out." format:"date" example:"2026-11-20"`
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

type waterLevelsQuery struct {
	atStation
	Hours int `json:"hours" default:"24" min:"1" max:"720" doc:"How far back from now."`
	tools.OnDatum
	tools.InUnits
	tools.InZone
}

func (q waterLevelsQuery) Input() tools.WaterLevelsInput {
	return tools.WaterLevelsInput{
		AtStation: tools.AtStation{Station: q.ID}, Interval: "6", OnDatum: q.OnDatum,
		Span: tools.Span{Range: q.Hours}, InUnits: q.InUnits, InZone: q.InZone,
	}
}

type conditionsQuery struct {
	atStation
	tools.InUnits
	tools.InZone
}

func (q conditionsQuery) Input() tools.ConditionsInput {
	return tools.ConditionsInput{AtStation: tools.AtStation{Station: q.ID}, InUnits: q.InUnits, InZone: q.InZone}
}

type forecastQuery struct {
	atStation
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"How far ahead."`
	tools.InUnits
	tools.InZone
}

func (q forecastQuery) Input() tools.ForecastInput {
	return tools.ForecastInput{AtStation: tools.AtStation{Station: q.ID}, Hours: q.Hours, InUnits: q.InUnits, InZone: q.InZone}
}

// statusQuery has no fields: whoever asks how the service is, is told.
type statusQuery struct{}

func (statusQuery) Input() tools.StatusInput { return tools.StatusInput{} }

type astronomyQuery struct {
	Lat  float64 `json:"lat" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Lon  float64 `json:"lon" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Date string  `json:"date,omitempty" doc:"First day, 2026-11-20; today where left out." format:"date" example:"2026-11-20"`
	Days int     `json:"days" default:"1" min:"1" max:"31" doc:"How many days."`
	tools.InUnits
	tools.InPlaceZone
}

func (q astronomyQuery) Input() tools.AstronomyInput {
	return tools.AstronomyInput{SunTimesInput: tools.SunTimesInput{
		AtPlace: tools.AtPlace{Latitude: &q.Lat, Longitude: &q.Lon}, Date: q.Date, Days: q.Days, InPlaceZone: q.InPlaceZone,
	}}
}

// Routes are the paths of the door, parameters in braces.
func Routes() (paths []string) {
	for _, o := range slices.Concat(contract(new(tools.Set)), developer(new(tools.Set))) {
		if !slices.Contains(paths, o.path) {
			paths = append(paths, o.path)
		}
	}
	return paths
}

// Route is the one of Routes that a path of a request is, "" where it is none.
func (a *API) Route(path string) string {
	for _, table := range [][]operation{a.contract, a.developer} {
		for _, o := range table {
			if matches(o.path, path) {
				return o.path
			}
		}
	}
	return ""
}

// matches reports whether a path is one of the pattern.
func matches(pattern, path string) bool {
	before, after, parameter := strings.Cut(pattern, "{id}")
	if !parameter {
		return pattern == path
	}
	id, ok := strings.CutPrefix(path, before)
	if !ok {
		return false
	}
	id, ok = strings.CutSuffix(id, after)
	return ok && id != "" && !strings.Contains(id, "/")
}
