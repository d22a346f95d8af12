package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"leadline/internal/access/credential"
	"leadline/store"
)

// Open describes a session that has not expired, for the person who is signed in with it.
type Open struct {
	ID      string // public: it grants nothing and reveals neither the secret nor its hash
	Agent   string // browser and system in words, "" if unknown
	Created time.Time
	Seen    store.Day // last day of use, as far as it has been recorded
	This    bool      // the session of this request
}

// List returns the sessions of an account that have not expired, the newest first.
func (s *Sessions) List(r *http.Request, account string) ([]Open, error) {
	rows, err := s.active(r.Context(), account)
	if err != nil {
		return nil, err
	}
	own := s.ID(r)
	list := []Open{}
	for _, row := range rows {
		id := publicID(row.Hash)
		list = append(list, Open{id, row.Agent, row.Created, row.Seen, id == own})
	}
	return list, nil
}

// active returns the sessions of an account that have not expired.
func (s *Sessions) active(ctx context.Context, account string) ([]store.Session, error) {
	rows, err := s.c.Store.SessionsOf(ctx, account)
	if err != nil {
		return nil, err
	}
	now, list := s.c.Now(), rows[:0]
	for _, row := range rows {
		if now.Before(row.Expires) {
			list = append(list, row)
		}
	}
	return list, nil
}

// ID returns the public id of the browser's session, or "" if it does not have a session. The
// session may have ended.
func (s *Sessions) ID(r *http.Request) string {
	secret := s.secret(r)
	if secret == "" {
		return ""
	}
	return publicID(credential.HashSecret(secret))
}

// EndOne ends the session of an account that has a public id. If there is no such session, or it
// belongs to another account, nothing changes and there is no error.
func (s *Sessions) EndOne(ctx context.Context, account, id string) error {
	rows, err := s.active(ctx, account)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if publicID(row.Hash) == id {
			return s.c.Store.RemoveSession(ctx, row.Hash)
		}
	}
	return nil
}

// EndAll ends all sessions of an account, and signs the browser out.
func (s *Sessions) EndAll(w http.ResponseWriter, r *http.Request, account string) error {
	if err := s.c.Store.RemoveSessions(r.Context(), account); err != nil {
		return err
	}
	return s.End(w, r)
}

// publicID returns the public id of a session with a hash. The hash cannot be derived from it.
func publicID(hash [32]byte) string {
	sum := sha256.Sum256(hash[:])
	return hex.EncodeToString(sum[:8])
}
