package cli

import (
	"context"

	"github.com/spf13/cobra"

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
			return server.Serve(ctx, p.parts(p.config))
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
	}, "offline", "contact", "coops-url", "nws-url", "log-level", "log-format")
}
