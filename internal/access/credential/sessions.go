package credential

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"leadline/internal/access/outage"
	"leadline/store"
)

// SessionCookie returns the name of the cookie with the secret of a browser session. With
// https the name's prefix binds it to the host and to https.
func SessionCookie(secure bool) string {
	if secure {
		return "__Host-leadline"
	}
	return "leadline"
}

// InSession returns the account of the browser session with a secret. It returns false if the
// session does not exist or has expired at now. Errors come from the store. If seen is not nil, it
// records the use of the session.
func InSession(
	ctx context.Context, s store.Sessions, seen *Seen, secret string, now time.Time,
) (store.Account, bool, error) {
	session, owner, err := s.Session(ctx, sha256.Sum256([]byte(secret)))
	if errors.Is(err, store.ErrNotFound) {
		return store.Account{}, false, nil
	}
	if err != nil || !now.Before(session.Expires) {
		return owner, false, err
	}
	seen.use(session, now)
	return owner, true, nil
}

// Seen records the last days on which browser sessions were used. Requests do not wait for it. It
// is safe for concurrent use.
type Seen struct {
	days *outage.Batch[[32]byte, store.Day]
}

const (
	seenEvery    = 10 * time.Second
	mostSeen     = 10_000 // sessions in memory; others are recorded at a later request
	seenTogether = 64     // sessions that are recorded at the same time
)

// NewSeen returns a Seen for a store. The caller must call Close.
func NewSeen(s store.Sessions, log *slog.Logger) *Seen {
	return &Seen{outage.NewBatch(outage.BatchConfig[[32]byte, store.Day]{
		Every: seenEvery, Most: mostSeen, Repeatable: true, What: "the last uses of sessions", Log: log,
		Merge: func(_, d store.Day) store.Day { return d },
		Write: func(ctx context.Context, list []outage.Pair[[32]byte, store.Day]) error {
			for part := range slices.Chunk(list, seenTogether) {
				if err := touchSessions(ctx, s, part); err != nil {
					return err
				}
			}
			return nil
		},
	})}
}

// touchSessions records the days of sessions at the same time, because the store writes concurrent
// calls together.
func touchSessions(
	ctx context.Context, s store.Sessions, list []outage.Pair[[32]byte, store.Day],
) error {
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() { errs[i] = s.TouchSession(ctx, p.Key, p.Value) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// use records the use of a session unless its day is in the store already.
func (s *Seen) use(session store.Session, now time.Time) {
	if day := store.DayOf(now); s != nil && session.Seen != day {
		s.days.Add(session.Hash, day)
	}
}

// Close writes the days that are not in the store yet.
func (s *Seen) Close() error {
	s.days.Close()
	return nil
}
