package quota

import (
	"leadline/internal/coast"
	"leadline/store"
)

// quota is the quota of an account in one month: a lease of units that are reserved in the
// store and spent from memory. A lease expires with its month. A crash loses the unspent units,
// which are at most one lease, because a refill requests only the units missing from a full
// lease.
type quota struct {
	of       store.Month
	plan     string // name of the plan that has the limit
	limit    uint64
	reserved uint64 // units reserved in all, as of the last response of the store
	known    bool   // whether the store has returned the usage of this month
	leased   uint64 // leased units that are not spent
	empty    bool   // the store has no units left
	down     bool   // the last request to the store failed
	filling  *fill  // the running request to the store, or nil
	reading  *fill  // the running read of reserved, or nil
	refills  int    // refills since the start of the process that brought units
}

// fill is a running refill, the return of surplus units, or a read. An account has one refill or
// return at a time: the store may do two at once in either order, and only one order gives the
// units that are reserved. All requests wait for the same one.
type fill struct {
	done chan struct{}
	err  error // valid after done is closed
}

// The sizes of a lease, in units: 1/200 of the monthly quota, within bounds. It is small enough
// to lose and large enough to make requests to the store rare.
const (
	leasePart  = 200
	leaseLeast = 16
	leaseMost  = 256
)

// full returns the size of a full lease.
func (q *quota) full() uint64 { return min(max(q.limit/leasePart, leaseLeast), leaseMost) }

// slowRefills is the number of refills until leases have their full size. The first lease of an
// account after the start of the process is an eighth of it, and each refill doubles it: a process
// that crashes again and again does not use up the month of an account with few requests.
const slowRefills = 3

// begun returns the size of a lease as far as the account's refills allow it.
func (q *quota) begun() uint64 { return max(1, q.full()>>(slowRefills-q.refills)) }

// lease returns the number of units to lease. It shrinks near the end of the quota, so that
// other instances can use the last units, too.
func (q *quota) lease() uint64 {
	full, left := q.full(), uint64(0)
	if q.reserved < q.limit {
		left = q.limit - q.reserved
	}
	switch {
	case left >= 4*full:
		return q.begun()
	case left >= full/4:
		return min(full/4, q.begun())
	}
	return 1
}

// take spends a leased unit, if there is one.
func (q *quota) take() bool {
	if q.leased == 0 {
		return false
	}
	q.leased--
	return true
}

// used returns the number of spent units.
func (q *quota) used() uint64 { return q.reserved - min(q.reserved, q.leased) }

// left returns the remaining units of the month. It never returns too many, and is exact if
// this is the only instance. While the store is down, it is the number of leased units.
func (q *quota) left() uint64 {
	if q.down || !q.known {
		return q.leased
	}
	return q.rest()
}

// rest returns the remaining units, computed from the last response of the store and the leased
// units.
func (q *quota) rest() uint64 {
	if q.reserved >= q.limit+q.leased {
		return 0
	}
	return q.limit + q.leased - q.reserved
}

// Warning describes how much of a monthly quota is used.
type Warning string

// The warnings. The thresholds are ours.
const (
	None        Warning = "none"
	Approaching Warning = "approaching" // from 80 % on
	Critical    Warning = "critical"    // from 95 % on
	Exhausted   Warning = "exhausted"   // no units are left
)

// SchemaName returns the name of the warnings in OpenAPI documents.
func (Warning) SchemaName() string { return "QuotaWarning" }

// Values returns all warnings.
func (Warning) Values() []string { return coast.Strings(None, Approaching, Critical, Exhausted) }

// warning returns the warning according to the last response of the store, even while the store
// is down.
func (q *quota) warning() Warning {
	used := q.limit - min(q.rest(), q.limit)
	switch {
	case !q.known:
		return None
	case used >= q.limit:
		return Exhausted
	case used*100 >= q.limit*95:
		return Critical
	case used*100 >= q.limit*80:
		return Approaching
	}
	return None
}

// surplus returns the number of leased units to return: those beyond a lowered limit, and
// those beyond a full lease after many refunds.
func (q *quota) surplus() (n uint64) {
	if q.reserved > q.limit {
		n = min(q.reserved-q.limit, q.leased)
	}
	if rest := q.leased - n; rest > q.full() {
		n += rest - q.full()
	}
	return n
}
