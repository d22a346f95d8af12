package server

import (
	"context"
	"io"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/config"
	"leadline/internal/upstream"
)

// Config configures a Server. The zero values of the last group are what the program
// uses; tests set them.
type Config struct {
	Settings *config.Config
	Version  string
	Stderr   io.Writer // receives the log, the addresses and invitation links

	// Browse opens a file in the browser of the person who started the server. It is nil if there is
	// no such person or no browser.
	Browse func(file string) error

	// NotifySocket is the socket of the service manager that started the program, as systemd names
	// it in NOTIFY_SOCKET; "" for none.
	NotifySocket string

	// Inspect is the command line, without its last arguments, of a process that calls
	// InspectStore. It is a separate process because a damaged store can crash the process that
	// reads it. If it is nil, stores are not inspected.
	Inspect []string

	Now      func() time.Time // nil means the machine's clock
	Clock    func() time.Time // is compared with the clock of the database; nil means Now
	Upstream upstream.Config  // deadline, pace and clock of requests to providers
	Patience time.Duration    // how long a page waits for providers; 0 means the usual time
	Monitor  time.Duration    // between looks at the components; 0 means the usual time
	// Token verifies access tokens. nil: the authorization server does.
	Token func(ctx context.Context, token string) (credential.Token, error)
}

func (c Config) withDefaults() Config {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Clock == nil {
		c.Clock = c.Now
	}
	if c.Stderr == nil {
		c.Stderr = io.Discard
	}
	return c
}

// userAgent names the program and the address to write to, as the weather service asks.
func (c Config) userAgent() string {
	if c.Settings.Contact == "" {
		return "Leadline/" + c.Version
	}
	return "Leadline/" + c.Version + " (" + c.Settings.Contact + ")"
}
