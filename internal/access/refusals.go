package access

import (
	"container/list"
	"strings"
	"sync"
	"time"

	"leadline/internal/access/limit"
	"leadline/internal/coast"
	"leadline/store"
)

// Refusal describes a request of an account that was refused or failed.
type Refusal struct {
	At        time.Time
	RequestID string
	Surface   limit.Surface
	Operation string // method and path, or the MCP method and what it names
	Status    int    // of the response: over MCP, that of a failed tool is 200
	Code      coast.Code
	Message   string
	Key       string // public id of the API key, or ""
	App       string // name of the connected app, or ""
}

// The limits of refusals in memory, which are about 40 MB together: BenchmarkRefusal. Ours.
const (
	mostRefusals     = 50    // of an account
	mostRefused      = 1_000 // accounts
	longestOperation = 160   // bytes
	longestMessage   = 240   // bytes
)

// refusal is the reason for which a request has no result.
type refusal struct {
	operation string // "" for the method and path of the request
	err       *coast.Error
}

// shorten returns text without secrets and hidden characters, and at most the given bytes of it.
func shorten(text string, most int) string {
	text = coast.Clean(coast.Redact(text))
	if len(text) <= most {
		return text
	}
	const mark = "…"
	return strings.ToValidUTF8(text[:most-len(mark)], "") + mark
}

// refusals holds the newest refusals of the accounts that were refused last. It is safe for
// concurrent use.
type refusals struct {
	mu       sync.Mutex
	accounts map[string]*list.Element // of *refused
	recent   list.List                // the accounts, the one that was refused last first
}

// refused holds the newest refusals of an account. Once there are mostRefusals, a new one replaces
// the oldest, at next.
type refused struct {
	account string
	list    []Refusal
	next    int
}

func newRefusals() *refusals { return &refusals{accounts: map[string]*list.Element{}} }

// add adds a refusal of an account.
func (s *refusals) add(account string, r Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.accounts[account]
	if !ok {
		if s.recent.Len() == mostRefused {
			s.drop(s.recent.Back())
		}
		known = s.recent.PushFront(&refused{account: account})
		s.accounts[account] = known
	}
	s.recent.MoveToFront(known)
	of := known.Value.(*refused)
	if len(of.list) < mostRefusals {
		of.list = append(of.list, r)
		return
	}
	of.list[of.next] = r
	of.next = (of.next + 1) % mostRefusals
}

// of returns the refusals of an account, the newest first.
func (s *refusals) of(account string) (newest []Refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.accounts[account]
	if !ok {
		return nil
	}
	of := known.Value.(*refused)
	for i := range of.list {
		newest = append(newest, of.list[(of.next+len(of.list)-1-i)%len(of.list)])
	}
	return newest
}

// invalidate drops the refusals of accounts that were removed or moved to another plan.
func (s *refusals) invalidate(changes []store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		if known, ok := s.accounts[c.Account]; ok {
			s.drop(known)
		}
	}
}

// drop removes an account. The caller must hold the lock.
func (s *refusals) drop(e *list.Element) {
	s.recent.Remove(e)
	delete(s.accounts, e.Value.(*refused).account)
}
