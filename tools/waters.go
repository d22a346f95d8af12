package tools

import (
	"context"
	"fmt"
	"sync"
	"time"

	"leadline/internal/coast"
	"leadline/internal/nws"
)

// waters remembers the marine zone of each station that was asked about, also
// that there is none. Finding one takes up to five questions one after the
// other: a search goes on when the caller who began it has left.
type waters struct {
	mu sync.Mutex
	of map[string]*search // by station
}

// search is one search, and what it found.
type search struct {
	began time.Time
	done  chan struct{} // closed when the rest is set
	zone  *MarineZone
	err   error
}

const (
	watersKeep   = 30 * day         // how long a zone is remembered: they change by the year
	searchLength = 30 * time.Second // how long one search may take
)

// waterAt is the marine zone of a place: a station's as remembered, or as the
// search finds it before ctx ends.
func (m moment) waterAt(ctx context.Context, sp spot, p nws.Point) (*MarineZone, error) {
	if sp.station == nil {
		return m.marineZone(ctx, sp.Place, p)
	}
	s := m.searched(ctx, sp, p)
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, &coast.Error{Code: coast.ProviderUnavailable, RetryAfterSeconds: 5, Message: "The station's marine zone is still being looked for. Ask again in some seconds."}
	}
	if s.err != nil || s.zone == nil {
		return nil, s.err
	}
	zone := *s.zone // the caller's own
	return &zone, nil
}

// searched is the search of a station's zone: one under way, one that is
// remembered, or a new one. One that failed is made again.
func (m moment) searched(ctx context.Context, sp spot, p nws.Point) *search {
	w := &m.waters
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.of[sp.station.ID]; s != nil && s.holds(m.now) {
		return s
	}
	s := &search{began: m.now, done: make(chan struct{})}
	if w.of == nil {
		w.of = map[string]*search{}
	}
	w.of[sp.station.ID] = s
	go m.find(context.WithoutCancel(ctx), s, sp, p)
	return s
}

// holds reports whether a search needs not be made again.
func (s *search) holds(now time.Time) bool {
	select {
	case <-s.done:
		return s.err == nil && now.Sub(s.began) < watersKeep
	default:
		return true
	}
}

func (m moment) find(ctx context.Context, s *search, sp spot, p nws.Point) {
	defer close(s.done)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("panic while looking for a marine zone: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, searchLength)
	defer cancel()
	s.zone, s.err = m.marineZone(ctx, sp.Place, p)
}
