package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"leadline/store/postgres/postgrestest"
)

// place is a schema of our tables that tests use in turns, with stores whose connections are open:
// each connection is a process of the server, which takes longer to start than most tests.
type place struct {
	url   string
	empty bool
	idle  []*Store // whose connections no test uses
}

// places are those that no test uses.
var places struct {
	mu   sync.Mutex
	list []*place // guarded by mu
}

// newPlace returns an empty place that no other test uses until this one has ended. The test may
// change rows only.
func newPlace(t testing.TB) *place {
	t.Helper()
	p := nextPlace()
	if p == nil {
		p = &place{url: postgrestest.KeptSchema(t), empty: true}
	}
	t.Cleanup(func() { p.end(t) })
	return p
}

// emptyStore opens a store in an empty place.
func emptyStore(t testing.TB) *Store { return newPlace(t).open(t) }

func nextPlace() *place {
	places.mu.Lock()
	defer places.mu.Unlock()
	n := len(places.list)
	if n == 0 {
		return nil
	}
	p := places.list[n-1]
	places.list = places.list[:n-1]
	return p
}

// open opens a store. Several may be open in a place. Each is a new one on connections that were
// open before.
func (p *place) open(t testing.TB) *Store {
	t.Helper()
	connected := p.connected(t)
	if !p.empty {
		if err := connected.clear(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.empty = true
	}
	release := func() { p.idle = append(p.idle, connected) }
	s := newStore(connected.options, connected.hot, connected.work, connected.feed, release)
	t.Cleanup(func() { s.Close() })
	return s
}

// connected returns a store that no other one uses.
func (p *place) connected(t testing.TB) *Store {
	t.Helper()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s
	}
	s, err := Open(t.Context(), slow(p.url))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// clear makes a schema as empty as a new one. It deletes the rows of the tables that have some,
// which takes less time than truncate, since that creates files.
func (s *Store) clear(ctx context.Context) error {
	names, err := rowsIn(ctx, s.work, pgx.RowTo[string], notEmpty)
	if err != nil {
		return err
	}
	clear := "update guard set at = null where at is not null"
	for _, name := range names {
		clear += "; delete from " + name
	}
	_, err = s.work.Exec(ctx, clear, pgx.QueryExecModeSimpleProtocol)
	return err
}

// notEmpty selects the names of the tables that have rows.
var notEmpty = func() string {
	var parts []string
	for _, table := range slices.Concat(tables, coordinating) {
		if table != "schema_version" && table != "guard" {
			parts = append(parts, fmt.Sprintf("select '%s' where exists (select from %[1]s)", table))
		}
	}
	return strings.Join(parts, " union all ")
}()

// end ends the use of a place by a test. Another test uses it after this one, unless it failed.
func (p *place) end(t testing.TB) {
	p.empty = false
	places.mu.Lock()
	defer places.mu.Unlock()
	if !t.Failed() {
		places.list = append(places.list, p)
	}
}
