package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"leadline/internal/stations"
)

// api is how the weather service writes its own addresses, wherever it is reached.
const api = "https://api.weather.gov"

// weatherService is the weather service: points, grids, alerts, zones, texts
// and observations. Sea, sky and hazards are smooth functions of place and
// hour; which point is land, harbour or sea is decided by the distance to the
// nearest tide station, since there is no coastline here to ask.
type weatherService struct {
	now      func() time.Time
	stations *stations.Directory
	board    board
	orders   orders
	routes   http.ServeMux
	requests atomic.Uint64
}

// weather returns the weather service, with the provider's clock.
func (p *Provider) weather() *weatherService { return newWeatherService(p.now, p.stations) }

// SetAlerts replaces what stands in the zone (a UGC code: ANZ230, MAZ015) by
// the alerts given, the built-in ones too; none empties it. An alert given
// twice is listed twice under one id, as happens.
func (p *Provider) SetAlerts(zone string, alerts ...Alert) {
	p.nws.board.set(zone, alerts)
}

func newWeatherService(now func() time.Time, d *stations.Directory) *weatherService {
	s := &weatherService{now: now, stations: d}
	for pattern, find := range map[string]finder{
		"GET /points/{point}":                                  s.point,
		"GET /gridpoints/{office}/{cell}":                      s.gridpoint,
		"GET /gridpoints/{office}/{cell}/forecast":             s.halfDays,
		"GET /gridpoints/{office}/{cell}/forecast/hourly":      s.hourly,
		"GET /gridpoints/{office}/{cell}/stations":             s.observers,
		"GET /alerts/active":                                   s.activeAlerts,
		"GET /alerts/active/zone/{zone}":                       s.zoneAlerts,
		"GET /zones":                                           s.listZones,
		"GET /zones/{type}":                                    s.listZones,
		"GET /zones/{type}/{zone}":                             s.zone,
		"GET /zones/{type}/{zone}/forecast":                    s.zoneForecast,
		"GET /products/types/{type}/locations/{office}":        s.listProducts,
		"GET /products/types/{type}/locations/{office}/latest": s.latestProduct,
		"GET /products/{id}":                                   s.product,
		"GET /stations/{station}/observations/latest":          s.observation,
		"/": s.nothing,
	} {
		s.routes.Handle(pattern, s.handle(find))
	}
	return s
}

// ServeHTTP answers one request, if it says who asks.
func (s *weatherService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.UserAgent() == "" {
		denied(w, r)
		return
	}
	s.routes.ServeHTTP(w, r)
}

// denied is the page of the edge in front of the service.
func denied(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Server", "AkamaiGHost")
	h.Set("Content-Type", "text/html")
	h.Set("Mime-Version", "1.0")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprintf(w, "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\n \n"+
		"You don't have permission to access \"http&#58;&#47;&#47;api&#46;weather&#46;gov%s\" on this server.<P>\n"+
		"Reference&#32;&#35;18&#46;%x&#46;0\n</BODY>\n</HTML>\n", escaped(r.URL.Path), scramble(r.URL.Path))
}

// escaped writes a path as that page does.
func escaped(path string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "/", "&#47;", ".", "&#46;").Replace(path)
}

// A finder finds the answer to a request.
type finder func(*http.Request) (reply, *problem)

// A reply is a body and how long it may be kept.
type reply struct {
	body     any
	linked   bool          // ld+json, as texts are; else geo+json
	age      time.Duration // max-age
	shared   time.Duration // s-maxage
	modified time.Time     // zero for none
}

func (s *weatherService) nothing(*http.Request) (reply, *problem) { return reply{}, notFound() }

// handle serves what find finds.
func (s *weatherService) handle(find finder) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := s.sign(w.Header(), r)
		answer, trouble := find(r)
		if trouble != nil {
			trouble.write(w, id, s.now())
			return
		}
		answer.write(w, r, s.now())
	})
}

// sign sets what every answer wears and returns its correlation id, which no
// two answers share.
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

func (a reply) write(w http.ResponseWriter, r *http.Request, now time.Time) {
	h := w.Header()
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, s-maxage=%d", a.age/time.Second, a.shared/time.Second))
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
	body := encode(a.body)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// A problem is why there is no answer.
type problem struct {
	status        int
	kind          string // the last part of its type
	title, detail string
	parameters    []parameterError
	location      string // of a redirect
}

// A parameterError says which parameter is wrong, and why.
type parameterError struct {
	Parameter string `json:"parameter"`
	Message   string `json:"message"`
}

func notFound() *problem {
	return &problem{status: http.StatusNotFound, kind: "NotFound", title: "Not Found", detail: "Not Found"}
}

func badRequest(parameter, message string) *problem {
	return &problem{status: http.StatusBadRequest, kind: "BadRequest", title: "Bad Request", detail: "Bad Request",
		parameters: []parameterError{{parameter, message}}}
}

func marineForecast() *problem {
	return &problem{status: http.StatusNotFound, kind: "MarineForecastNotSupported", title: "Marine Forecast Not Supported",
		detail: "Forecasts for marine areas are not yet supported by this API."}
}

func (p *problem) write(w http.ResponseWriter, id string, now time.Time) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "private, must-revalidate, max-age=86400")
	h.Set("Pragma", "no-cache")
	h.Set("Expires", now.Add(24*time.Hour).Format(http.TimeFormat))
	h.Set("Vary", "Accept,Feature-Flags,Accept-Language")
	if p.location != "" {
		h.Set("Location", p.location)
	}
	body := encode(p.body(id))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.status)
	w.Write(body)
}

func (p *problem) body(id string) object {
	body := object{{"correlationId", id}}
	if p.parameters != nil {
		body = append(body, member{"parameterErrors", p.parameters})
	}
	return append(body, object{
		{"title", p.title},
		{"type", api + "/problems/" + p.kind},
		{"status", p.status},
		{"detail", p.detail},
		{"instance", api + "/requests/" + id},
	}...)
}

// object is a JSON object that keeps its order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members as they stand.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := plain(m.value, "")
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", m.name, err)
		}
		out = append(append(strconv.AppendQuote(out, m.name), ':'), value...)
	}
	return append(out, '}'), nil
}

// plain encodes without the escapes that are for web pages.
func plain(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), err
}

// encode writes JSON as the service does, four blanks deep.
func encode(v any) []byte {
	body, err := plain(v, "    ")
	if err != nil {
		panic(err) // every body is made here of texts and finite numbers
	}
	return body
}

// scramble makes a number of texts, always the same.
func scramble(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	x := h.Sum64() // FNV leaves short texts close together: spread them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// newUUID makes a UUID of texts, always the same.
func newUUID(parts ...string) string {
	a, b := scramble(parts...), scramble(append(parts, "+")...)
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// location loads a zone of the tables.
func location(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // every name is IANA's, and main brings the zones along
	}
	return zone
}

// stamp writes a time as the service does, with an offset and never a Z.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

// quantity is a value with its unit.
func quantity(unit string, value any) object { return object{{"unitCode", unit}, {"value", value}} }
