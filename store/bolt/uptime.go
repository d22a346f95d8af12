package bolt

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// MarkMinute implements store.Store.
func (s *Store) MarkMinute(ctx context.Context, at time.Time, states map[string]string) error {
	at = at.UTC()
	day, minute := store.DayOf(at), at.Hour()*60+at.Minute()+1
	for component, state := range states {
		if err := store.CheckName(component); err != nil {
			return err
		}
		if err := countMinute(&store.ComponentDay{}, state); err != nil {
			return err
		}
	}
	states = maps.Clone(states) // a caller whose context has ended may change it
	return s.do(ctx, func(tx *bbolt.Tx) error {
		for component, state := range states {
			if err := markMinute(tx, component, state, day, minute); err != nil {
				return err
			}
		}
		return nil
	})
}

// markMinute records the state of a component unless this minute or a later one is recorded.
func markMinute(tx *bbolt.Tx, component, state string, day store.Day, minute int) error {
	key := owned(component, dayKey(day))
	d, err := get[store.ComponentDay](tx, componentDays, key)
	if err != nil && err != store.ErrNotFound {
		return err
	}
	if d.Last >= minute {
		return nil
	}
	d.Component, d.Day, d.Last = component, day, minute
	if err := countMinute(&d, state); err != nil {
		return err
	}
	return put(tx, componentDays, key, d)
}

// dayOf returns the day in the key of a component's day, 0 if there is no day.
func dayOf(key []byte) store.Day {
	if len(key) < 4 {
		return 0
	}
	return store.Day(binary.BigEndian.Uint32(key[len(key)-4:]))
}

// countMinute counts a minute of a day by its state.
func countMinute(d *store.ComponentDay, state string) error {
	switch state {
	case store.ComponentOK:
		d.OK++
	case store.ComponentDegraded:
		d.Degraded++
	case store.ComponentDown:
		d.Down++
	default:
		return unavailable(fmt.Errorf("invalid state %.50q of a component", state))
	}
	return nil
}

// ComponentDays implements store.Store.
func (s *Store) ComponentDays(ctx context.Context, from store.Day) ([]store.ComponentDay, error) {
	return read(ctx, s, func(tx *bbolt.Tx) ([]store.ComponentDay, error) {
		list := []store.ComponentDay{}
		err := tx.Bucket(componentDays).ForEach(func(key, _ []byte) error {
			if dayOf(key) < from {
				return nil
			}
			d, err := get[store.ComponentDay](tx, componentDays, key)
			list = append(list, d)
			return err
		})
		return list, err
	})
}
