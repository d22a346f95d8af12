// Package health serves the pages about the service: /status with incidents and 90 days as bars,
// and /verification, the newest comparison with NOAA's predictions, with its badge. It reads the
// store and the operation on the status, and records nothing.
package health

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"leadline/internal/chart"
	"leadline/internal/coast"
	"leadline/internal/operation"
	"leadline/internal/page"
	"leadline/internal/status"
	"leadline/internal/verify"
	"leadline/internal/web/site"
	"leadline/internal/web/view"
	"leadline/tools"
)

//go:embed pages/*.html
var files embed.FS

var statusView = view.New[statusPage](files, page.Options{
	Style: func() string { return barsStyle }, Funcs: template.FuncMap{"legend": legend},
}, "status", "suggest")

// pages serves the status and the comparison with NOAA's predictions.
type pages struct {
	*site.Shared
	past   func(context.Context) (status.Past, error)
	newest func(context.Context) (verify.Snapshot, error)
}

// Paths returns the handlers of the pages by their path. past reads what the store knows
// about the status, newest the newest comparison.
func Paths(
	shared *site.Shared, past func(context.Context) (status.Past, error),
	newest func(context.Context) (verify.Snapshot, error),
) map[string]http.HandlerFunc {
	s := &pages{shared, past, newest}
	return map[string]http.HandlerFunc{
		"/status": s.status, verificationPath: s.verification, verificationPath + ".svg": s.badge,
	}
}

// statusAge limits the age of the page of the status in memory, and in caches.
const statusAge = 30 * time.Second

// lately limits the age of a state of a provider that counts as its present one.
const lately = 15 * time.Minute

// statusPage is the page of the status.
type statusPage struct {
	page.Frame
	Class, Shape string   // of the notice on top
	Sentences    []string // about the parts that have a fault, or one that none has
	Open         []string // titles of incidents and maintenance in progress
	At           template.HTML
	Offline      bool            // providers are not asked
	Ours         []componentView // parts of this server
	Providers    []componentView
	Verified     string // the newest comparison with NOAA's predictions, in a sentence
	NoPast       string // why the history cannot be read
	Incidents    []noticeView
	Maintenance  []noticeView
	Strips       []stripView
	Empty        bool // nothing is recorded yet
}

// componentView shows a part that results depend on, as it is now.
type componentView struct {
	Name, About  string
	State, Shape string
	Class        string // of the state
	Message      string
	Used         string // what happened at Checked
	Checked      template.HTML
	Took         string
}

// noticeView is an incident or maintenance.
type noticeView struct {
	ID, Title, State string
	Span             template.HTML
	Updates          []updateView
}

// updateView shows a change of a notice.
type updateView struct {
	At      template.HTML
	State   string
	Message string // empty if only the state changed
}

// part names a component, in words for people.
type part struct {
	name, about string
	used        string // what is measured
	faulty      string // a sentence if it is not operational; "": made from its message
	provider    bool
}

var parts = map[coast.ComponentName]part{
	status.APIName: {name: "REST API", about: "data for programs", used: "last request"},
	status.MCPName: {name: "MCP", about: "tools for AI clients", used: "last request"},
	status.StoreName: {
		name: "Store", about: "accounts, keys and quotas", used: "checked",
		faulty: "The store does not accept data: requests with a key and signing in may fail. Requests " +
			"without a key are served as before.",
	},
	status.COOPSName: {
		name: coast.COOPS, about: "observations and lists of stations", used: "last asked",
		faulty:   "NOAA CO-OPS does not answer as it should: predictions do not depend on it.",
		provider: true,
	},
	status.NWSName: {
		name: "National Weather Service", about: "forecasts and alerts", used: "last asked",
		faulty: "The National Weather Service does not answer as it should: forecasts and alerts may " +
			"be missing. Predictions do not depend on it.",
		provider: true,
	},
}

// The shapes of the states.
const (
	wholeShape = "●"
	halfShape  = "◐"
	emptyShape = "○"
	noShape    = "–"
)

var shapes = map[string]string{
	status.Operational: wholeShape, status.Degraded: halfShape, status.Down: emptyShape,
}

// status serves the page of the status.
func (s *pages) status(w http.ResponseWriter, r *http.Request) {
	slot := s.Now().UTC().Truncate(statusAge).Format(time.RFC3339)
	s.Once(w, r, "/status "+slot, func(ctx context.Context, now time.Time) site.Response {
		v := statusPage{
			Frame: s.Frame("Status", "Whether this server and its providers answer, incidents and "+
				"maintenance, and 90 days as recorded by the server."),
			At: view.Instant(now, now.UTC().Format("15:04 UTC")), Offline: s.Offline,
		}
		v.Canonical, v.Skip = s.Base+"/status", "the status"
		current, err := operation.Run(ctx, s.Set.Server.Status, tools.StatusInput{})
		down := current.Failure() != nil
		v.addComponents(current.Components, now)
		complete := s.addPast(ctx, &v, down) && !down && err == nil
		return site.Render(statusView, v, site.KeptIf(complete, statusAge))
	})
}

// addComponents adds the components as they are now, and the sentence on top.
func (v *statusPage) addComponents(list []status.Component, now time.Time) {
	worst, asked := status.Operational, true
	for _, c := range list {
		p := parts[c.Name]
		lately := c.CheckedAt != nil && now.Sub(*c.CheckedAt) <= lately
		view := newComponentView(c, p, v.Offline && p.provider, lately)
		if p.provider {
			v.Providers = append(v.Providers, view)
			asked = asked && lately
		} else {
			v.Ours = append(v.Ours, view)
		}
		if p.provider && (v.Offline || c.CheckedAt == nil) {
			continue
		}
		if state := string(c.Status); state != status.Operational {
			worst = worse(worst, state)
			v.Sentences = append(v.Sentences, cmp.Or(p.faulty, p.name+" has faults: "+c.Message+"."))
		}
	}
	switch {
	case len(v.Sentences) > 0:
	case v.Offline:
		v.Sentences = []string{"All parts of this server answer. It does not ask providers."}
	case !asked:
		v.Sentences = []string{"All parts of this server answer."}
	default:
		v.Sentences = []string{"All parts answer."}
	}
	v.Shape = shapes[worst]
	v.Class = map[string]string{
		status.Operational: "good", status.Degraded: "care", status.Down: "fault",
	}[worst]
}

// worse returns the worse of two states.
func worse(a, b string) string {
	order := []string{status.Operational, status.Degraded, status.Down}
	if slices.Index(order, b) > slices.Index(order, a) {
		return b
	}
	return a
}

func newComponentView(c status.Component, p part, offline, lately bool) componentView {
	v := componentView{
		Name: p.name, About: p.about, State: string(c.Status), Shape: shapes[string(c.Status)],
		Message: view.Capital(c.Message), Used: p.used, Class: classes[string(c.Status)],
	}
	switch {
	case offline:
		v.State, v.Message = "not asked", "This server does not ask providers"
	case p.provider && c.CheckedAt == nil:
		v.State, v.Message = "not asked yet", "Nobody has needed it since the server started"
	case p.provider && !lately:
		v.State += " when last asked"
		return v.checked(c)
	default:
		return v.checked(c)
	}
	v.Shape, v.Class = noShape, classes[""]
	return v
}

// checked adds when the component was used, and how long that took.
func (v componentView) checked(c status.Component) componentView {
	if c.CheckedAt != nil {
		v.Checked = moment(*c.CheckedAt)
	}
	if c.LatencyMs != nil {
		v.Took = chart.Thousands(*c.LatencyMs) + view.Nbsp + "ms"
		if *c.LatencyMs == 0 {
			v.Took = "less than 1" + view.Nbsp + "ms"
		}
	}
	return v
}

// addPast adds the incidents, the maintenance, the newest comparison and the days, and reports
// whether they could be read. A store that is down because it cannot be written, such as on a full
// disk, may still be read.
func (s *pages) addPast(ctx context.Context, v *statusPage, down bool) bool {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	past, err := s.past(ctx)
	if err != nil {
		v.NoPast = "The history cannot be read: the store does not respond. Incidents, maintenance " +
			"and the recorded days are in it."
		if !down { // else it is known
			s.Log.Error("page of the status", "error", err)
		}
		return false
	}
	for _, r := range past.Incidents {
		v.Incidents = append(v.Incidents, newNoticeView(r))
		if r.Status != status.Resolved {
			v.Open = append(v.Open, r.Title)
			if v.Class == "good" {
				v.Class = "care"
			}
		}
	}
	for _, r := range past.Maintenance {
		v.Maintenance = append(v.Maintenance, newNoticeView(r))
		if r.Status == status.InProgress {
			v.Open = append(v.Open, r.Title)
		}
	}
	v.Verified = "The comparison with NOAA’s predictions cannot be read."
	if snapshot, ok := s.verified(ctx); ok {
		v.Verified = resultSentence(snapshot.Summary())
	}
	v.Empty = true
	for _, record := range past.Components {
		strip := newStripView(parts[record.Name].name, record)
		strip.share(v.Strips, len(record.Days))
		v.Strips = append(v.Strips, strip)
		v.Empty = v.Empty && strip.Recorded == 0
	}
	return true
}

func newNoticeView(r status.Report) noticeView {
	v := noticeView{
		ID: r.ID, Title: r.Title, State: stateWords(r.Status), Span: "From " + moment(r.From),
	}
	switch {
	case r.Until != nil:
		v.Span += " to " + moment(*r.Until)
	case r.Status != status.Resolved:
		v.Span += ", not over yet"
	}
	for i, u := range r.Updates {
		view := updateView{At: moment(u.At), State: stateWords(u.Status), Message: u.Message}
		if i+1 < len(r.Updates) && r.Updates[i+1].Message == u.Message {
			view.Message = ""
		}
		v.Updates = append(v.Updates, view)
	}
	return v
}

// stateWords writes the state of a notice: In progress.
func stateWords(state coast.NoticeStatus) string {
	return view.Capital(strings.ReplaceAll(string(state), "-", " "))
}

// moment writes a time of the status, which is in UTC because it belongs to no station.
func moment(t time.Time) template.HTML {
	return view.Instant(t, strings.ReplaceAll(t.UTC().Format("2 Jan 15:04 UTC"), " ", view.Nbsp))
}
