package manual

import (
	"fmt"
	"net/http"
	"strings"

	"leadline/internal/coast"
)

// listOf returns a list of pages with their sentences as Markdown.
func listOf(pages []*Page) string {
	var b strings.Builder
	for _, p := range pages {
		fmt.Fprintf(&b, "- [%s](%s): %s\n", p.Title, p.Path, p.About)
	}
	return b.String()
}

// startSection makes the first page: the ways in, and the list of all pages.
func (w *writer) startSection() Section {
	p := w.page("/docs", "Documentation", "Three ways to ask Leadline, with a first request in each, "+
		"and the list of all pages.")
	p.text("Tides, currents, water levels, weather, sun and moon for the coasts of the United " +
		"States. AI clients ask over MCP, programs over REST, and people on the " +
		"[pages](/stations). All three have the same facts. Most need no account.")
	p.text("## AI clients: MCP\n\n[Connect](/docs/connect) a client to the address below. Then ask, " +
		"for example: *When is low tide in Half Moon Bay tomorrow?*\n\n```text\n" + w.Base +
		"/mcp\n```\n\n[Tools](/docs/mcp) · [how models find them](/docs/guides/agents) · " +
		"[signing in](/docs/guides/mcp#sign-in)")
	p.textf("## Programs: REST\n\n```sh\ncurl %s\n```\n\n[Operations](/docs/rest) · [client "+
		"libraries](/docs/clients) · [webhooks](/docs/webhooks) · [OpenAPI](/openapi.json)",
		shell(w.Base+"/api/v1/stations/8443970/predictions?hours=24"))
	p.text("## People: pages\n\n[Boston](/stations/8443970) is an example of a station. " +
		"[Find yours](/stations), or [the nearest](/stations/near). " +
		"[Pages](/docs/guides/pages) describes their addresses, pictures and calendars.")
	p.text("## What holds for every result\n\n" +
		"- A prediction is the astronomical tide. An observation has the weather in it. No number " +
		"mixes the two.\n- Every fact has its source and its age. What is missing is named.\n" +
		"- Flood, ebb and slack come from current stations. They do not follow from high and low " +
		"water.\n- " + coast.Disclaimer)
	p.text("## All pages")
	w.lists = append(w.lists, func(sections []Section) {
		for _, s := range sections[1:] {
			p.textf("### [%s](%s)\n\n%s\n\n%s", s.Name, s.Path, w.made[s.Path].About, listOf(s.Pages))
		}
	})
	return Section{Name: "Overview", Path: p.Path}
}

// restSections makes the pages of the operations and their list.
func (w *writer) restSections() ([]Section, error) {
	s := Section{Name: "REST", Path: "/docs/rest"}
	list := w.page(s.Path, "REST operations", "All operations of REST by subject, each with its "+
		"parameters, a form that runs it, code and a recorded response.")
	list.textf("%s\n\nThe [guide to REST](/docs/guides/rest) has what they share: versions, pages, "+
		"errors. The same as OpenAPI: [the contract](/openapi.json), [for "+
		"developers](/api/developer/openapi.json) and [for planning](/api/planning/openapi.json).",
		list.About)
	for _, d := range w.documents {
		for _, tag := range d.tags {
			list.textf("## %s\n\n%s", tag.name, tag.about)
			var b strings.Builder
			for _, o := range d.operations {
				if o.tag != tag.name {
					continue
				}
				p, err := w.operationPage(o)
				if err != nil {
					return nil, err
				}
				s.Pages = append(s.Pages, p)
				fmt.Fprintf(&b, "- [%s](%s) `%s %s`\n", p.Title, p.Path, o.verb, o.path)
			}
			list.text(b.String())
		}
	}
	return []Section{s}, nil
}

// mcpSections makes the pages of the tools, their list, and how to connect.
func (w *writer) mcpSections() ([]Section, error) {
	s := Section{Name: "MCP", Path: "/docs/mcp"}
	list := w.page(s.Path, "MCP tools", "All tools of MCP by subject, each with its arguments, a "+
		"call and its recorded result.")
	list.textf("%s\n\nClients [connect](/docs/connect) to `%s/mcp`. The [guide to "+
		"MCP](/docs/guides/mcp) has keys, signing in, what the tools share, and pictures.",
		list.About, w.Base)
	list.text("## Tool sets\n\nThe address chooses the tools. Without a choice it is the set " +
		"`core`.\n\n| address | tools |\n|---|---|\n" + w.toolsetRows())
	var b strings.Builder
	sets, group := map[string][]string{}, ""
	for _, set := range w.Toolsets {
		for _, t := range set.Tools {
			sets[t.Name] = append(sets[t.Name], set.Name)
		}
	}
	for _, set := range w.Toolsets {
		for _, t := range set.Tools {
			if w.made[toolPath(t.Name)] != nil {
				continue
			}
			p, err := w.toolPage(t, sets[t.Name])
			if err != nil {
				return nil, err
			}
			if string(t.Group) != group {
				group = string(t.Group)
				fmt.Fprintf(&b, "\n## %s\n\n", group)
			}
			fmt.Fprintf(&b, "- [%s](%s) `%s`\n", p.Title, p.Path, t.Name)
			s.Pages = append(s.Pages, p)
		}
	}
	list.text(b.String())
	w.connectPage()
	return []Section{{Name: "Connect", Path: "/docs/connect"}, s}, nil
}

// toolsetRows returns the rows of the table of tool sets.
func (w *writer) toolsetRows() string {
	var b strings.Builder
	for i, set := range w.Toolsets {
		address := "/mcp"
		if i > 0 {
			fmt.Fprintf(&b, "| `/mcp?toolsets=%s,%s` | those and the set `%s` |\n", w.Toolsets[0].Name,
				set.Name, set.Name)
			address += "?toolsets=" + set.Name
		}
		fmt.Fprintf(&b, "| `%s` | the %d tools of the set `%s` |\n", address, len(set.Tools), set.Name)
	}
	return b.String() + "| `/mcp?tools=NAME,NAME` | exactly the named ones |\n"
}

// connectPage makes the page about connecting clients.
func (w *writer) connectPage() {
	p := w.page("/docs/connect", "Connect a client", "How each AI client and program connects to "+
		"this server.")
	p.textf("AI clients connect over MCP to the address below. No account is needed.\n\n"+
		"```text\n%s/mcp\n```", w.Base)
	p.text("## Clients")
	var b strings.Builder
	for _, c := range w.Connections {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", c.Name, c.About)
		if c.Button != "" {
			fmt.Fprintf(&b, "[%s](%s)\n\n", c.Button, c.Link)
		} else {
			b.WriteString(fenced("text", c.Code) + "\n\n")
		}
	}
	p.raw(execute(templates(), "connections", w.Connections), b.String())
	p.text("## With a key or an account")
	if w.SignIn {
		p.textf("At `%s/pro/mcp` the client lets you sign in, and gets the limits of your account. "+
			"[MCP](/docs/guides/mcp#sign-in) has the steps for each client, and "+
			"[signing in](/docs/guides/signing-in) what happens.", w.Base)
	}
	p.text("A client that can set headers can send a [key](/docs/guides/keys-and-limits) instead: " +
		"`Authorization: Bearer ldl_live_...`. Never put a key into an address.")
}

// meanings says of each error code what it means, and what to do.
var meanings = []struct {
	code    coast.Code
	means   string
	respond string
}{
	{coast.InvalidRequest, "A parameter, an argument or the body is missing, unknown or invalid.",
		"`issues` lists every fault with the rule and a valid example: correct all of them."},
	{coast.DatumUnavailable, "The station does not have this datum.",
		"Use one of those that the message lists."},
	{coast.RangeTooLong, "The span or the result is longer than the limit.",
		"Request less of it: several spans, or a longer interval."},
	{coast.CredentialRequired, "The operation needs a credential, and none was sent.",
		"Send a [key](/docs/guides/keys-and-limits), or sign in."},
	{coast.InvalidCredential, "The key or token is malformed, was revoked, or has expired.",
		"Correct it, refresh it, or leave it out where none is needed."},
	{coast.InsufficientScope, "The credential lacks a scope, which the message names.",
		"Use a key with this scope."},
	{coast.PlanRequired, "The plan of the account does not include the operation.",
		"[Limits](/docs/limits) compares the plans."},
	{coast.NotFound, "Nothing is served at this address, or the object does not exist.",
		"Check the address and the id. Objects of other accounts do not exist for you."},
	{coast.StationNotFound, "No station has this id.",
		"Use an id that the message names, or [search](/docs/rest/searchStations)."},
	{coast.ProductUnavailable, "The station does not have what was asked for.",
		"The message lists what the station has, or a station that has it."},
	{coast.MethodNotAllowed, "The address does not take this method.",
		"The header `Allow` lists those that it takes."},
	{coast.PayloadTooLarge, "The body is longer than 64 KiB.", "Send a shorter one."},
	{coast.UnsupportedMediaType, "The body is not `application/json`, or is compressed.",
		"Send JSON with `Content-Type: application/json`."},
	{coast.RateLimited, "The requests of a minute are used up.",
		"Wait as many seconds as `Retry-After` says, then continue."},
	{coast.QuotaExceeded, "The monthly quota of the account is used up.",
		"`Retry-After` ends with the month; a larger plan has a larger quota."},
	{coast.ProviderUnavailable, "NOAA or the weather service does not respond. No value is invented.",
		"Treat the fact as unknown. Try again after `Retry-After`."},
	{coast.StoreUnavailable, "The server cannot count the use of the account.",
		"Try again later, or without the credential."},
	{coast.Overloaded, "The server is handling as many requests as it can.",
		"Try again after `Retry-After`, a second."},
	{coast.Internal, "A fault of the server.",
		"Report it with the `X-Request-Id` of the response."},
}

// errorsPage makes the page of the error codes.
func (w *writer) errorsPage() {
	p := w.page("/docs/errors", "Errors", "Every error code with its status, its meaning and what to "+
		"do.")
	p.textf("An error is a JSON object. `code` is from the list below, which is closed within a "+
		"version of the contract. `message` is for people. `issues` lists every fault of a request. "+
		"Over MCP it is the structured content of a result with `isError`.\n\n```json\n%s\n```",
		`{"error": {"code": "invalid_request", "message": "days must be a whole number from 1 to 31, `+
			`not 32. Example: \"days\": 1.", "issues": [{"path": "days", "code": "maximum", "message": `+
			`"days must be a whole number from 1 to 31, not 32. Example: \"days\": 1."}]}}`)
	p.text("Errors with 429 and 503 can have `Retry-After`: seconds after which another attempt can " +
		"succeed, also as `retryAfterSeconds` in the object.")
	for _, m := range meanings {
		status := coast.Errorf(m.code, "").Status()
		p.textf("## %s\n\n%d %s. %s\n\n%s", m.code, status, http.StatusText(status), m.means,
			m.respond)
	}
}
