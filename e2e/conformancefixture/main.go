// Conformancefixture serves the tools, resources and prompts that the MCP
// conformance suite names, with the same guard and mcp-go options as Leadline. It
// shows that the MCP endpoint passes the protocol through. scripts/clients runs it;
// it is not part of the product.
//
// There are no fixtures for features that the endpoint refuses by design: notifications
// during a call, and requests to the client (sampling, elicitation, roots).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/mcp"
)

// A PNG of one pixel and a WAV of one sample.
const (
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx" +
		"0gAAAABJRU5ErkJggg=="
	click = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// main serves on the address in its argument and prints the URL.
func main() {
	address := "127.0.0.1:0"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	base := "http://" + listener.Addr().String()
	guarded, err := mcp.Guard(mcp.Config{BaseURL: base, Log: slog.Default()}, fixtures())
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", guarded)
	fmt.Println(base + "/mcp")
	log.Fatal(http.Serve(listener, mux))
}

func fixtures() *server.MCPServer {
	s := server.NewMCPServer("conformancefixture", "1.0.0",
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithCacheHints(3_600_000, protocol.CacheScopePublic))
	addTools(s)
	addResources(s)
	addPrompts(s)
	return s
}

func addTools(s *server.MCPServer) {
	embedded := protocol.NewEmbeddedResource(protocol.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain",
		Text: "This is an embedded resource content."})
	mixed := protocol.NewEmbeddedResource(protocol.TextResourceContents{
		URI: "test://mixed-content-resource", MIMEType: "application/json",
		Text: `{"test":"data","value":123}`})
	for name, content := range map[string][]protocol.Content{
		"test_simple_text": {
			protocol.NewTextContent("This is a simple text response for testing."),
		},
		"test_image_content":     {protocol.NewImageContent(pixel, "image/png")},
		"test_audio_content":     {protocol.NewAudioContent(click, "audio/wav")},
		"test_embedded_resource": {embedded},
		"test_multiple_content_types": {
			protocol.NewTextContent("Multiple content types test:"),
			protocol.NewImageContent(pixel, "image/png"), mixed,
		},
	} {
		s.AddTool(protocol.NewTool(name, protocol.WithDescription("Returns fixed content.")),
			answer(&protocol.CallToolResult{Content: content}))
	}
	s.AddTool(protocol.NewTool("test_error_handling", protocol.WithDescription("Fails.")),
		answer(protocol.NewToolResultError("This tool intentionally returns an error for testing")))
	s.AddTool(protocol.NewToolWithRawSchema("json_schema_2020_12_tool",
		"Tool with JSON Schema 2020-12 features", json.RawMessage(schema)),
		answer(protocol.NewToolResultText("ok")))
	s.AddTool(protocol.NewToolWithRawSchema("test_header_tool",
		"Tool with a parameter that a header repeats", json.RawMessage(
			`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)),
		answer(protocol.NewToolResultText("ok")))
	s.AddTool(
		protocol.NewTool("test_logging_tool", protocol.WithDescription("Has nothing to log.")),
		answer(protocol.NewToolResultText("ok")),
	)
}

// schema uses what distinguishes JSON Schema 2020-12.
const schema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

func answer(r *protocol.CallToolResult) server.ToolHandlerFunc {
	return func(context.Context, protocol.CallToolRequest) (*protocol.CallToolResult, error) {
		return r, nil
	}
}

func addResources(s *server.MCPServer) {
	add := func(name, kind string, contents protocol.ResourceContents) {
		s.AddResource(
			protocol.NewResource("test://"+name, name,
				protocol.WithResourceDescription("Fixed contents."), protocol.WithMIMEType(kind)),
			func(context.Context, protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
				return []protocol.ResourceContents{contents}, nil
			},
		)
	}
	add("static-text", "text/plain", protocol.TextResourceContents{
		URI: "test://static-text", MIMEType: "text/plain",
		Text: "This is the content of the static text resource."})
	add(
		"static-binary",
		"image/png",
		protocol.BlobResourceContents{
			URI:      "test://static-binary",
			MIMEType: "image/png",
			Blob:     pixel,
		},
	)
	s.AddResourceTemplate(protocol.NewResourceTemplate("test://template/{id}/data", "template",
		protocol.WithTemplateDescription("Contents with the id in them."),
		protocol.WithTemplateMIMEType("application/json")), readTemplate)
}

func readTemplate(_ context.Context,
	r protocol.ReadResourceRequest) ([]protocol.ResourceContents, error) {
	id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
	text := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)
	return []protocol.ResourceContents{protocol.TextResourceContents{
		URI: r.Params.URI, MIMEType: "application/json", Text: text,
	}}, nil
}

func addPrompts(s *server.MCPServer) {
	text := func(t string) protocol.PromptMessage {
		return protocol.NewPromptMessage(protocol.RoleUser, protocol.NewTextContent(t))
	}
	add := func(name string, messages func(arguments map[string]string) []protocol.PromptMessage,
		arguments ...string) {
		options := []protocol.PromptOption{
			protocol.WithPromptDescription("A prompt for the suite."),
		}
		for _, a := range arguments {
			options = append(options, protocol.WithArgument(a, protocol.RequiredArgument()))
		}
		s.AddPrompt(
			protocol.NewPrompt(name, options...),
			func(_ context.Context, r protocol.GetPromptRequest) (*protocol.GetPromptResult, error) {
				return protocol.NewGetPromptResult("", messages(r.Params.Arguments)), nil
			},
		)
	}
	add("test_simple_prompt", func(map[string]string) []protocol.PromptMessage {
		return []protocol.PromptMessage{text("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", func(a map[string]string) []protocol.PromptMessage {
		return []protocol.PromptMessage{
			text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
				a["arg1"], a["arg2"])),
		}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) []protocol.PromptMessage {
		embedded := protocol.NewEmbeddedResource(protocol.TextResourceContents{
			URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."})
		return []protocol.PromptMessage{
			protocol.NewPromptMessage(protocol.RoleUser, embedded),
			text("Please process the embedded resource above."),
		}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []protocol.PromptMessage {
		return []protocol.PromptMessage{
			protocol.NewPromptMessage(
				protocol.RoleUser,
				protocol.NewImageContent(pixel, "image/png"),
			),
			text("Please analyze the image above.")}
	})
}
