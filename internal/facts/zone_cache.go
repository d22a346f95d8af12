package facts

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// MarineZone is a zone of the weather service on the water.
type MarineZone struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Office     string  `json:"office"`
	DistanceKm float64 `json:"distanceKm"` // from the point; 0 within the zone
}

// zoneCache holds the zone of each station that was asked about, also that there is none.
// Finding one takes up to five requests in sequence: a search continues after the caller
// who began it has gone. Its zero value is ready.
type zoneCache struct {
	mu       sync.Mutex
	searches map[string]*zoneSearch // by station
}

// zoneFinder finds a zone, nil if there is none.
type zoneFinder func(ctx context.Context) (*MarineZone, error)

// search returns the search of a station's zone: one under way, one that is cached, or a
// new one. A search that failed is repeated.
func (c *zoneCache) search(
	ctx context.Context, station string, now time.Time, find zoneFinder,
) *zoneSearch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.searches[station]; s != nil && s.valid(now) {
		return s
	}
	s := &zoneSearch{began: now, done: make(chan struct{})}
	if c.searches == nil {
		c.searches = map[string]*zoneSearch{}
	}
	c.searches[station] = s
	go s.run(context.WithoutCancel(ctx), find)
	return s
}

// zoneSearch is one search, and its result.
type zoneSearch struct {
	began time.Time
	done  chan struct{} // closed when the rest is set
	zone  *MarineZone
	err   error
}

const (
	zoneLifetime      = 30 * Day         // of a cached zone: they change by the year
	zoneSearchTimeout = 30 * time.Second // of one search
)

// valid reports whether a search need not be repeated.
func (s *zoneSearch) valid(now time.Time) bool {
	select {
	case <-s.done:
		return s.err == nil && now.Sub(s.began) < zoneLifetime
	default:
		return true
	}
}

func (s *zoneSearch) run(ctx context.Context, find zoneFinder) {
	defer close(s.done)
	defer func() {
		if p := recover(); p != nil {
			s.err = fmt.Errorf("panic while looking for a zone: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, zoneSearchTimeout)
	defer cancel()
	s.zone, s.err = find(ctx)
}
