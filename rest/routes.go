package rest

import (
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/access"
	"leadline/internal/almanac"
	"leadline/internal/coast"
	"leadline/internal/directory"
	"leadline/internal/edge"
	"leadline/internal/levels"
	"leadline/internal/operation"
	"leadline/internal/place"
	"leadline/internal/tides"
	"leadline/internal/weather"
	"leadline/tools"
)

// operation is one line of a table of routes.
type route struct {
	method  string
	path    string // with parameters in braces
	id      string // operationId
	client  string // method of the client libraries, empty if a key cannot call the operation
	tag     string // the OpenAPI tag, one of tags
	summary string
	about   string // the OpenAPI description
	endpoint
}

// read returns an operation that serves GET and HEAD.
func read(path, id, client, tag, summary, about string, e endpoint) route {
	return route{http.MethodGet, path, id, client, tag, summary, about, e}
}

// send returns an operation that serves POST, because its input is too long for
// a URL or because it changes something.
func send(path, id, client, tag, summary, about string, e endpoint) route {
	return route{http.MethodPost, path, id, client, tag, summary, about, e}
}

// change returns an operation that serves PATCH.
func change(path, id, client, tag, summary, about string, e endpoint) route {
	return route{http.MethodPatch, path, id, client, tag, summary, about, e}
}

// remove returns an operation that serves DELETE.
func remove(path, id, client, tag, summary, about string, e endpoint) route {
	return route{http.MethodDelete, path, id, client, tag, summary, about, e}
}

// contract returns the table of the versioned contract, in the order of the
// OpenAPI document.
func contractRoutes(set *tools.Set) []route {
	return []route{
		read("/api/v1/stations", "searchStations", "stations.search", "Stations",
			"Search the station directory",
			"Finds stations by name or id, best match first, or those near a town, a bay or a ZIP "+
				"code of that name. Without `q`, lists all of them in order of id. `match` says how "+
				"each was found: by its id, its name (exact), another name of NOAA's (alias), near a "+
				"place, or by a similar spelling (fuzzy). `state` and `type` filter the list, `limit` "+
				"and `offset` select a page.",
			get[stationsQuery](set.Directory.SearchStations),
		),
		read("/api/v1/stations/nearest", "findNearestStations", "stations.nearest", "Stations",
			"Find the stations nearest a point",
			"The ten nearest stations with distance and bearing, nearest first; none where the "+
				"nearest is over 150 km away. Distances are straight lines over the earth: the "+
				"nearest station may lie on another body of water.",
			get[nearestQuery](set.Directory.NearestStations),
		),
		read("/api/v1/stations/{id}", "getStation", "stations.get", "Stations",
			"Describe a station and the data that it has",
			"Place, time zone, kind of predictions, reference station, datums and flood levels. "+
				"Facts that only a provider has, and that could not be read, are listed in "+
				"`missing`.",
			get[stationQuery](withOperations(set.Directory.StationInfo)),
		),
		read("/api/v1/stations/{id}/predictions", "getPredictions", "stations.predictions", "Water",
			"Predict high and low waters, or a series of heights",
			"The astronomical tide as NOAA publishes it, computed here. `extremes` holds the "+
				"high and low waters of interval `hilo`, `series` the heights of every other "+
				"interval, `now` the current tide if the span covers it. Weather, surge and "+
				"river flow are not included. Flood, ebb and slack do not follow from tide "+
				"heights.",
			get[predictionsQuery](set.Tides.TidePredictions),
		),
		read("/api/v1/stations/{id}/water-levels", "getWaterLevels", "stations.waterLevels", "Water",
			"Get observed water levels",
			"The heights that the gauge measured in the last hours, with the predicted height at "+
				"the newest of them and the residual, which is observed minus predicted. "+
				"Preliminary values are marked. A height that NOAA does not have is null.",
			get[waterLevelsQuery](set.Levels.WaterLevels),
		),
		read("/api/v1/stations/{id}/conditions", "getConditions", "stations.conditions", "Weather",
			"Get the newest readings",
			"The newest water level with its prediction and residual, wind, air and water "+
				"temperature and pressure, each with its own time and age. `missing` lists the "+
				"facts that are not available.",
			get[conditionsQuery](set.Weather.Conditions),
		),
		read("/api/v1/stations/{id}/forecast", "getForecast", "stations.forecast", "Weather",
			"Get the forecast of wind, seas and hazards",
			"Hourly wind, weather and waves from the weather service's grid, the coastal waters "+
				"text of the nearest marine zone, the alerts as of `alertsAsOf`, and the risk of "+
				"rip currents where an office publishes it. An empty list of alerts is not a "+
				"promise: if alerts are not available, `missing` says so.",
			get[forecastQuery](set.Weather.Forecast),
		),
		read("/api/v1/astronomy", "getAstronomy", "astronomy.get", "Sky",
			"Compute sun and moon at a point",
			"Rise, set and transit, twilights, golden and blue hours, phase and illumination for "+
				"each civil day, and the moon's next events. A time is null on days without the "+
				"event.",
			get[astronomyQuery](set.Sky.Astronomy),
		),
		send("/api/v1/decisions/trip-health", "tripHealth", "decisions.tripHealth", "Decisions",
			"Assess a time for an activity",
			"A state, a confidence and the reasons with their numbers, for the hours that begin "+
				"at the requested time. `sources` lists every fact; `missingInputs` lists facts "+
				"that apply and are not available. If a fact that the activity requires is "+
				"missing, the state is `unknown`. If a provider is down, the decision uses fewer "+
				"facts and does not fail.",
			needs(access.PublicDecision, post(set.Decisions.TripHealth)),
		),
		send("/api/v1/decisions/best-window", "bestWindow", "decisions.bestWindow", "Decisions",
			"Rank times for an activity",
			"Assesses 2 to 12 times and ranks them by state, confidence and score, ties by time. "+
				"A normal time of low confidence ranks with the watches. Every part of a score is "+
				"listed. `recommended` is null if no state is `normal` or `watch` with at least "+
				"moderate confidence.",
			keyed(post(set.Decisions.BestWindow)),
		),
		send("/api/v1/decisions/evaluate-rules", "evaluateRules", "decisions.evaluateRules", "Decisions",
			"Check a new decision against rules",
			"Makes a decision and checks it against 1 to 20 rules. Each result has the expected "+
				"and the actual value.",
			keyed(post(set.Decisions.EvaluateRules)),
		),
		send("/api/v1/decisions/material-change", "materialChange", "decisions.materialChange",
			"Decisions", "Compare with an earlier decision",
			"Makes a decision and compares it with the `baseline`: an earlier decision, or the "+
				"`summary` of an earlier response. Material changes are another state or "+
				"confidence, a reason at watch or action added or removed, and a required fact "+
				"lost or regained.",
			keyed(post(set.Decisions.MaterialChange)),
		),
		read("/api/developer/status", "getStatus", "status.get", "Service",
			"Get the state of the service and its providers",
			"Whether the API and the tool server work, and the result of the last requests to "+
				"each provider. If a provider fails, the service is degraded: data that are "+
				"computed here remain available.",
			priced(free, anyQuery(set.Server.Status)),
		),
	}
}

// API is the REST endpoint. It responds to every path. The response to unknown paths is
// not_found.
type API struct {
	contract  []route
	developer []route
	planning  []route
	versions  *versions
	router    http.Handler
}

// New binds the tables of routes to the operations of set. Requests must come
// through the middleware of gate.
func New(set *tools.Set, gate *access.Gate, log *slog.Logger) *API {
	d := dispatcher{gate: gate, log: log, versions: newVersions(supported)}
	return newAPI(d, recorded(contractRoutes(set)), recorded(developerRoutes(set)),
		recorded(planningRoutes(set)))
}

// newAPI returns an API with the routes of the tables.
func newAPI(d dispatcher, contract, developer, planning []route) *API {
	table := slices.Concat(contract, developer, planning)
	d.routes = routesOf(table)
	r := httprouter.New()
	r.RedirectTrailingSlash, r.RedirectFixedPath, r.HandleOPTIONS = false, false, false
	r.NotFound = d.counted(notFound(table))
	r.MethodNotAllowed = d.counted(methodNotAllowed)
	d.mount(r, table)
	return &API{contract, developer, planning, d.versions, r}
}

// ServeHTTP serves a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.router.ServeHTTP(w, r) }

// anyCaller is the need of a request that does not match an operation.
var anyCaller = access.Need{By: access.Nobody | access.Key}

// counted counts a request against the caller's rate limit before next serves it.
func (d dispatcher) counted(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.versions.mark(w, r)
		if err := d.gate.Admit(r, anyCaller); err != nil {
			h := w.Header()
			h.Del("Allow")
			d.fail(w, r, err)
			return
		}
		next(w, r)
	})
}

// mount adds the table to the router. The router does not accept a fixed name
// and a parameter at the same place, so such a name is served as a reserved value
// of the parameter.
func (d dispatcher) mount(r *httprouter.Router, table []route) {
	// fixed holds the handlers of the names next to {id}, by the path before it.
	fixed := map[string]map[string]httprouter.Handle{}
	for _, o := range table {
		if parent, name := path.Split(o.path); name == "{id}" {
			fixed[parent] = map[string]httprouter.Handle{}
		}
	}
	for _, o := range table {
		parent, name := path.Split(o.path)
		handle := d.handle(o.endpoint)
		if o.versioned() {
			handle = d.handleVersioned(o.endpoint)
		}
		if o.public() {
			handle = crossOrigin(o.methods(), handle)
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
		if o.table != nil {
			table := crossOrigin(o.methods(), d.handleTable(o))
			r.GET(pattern+tableSuffix, table)
			r.HEAD(pattern+tableSuffix, table)
			r.OPTIONS(pattern+tableSuffix, table)
		}
	}
}

// public reports whether pages of any site may call the operation. They may if the operation
// needs no credential.
func (o route) public() bool { return o.price == free || o.need.By&access.Nobody != 0 }

// methods returns the HTTP methods of the operation.
func (o route) methods() []string {
	if o.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{o.method}
}

// crossOrigin allows pages of any site to call an operation.
func crossOrigin(methods []string, next httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, path httprouter.Params) {
		if !edge.Public(w, r, methods...) {
			next(w, r, path)
		}
	}
}

// reserved serves fixed names with their own handlers and all other ids with the handler
// other.
func reserved(names map[string]httprouter.Handle, other httprouter.Handle) httprouter.Handle {
	return func(w http.ResponseWriter, r *http.Request, p httprouter.Params) {
		if named, ok := names[p.ByName("id")]; ok {
			named(w, r, nil)
			return
		}
		other(w, r, p)
	}
}

// notFound responds to paths without a route with a list of the routes.
func notFound(table []route) http.HandlerFunc {
	paths := make([]string, len(table))
	for i, o := range table {
		paths[i] = o.method + " " + o.path
	}
	routes := strings.Join(paths, ", ")
	return func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, coast.Errorf(coast.NotFound,
			"no such route: %s. The routes are %s; /openapi.json describes them.",
			coast.Clip(r.URL.Path), routes))
	}
}

// methodNotAllowed responds to a method that the route does not have. The router has already
// set the Allow header. methodNotAllowed removes OPTIONS from it, because no route serves
// OPTIONS.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := strings.Split(w.Header().Get("Allow"), ", ")
	isOptions := func(method string) bool { return method == http.MethodOptions }
	allowed = slices.DeleteFunc(allowed, isOptions)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, r, coast.Errorf(coast.MethodNotAllowed,
		"%s is not allowed here; the Allow header lists what is", coast.Clip(r.Method)))
}

type stationsQuery struct {
	Q      string `json:"q,omitempty" doc:"Station name, id, place or ZIP code." example:"Boston"`
	State  string `json:"state,omitempty" doc:"Two letters." pattern:"^[A-Za-z]{2}$" form:"two letters" example:"MA"`
	Limit  int    `json:"limit" default:"200" min:"1" max:"5000" doc:"Stations in the response."`
	Offset int    `json:"offset" default:"0" min:"0" max:"10000" doc:"Stations to leave out, for the next page."`
	directory.OfType
	anyFormat
}

func (q stationsQuery) Input() directory.SearchStationsInput {
	return directory.SearchStationsInput{
		Query:  q.Q,
		State:  q.State,
		OfType: q.OfType,
		Limit:  q.Limit,
		Offset: q.Offset,
	}
}

// anyFormat holds the parameters that every data route takes, so that a client can send the
// same ones to all. It is for routes whose results do not have heights or times to convert.
type anyFormat struct {
	operation.InUnits
	operation.InZone
}

type nearestQuery struct {
	Lat float64 `json:"lat" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Lon float64 `json:"lon" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	directory.OfType
	anyFormat
}

func (q nearestQuery) Input() directory.NearestStationsInput {
	return directory.NearestStationsInput{
		Latitude: q.Lat, Longitude: q.Lon, OfType: q.OfType, Limit: 10,
	}
}

// atStation holds the path parameter of every {id} route.
type atStation struct {
	ID string `json:"id" doc:"Station id." pattern:"^[A-Za-z0-9]{4,16}$" form:"text of 4 to 16 letters and digits" example:"8443970"`
}

type stationQuery struct {
	atStation
	operation.InUnits
	operation.InZone
}

func (q stationQuery) Input() directory.StationInfoInput {
	return directory.StationInfoInput{
		StationOrPlace: place.StationOrPlace{Station: q.ID}, InUnits: q.InUnits,
		Expand: []string{"details", "products", "datums", "floodlevels", "bins"},
	}
}

type predictionsQuery struct {
	atStation
	Interval operation.Interval `json:"interval" default:"hilo" also:"high_low=hilo hourly=h" doc:"hilo: high and low waters; else a series by hour (h) or minutes."`
	Begin    string             `json:"begin_date,omitempty" doc:"First day, 2026-11-20; now where left out." format:"date" example:"2026-11-20"`
	Hours    int                `json:"hours" default:"48" min:"1" max:"168" doc:"Length of the span."`
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

func (q predictionsQuery) Input() tides.TidePredictionsInput {
	return tides.TidePredictionsInput{
		StationOrPlace: place.StationOrPlace{Station: q.ID}, Interval: q.Interval, OnDatum: q.OnDatum,
		Span: operation.Span{Begin: q.Begin, Range: q.Hours}, InUnits: q.InUnits, InZone: q.InZone,
	}
}

type waterLevelsQuery struct {
	atStation
	Hours int `json:"hours" default:"24" min:"1" max:"720" doc:"How far back from now."`
	operation.OnDatum
	operation.InUnits
	operation.InZone
}

func (q waterLevelsQuery) Input() levels.WaterLevelsInput {
	return levels.WaterLevelsInput{
		StationOrPlace: place.StationOrPlace{Station: q.ID}, Interval: "6", OnDatum: q.OnDatum,
		Span: operation.Span{Range: q.Hours}, InUnits: q.InUnits, InZone: q.InZone,
	}
}

type conditionsQuery struct {
	atStation
	operation.InUnits
	operation.InZone
}

func (q conditionsQuery) Input() weather.ConditionsInput {
	return weather.ConditionsInput{
		AtStation: operation.AtStation{Station: q.ID},
		InUnits:   q.InUnits,
		InZone:    q.InZone,
	}
}

type forecastQuery struct {
	atStation
	Hours int `json:"hours" default:"24" min:"1" max:"156" doc:"How far ahead."`
	operation.InUnits
	operation.InZone
}

func (q forecastQuery) Input() weather.ForecastInput {
	return weather.ForecastInput{
		AtStation: operation.AtStation{Station: q.ID},
		Hours:     q.Hours,
		InUnits:   q.InUnits,
		InZone:    q.InZone,
	}
}

type astronomyQuery struct {
	Lat  float64 `json:"lat" min:"-90" max:"90" doc:"Degrees north." example:"42.35"`
	Lon  float64 `json:"lon" min:"-180" max:"180" doc:"Degrees east; west is negative." example:"-71.05"`
	Date string  `json:"date,omitempty" doc:"First day, 2026-11-20; today where left out." format:"date" example:"2026-11-20"`
	Days int     `json:"days" default:"1" min:"1" max:"31" doc:"How many days."`
	operation.InUnits
	operation.InPlaceZone
}

func (q astronomyQuery) Input() almanac.AstronomyInput {
	return almanac.AstronomyInput{SunTimesInput: almanac.SunTimesInput{
		AtNamedPlace: place.AtNamedPlace{
			AtPlace: operation.AtPlace{Latitude: &q.Lat, Longitude: &q.Lon},
		},
		Date: q.Date, Days: q.Days, InPlaceZone: q.InPlaceZone,
	}}
}

// Routes returns the paths of the REST endpoint, parameters in braces.
func Routes() (paths []string) {
	set := new(tools.Set)
	for _, o := range slices.Concat(contractRoutes(set), developerRoutes(set), planningRoutes(set)) {
		if !slices.Contains(paths, o.path) {
			paths = append(paths, o.path)
		}
	}
	return paths
}

// Route returns the entry of Routes that matches the path of a request, or "".
func (a *API) Route(path string) string {
	for _, table := range [][]route{a.contract, a.developer, a.planning} {
		for _, o := range table {
			if matches(o.path, path) || o.table != nil && path == o.path+tableSuffix {
				return o.path
			}
		}
	}
	return ""
}

// matches reports whether a path matches a pattern.
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
