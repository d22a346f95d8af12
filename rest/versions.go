package rest

import (
	"encoding/json"
	"fmt"
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

// version is a supported version of the contract. Operations and the OpenAPI document are of
// the newest version. The bodies of another version are made from those of its successor.
type version struct {
	date string // names the version, such as 2026-07-09

	// These are empty in the newest version.
	sunset time.Time // when it ends, at least 12 months after the date of its successor
	guide  string    // URL of a text that describes what its successor changes
	down   down
}

// down makes a body of a version from a body of its successor. operation is an operationId,
// anError or theDocument. A decision names the version in contractVersion.
type down func(operation string, body []byte) ([]byte, error)

// These are the operations of down that are not in a table of routes. The body of an error keeps
// its form in all versions; its values may differ.
const (
	anError     = "error"
	theDocument = "openapi"
)

// versions serves the versions of a table.
type versions struct {
	editions map[string]*edition // by date
	oldest   *edition
	dates    []string
}

// edition is a version, prepared for responses.
type edition struct {
	header http.Header // the version, and when it ends
	steps  []down      // from the newest version down to this one
}

// newVersions returns the versions of a table, the oldest first. It panics if the table breaks
// the promise that a version remains for 12 months after the date of its successor.
func newVersions(table []version) *versions {
	v := &versions{editions: map[string]*edition{}}
	for i, row := range table {
		e := &edition{header: http.Header{edge.VersionHeader: {row.date}}}
		if older := table[i : len(table)-1]; len(older) > 0 {
			row.announce(e.header, table[i+1].date)
			for _, step := range slices.Backward(older) {
				e.steps = append(e.steps, step.down)
			}
		}
		v.editions[row.date] = e
		v.dates = append(v.dates, row.date)
	}
	v.oldest = v.editions[v.dates[0]]
	return v
}

// announce adds the headers of a version that has a successor: Deprecation (RFC 9745), Sunset
// (RFC 8594), and links (RFC 8288) with the relations of these and of RFC 5829.
func (row version) announce(h http.Header, successor string) {
	deprecated, err := time.Parse(time.DateOnly, successor)
	if err != nil || row.date >= successor || row.sunset.Before(deprecated.AddDate(1, 0, 0)) ||
		row.guide == "" || row.down == nil {
		panic("rest: version " + row.date + " must have guide and down, be older than its " +
			"successor " + successor + " and end at least 12 months after that date")
	}
	h.Set("Deprecation", fmt.Sprintf("@%d", deprecated.Unix()))
	h.Set("Sunset", row.sunset.UTC().Format(http.TimeFormat))
	h.Set("Link", fmt.Sprintf(`<%[1]s>; rel="deprecation", <%[1]s>; rel="sunset", `+
		`</openapi.json>; rel="successor-version"`, row.guide))
}

// of returns the version that a request asks for, and the oldest one with an error if that
// version is not supported.
func (v *versions) of(r *http.Request) (*edition, error) {
	given := r.Header[edge.VersionHeader]
	if len(given) == 0 {
		return v.oldest, nil
	}
	date := strings.Join(given, ", ")
	if e, ok := v.editions[date]; ok {
		return e, nil
	}
	return v.oldest, coast.Invalid([]coast.Issue{{
		Path: edge.VersionHeader, Code: "enum",
		Message: fmt.Sprintf("%s must be one of %s, not %q. Example: %[1]s: %[4]s.",
			edge.VersionHeader, strings.Join(v.dates, ", "), coast.Clip(date),
			v.dates[len(v.dates)-1]),
	}})
}

// writeHeader adds the headers of the version to those of a response, once.
func (e *edition) writeHeader(h http.Header) {
	for name, values := range e.header {
		h[name] = values
	}
	if !slices.Contains(h["Vary"], edge.VersionHeader) {
		h["Vary"] = append(h["Vary"], edge.VersionHeader)
	}
}

// mark adds the headers of the version to the response to a request for the versioned contract. A
// request for a version that is not supported gets those of the oldest one.
func (v *versions) mark(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, versionedPath) {
		version, _ := v.of(r)
		version.writeHeader(w.Header())
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

// body returns a body of the newest version in the form of e.
func (e *edition) body(operation string, body []byte) (_ []byte, err error) {
	for _, step := range e.steps {
		if body, err = step(operation, body); err != nil {
			return nil, fmt.Errorf("write %s as version %s: %w",
				operation, e.header.Get(edge.VersionHeader), err)
		}
	}
	return body, nil
}

// fault returns an error of the newest version in the form of e. Unknown errors stay as they
// are.
func (e *edition) fault(err error) error {
	known, ok := coast.AsError(err)
	if !ok || len(e.steps) == 0 {
		return err
	}
	older := ErrorResponse{*known}
	body, err := json.Marshal(older)
	if err == nil {
		body, err = e.body(anError, body)
	}
	if err == nil {
		older.Error.Issues = nil // Unmarshal would write to those of known
		err = json.Unmarshal(body, &older)
	}
	if err != nil {
		return err
	}
	return &older.Error
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
