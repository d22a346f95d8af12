package rest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/edge"
	"leadline/internal/schema"
)

// supported lists the versions of the contract that are served, the oldest first. A caller
// that does not name a version gets the oldest one.
var supported = []version{{date: Contract}}

// version is a supported version of the contract. There is one, so all bodies and the OpenAPI
// document are of the newest version. A second one needs functions that make its bodies.
type version struct {
	date string // names the version, such as 2026-07-09

	// These are empty in the newest version.
	sunset time.Time // when it ends, at least 12 months after the date of its successor
	guide  string    // URL of a text that describes what its successor changes
}

// versions serves the versions of a table.
type versions struct {
	headers map[string]http.Header // by date: the version, and when it ends
	dates   []string               // the oldest first
}

// newVersions returns the versions of a table, the oldest first. It panics if the table breaks
// the promise that a version remains for 12 months after the date of its successor.
func newVersions(table []version) *versions {
	v := &versions{headers: map[string]http.Header{}}
	for i, row := range table {
		h := http.Header{edge.VersionHeader: {row.date}}
		if i < len(table)-1 {
			row.announce(h, table[i+1].date)
		}
		v.headers[row.date] = h
		v.dates = append(v.dates, row.date)
	}
	return v
}

// announce adds the headers of a version that has a successor: Deprecation (RFC 9745), Sunset
// (RFC 8594), and links (RFC 8288) with the relations of these and of RFC 5829.
func (row version) announce(h http.Header, successor string) {
	deprecated, err := time.Parse(time.DateOnly, successor)
	if err != nil || row.date >= successor || row.sunset.Before(deprecated.AddDate(1, 0, 0)) ||
		row.guide == "" {
		panic("rest: version " + row.date + " must have a guide, be older than its successor " +
			successor + " and end at least 12 months after that date")
	}
	h.Set("Deprecation", fmt.Sprintf("@%d", deprecated.Unix()))
	h.Set("Sunset", row.sunset.UTC().Format(http.TimeFormat))
	h.Set("Link", fmt.Sprintf(`<%[1]s>; rel="deprecation", <%[1]s>; rel="sunset", `+
		`</openapi.json>; rel="successor-version"`, row.guide))
}

// writeHeader adds the headers of the version that a request asks for to its response, once. If
// that version is not supported, it adds those of the oldest one and returns an error.
func (v *versions) writeHeader(w http.ResponseWriter, r *http.Request) error {
	date, err := v.of(r)
	h := w.Header()
	maps.Copy(h, v.headers[date])
	if !slices.Contains(h["Vary"], edge.VersionHeader) {
		h["Vary"] = append(h["Vary"], edge.VersionHeader)
	}
	return err
}

// of returns the version that a request asks for, and the oldest one with an error if that
// version is not supported.
func (v *versions) of(r *http.Request) (string, error) {
	given := r.Header[edge.VersionHeader]
	if len(given) == 0 {
		return v.dates[0], nil
	}
	date := strings.Join(given, ", ")
	if slices.Contains(v.dates, date) {
		return date, nil
	}
	return v.dates[0], coast.Invalid([]coast.Issue{{
		Path: edge.VersionHeader, Code: "enum",
		Message: fmt.Sprintf("%s must be one of %s, not %q. Example: %[1]s: %[4]s.",
			edge.VersionHeader, strings.Join(v.dates, ", "), coast.Clip(date),
			v.dates[len(v.dates)-1]),
	}})
}

// mark adds the headers of the version to the response to a request for the versioned contract. A
// request for a version that is not supported gets those of the oldest one.
func (v *versions) mark(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, versionedPath) {
		_ = v.writeHeader(w, r) // the API refuses a version that is not supported
	}
}

// Versioned adds the headers of the version to all responses of next, also to requests that next
// refuses before they reach the API.
func (a *API) Versioned(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.versions.mark(w, r)
		next.ServeHTTP(w, r)
	})
}

// versionParameter selects a version.
var versionParameter = parameter{
	edge.VersionHeader, "header",
	"Version of the contract; the oldest supported one where left out.", false,
	schema.Object{{Name: "type", Value: "string"}, {Name: "format", Value: "date"}}, Contract,
}

// versionHeaders are the headers of responses with a version.
var versionHeaders = map[string]header{
	edge.VersionHeader: {
		"Version of the contract that the response follows.", true,
		map[string]any{"type": "string", "format": "date"},
	},
	"Deprecation": {
		"Since when the version has a successor: Unix seconds after an @ (RFC 9745).", false,
		map[string]any{"type": "string", "pattern": "^@[0-9]+$"},
	},
	"Sunset": {
		"When the version ends, as an HTTP date (RFC 8594). Only if it has a successor.", false,
		map[string]any{"type": "string"},
	},
	"Link": {
		"Where the change to the successor is described. Only if the version has one.", false,
		map[string]any{"type": "string"},
	},
}

// versionedPath begins the paths of all operations with a version.
const versionedPath = "/api/v1/"

// versioned reports whether the operation has a version.
func (o route) versioned() bool { return strings.HasPrefix(o.path, versionedPath) }
