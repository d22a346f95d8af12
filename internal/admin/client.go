package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"leadline/store"
)

// ErrNoServer is the error of Dial if no server is running on the data folder.
var ErrNoServer = errors.New("no server is running on the data folder")

// patience limits the time for a server to respond to Dial, and for a client to send its
// headers.
const patience = 10 * time.Second

// Client sends administrative requests, one method per route. Errors about the request are
// coast.Errors. If a request that changes something is interrupted, or the connection breaks,
// the error says that the change may or may not have taken effect.
type Client struct {
	transport http.RoundTripper
	local     bool
	close     func() error
}

// Dial returns a client of the server that runs on a data folder, after the server has
// responded. If no server is running, the error wraps ErrNoServer.
func Dial(ctx context.Context, folder string) (*Client, error) {
	name, err := socketIn(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	t := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", name)
	}}
	c := &Client{transport: t, close: func() error { t.CloseIdleConnections(); return nil }}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var refused *net.OpError
	_, err = c.Health(ctx)
	switch {
	case errors.As(err, &refused) && refused.Op == "dial":
		return nil, fmt.Errorf("%w: %w", ErrNoServer, refused)
	case err != nil:
		c.Close()
		return nil, fmt.Errorf("the server running on %s does not respond: %w", folder, err)
	}
	return c, nil
}

// Local returns a client whose requests the handler serves in this process, without a socket.
// Close calls shut.
func Local(h http.Handler, shut func() error) *Client {
	return &Client{transport: inProcess{h}, local: true, close: shut}
}

// Connect returns a client of the server that runs on a data folder. If no server is running,
// it returns a client of the handler that open returns. The error of open wraps store.ErrInUse
// if another process has the store open. In that case Connect tries the server once more,
// because a starting server opens the store first. Close calls the function that open returned.
func Connect(
	ctx context.Context, folder string,
	open func(context.Context) (http.Handler, func() error, error),
) (*Client, error) {
	var silence error
	for range 2 {
		c, err := Dial(ctx, folder)
		if err == nil || !errors.Is(err, ErrNoServer) {
			return c, err
		}
		silence = err
		h, shut, err := open(ctx)
		if err == nil {
			return Local(h, shut), nil
		}
		if !errors.Is(err, store.ErrInUse) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("another process has the store in %s open and does not respond (%w): "+
		"stop the hung server or the other command, or try again", folder, silence)
}

// Local reports whether requests are served in this process.
func (c *Client) Local() bool { return c.local }

// Close closes the connection, or calls the function that open returned to Connect.
func (c *Client) Close() error { return c.close() }

// Health describes the process that responds.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return call[Health](ctx, c, http.MethodGet, "/health", nil)
}

// CreateAccount creates an account without a key.
func (c *Client) CreateAccount(ctx context.Context, n NewAccount) (Account, error) {
	return call[Account](ctx, c, http.MethodPost, "/accounts", n)
}

// Accounts returns all accounts, ordered by address.
func (c *Client) Accounts(ctx context.Context) ([]Account, error) {
	return call[[]Account](ctx, c, http.MethodGet, "/accounts", nil)
}

// SetPlan moves an account with all its keys to a plan.
func (c *Client) SetPlan(ctx context.Context, email, plan string) (PlanChange, error) {
	return call[PlanChange](ctx, c, http.MethodPost, accountPath(email)+"/plan", planName{plan})
}

// RemoveAccount removes an account with its keys, webhooks, watches, sessions, connected apps and
// usage, and returns a summary of it.
func (c *Client) RemoveAccount(ctx context.Context, email string) (Account, error) {
	return call[Account](ctx, c, http.MethodDelete, accountPath(email), nil)
}

// Invite returns a link that creates an account.
func (c *Client) Invite(ctx context.Context, n NewAccount) (Link, error) {
	return call[Link](ctx, c, http.MethodPost, "/invitations", n)
}

// ResetPassword returns a link that sets the password of an account.
func (c *Client) ResetPassword(ctx context.Context, email string) (Link, error) {
	return call[Link](ctx, c, http.MethodPost, accountPath(email)+"/password-reset", nil)
}

func accountPath(email string) string { return "/accounts/" + url.PathEscape(email) }

// CreateKey creates a key, and its account if it does not exist.
func (c *Client) CreateKey(ctx context.Context, n NewKey) (CreatedKey, error) {
	return call[CreatedKey](ctx, c, http.MethodPost, "/keys", n)
}

// Keys returns the keys of the account with an address, or of all accounts if the address is
// "".
func (c *Client) Keys(ctx context.Context, email string) ([]Key, error) {
	return call[[]Key](ctx, c, http.MethodGet, "/keys?"+url.Values{"account": {email}}.Encode(), nil)
}

// RevokeKey revokes a key, given its public id or the whole key.
func (c *Client) RevokeKey(ctx context.Context, id string) (RevokedKey, error) {
	return call[RevokedKey](ctx, c, http.MethodPost, "/keys/revoke", keyID{ID: id})
}

// ReplaceKey replaces a key, given its public id or the whole key, by a new one. The old key
// stays active for the grace period: 0, 1h, 24h or 7d.
func (c *Client) ReplaceKey(ctx context.Context, id, grace string) (ReplacedKey, error) {
	return call[ReplacedKey](ctx, c, http.MethodPost, "/keys/replace", keyID{ID: id, Grace: grace})
}

// Notices returns the notices of a kind, newest first: those on the status page, or all.
func (c *Client) Notices(ctx context.Context, kind Kind, all bool) ([]Notice, error) {
	query := "?all=" + strconv.FormatBool(all)
	return call[[]Notice](ctx, c, http.MethodGet, "/"+string(kind)+query, nil)
}

// Notice returns the notice whose id begins with a prefix of at least 4 characters.
func (c *Client) Notice(ctx context.Context, kind Kind, prefix string) (NoticeReport, error) {
	path := "/" + string(kind) + "/" + url.PathEscape(prefix)
	return call[NoticeReport](ctx, c, http.MethodGet, path, nil)
}

// CreateNotice announces an incident, or schedules maintenance.
func (c *Client) CreateNotice(ctx context.Context, kind Kind, d NoticeDraft) (Notice, error) {
	return call[Notice](ctx, c, http.MethodPost, "/"+string(kind), d)
}

// UpdateNotice changes the notice whose id begins with a prefix of at least 4 characters.
func (c *Client) UpdateNotice(
	ctx context.Context, kind Kind, prefix string, d NoticeDraft,
) (Notice, error) {
	return call[Notice](ctx, c, http.MethodPost, "/"+string(kind)+"/"+url.PathEscape(prefix), d)
}

// Backup writes a copy of the current store to a new file. The process that responds writes the
// file.
func (c *Client) Backup(ctx context.Context, file string) (Backup, error) {
	file, err := filepath.Abs(file) // the server may have another working directory
	if err != nil {
		return Backup{}, err
	}
	return call[Backup](ctx, c, http.MethodPost, "/backup", Backup{File: file})
}

// Check checks the integrity of the store.
func (c *Client) Check(ctx context.Context) (Report, error) {
	return call[Report](ctx, c, http.MethodPost, "/check", nil)
}

// RefreshStations fetches the newest constants of the stations from NOAA, or of all stations if
// none is named.
func (c *Client) RefreshStations(ctx context.Context, ids []string) (Refreshed, error) {
	return call[Refreshed](ctx, c, http.MethodPost, "/stations/refresh", stationList{ids})
}

// call sends a request and reads its result. in is the body, nil for none.
func call[T any](ctx context.Context, c *Client, method, path string, in any) (out T, err error) {
	var body io.Reader = http.NoBody
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return out, err
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://leadline"+path, body)
	if err != nil {
		return out, err
	}
	response, err := c.transport.RoundTrip(r)
	if err != nil {
		return out, broken(ctx, method, err)
	}
	defer response.Body.Close()
	to := any(&out)
	var refused refusal
	if response.StatusCode != http.StatusOK {
		to = &refused
	}
	if err := json.NewDecoder(response.Body).Decode(to); err != nil {
		return out, broken(ctx, method, err)
	}
	switch {
	case refused.Error != nil && ctx.Err() != nil:
		return out, broken(ctx, method, refused.Error)
	case refused.Error != nil:
		return out, refused.Error.With(refused.Hints...)
	case response.StatusCode != http.StatusOK:
		return out, fmt.Errorf("unexpected status %s from the server", response.Status)
	}
	return out, nil
}

// broken returns the error for a request that ended without a readable response, or whose
// context ended.
func broken(ctx context.Context, method string, err error) error {
	what := "the server closed the connection"
	if ctx.Err() != nil {
		what, err = "interrupted", context.Cause(ctx)
	}
	if method != http.MethodGet {
		what += ", and the command may or may not have taken effect"
	}
	return fmt.Errorf("%s (%w)", what, err)
}

// inProcess serves requests with a handler, one at a time.
type inProcess struct{ http.Handler }

// RoundTrip serves a request. If its context ends, it still waits for the handler and returns
// its response.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	p.ServeHTTP(w, r)
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Header: w.header,
		Body: io.NopCloser(&w.body), Request: r,
	}, nil
}

// recorder holds the response of a handler.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
