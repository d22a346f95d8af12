package bolt

import (
	"bytes"
	"context"
	"math"
	"time"

	"go.etcd.io/bbolt"

	"leadline/store"
)

const (
	monthRetention = 13        // months after the end of a month until Sweep removes it
	codeRetention  = time.Hour // time after the expiry of a code until Sweep removes it
)

// Sweep implements store.Store. Its rows are those of the buckets, without the indexes.
func (s *Store) Sweep(ctx context.Context, now time.Time, n int) (more bool, err error) {
	full, err := read(ctx, s, crowded)
	if err != nil {
		return false, err
	}
	return change(ctx, s, func(tx *bbolt.Tx) (bool, error) {
		w := &sweep{tx: tx, n: n}
		w.ended(sessionsByEnd, now, sessionKind.removeIfAny)
		w.ended(ticketsByEnd, now, ticketKind.removeIfAny)
		w.ended(clientsByEnd, now, clientKind.removeIfAny)
		w.ended(codesByEnd, now.Add(-codeRetention), codeKind.removeIfAny)
		w.ended(grantsByEnd, now, s.removeGrant)
		w.ended(keysByEnd, now.Add(-store.KeyRetention), s.removeEndedKey)
		w.months(quota, now)
		w.months(uses, now)
		w.componentDays(now)
		w.ended(onceByEnd, now, removeName)
		w.ended(watchesByEnd, now.Add(-store.WatchRetention), s.removeWatch)
		w.events(full, now)
		return w.more, w.err
	})
}

// sweep removes rows in one transaction.
type sweep struct {
	tx   *bbolt.Tx
	n    int  // at most so many of each kind
	more bool // there were more
	err  error
}

// ended removes the records that expire at now or earlier. index sorts them by expiry.
func (w *sweep) ended(index []byte, now time.Time, remove func(*bbolt.Tx, []byte) error) {
	if w.err != nil {
		return
	}
	var list [][]byte
	later := stamp(now.Add(time.Second))
	c := w.tx.Bucket(index).Cursor()
	for k, key := c.First(); k != nil && bytes.Compare(k, later) < 0; k, key = c.Next() {
		if len(list) == w.n {
			w.more = true
			break
		}
		list = append(list, key)
	}
	w.err = each(w.tx, list, remove)
}

// componentDays removes days of the months that are past their retention. There are few.
func (w *sweep) componentDays(now time.Time) {
	if w.err != nil {
		return
	}
	var list [][]byte
	c := w.tx.Bucket(componentDays).Cursor()
	for k, _ := c.First(); k != nil && len(list) <= w.n; k, _ = c.Next() {
		if over(monthOfDay(dayOf(k)), now) {
			list = append(list, k)
		}
	}
	w.more = w.more || len(list) > w.n
	w.err = each(w.tx, list[:min(w.n, len(list))], func(tx *bbolt.Tx, key []byte) error {
		return tx.Bucket(componentDays).Delete(key)
	})
}

// events removes events that have expired at now, and the oldest ones of those accounts that have
// more than store.MostEvents.
func (w *sweep) events(full []string, now time.Time) {
	left := w.n
	w.ended(eventsByEnd, now, func(tx *bbolt.Tx, id []byte) (err error) {
		left, err = w.event(id, left)
		return err
	})
	for _, account := range full {
		list := eventsIn(w.tx, account, math.MaxInt)
		for _, id := range list[:max(0, len(list)-store.MostEvents)] {
			if w.err == nil {
				left, w.err = w.event(id, left)
			}
		}
	}
}

// event removes an event with its deliveries, or left of its deliveries if there are more. It
// returns how many deliveries may still be removed.
func (w *sweep) event(id []byte, left int) (int, error) {
	if left <= 0 {
		w.more = true
		return 0, nil
	}
	n, err := removeEvent(w.tx, id, left)
	w.more = w.more || has(w.tx, events, id)
	return left - max(n, 1), err
}

// over reports whether a month is past its retention.
func over(m store.Month, now time.Time) bool {
	return m.Next().Start().AddDate(0, monthRetention, 0).Before(now)
}

// months removes rows of the months in a bucket that are past their retention.
func (w *sweep) months(bucket []byte, now time.Time) {
	left := w.n
	b := w.tx.Bucket(bucket)
	for w.err == nil {
		month, _ := b.Cursor().First()
		if len(month) != 4 || b.Bucket(month) == nil || !over(monthOf(month), now) {
			return
		}
		if left -= w.clear(b.Bucket(month), left); left < 0 {
			w.more = true
			return
		}
		if w.err == nil {
			w.err = b.DeleteBucket(month)
		}
	}
}

// clear removes up to most rows of a bucket and returns their number, most+1 if there are more.
func (w *sweep) clear(b *bbolt.Bucket, most int) int {
	var list [][]byte
	c := b.Cursor()
	for k, _ := c.First(); k != nil && len(list) <= most; k, _ = c.Next() {
		list = append(list, k)
	}
	for _, k := range list[:min(most, len(list))] {
		if w.err == nil {
			w.err = b.Delete(k)
		}
	}
	return len(list)
}
