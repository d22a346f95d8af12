package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"leadline/internal/admin"
	"leadline/internal/server"
)

// serveCommand returns leadline serve.
func (p *program) serveCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "serve", Short: "Serve MCP and REST over HTTP; the default command",
		Long: "Serve MCP and REST over HTTP until SIGINT or SIGTERM. Accounts, keys and cached " +
			"provider responses are kept in the data folder, which is created if needed.",
		Args: takes(),
		RunE: p.run(func(ctx context.Context, _ []string) error {
			c := p.parts(p.config)
			c.Browse = p.browse()
			c.NotifySocket = p.config.Getenv("NOTIFY_SOCKET")
			return server.Serve(ctx, c)
		}),
	}, allSettings)
}

// stdioCommand returns leadline stdio.
func (p *program) stdioCommand() *cobra.Command {
	return uses(&cobra.Command{
		Use: "stdio", Short: "Speak MCP over standard input and output, for desktop clients",
		Long: "Speak MCP over standard input and output, for desktop clients. Nothing is kept on disk.",
		Args: takes(),
		RunE: p.run(func(ctx context.Context, _ []string) error {
			return server.ServeStdio(ctx, p.parts(p.config), p.streams.In, p.streams.Out)
		}),
	}, "toolsets", "offline", "contact", "coops-url", "nws-url", "log-level", "log-format")
}

// healthTimeout limits how long a server may take to report its health.
const healthTimeout = 5 * time.Second

// healthCommand returns leadline health.
func (p *program) healthCommand() *cobra.Command {
	var at string
	c := uses(&cobra.Command{
		Use: "health", Short: "Check that a server is ready",
		Long: "Check that a server is ready: the one that runs on the data folder, or the one at " +
			"--url. The exit code is 1 if it does not report so within 5 seconds; containers can " +
			"use the command as their health check.",
		Example: "leadline health\nleadline health --url https://tides.example.org",
		Args:    takes(),
	}, "data")
	c.Flags().StringVar(&at, "url", "", "`URL` of the server, such as https://tides.example.org")
	c.RunE = p.run(func(ctx context.Context, _ []string) error {
		ctx, cancel := context.WithTimeout(ctx, healthTimeout)
		defer cancel()
		if at == "" {
			return p.checkLocal(ctx)
		}
		return p.checkURL(ctx, at)
	})
	return c
}

// checkLocal checks the server that runs on the data folder.
func (p *program) checkLocal(ctx context.Context) error {
	c, err := admin.Dial(ctx, p.config.Data)
	if err != nil {
		return err
	}
	defer c.Close()
	h, err := c.Health(ctx)
	if err != nil {
		return err
	}
	return p.printHealth(h)
}

// printHealth prints whether a server is ready, and the components that are not
// operational.
func (p *program) printHealth(h admin.Health) error {
	if len(h.Instances) > 1 {
		p.notef("instance %s; live instances: %s\n", h.Instance, strings.Join(h.Instances, ", "))
	}
	var affected []string
	for _, component := range h.Components {
		if component.Status != "operational" {
			affected = append(affected, string(component.Name))
			p.notef("%s is %s: %s\n", component.Name, component.Status,
				cmp.Or(component.Message, "no details"))
		}
	}
	switch {
	case h.NotReady != "":
		return fmt.Errorf("the server at %s is not ready: %s", h.URL, h.NotReady)
	case len(affected) > 0:
		return p.printf("%s is ready, with limited service: %s\n", h.URL, strings.Join(affected, ", "))
	}
	return p.printf("%s is ready\n", h.URL)
}

// checkURL checks the server at a URL.
func (p *program) checkURL(ctx context.Context, at string) error {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("invalid --url %q: must be a URL such as https://tides.example.org", at)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("/readyz").String(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the server is not ready: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return p.printf("%s is ready\n", at)
	}
	var refused struct{ Error struct{ Message string } }
	body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err == nil && json.Unmarshal(body, &refused) == nil && refused.Error.Message != "" {
		return fmt.Errorf("the server at %s is not ready: %s", at, refused.Error.Message)
	}
	return fmt.Errorf("the server at %s is not ready: status %s", at, response.Status)
}
