package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"leadline/internal/edge"
	"leadline/oauth"
)

// Config is what an operator can set. Each setting is a flag (-listen), an
// environment variable (LEADLINE_LISTEN) and a key of the -config file
// (listen); the flag wins over the variable, the variable over the file, and
// the file over the default.
type Config struct {
	Listen       string
	PortFile     string
	BaseURL      string
	AllowHosts   string
	AllowOrigins string
	Data         string
	COOPSURL     string
	NWSURL       string
	Offline      string // true or false
	Contact      string

	AdminListen    string
	TrustedProxies string
	Plans          string
	SharedClients  string
	Signup         string // closed, invite or open

	OIDCIssuer           string
	OIDCClientID         string
	OIDCClientSecretFile string
	OIDCPlanClaim        string

	TLSCert    string
	TLSKey     string
	ACMEDomain string
	DrainWait  string

	MaxInFlight              string
	MaxConnectionsPerAddress string

	LogLevel  string
	LogFormat string

	file        string
	environment func(string) string
	origin      map[string]string // setting to where its value came from
}

// setting is one line of the table that -h, config and the README show.
type setting struct {
	name, fallback, about string
	value                 func(*Config) *string
	allowed               []string // nil takes any text
}

var settings = []setting{
	{"listen", "127.0.0.1:8080", "address to serve on; port 0 picks a free one", func(c *Config) *string { return &c.Listen }, nil},
	{"port-file", "", "file to write the port into once it is open", func(c *Config) *string { return &c.PortFile }, nil},
	{"base-url", "", "what clients see, scheme and host without a path; empty: the bound address", func(c *Config) *string { return &c.BaseURL }, nil},
	{"allow-hosts", "", "further Host values to accept on /mcp, parted by commas", func(c *Config) *string { return &c.AllowHosts }, nil},
	{"allow-origins", "", "further browser origins to accept on /mcp, parted by commas", func(c *Config) *string { return &c.AllowOrigins }, nil},
	{"data", "./leadline-data", "folder of what is kept between runs: accounts, keys, months, the providers' answers", func(c *Config) *string { return &c.Data }, nil},
	{"coops-url", "https://api.tidesandcurrents.noaa.gov", "where NOAA CO-OPS is asked: scheme, host and port", func(c *Config) *string { return &c.COOPSURL }, nil},
	{"nws-url", "https://api.weather.gov", "where the weather service is asked: scheme, host and port", func(c *Config) *string { return &c.NWSURL }, nil},
	{"offline", "false", "never ask a provider; -offline alone is -offline=true", func(c *Config) *string { return &c.Offline }, boolean},
	{"contact", "", "mail address or page that the providers are told, as the weather service asks; empty: none, with a warning", func(c *Config) *string { return &c.Contact }, nil},
	{"admin-listen", "", "address for the operator alone: /metrics, /debug/pprof/, /backup; empty: none", func(c *Config) *string { return &c.AdminListen }, nil},
	{"tls-cert", "", "file of the certificate chain, to serve https; read again on SIGHUP", func(c *Config) *string { return &c.TLSCert }, nil},
	{"tls-key", "", "file of its key", func(c *Config) *string { return &c.TLSKey }, nil},
	{"acme-domain", "", "host name to serve https for with certificates from Let's Encrypt, which are kept in the data folder", func(c *Config) *string { return &c.ACMEDomain }, nil},
	{"drain-wait", "5s", "how long it goes on after SIGTERM while /readyz says 503, so that a balancer looks away first", func(c *Config) *string { return &c.DrainWait }, nil},
	{"max-in-flight", strconv.Itoa(edge.DefaultInFlight), "requests handled at a time; beyond them 503 overloaded", func(c *Config) *string { return &c.MaxInFlight }, nil},
	{"max-connections-per-address", strconv.Itoa(edge.DefaultPerAddress), "connections of a client address, an IPv6 /64 counting as one; trusted proxies have no limit", func(c *Config) *string { return &c.MaxConnectionsPerAddress }, nil},
	{"trusted-proxies", "", "networks of proxies whose X-Forwarded-For is believed, parted by commas", func(c *Config) *string { return &c.TrustedProxies }, nil},
	{"plans", "", "JSON file with limits and features of the tiers; empty: the built-in ones", func(c *Config) *string { return &c.Plans }, nil},
	{"shared-clients", "", "JSON file of named networks whose anonymous callers share a rate limit; empty: the built-in ones", func(c *Config) *string { return &c.SharedClients }, nil},
	{"signup", "invite", "who makes an account: nobody but the operator (closed), who gets a link by leadline accounts invite (invite), or anybody (open)", func(c *Config) *string { return &c.Signup }, []string{oauth.Closed, oauth.Invite, oauth.Open}},
	{"oidc-issuer", "", "OpenID provider that people can sign in with beside passwords, by its issuer; empty: none", func(c *Config) *string { return &c.OIDCIssuer }, nil},
	{"oidc-client-id", "", "what this server is to the provider", func(c *Config) *string { return &c.OIDCClientID }, nil},
	{"oidc-client-secret-file", "", "file of the secret that goes with it; empty: a public client", func(c *Config) *string { return &c.OIDCClientSecretFile }, nil},
	{"oidc-plan-claim", "", "claim of the provider that names a person's plan; empty: accounts are moved by leadline accounts plan", func(c *Config) *string { return &c.OIDCPlanClaim }, nil},
	{"log-level", "info", "debug, info, warn or error", func(c *Config) *string { return &c.LogLevel }, []string{"debug", "info", "warn", "error"}},
	{"log-format", "auto", "text, json, or auto: text on a terminal, else json", func(c *Config) *string { return &c.LogFormat }, []string{"auto", "text", "json"}},
}

// boolean are the values of a switch: -offline alone is -offline=true.
var boolean = []string{"true", "false"}

// entry is a setting as package flag sees it.
type entry struct {
	setting
	of *Config
}

func (e entry) String() string {
	if e.of == nil { // the zero entry of package flag
		return ""
	}
	return *e.value(e.of)
}

func (e entry) Set(text string) error {
	*e.value(e.of) = text
	return nil
}

// IsBoolFlag reports whether the flag stands alone.
func (e entry) IsBoolFlag() bool { return len(e.allowed) == len(boolean) && e.allowed[0] == "true" }

// variable is a setting's name in the environment.
func (s setting) variable() string {
	return "LEADLINE_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// flags binds the settings to a flag set.
func (c *Config) flags(fs *flag.FlagSet) {
	for _, s := range settings {
		fs.Var(entry{s, c}, s.name, s.about)
	}
	fs.StringVar(&c.file, "config", c.file, "JSON file with these settings")
}

// configure reads the settings from args (flags may stand before and after
// the command), the environment and the file. It returns what is neither.
func configure(args []string, getenv func(string) string, stdout io.Writer) (*Config, []string, error) {
	c := &Config{environment: getenv, origin: map[string]string{}}
	fs := flag.NewFlagSet("leadline", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	c.flags(fs)
	rest, err := parseAround(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		usage(stdout)
	}
	if err != nil {
		return nil, nil, err
	}
	return c, rest, c.adopt(fs)
}

// adopt takes the settings that were given among some flags, and what they
// leave open from the environment, then from the file. A command that keeps
// its flags for itself does so once more with those.
func (c *Config) adopt(fs *flag.FlagSet) error {
	fs.Visit(func(f *flag.Flag) { c.origin[f.Name] = "flag" })
	return c.fill()
}

// parseAround parses the flags before the command and those after it up to
// the first argument that the command keeps for itself.
func parseAround(fs *flag.FlagSet, args []string) ([]string, error) {
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	rest := fs.Args()
	if len(rest) == 0 {
		return nil, nil
	}
	command, own := rest[0], rest[1:]
	if c, ok := find(command); ok && c.ownFlags {
		return rest, nil
	}
	if err := fs.Parse(own); err != nil {
		return nil, err
	}
	return append([]string{command}, fs.Args()...), nil
}

// fill takes what no flag has set from the environment, then from the file,
// else what is usual.
func (c *Config) fill() error {
	if c.file == "" {
		c.file = c.environment("LEADLINE_CONFIG")
	}
	fromFile, err := readFile(c.file)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if v := c.environment(s.variable()); v != "" {
			c.set(s, v, "environment")
		} else if text, given := fromFile[s.name]; given {
			c.set(s, text, "file")
		} else {
			c.set(s, s.fallback, "")
		}
		if v := *s.value(c); strings.ContainsFunc(v, unicode.IsControl) {
			return fmt.Errorf("invalid --%s %q: remove the line break or other control character", s.name, v)
		}
		if s.allowed != nil && !slices.Contains(s.allowed, *s.value(c)) {
			return fmt.Errorf("-%s must be %s, not %q", s.name, either(s.allowed), *s.value(c))
		}
	}
	return nil
}

// either lists the values that are allowed.
func either(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// set stores a value unless a flag has set it.
func (c *Config) set(s setting, text, origin string) {
	if c.origin[s.name] != "flag" {
		*s.value(c), c.origin[s.name] = text, origin
	}
}

// readFile reads the settings of a configuration file; no name, no settings.
func readFile(name string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var values map[string]any
	if err := json.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("reading the configuration %s: one JSON object is needed, such as {\"listen\": \"127.0.0.1:8080\"}: %w", name, err)
	}
	given := map[string]string{}
	for key, value := range values {
		switch value := value.(type) {
		case string, bool:
			given[key] = fmt.Sprint(value)
		case float64:
			given[key] = strconv.FormatFloat(value, 'f', -1, 64)
		default:
			return nil, fmt.Errorf("the configuration %s: the value of %q must be text, a number, true or false", name, key)
		}
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.name == key }) {
			return nil, fmt.Errorf("the configuration %s has an unknown key %q; leadline config lists the known ones", name, key)
		}
	}
	return given, nil
}

// print writes what is in force, and where it comes from.
func (c *Config) print(w io.Writer) {
	if c.file != "" {
		fmt.Fprintf(w, "settings file: %s\n", c.file)
	}
	for _, s := range settings {
		origin := c.origin[s.name]
		if origin == "" {
			origin = "default"
		}
		fmt.Fprintf(w, "%-24s %-24q %s\n", s.name, *s.value(c), origin)
	}
}

// mostWhole is the largest number that a setting takes.
const mostWhole = 1_000_000

// whole returns the value of a setting that is a whole number of 1 or more, or
// fallback if it is not set.
func whole(name, text string, fallback int) (int, error) {
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostWhole {
		return 0, fmt.Errorf("invalid --%s %q: must be a whole number from 1 to %d", name, text, mostWhole)
	}
	return n, nil
}

// split parts a list at its commas.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
