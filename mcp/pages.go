package mcp

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/prompts"
	"leadline/resources"
)

// These are the URIs of the resources.
const (
	guideURI        = "leadline://guide/getting-started"
	topicPrefix     = "leadline://reference/"
	stationPrefix   = "leadline://stations/"
	topicTemplate   = topicPrefix + "{topic}"
	stationTemplate = stationPrefix + "{id}"
)

const markdown = "text/markdown"

func (s *Server) addResources(m *server.MCPServer, l *resources.Library) {
	s.addPage(m, guideURI, l.Guide())
	for _, t := range l.Topics() {
		s.addPage(m, topicPrefix+t.Name, t)
	}
	m.AddResourceTemplate(protocol.NewResourceTemplate(topicTemplate, "reference",
		protocol.WithTemplateTitle("Reference topic"),
		protocol.WithTemplateDescription("A page of reference by its name."),
		protocol.WithTemplateMIMEType(markdown)), s.readPage)
	m.AddResourceTemplate(protocol.NewResourceTemplate(stationTemplate, "station",
		protocol.WithTemplateTitle("Station card"),
		protocol.WithTemplateDescription("What a station is and what it can answer, by its id."),
		protocol.WithTemplateMIMEType("application/json")), s.readCard)
}

func (s *Server) addPage(m *server.MCPServer, uri string, t resources.Topic) {
	s.pages[uri] = t
	m.AddResource(protocol.NewResource(uri, t.Name, protocol.WithResourceTitle(t.Title),
		protocol.WithResourceDescription(t.About), protocol.WithMIMEType(markdown)), s.readPage)
}

// readPage returns a page. refuseRead has checked that it exists.
func (s *Server) readPage(
	_ context.Context, r protocol.ReadResourceRequest,
) ([]protocol.ResourceContents, error) {
	return contents(r.Params.URI, markdown, s.pages[r.Params.URI].Text), nil
}

// readCard returns the card of a station. refuseRead has checked that the station exists, so
// an error is the fault of the server or a provider.
func (s *Server) readCard(
	ctx context.Context, r protocol.ReadResourceRequest,
) ([]protocol.ResourceContents, error) {
	uri := r.Params.URI
	card, err := s.card(ctx, stationOf(uri))
	if err != nil {
		e, known := coast.AsError(err)
		if !known {
			s.log.Error("resource failed",
				"uri", uri, "request", access.RequestID(ctx), "error", err)
		}
		access.Settle(ctx, e.Status())
		access.Refuse(ctx, string(protocol.MethodResourcesRead)+" "+uri, e)
		return nil, errors.New(e.Message) // mcp-go sends the text of an error to the client
	}
	return contents(uri, "application/json", string(card)), nil
}

func contents(uri, mediaType, text string) []protocol.ResourceContents {
	return []protocol.ResourceContents{
		protocol.TextResourceContents{URI: uri, MIMEType: mediaType, Text: text},
	}
}

// stationOf returns the station id in the URI of a card.
func stationOf(uri string) string {
	id := strings.TrimPrefix(uri, stationPrefix)
	if plain, err := url.PathUnescape(id); err == nil {
		return plain
	}
	return id
}

func (s *Server) addPrompts(m *server.MCPServer, all []prompts.Prompt) {
	for _, p := range all {
		options := []protocol.PromptOption{
			protocol.WithPromptTitle(p.Title), protocol.WithPromptDescription(p.About),
		}
		for _, a := range p.Arguments {
			traits := []protocol.ArgumentOption{protocol.ArgumentDescription(a.About)}
			if a.Required {
				traits = append(traits, protocol.RequiredArgument())
			}
			options = append(options, protocol.WithArgument(a.Name, traits...))
		}
		s.prompts[p.Name] = p
		m.AddPrompt(protocol.NewPrompt(p.Name, options...), renderPrompt(p))
	}
}

func renderPrompt(p prompts.Prompt) server.PromptHandlerFunc {
	return func(
		_ context.Context, r protocol.GetPromptRequest,
	) (*protocol.GetPromptResult, error) {
		text := protocol.NewTextContent(p.Render(r.Params.Arguments))
		message := protocol.NewPromptMessage(protocol.RoleUser, text)
		return protocol.NewGetPromptResult(p.About, []protocol.PromptMessage{message}), nil
	}
}

// promptCompletions completes the arguments of prompts that are places or stations.
type promptCompletions struct{ s *Server }

// CompletePromptArgument returns what a person would type: names of places for a location, else ids
// of stations. For an argument that is free text it returns nothing.
func (c promptCompletions) CompletePromptArgument(
	ctx context.Context, prompt string, a protocol.CompleteArgument, _ protocol.CompleteContext,
) (*protocol.Completion, error) {
	arguments := c.s.prompts[prompt].Arguments
	i := slices.IndexFunc(arguments, func(b prompts.Argument) bool { return b.Name == a.Name })
	if i < 0 || !arguments[i].Station {
		return completion(nil), nil
	}
	if a.Name == "location" {
		return completion(c.s.places(ctx, a.Value)), nil
	}
	return completion(c.s.complete(ctx, a.Value)), nil
}

// resourceCompletions completes the variables of resource templates.
type resourceCompletions struct{ s *Server }

// CompleteResourceArgument returns topics or station ids.
func (c resourceCompletions) CompleteResourceArgument(
	ctx context.Context, uri string, a protocol.CompleteArgument, _ protocol.CompleteContext,
) (*protocol.Completion, error) {
	switch uri {
	case topicTemplate:
		return completion(c.s.topics(strings.ToLower(a.Value))), nil
	case stationTemplate:
		return completion(c.s.complete(ctx, a.Value)), nil
	}
	return completion(nil), nil
}

// topics returns the names of the topics that begin with the prefix.
func (s *Server) topics(prefix string) (names []string) {
	for uri := range s.pages {
		if name, is := strings.CutPrefix(uri, topicPrefix); is && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// maxCompletions is the limit of the protocol for the values in one response.
const maxCompletions = 100

func completion(values []string) *protocol.Completion {
	total := len(values)
	return &protocol.Completion{
		Values:  values[:min(total, maxCompletions)],
		Total:   total,
		HasMore: total > maxCompletions,
	}
}
