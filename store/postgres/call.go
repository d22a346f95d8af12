package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"leadline/store"
)

// mostTries limits the tries of a call whose transaction the server has rolled back in favor of
// another one.
const mostTries = 4

// call makes a call of the contract and returns its error in the terms of the contract. It may
// repeat try if nothing was changed.
func (s *Store) call(ctx context.Context, name string, try func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.running.RLock()
	defer s.running.RUnlock()
	select {
	case <-s.closing:
		return errClosed
	default:
	}
	began := time.Now()
	err := s.result(ctx, repeat(ctx, try))
	failure := err
	if refused(err) || ctx.Err() != nil {
		failure = nil
	}
	s.options.Observe(name, time.Since(began), failure)
	return err
}

// repeat calls try again if another transaction was preferred, after 5 to 20 ms, and once if the
// connection failed before the server received anything.
func repeat(ctx context.Context, try func() error) error {
	unsent := false
	for n := 1; ; n++ {
		err := try()
		switch {
		case err == nil || n == mostTries || ctx.Err() != nil:
			return err
		case code(err) == serializationFailure || code(err) == deadlockDetected:
			time.Sleep(5*time.Millisecond + rand.N(15*time.Millisecond))
		case pgconn.SafeToRetry(err) && !unsent:
			unsent = true
		default:
			return err
		}
	}
}

// The SQLSTATE codes that the engine distinguishes.
const (
	foreignKeyViolation  = "23503"
	uniqueViolation      = "23505"
	undefinedTable       = "42P01"
	readOnlyTransaction  = "25006"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
)

// code returns the SQLSTATE of an error of the server, or "".
func code(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// result returns an error in the terms of the contract.
func (s *Store) result(ctx context.Context, err error) error {
	switch {
	case err == nil || refused(err):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, pgx.ErrNoRows):
		return store.ErrNotFound
	case errors.Is(err, store.ErrUnavailable):
		return err
	}
	switch code(err) {
	case uniqueViolation:
		return store.ErrExists
	case foreignKeyViolation:
		return store.ErrNotFound
	case readOnlyTransaction, adminShutdown, crashShutdown, cannotConnectNow:
		s.hot.Reset() // the other connections lead to the same server
		s.work.Reset()
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}

// refused reports whether an error refuses a call. It is not a failure of the store.
func refused(err error) bool {
	return err == store.ErrNotFound || err == store.ErrExists ||
		err == store.ErrTooMany || err == store.ErrConflict
}

// row returns the result of a statement that reads a row. ErrNotFound: there is none.
func row[T any](
	ctx context.Context, s *Store, call string, scan pgx.RowToFunc[T], sql string, args ...any,
) (value T, err error) {
	err = s.call(ctx, call, func() (err error) {
		value, err = rowIn(ctx, s.hot, scan, sql, args...)
		return err
	})
	return value, err
}

// rows returns the results of a statement that reads rows, in their order. The list is not nil.
func rows[T any](
	ctx context.Context, s *Store, pool *pgxpool.Pool, call string,
	scan pgx.RowToFunc[T], sql string, args ...any,
) (list []T, err error) {
	err = s.call(ctx, call, func() (err error) {
		list, err = rowsIn(ctx, pool, scan, sql, args...)
		return err
	})
	return list, err
}

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// rowIn reads a row. ErrNotFound: there is none.
func rowIn[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], sql string, args ...any,
) (value T, err error) {
	found, err := q.Query(ctx, sql, args...)
	if err != nil {
		return value, err
	}
	value, err = pgx.CollectOneRow(found, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		err = store.ErrNotFound
	}
	return value, err
}

// rowsIn reads rows.
func rowsIn[T any](
	ctx context.Context, q querier, scan pgx.RowToFunc[T], sql string, args ...any,
) ([]T, error) {
	found, err := q.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, scan)
}

// exec executes a statement and returns the number of its rows.
func (s *Store) exec(ctx context.Context, call, sql string, args ...any) (n int64, err error) {
	err = s.call(ctx, call, func() error {
		tag, err := s.hot.Exec(ctx, sql, args...)
		n = tag.RowsAffected()
		return err
	})
	return n, err
}

// transaction is a running transaction. Statements without a result are sent together with the next
// ones, because each exchange with the server takes longer than most statements. So are its begin
// and its end.
type transaction struct {
	conn    *pgxpool.Conn
	batch   pgx.Batch      // statements that are not yet sent
	changes []store.Change // reported to all instances when it is committed
	posted  []string       // types of the events that were stored
	woken   bool           // there are more deliveries, which is reported to this instance
}

// transact makes a call in a transaction. An error rolls it back.
func (s *Store) transact(
	ctx context.Context, pool *pgxpool.Pool, call string, apply func(*transaction) error,
) error {
	return s.call(ctx, call, func() error { return s.transactIn(ctx, pool, apply) })
}

// transactIn makes one try of a transaction.
func (s *Store) transactIn(
	ctx context.Context, pool *pgxpool.Pool, apply func(*transaction) error,
) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes it if the transaction has not ended
	tx := &transaction{conn: conn}
	tx.batch.Queue("begin")
	if err = apply(tx); err == nil {
		err = s.feed.record(ctx, tx)
	}
	if err == nil {
		tx.batch.Queue("commit").Exec(committed)
		err = tx.flush(ctx)
	}
	if err != nil {
		if conn.Conn().PgConn().TxStatus() != 'I' {
			_, _ = conn.Exec(ctx, "rollback")
		}
		return err
	}
	s.report(tx)
	return nil
}

// committed returns an error if a commit has rolled back.
func committed(tag pgconn.CommandTag) error {
	if tag.String() != "COMMIT" {
		return fmt.Errorf("%w: the transaction was rolled back: %s", store.ErrUnavailable, tag)
	}
	return nil
}

// report reports what a committed transaction has changed.
func (s *Store) report(tx *transaction) {
	list := tx.changes
	if tx.woken {
		list = append(list, store.Change{Posted: true})
	}
	s.feed.report(list)
	for _, kind := range tx.posted {
		s.options.Posted(kind)
	}
}

// result is change for a call with a result.
func transactFor[T any](
	ctx context.Context, s *Store, pool *pgxpool.Pool, call string,
	apply func(*transaction) (T, error),
) (value T, err error) {
	err = s.transact(ctx, pool, call, func(tx *transaction) (err error) {
		value, err = apply(tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// changed adds a change to those that are reported when the transaction is committed.
func (tx *transaction) changed(c store.Change) { tx.changes = append(tx.changes, c) }

// mostUnsent limits the statements that are not yet sent.
const mostUnsent = 100

// run executes a statement without a result. If it is sent later, a later call or the commit
// returns its error.
func (tx *transaction) run(ctx context.Context, sql string, args ...any) error {
	if tx.batch.Queue(sql, args...); tx.batch.Len() < mostUnsent {
		return nil
	}
	return tx.flush(ctx)
}

// flush sends the statements that are not yet sent.
func (tx *transaction) flush(ctx context.Context) error {
	if tx.batch.Len() == 0 {
		return nil
	}
	batch := tx.batch
	tx.batch = pgx.Batch{}
	return tx.conn.SendBatch(ctx, &batch).Close()
}

// Query implements querier. It sends what was not yet sent, too.
func (tx *transaction) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if tx.batch.Len() == 0 {
		return tx.conn.Query(ctx, sql, args...)
	}
	batch := tx.batch
	tx.batch = pgx.Batch{}
	before := batch.Len()
	batch.Queue(sql, args...)
	results := tx.conn.SendBatch(ctx, &batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return nil, err
		}
	}
	found, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return lastRows{found, results}, nil
}

// lastRows are the rows of the last statement of several.
type lastRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close ends the statements.
func (l lastRows) Close() {
	l.Rows.Close()
	_ = l.results.Close()
}

// affects executes a statement and returns the number of its rows.
func (tx *transaction) affects(ctx context.Context, sql string, args ...any) (int64, error) {
	found, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	found.Close()
	return found.CommandTag().RowsAffected(), found.Err()
}

// scan reads the columns of a row.
func (tx *transaction) scan(ctx context.Context, to []any, sql string, args ...any) error {
	_, err := rowIn(ctx, tx, func(r pgx.CollectableRow) (none struct{}, err error) {
		return none, r.Scan(to...)
	}, sql, args...)
	return err
}

// has reports whether a statement that selects a boolean selects true.
func (tx *transaction) has(ctx context.Context, sql string, args ...any) (bool, error) {
	return rowIn(ctx, tx, pgx.RowTo[bool], sql, args...)
}
