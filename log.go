package main

import (
	"io"
	"log/slog"
	"os"

	"leadline/internal/config"
	"leadline/internal/edge"
)

// newLogger writes to w, which is never standard output: that belongs to
// answers. No line holds a credential.
func newLogger(c *config.Config, w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: edge.Scrub}
	if c.LogFormat == "json" || c.LogFormat == "auto" && !terminal(w) {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
