package limit

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"leadline/internal/coast"
)

const (
	// mostTurns limits the calculations of one caller that wait, mostWaiting those of all, half of
	// the requests in flight, and turnWithin how long each waits. A calculation takes at most 100
	// ms, so a turn usually comes within a second. Ours.
	mostTurns   = 32
	mostWaiting = 128
	turnWithin  = 10 * time.Second

	// accountsFirst is the number of turns that accounts get for each turn of a caller without
	// one, while both wait. Ours.
	accountsFirst = 4
)

// Turns orders calculations that take a processor for long. One fewer run at a time than there are
// processors, so that short requests do not wait for the end of a time slice. The others wait and
// get their turns round robin by caller, those of accounts before those of other callers. If as
// many wait as may, the last one of the caller with the most is refused.
type Turns struct {
	size int // calculations at a time

	mu      sync.Mutex
	running int
	total   int // calculations that wait
	lines   map[string]*line
	waiting [2][]*line // lines of accounts and of other callers, the next first
	streak  int        // turns of accounts since the last one of another caller
}

// line holds the calculations of one caller that wait, the first first.
type line struct {
	caller  string
	tickets []*ticket
}

// ticket is a calculation that waits.
type ticket struct {
	called  chan struct{} // closed when it is its turn, or when it is refused
	refused bool
}

// NewTurns returns turns of which size run at a time.
func NewTurns(size int) *Turns { return &Turns{size: size, lines: map[string]*line{}} }

// ofAccount begins the key of an account.
const ofAccount = "account "

// AccountKey returns the key of an account among callers.
func AccountKey(id string) string { return ofAccount + id }

// IsAccount reports whether the key of a caller is that of an account.
func IsAccount(key string) bool { return strings.HasPrefix(key, ofAccount) }

// Take waits until a calculation for a caller may begin, and returns the function that ends it. It
// returns coast.Overloaded if too many wait, and the error of ctx if that ends.
func (t *Turns) Take(ctx context.Context, caller string) (end func(), err error) {
	waits, err := t.join(caller)
	if err != nil {
		return nil, err
	}
	if waits == nil {
		return t.leave, nil
	}
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	select {
	case <-waits.called:
		if waits.refused {
			return nil, busy("Too many long calculations wait, most of them yours.")
		}
		return t.leave, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-late.C:
		err = busy("The server has computed for others for 10 seconds.")
	}
	t.abandon(caller, waits)
	return nil, err
}

// busy returns the refusal of a calculation.
func busy(why string) *coast.Error {
	e := coast.Errorf(coast.Overloaded, "%s Send the request again in a second.", why)
	e.RetryAfterSeconds = 1
	return e
}

// join begins a calculation, or appends it to those of its caller and returns its ticket.
func (t *Turns) join(caller string) (*ticket, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running < t.size {
		t.running++
		return nil, nil
	}
	l := t.lines[caller]
	if l == nil {
		l = &line{caller: caller}
	}
	if len(l.tickets) == mostTurns || t.total == mostWaiting && !t.refuseLast(len(l.tickets)) {
		return nil, busy("As many long calculations wait as may.")
	}
	t.lines[caller] = l
	own := &ticket{called: make(chan struct{})}
	t.total++
	if l.tickets = append(l.tickets, own); len(l.tickets) == 1 {
		t.queue(l)
	}
	return own, nil
}

// refuseLast refuses the last calculation of the caller with the most, if these are more than a
// number by at least two. The callers of refuseLast, queue and next hold mu.
func (t *Turns) refuseLast(than int) bool {
	var most *line
	for _, l := range t.lines {
		if most == nil || len(l.tickets) > len(most.tickets) {
			most = l
		}
	}
	last := len(most.tickets) - 1
	if last <= than {
		return false
	}
	refused := most.tickets[last]
	most.tickets = most.tickets[:last]
	t.total--
	refused.refused = true
	close(refused.called)
	return true
}

// queue appends a line to those of its kind.
func (t *Turns) queue(l *line) {
	kind := &t.waiting[1]
	if IsAccount(l.caller) {
		kind = &t.waiting[0]
	}
	*kind = append(*kind, l)
}

// leave ends a calculation and gives its turn to the next one.
func (t *Turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.next()
	if l == nil {
		t.running--
		return
	}
	close(l.tickets[0].called)
	t.total--
	if l.tickets = l.tickets[1:]; len(l.tickets) == 0 {
		delete(t.lines, l.caller)
		return
	}
	t.queue(l)
}

// next removes the line whose turn it is, or returns nil.
func (t *Turns) next() *line {
	kind := 0
	if len(t.waiting[0]) == 0 || t.streak == accountsFirst && len(t.waiting[1]) > 0 {
		kind = 1
	}
	if len(t.waiting[kind]) == 0 {
		return nil
	}
	t.streak = (1 - kind) * min(t.streak+1, accountsFirst)
	l := t.waiting[kind][0]
	t.waiting[kind] = t.waiting[kind][1:]
	return l
}

// abandon removes a calculation whose caller no longer waits. If its turn has come meanwhile, the
// turn goes to the next one.
func (t *Turns) abandon(caller string, waits *ticket) {
	if !t.drop(caller, waits) && !waits.refused {
		t.leave()
	}
}

// drop removes a calculation that waits, and reports whether it did.
func (t *Turns) drop(caller string, waits *ticket) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[caller]
	if l == nil {
		return false
	}
	i := slices.Index(l.tickets, waits)
	if i < 0 {
		return false
	}
	t.total--
	if l.tickets = slices.Delete(l.tickets, i, i+1); len(l.tickets) == 0 {
		delete(t.lines, caller)
		for kind, lines := range t.waiting {
			t.waiting[kind] = slices.DeleteFunc(lines, func(o *line) bool { return o == l })
		}
	}
	return true
}
