// Package copier copies everything in a store to another one, which may be of another engine. A
// copy that was interrupted is resumed by calling Copy again. The package opens no stores: both
// come from the caller, and nothing else may use them meanwhile.
//
// An unfinished copy has the fact store.CopyMark, which Import replaces in the transaction of the
// records before it. Servers do not start on such a store.
package copier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"leadline/store"
)

// Config configures Copy.
type Config struct {
	From, To store.Store
	Source   string // names From; a copy of another source is not resumed
	Version  string // of this program
	// Force copies even if other instances use one of the stores.
	Force bool
	// Patience is the time for which Copy waits for other instances to end; 0 means until those
	// that were killed do not count as live any more.
	Patience time.Duration
	// Progress is called after each transaction with the kind of its records and the number of all
	// records that were copied. It may be nil.
	Progress func(kind string, records int)
}

// page is the number of records in a transaction.
const page = 1000

// patience is the default of Config.Patience.
const patience = store.InstanceLive + 2*time.Second

// mark describes an unfinished copy. The zero Kind is before the first one.
type mark struct {
	From    string `json:"from"`
	Kind    string `json:"kind"`  // of the last record
	After   string `json:"after"` // its key
	Records int    `json:"records"`
}

// Unfinished returns the source of which a store is an unfinished copy, "" if it is none.
func Unfinished(ctx context.Context, s store.Meta) (source string, err error) {
	m, err := readMark(ctx, s)
	return m.From, err
}

// readMark returns the mark of a store, the zero mark without one.
func readMark(ctx context.Context, s store.Meta) (m mark, err error) {
	text, err := s.Meta(ctx, store.CopyMark)
	if errors.Is(err, store.ErrNotFound) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || m.From == "" {
		return m, fmt.Errorf("the fact %q of the store is invalid: %.80q", store.CopyMark, text)
	}
	return m, nil
}

// record returns the fact that stores a mark.
func (m mark) record() (store.Record, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return store.Record{}, err
	}
	return store.NewRecord(store.FactRow{Name: store.CopyMark, Value: text})
}

// Copy copies all records and checks that both stores have the same. It returns their sums.
func Copy(ctx context.Context, c Config) (map[string]store.Sum, error) {
	from, okFrom := c.From.(store.Porter)
	to, okTo := c.To.(store.Porter)
	if !okFrom || !okTo {
		return nil, errors.New("an engine cannot copy its rows")
	}
	if c.Patience == 0 {
		c.Patience = patience
	}
	if c.Progress == nil {
		c.Progress = func(string, int) {}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, one := range []struct {
		name  string
		store store.Store
	}{{"source", c.From}, {"target", c.To}} {
		leave, err := c.join(ctx, one.store, stop)
		if err != nil {
			return nil, fmt.Errorf("the %s: %w", one.name, err)
		}
		defer leave()
	}
	m, err := c.begin(ctx, to)
	if err != nil {
		return nil, err
	}
	if err := c.copy(ctx, from, to, m); err != nil {
		return nil, cause(ctx, err)
	}
	sums, err := compare(ctx, from, to)
	if err != nil {
		return nil, cause(ctx, err)
	}
	return sums, to.Import(ctx, []store.Record{{Kind: store.KindFacts, Key: store.CopyMark}})
}

// cause returns the reason why ctx has ended, otherwise err.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// begin returns the mark of the copy, that of an earlier call if there was one. It refuses a source
// that is not complete and a target that has something else.
func (c Config) begin(ctx context.Context, to store.Porter) (mark, error) {
	if other, err := Unfinished(ctx, c.From); err != nil || other != "" {
		return mark{}, errors.Join(err, fmt.Errorf("the source is an unfinished copy of %s", other))
	}
	m, err := readMark(ctx, c.To)
	switch {
	case err != nil:
		return m, err
	case m.From == c.Source:
		return m, nil
	case m.From != "":
		return m, fmt.Errorf("the target is an unfinished copy of %s: finish it, or use an empty target",
			m.From)
	}
	for _, kind := range store.Kinds() {
		list, err := to.Export(ctx, kind, "", 1)
		if err != nil {
			return m, err
		}
		if len(list) > 0 {
			return m, fmt.Errorf("the target is not empty, it has %s", kind)
		}
	}
	m.From = c.Source
	first, err := m.record()
	if err != nil {
		return m, err
	}
	return m, to.Import(ctx, []store.Record{first})
}

// copy copies the records after a mark. One goroutine reads the next page while this one writes.
func (c Config) copy(ctx context.Context, from, to store.Porter, m mark) error {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	pages := make(chan []store.Record, 1)
	var failed error // of reading; read after pages is closed
	reading.Go(func() {
		defer close(pages)
		failed = read(ctx, from, m, pages)
	})
	for list := range pages {
		last := list[len(list)-1]
		m.Kind, m.After, m.Records = last.Kind, last.Key, m.Records+len(list)
		next, err := m.record()
		if err == nil {
			err = to.Import(ctx, append(list, next))
		}
		if err != nil {
			return fmt.Errorf("copying %s: %w", m.Kind, err)
		}
		c.Progress(m.Kind, m.Records)
	}
	return failed
}

// read sends the records after a mark in pages, each of one kind.
func read(ctx context.Context, from store.Porter, m mark, pages chan<- []store.Record) error {
	kinds := store.Kinds()
	first := slices.Index(kinds, m.Kind)
	if first < 0 && m.Kind != "" {
		return fmt.Errorf("the copy was begun by another version of this program: it has %q", m.Kind)
	}
	after := m.After
	for _, kind := range kinds[max(first, 0):] {
		for {
			list, err := from.Export(ctx, kind, after, page)
			if err != nil {
				return fmt.Errorf("reading %s: %w", kind, err)
			}
			if len(list) == 0 {
				break
			}
			select {
			case pages <- list:
			case <-ctx.Done():
				return ctx.Err()
			}
			after = list[len(list)-1].Key
		}
		after = ""
	}
	return nil
}

// compare returns the sums of two stores, and an error if they differ.
func compare(ctx context.Context, from, to store.Porter) (map[string]store.Sum, error) {
	var want, got map[string]store.Sum
	var errFrom, errTo error
	var both sync.WaitGroup
	both.Go(func() { want, errFrom = from.Tally(ctx) })
	both.Go(func() { got, errTo = to.Tally(ctx) })
	both.Wait()
	if err := errors.Join(errFrom, errTo); err != nil {
		return nil, fmt.Errorf("comparing the stores: %w", err)
	}
	for _, kind := range store.Kinds() {
		if got[kind] != want[kind] {
			return nil, fmt.Errorf("the stores differ in %s, %d of %d: the source has changed since the "+
				"copy began; copy it to an empty target", kind, got[kind].Count, want[kind].Count)
		}
	}
	return want, nil
}
