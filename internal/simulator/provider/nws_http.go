package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// reply is a successful response.
type reply struct {
	body     any
	linked   bool      // ld+json, as texts are; otherwise geo+json
	modified time.Time // zero for none
}

// collection returns a GeoJSON collection.
func collection(list []object, more ...member) reply {
	for i := range list {
		list[i] = object{{"type", "Feature"}, {"properties", list[i]}}
	}
	if list == nil {
		list = []object{}
	}
	return reply{body: append(object{{"type", "FeatureCollection"}, {"features", list}}, more...)}
}

// feature returns a GeoJSON feature.
func feature(properties object) reply {
	return reply{body: object{{"type", "Feature"}, {"properties", properties}}}
}

// respond returns the handler that writes the result of find.
func (s *weatherService) respond(find func(*http.Request) (reply, *problem)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.now().Format(http.TimeFormat))
		found, trouble := find(r)
		if trouble != nil {
			trouble.send(w, fmt.Sprintf("%x", 0x6f00000+s.requests.Add(1)))
			return
		}
		found.send(w, r)
	})
}

func (a reply) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
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

// sendBody writes JSON with an indent of four spaces, as the service does.
func sendBody(w http.ResponseWriter, status int, v any) {
	body, err := encodeJSON(v, "    ")
	if err != nil {
		panic(err) // every body consists of texts and finite numbers
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// problem is an error response.
type problem struct {
	status        int
	kind          string // the last part of its type
	title, detail string
}

func missing(kind, title, detail string) (reply, *problem) {
	return reply{}, &problem{http.StatusNotFound, kind, title, detail}
}

func noSuchPage(*http.Request) (reply, *problem) {
	return missing("NotFound", "Not Found", "Not Found")
}

func badParameter() (reply, *problem) {
	return reply{}, &problem{http.StatusBadRequest, "BadRequest", "Bad Request", "Bad Request"}
}

func (p *problem) send(w http.ResponseWriter, id string) {
	w.Header().Set("Content-Type", "application/problem+json")
	sendBody(w, p.status, object{
		{"correlationId", id},
		{"title", p.title},
		{"type", nwsRoot + "/problems/" + p.kind},
		{"status", p.status},
		{"detail", p.detail},
		{"instance", nwsRoot + "/requests/" + id},
	})
}

// stamp formats a time as the service does, with an offset and never a Z.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

// orNull returns a text, nil if it is empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// newUUID returns a UUID that depends on the texts alone.
func newUUID(parts ...string) string {
	a, b := scramble(parts...), scramble(append(parts, "+")...)
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		a>>32, a>>16&0xffff, a&0xfff, b>>48&0xfff, b&0xffffffffffff)
}

// zoneNamed loads a time zone of the tables.
func zoneNamed(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // every name is IANA's, and main embeds the zones
	}
	return zone
}
