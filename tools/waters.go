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
	return m.zoneOf(ctx, &m.waters, sp.station.ID, func(ctx context.Context) (*MarineZone, error) {
		return m.marineZone(ctx, sp.Place, p)
	})
}

// landAt returns the public forecast zone of a station: the point's own, or for
// a point on water the nearest on the rings; nil where there is none.
func (m moment) landAt(ctx context.Context, sp spot, p nws.Point) (*MarineZone, error) {
	if !p.Marine {
		return &MarineZone{ID: p.Zone, Office: p.Office}, nil
	}
	return m.zoneOf(ctx, &m.lands, sp.station.ID, func(ctx context.Context) (*MarineZone, error) {
		return onRings(sp.Place, func(latitude, longitude float64) (*nws.Zone, error) {
			v, err := m.Weather.LandZone(ctx, latitude, longitude)
			return v.Data, err
		})
	})
}

// zoneOf returns the zone of a station as one of the memories has it, or as the
// search finds it before ctx ends.
func (m moment) zoneOf(ctx context.Context, w *waters, station string, find finder) (*MarineZone, error) {
	s := m.searched(ctx, w, station, find)
	select {
	case <-s.done:
	case <-ctx.Done():
		return nil, &coast.Error{Code: coast.ProviderUnavailable, RetryAfterSeconds: 5, Message: "The station's forecast zone is still being looked for. Ask again in some seconds."}
	}
	if s.err != nil || s.zone == nil {
		return nil, s.err
	}
	zone := *s.zone // the caller's own
	return &zone, nil
}

// finder finds a zone, nil where there is none.
type finder func(ctx context.Context) (*MarineZone, error)

// searched is the search of a station's zone: one under way, one that is
// remembered, or a new one. One that failed is made again.
func (m moment) searched(ctx context.Context, w *waters, station string, find finder) *search {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.of[station]; s != nil && s.holds(m.now) {
		return s
	}
	s := &search{began: m.now, done: make(chan struct{})}
	if w.of == nil {
		w.of = map[string]*search{}
	}
	w.of[station] = s
	go s.run(context.WithoutCancel(ctx), find)
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

func (s *search) run(ctx context.Context, find finder) {
	defer close(s.done)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("panic while looking for a zone: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, searchLength)
	defer cancel()
	s.zone, s.err = find(ctx)
}
