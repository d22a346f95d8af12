package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"leadline/internal/stations"
)

// nwsRoot begins the addresses that the weather service writes.
const nwsRoot = "https://api.weather.gov"

// weatherService is the weather service: points, grids, alerts, zones, texts
// and observations. Sea, sky and hazards are smooth functions of place and hour.
type weatherService struct {
	now      func() time.Time
	settings *settings
	*atlas
	*bulletinWriter
	routes   http.ServeMux
	requests atomic.Uint64
}

// atlas finds cells and zones. There is no coastline here: whether a point is land,
// harbor or sea depends on its distance from the nearest tide station.
type atlas struct {
	stations *stations.Directory
	settings *settings
}

// bulletinWriter writes texts.
type bulletinWriter struct {
	now      func() time.Time
	settings *settings
}

// deny writes the page of the edge in front of the service.
func deny(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Server", "AkamaiGHost")
	h.Set("Content-Type", "text/html")
	h.Set("Mime-Version", "1.0")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprintf(w, "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \n"+
		"You don't have permission to access \"http&#58;&#47;&#47;api&#46;weather&#46;gov&#47;\" on this server.<P>\n"+
		"Reference&#32;&#35;18&#46;%x&#46;0\n</BODY>\n</HTML>\n", scramble(r.URL.Path))
}

// reply is a body and how long it may be cached.
type reply struct {
	body     any
	linked   bool          // ld+json, as texts are; else geo+json
	age      time.Duration // max-age
	shared   time.Duration // s-maxage
	modified time.Time     // zero for none
}

// respond returns the handler that writes what find returns.
func (s *weatherService) respond(find func(*http.Request) (reply, *problem)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := s.sign(w.Header(), r)
		found, trouble := find(r)
		if trouble != nil {
			trouble.send(w, id, s.now())
			return
		}
		found.send(w, r, s.now())
	})
}

// sign sets the headers of every response and returns its correlation id, which
// is unique.
func (s *weatherService) sign(h http.Header, r *http.Request) string {
	n := s.requests.Add(1)
	id := fmt.Sprintf("%x", 0x6f00000+n)
	h.Set("Server", "nginx/1.20.1")
	h.Set("Date", s.now().Format(http.TimeFormat))
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "X-Correlation-Id, X-Request-Id, X-Server-Id")
	h.Set("Strict-Transport-Security", "max-age=31536000 ; includeSubDomains ; preload")
	h.Set("X-Correlation-Id", id)
	h.Set("X-Request-Id", newUUID("request", r.URL.Path, strconv.FormatUint(n, 10)))
	h.Set("X-Edge-Request-Id", fmt.Sprintf("%x", 0x3100000+n))
	h.Set("X-Server-Id", fmt.Sprintf("vm-cprk-api-ops-app%d.ncep.noaa.gov", 1+n%18))
	return id
}

func (a reply) send(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	age, shared := a.age/time.Second, a.shared/time.Second
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, s-maxage=%d", age, shared))
	h.Set("Expires", now.Add(a.age).Format(http.TimeFormat))
	h["Vary"] = []string{"Accept-Encoding", "Accept,Feature-Flags,Accept-Language"}
	if !a.modified.IsZero() {
		h.Set("Last-Modified", a.modified.Format(http.TimeFormat))
		since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
		if err == nil && !a.modified.Truncate(time.Second).After(since) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "application/geo+json")
	if a.linked {
		h.Set("Content-Type", "application/ld+json")
	}
	sendBody(w, http.StatusOK, a.body)
}

// sendBody writes JSON as the service does, four blanks deep.
func sendBody(w http.ResponseWriter, status int, v any) {
	body, err := encodeJSON(v, "    ")
	if err != nil {
		panic(err) // every body is made here of texts and finite numbers
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// problem is the reason that there is no reply.
type problem struct {
	status        int
	kind          string // the last part of its type
	title, detail string
	parameters    []parameterError
	location      string // of a redirect
}

type parameterError struct {
	Parameter string `json:"parameter"`
	Message   string `json:"message"`
}

func missing(kind, title, detail string) *problem {
	return &problem{status: http.StatusNotFound, kind: kind, title: title, detail: detail}
}

func noSuchPage() *problem { return missing("NotFound", "Not Found", "Not Found") }

func badParameter(parameter, value, what string) *problem {
	return &problem{
		status: http.StatusBadRequest, kind: "BadRequest", title: "Bad Request", detail: "Bad Request",
		parameters: []parameterError{{parameter, strconv.Quote(value) + " is not a valid " + what}},
	}
}

func (p *problem) send(w http.ResponseWriter, id string, now time.Time) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "private, must-revalidate, max-age=86400")
	h.Set("Pragma", "no-cache")
	h.Set("Expires", now.Add(24*time.Hour).Format(http.TimeFormat))
	h.Set("Vary", "Accept,Feature-Flags,Accept-Language")
	if p.location != "" {
		h.Set("Location", p.location)
	}
	body := object{{"correlationId", id}}
	if p.parameters != nil {
		body = append(body, member{"parameterErrors", p.parameters})
	}
	sendBody(w, p.status, append(body, object{
		{"title", p.title},
		{"type", nwsRoot + "/problems/" + p.kind},
		{"status", p.status},
		{"detail", p.detail},
		{"instance", nwsRoot + "/requests/" + id},
	}...))
}

// lasting is the time for which a reply may still be cached, if it was last
// renewed at a moment of its own within the whole of that time.
func lasting(now time.Time, whole time.Duration, name string) time.Duration {
	seconds := uint64(whole / time.Second)
	return whole - time.Duration((uint64(now.Unix())+scramble(name))%seconds)*time.Second
}

// placeTerms are the terms of the JSON-LD context of points, zones and stations.
const placeTerms = `"@version":"1.1","wx":"https://api.weather.gov/ontology#","s":"https://schema.org/",` +
	`"geo":"http://www.opengis.net/ont/geosparql#","unit":"http://codes.wmo.int/common/unit/",` +
	`"@vocab":"https://api.weather.gov/ontology#","geometry":{"@id":"s:GeoCoordinates","@type":"geo:wktLiteral"},` +
	`"city":"s:addressLocality","state":"s:addressRegion","distance":{"@id":"s:Distance","@type":"s:QuantitativeValue"},` +
	`"bearing":{"@type":"s:QuantitativeValue"},"value":{"@id":"s:value"},"unitCode":{"@id":"s:unitCode","@type":"@id"},` +
	`"forecastOffice":{"@type":"@id"},"forecastGridData":{"@type":"@id"},"publicZone":{"@type":"@id"},"county":{"@type":"@id"}`

// ldContext is a JSON-LD context with some terms.
func ldContext(terms string) json.RawMessage {
	return json.RawMessage(`["https://geojson.org/geojson-ld/geojson-context.jsonld",{` + terms + `}]`)
}

// stamp writes a time as the service does, with an offset and never a Z.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

// quantity is a value with its unit.
func quantity(unit string, value any) object { return object{{"unitCode", unit}, {"value", value}} }

// orNull is a text, nil if it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// newUUID makes a UUID of texts, always the same.
func newUUID(parts ...string) string {
	a, b := scramble(parts...), scramble(append(parts, "+")...)
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// zoneNamed loads a time zone of the tables.
func zoneNamed(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // every name is IANA's, and main embeds the zones
	}
	return zone
}
