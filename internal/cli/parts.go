package cli

import (
	"log/slog"

	"leadline/internal/config"
	"leadline/internal/server"
)

// version is the release.
const version = "0.1.0"

// parts returns the configuration of what the command runs.
func (p *program) parts(c *config.Config) server.Config {
	return server.Config{Settings: c, Version: version, Stderr: p.streams.Err}
}

// logger returns a logger to standard error.
func (p *program) logger() *slog.Logger { return server.NewLogger(p.config, p.streams.Err) }

// live opens the operations with their providers. The caller closes them.
func (p *program) live(c *config.Config) (server.Live, error) {
	return server.OpenLive(p.parts(c))
}
