package mcp

import (
	"context"
	_ "embed"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/operation"
)

// The App is a page that clients show with the results of four tools (MCP Apps, version
// 2026-01-26). It draws the structured content of a result. Clients that do not support the
// extension ignore the _meta of the tools that names it.
const (
	appExtension = "io.modelcontextprotocol/ui"
	appURI       = "ui://leadline/tide-chart"
	appType      = "text/html;profile=mcp-app"
)

// appPage is the App: one document with its style and its script.
//
//go:embed app/tide-chart.html
var appPage string

// metaObject is a JSON object in a _meta.
type metaObject = map[string]any

// appOption announces that the server has an App.
func appOption() server.ServerOption {
	return server.WithExtensions(metaObject{appExtension: metaObject{}})
}

// appMeta returns the _meta of a tool whose results the App draws.
func appMeta(t operation.Tool) metaObject {
	if !t.Pictured {
		return metaObject{}
	}
	return metaObject{"ui": metaObject{"resourceUri": appURI}}
}

// addApp adds the resource with the App. The domain is the host of a sandbox of its own, in the
// form that a client asks for, or "".
func addApp(m *server.MCPServer, domain string) {
	app := protocol.NewResource(appURI, "tide-chart", protocol.WithResourceTitle("Tide chart"),
		protocol.WithResourceDescription("Draws predicted tides and currents, observed water levels "+
			"and the wind forecast from the results of their tools."),
		protocol.WithMIMEType(appType))
	app.Meta = &protocol.Meta{AdditionalFields: metaObject{"ui": appPolicy(metaObject{}, domain)}}
	m.AddResource(app, func(
		context.Context, protocol.ReadResourceRequest,
	) ([]protocol.ResourceContents, error) {
		// The App sends no requests and loads nothing.
		csp := metaObject{"connectDomains": []string{}, "resourceDomains": []string{}}
		return []protocol.ResourceContents{protocol.TextResourceContents{
			URI: appURI, MIMEType: appType, Text: appPage,
			Meta: metaObject{"ui": appPolicy(csp, domain)},
		}}, nil
	})
}

// appPolicy returns what clients must know to show the App.
func appPolicy(csp metaObject, domain string) metaObject {
	policy := metaObject{"csp": csp, "prefersBorder": true}
	if domain != "" {
		policy["domain"] = domain
	}
	return policy
}
