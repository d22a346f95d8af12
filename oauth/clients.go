package oauth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"leadline/internal/session"
	"leadline/store"
)

// maxID is the maximum length of a registered client's id in bytes.
const maxID = 64

// clientDirectory finds clients. It is safe for concurrent use.
type clientDirectory struct {
	store     store.Grants
	now       func() time.Time
	documents *documents[oauthClient] // metadata, by URL
	keys      *documents[[]clientKey] // by URL
	fetches   *session.Throttle       // by network
}

// get returns the client with an id: if the id is a URL, the client that
// publishes its metadata there, else a registered client. address is the
// caller's network address; it limits how often the caller can cause fetches.
// The error is errUnknownClient, the context's error or the store's.
func (s *clientDirectory) get(ctx context.Context, address, id string) (oauthClient, error) {
	if !strings.Contains(id, ":") {
		return s.registered(ctx, id)
	}
	if fault := describedFault(id); fault != "" {
		return oauthClient{}, unknownf("The id of the app is an address that cannot be used: %s.", fault)
	}
	return s.documents.of(ctx, s.fetches, address, id, time.Time{})
}

// registered returns a client that is registered in the store.
func (s *clientDirectory) registered(ctx context.Context, id string) (oauthClient, error) {
	if id == "" || len(id) > maxID {
		return oauthClient{}, unknownf("This server has not issued the id of the app.")
	}
	c, err := s.store.Client(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !s.now().Before(c.Expires) {
		return oauthClient{}, unknownf("The app is not registered here, or was removed because it " +
			"was not used. Remove its connection in the app, and connect it again.")
	}
	if err != nil {
		return oauthClient{}, fmt.Errorf("reading a client: %w", err)
	}
	return oauthClient{
		ID: c.ID, Name: c.Name, RedirectURIs: c.RedirectURIs, Method: c.Method, Secret: c.Secret,
	}, nil
}

// keysOf returns the keys of a client from its metadata or its key URL. Keys
// from a URL were fetched after the given time.
func (s *clientDirectory) keysOf(
	ctx context.Context, c oauthClient, after time.Time,
) ([]clientKey, error) {
	if c.Signs.at == "" {
		return c.Signs.keys, nil
	}
	return s.keys.of(ctx, s.fetches, session.Address(ctx), c.Signs.at, after)
}
