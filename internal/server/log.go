package server

import (
	"io"
	"log/slog"
	"os"

	"leadline/internal/config"
	"leadline/internal/edge"
)

// NewLogger returns a logger that writes to w. w is never standard output, which is for
// results. Credentials are removed from every line.
func NewLogger(c *config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: edge.Scrub}
	if c.LogFormat == "json" || c.LogFormat == "auto" && !isTerminal(w) {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
