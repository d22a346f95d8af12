package facts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"leadline/internal/coast"
)

// MarineZone is a zone of the weather service on the water.
type MarineZone struct {
	ID         string  `json:"id" doc:"Id of the zone, such as ANZ230."`
	Name       string  `json:"name" doc:"Name of the zone."`
	Office     string  `json:"office" doc:"Forecast office of the weather service, such as BOX."`
	DistanceKm float64 `json:"distanceKm" doc:"Kilometers from the point to the zone, 0 inside it."`
}

// zoneCache caches the zone of each requested station, including the result that there is none.
// Finding a zone takes up to five requests in sequence, so a search continues after the caller
// who began it has left. The zero value is ready to use.
type zoneCache struct {
	found    sync.Map // foundZone by station
	searches singleflight.Group
}

// foundZone is the result of a search.
type foundZone struct {
	zone *MarineZone // nil if there is none
	at   time.Time
}

const (
	zoneLifetime      = 30 * Day         // of a cached zone; zones change about once a year
	zoneSearchTimeout = 30 * time.Second // of one search
)

// zoneFinder finds a zone, nil if there is none.
type zoneFinder func(ctx context.Context) (*MarineZone, error)

// zone returns the zone of a station from the cache, or from a search that finds it before ctx
// ends. If a search fails, the next caller repeats it.
func (c *zoneCache) zone(
	ctx context.Context, station string, now time.Time, find zoneFinder,
) (*MarineZone, error) {
	if v, ok := c.found.Load(station); ok && now.Sub(v.(foundZone).at) < zoneLifetime {
		return v.(foundZone).copy(), nil
	}
	search := c.searches.DoChan(station, func() (v any, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic while looking for a zone: %v", p)
			}
		}()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), zoneSearchTimeout)
		defer cancel()
		zone, err := find(ctx)
		if err == nil {
			c.found.Store(station, foundZone{zone, now})
		}
		return foundZone{zone, now}, err
	})
	select {
	case r := <-search:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.(foundZone).copy(), nil
	case <-ctx.Done():
		return nil, &coast.Error{Code: coast.ProviderUnavailable, RetryAfterSeconds: 5,
			Message: "The station's forecast zone is still being looked for. Ask again in some seconds."}
	}
}

// copy returns a copy of the zone, which the caller completes.
func (f foundZone) copy() *MarineZone {
	if f.zone == nil {
		return nil
	}
	zone := *f.zone
	return &zone
}
