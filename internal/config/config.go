// Package config holds the settings of the program. One table defines them: each row
// is a flag (--listen), an environment variable (LEADLINE_LISTEN) and a key of the
// JSON file that --config names. Help, `leadline config` and docs/configuration.md
// print that table. A flag wins over the variable, the variable over the file, and
// the file over the default. Values are typed and checked as they are read, so the
// rest of the program receives valid ones. The package reads only the environment
// and the file that it is given.
package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"leadline/internal/coast"
)

// Config holds the current settings.
type Config struct {
	Listen       string
	PortFile     string
	BaseURL      string // scheme and host, "" to use the bound address
	AllowHosts   []string
	AllowOrigins []string
	Data         string // data folder

	Store             string // URL of a PostgreSQL database, "" for the file in the data folder
	StorePasswordFile string
	StoreListen       string // URL of the database server itself, "" for Store
	StoreConnections  int
	StoreTimeout      time.Duration
	StoreMigrate      bool
	Instance          string // name of this process, "" for that of the host
	RateLimits        string // auto, local or shared
	ProviderShare     int    // instances that share the budgets of providers, 0 for the live ones

	COOPSURL  string
	NWSURL    string
	Toolsets  []string // toolsets for MCP addresses that do not name any
	AppDomain string   // host of the sandbox of the MCP App
	Offline   bool
	// VerifyMonthly compares the predictions of all reference stations with NOAA's once a month.
	VerifyMonthly bool
	Contact       string
	Pages         string // folder with texts of pages, "" for those of the program

	OpenAIChallenge string // text by which OpenAI verifies the host, "" for none
	ReleaseFeed     string // URL that describes the newest release, "" for none

	AdminListen    string
	TrustedProxies []netip.Prefix
	Plans          string // file of plans
	SharedClients  string // file of shared clients
	Signup         string // closed, invite or open
	Browser        string // auto or off

	OIDCIssuer           string
	OIDCClientID         string
	OIDCClientSecretFile string
	OIDCPlanClaim        string

	Webhooks       string         // on or off
	WebhookPrivate []netip.Prefix // networks that webhooks may reach besides public ones
	WebhookProxy   string         // URL of a CONNECT proxy, "" for none
	WebhookRoots   string         // file of additional root certificates
	PepperFile     string         // "" for the one in the data folder

	TLSCert    string
	TLSKey     string
	ACMEDomain string
	DrainWait  time.Duration

	MaxInFlight              int // maximum number of requests
	MaxConnectionsPerAddress int

	LogLevel  slog.Level
	LogFormat string // auto, text or json

	File    string              // JSON file with settings, "" for none
	Getenv  func(string) string // reads the environment, nil for none
	Environ []string            // the environment as "name=value", to find unknown names

	settings []*Setting
}

// The signup policies: only the operator creates accounts, people with an
// invitation link may too, or everybody may.
const (
	SignupClosed = "closed"
	SignupInvite = "invite"
	SignupOpen   = "open"
)

// The values of Webhooks.
const (
	WebhooksOn  = "on"
	WebhooksOff = "off"
)

// The values of RateLimits.
const (
	RateLimitsAuto   = autoWord
	RateLimitsLocal  = "local"
	RateLimitsShared = "shared"
)

// The values of Browser.
const (
	BrowserAuto = autoWord
	BrowserOff  = "off"
)

// table returns the rows, bound to the fields of c.
func (c *Config) table() []*Setting {
	return []*Setting{
		{Name: "listen", Default: "127.0.0.1:8080", value: (*text)(&c.Listen),
			Usage: "address to serve on; port 0 picks a free one"},
		{Name: "port-file", value: (*text)(&c.PortFile),
			Usage: "file to write the port to once it is open"},
		{Name: "base-url", value: (*origin)(&c.BaseURL),
			Usage: "scheme and host that clients see; empty for the bound address"},
		{Name: "allow-hosts", value: (*list)(&c.AllowHosts),
			Usage: "additional Host values to accept on /mcp, comma-separated"},
		{Name: "allow-origins", value: (*list)(&c.AllowOrigins),
			Usage: "additional browser origins to accept on /mcp, comma-separated"},
		{Name: "data", Default: "./leadline-data", value: (*text)(&c.Data),
			Usage: "folder for accounts, keys, quotas and cached provider responses"},
		{Name: "store", value: (*database)(&c.Store),
			Usage: "PostgreSQL database for all that must survive a restart, shared by several " +
				"instances, such as postgres://leadline@db.example.org/leadline; " +
				"empty for a file in the data folder"},
		{Name: "store-password-file", value: (*text)(&c.StorePasswordFile),
			Usage: "file with the password of the database"},
		{Name: "store-connections", Default: "16", value: (*count)(&c.StoreConnections),
			Usage: "connections to the database, besides one that receives changes"},
		{Name: "store-timeout", Default: "250ms", value: (*patience)(&c.StoreTimeout),
			Usage: "time that a request waits for an unknown key, or a store that does not respond, " +
				"before it gets 503 store_unavailable, from 50ms to 5s"},
		{Name: "store-listen", value: (*database)(&c.StoreListen),
			Usage: "URL of the database server itself if --store names a pooler or a proxy; without it " +
				"such an instance asks for changes every second"},
		{Name: "store-migrate", Default: "true", value: (*boolean)(&c.StoreMigrate),
			Usage: "create or migrate the schema of the database at the start; if false, an older " +
				"schema prevents it"},
		{Name: "instance", value: (*label)(&c.Instance),
			Usage: "name of this instance in the status and in the log; empty for the host name"},
		{Name: "rate-limits", Default: RateLimitsAuto,
			value: choice{&c.RateLimits, []string{RateLimitsAuto, RateLimitsLocal, RateLimitsShared}},
			Usage: "count requests of accounts on each instance (local), over all instances of a " +
				"database (shared), or shared with --store and else local (auto)"},
		{Name: "provider-share", Default: autoWord, value: (*divisor)(&c.ProviderShare),
			Usage: "instances that divide the request rate to each provider: the live ones (auto), or " +
				"a number; 1 keeps the whole rate"},
		{Name: "coops-url", Default: "https://api.tidesandcurrents.noaa.gov",
			value: (*origin)(&c.COOPSURL),
			Usage: "scheme and host of NOAA CO-OPS"},
		{Name: "nws-url", Default: "https://api.weather.gov", value: (*origin)(&c.NWSURL),
			Usage: "scheme and host of the weather service"},
		{Name: "toolsets", Default: "core", value: (*list)(&c.Toolsets),
			Usage: "tool sets that MCP offers where the address names none, comma-separated: " +
				"core, planning"},
		{Name: "app-domain", value: (*text)(&c.AppDomain),
			Usage: "dedicated domain of the MCP App, in the form that a client asks for"},
		{Name: "openai-challenge", value: (*text)(&c.OpenAIChallenge),
			Usage: "text by which OpenAI verifies this host; empty for none"},
		{Name: "offline", Default: "false", value: (*boolean)(&c.Offline),
			Usage: "never ask a provider"},
		{Name: "verify-monthly", Default: "false", value: (*boolean)(&c.VerifyMonthly),
			Usage: "compare the predictions of all stations with constants of their own with NOAA's once " +
				"a month, and show the result on /verification"},
		{Name: "contact", value: (*text)(&c.Contact),
			Usage: "mail address or URL for the providers' User-Agent, which the weather service asks " +
				"for, and for the pages about privacy, terms and support"},
		{Name: "pages", value: (*text)(&c.Pages),
			Usage: "folder with privacy.md, terms.md and support.md, which replace the built-in texts"},
		{Name: "admin-listen", value: (*text)(&c.AdminListen),
			Usage: "address for the operator: /metrics, /debug/pprof/, /backup; empty for none"},
		{Name: "tls-cert", value: (*text)(&c.TLSCert),
			Usage: "certificate chain file, to serve https; read again on SIGHUP"},
		{Name: "tls-key", value: (*text)(&c.TLSKey),
			Usage: "private key file of the certificate"},
		{Name: "acme-domain", value: (*text)(&c.ACMEDomain),
			Usage: "host name to serve https for with certificates from Let's Encrypt"},
		{Name: "drain-wait", Default: "5s", value: (*duration)(&c.DrainWait),
			Usage: "time to keep serving after SIGTERM while /readyz returns 503"},
		{Name: "max-in-flight", Default: "256", value: (*count)(&c.MaxInFlight),
			Usage: "requests handled at a time; beyond them 503 overloaded"},
		{Name: "max-connections-per-address", Default: "128",
			value: (*count)(&c.MaxConnectionsPerAddress),
			Usage: "connections of a client address, an IPv6 /64 counting as one; " +
				"trusted proxies have no limit"},
		{Name: "trusted-proxies", value: (*networks)(&c.TrustedProxies),
			Usage: "networks of proxies whose X-Forwarded-For is believed, comma-separated"},
		{Name: "plans", value: (*text)(&c.Plans),
			Usage: "JSON file with limits and features of the plans; empty for the built-in ones"},
		{Name: "shared-clients", value: (*text)(&c.SharedClients),
			Usage: "JSON file with networks whose anonymous callers share a rate limit; " +
				"empty for the built-in ones"},
		{Name: "signup", Default: SignupInvite,
			value: choice{&c.Signup, []string{SignupClosed, SignupInvite, SignupOpen}},
			Usage: "who may create an account: the operator (closed), " +
				"people with an invitation link (invite), everybody (open)"},
		{Name: "browser", Default: BrowserAuto,
			value: choice{&c.Browser, []string{BrowserAuto, BrowserOff}},
			Usage: "open the link of the first account in a browser if the server starts in a terminal on " +
				"a desktop (auto), or never (off)"},
		{Name: "oidc-issuer", value: (*text)(&c.OIDCIssuer),
			Usage: "issuer of an OpenID provider that people can sign in with; empty for none"},
		{Name: "oidc-client-id", value: (*text)(&c.OIDCClientID),
			Usage: "client id of this server at the OpenID provider"},
		{Name: "oidc-client-secret-file", value: (*text)(&c.OIDCClientSecretFile),
			Usage: "file with the client secret; empty for a public client"},
		{Name: "oidc-plan-claim", value: (*text)(&c.OIDCPlanClaim),
			Usage: "claim with the name of a person's plan; empty to assign plans by accounts plan"},
		{Name: "webhooks", Default: WebhooksOn,
			value: choice{&c.Webhooks, []string{WebhooksOn, WebhooksOff}},
			Usage: "deliver events to the webhook endpoints of accounts: on or off"},
		{Name: "webhook-private", value: (*networks)(&c.WebhookPrivate),
			Usage: "private networks that webhooks may reach, with http and any port, comma-separated"},
		{Name: "webhook-proxy", value: (*proxy)(&c.WebhookProxy),
			Usage: "CONNECT proxy for all webhooks, such as http://proxy.internal:4750; " +
				"it must refuse private addresses"},
		{Name: "webhook-roots", value: (*text)(&c.WebhookRoots),
			Usage: "PEM file with root certificates to trust for webhooks, besides the system's"},
		{Name: "pepper-file", value: (*text)(&c.PepperFile),
			Usage: "file with the secret from which stored keys and webhook secrets are protected; " +
				"empty for pepper in the data folder"},
		{Name: "release-feed", value: (*webURL)(&c.ReleaseFeed),
			Usage: "URL that describes the newest release, for leadline update; empty for none"},
		{Name: "log-level", Default: "info", value: (*level)(&c.LogLevel),
			Usage: "debug, info, warn or error"},
		{Name: "log-format", Default: "auto",
			value: choice{&c.LogFormat, []string{"auto", "text", "json"}},
			Usage: "text, json, or auto (text on a terminal, json otherwise)"},
	}
}

// New returns the default settings.
func New() *Config {
	c := &Config{}
	c.settings = c.table()
	for _, s := range c.settings {
		if err := s.value.Set(s.Default); err != nil {
			panic("config: default of " + s.Name + ": " + err.Error())
		}
	}
	return c
}

// Shared reports whether the store is a database, which several instances can use.
func (c *Config) Shared() bool { return c.Store != "" }

// StoreShown returns the address of the database without its password.
func (c *Config) StoreShown() string { return masked(c.Store) }

// Settings returns the rows of the table in order. Setting one of them has the
// same effect as its flag.
func (c *Config) Settings() []*Setting { return c.settings }

// Load reads the settings that no flag has set from the environment and then
// from File. If File is empty, its name is taken from LEADLINE_CONFIG.
func (c *Config) Load() error {
	getenv := c.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	c.File = cmp.Or(c.File, getenv("LEADLINE_CONFIG"))
	fromFile, err := c.readFile()
	if err != nil {
		return err
	}
	for _, s := range c.settings {
		if err := s.load(getenv(s.Variable()), fromFile[s.Name], c.File); err != nil {
			return err
		}
	}
	return nil
}

// readFile returns the settings of the file as text.
func (c *Config) readFile() (map[string]string, error) {
	if c.File == "" {
		return nil, nil
	}
	b, err := os.ReadFile(c.File)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	var values map[string]any
	if err := json.Unmarshal(b, &values); err != nil || values == nil {
		const rule = `must be a JSON object such as {"listen": "127.0.0.1:8080"}`
		return nil, errors.Join(fmt.Errorf("read settings of %s: %s", c.File, rule), err)
	}
	given := map[string]string{}
	for key, value := range values {
		i := slices.IndexFunc(c.settings, func(s *Setting) bool { return s.Name == key })
		if i < 0 {
			return nil, fmt.Errorf("read settings of %s: unknown key %q; "+
				"leadline config lists the known ones", c.File, key)
		}
		if given[key], err = c.settings[i].textOf(value); err != nil {
			return nil, fmt.Errorf("read settings of %s: invalid %q: %w", c.File, key, err)
		}
	}
	return given, nil
}

// prefix is the prefix of the environment variables.
const prefix = "LEADLINE_"

// completionVariables are read by the shell completion of package cobra.
var completionVariables = []string{
	prefix + "ACTIVE_HELP", prefix + "COMPLETION_DESCRIPTIONS",
}

// UnknownVariables describes each environment variable that has the prefix of
// settings but does not belong to one. They are not errors, because the
// environment may be shared with other programs.
func (c *Config) UnknownVariables() (warnings []string) {
	known := append([]string{prefix + "CONFIG"}, completionVariables...)
	for _, s := range c.settings {
		known = append(known, s.Variable())
	}
	for _, pair := range c.Environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || slices.Contains(known, name) {
			continue
		}
		hint := "leadline config --help lists the settings"
		if near := nearest(name, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		warnings = append(warnings, fmt.Sprintf("unknown environment variable %s is ignored; %s",
			coast.Clip(name), hint))
	}
	return warnings
}

// nearest returns the name whose edit distance from a misspelled one is at most
// 3, or "".
func nearest(name string, known []string) (best string) {
	distance := 4
	for _, k := range known {
		if d := coast.Distance(coast.Clip(name), k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// Print writes the current settings and the origin of each. Switches and numbers are
// written as in the settings file, without quotes.
func (c *Config) Print(w io.Writer) {
	if c.File != "" {
		fmt.Fprintf(w, "settings file: %s\n", c.File)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range c.settings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Name, s.json(), s.origin)
	}
	table.Flush()
}
