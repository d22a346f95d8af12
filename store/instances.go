package store

import (
	"context"
	"fmt"
	"time"
)

// Instance is a process that uses the store, one of several if the engine allows it.
type Instance struct {
	ID      string    `json:"id"`      // a UUID of this start of the process
	Slot    int       `json:"slot"`    // 1 to MostInstances; no two instances have the same
	Name    string    `json:"name"`    // for people: the host, unless the operator named it
	Version string    `json:"version"` // of the program
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen"` // its last heartbeat; with fractions of a second
}

// The times of instances, by the clock of the store.
const (
	MostInstances = 64
	InstanceLive  = 10 * time.Second // after its last heartbeat an instance counts as live
	SlotRetention = 10 * time.Minute // after it, another instance may take its slot
	ShareLife     = 130 * time.Second
)

// Fleet describes the live instances at one moment.
type Fleet struct {
	Now  time.Time  // the clock of the store, with fractions of a second
	Live []Instance // in order of their slots
}

// ShareRequest asks for a share of the rate limit of a subject.
type ShareRequest struct {
	Subject [32]byte // names what is limited, such as an account on one endpoint
	Share   int      // what the instance wants to hold from now on, not negative
	Limit   int      // what all instances together may hold
}

// Share is the share of a rate limit that an instance holds.
type Share struct {
	Held int // what was requested or, if the shares of the other instances leave less, that
	Free int // what no instance holds now; not negative
}

// CheckShares returns an error if a request is negative or a subject appears twice.
func CheckShares(list []ShareRequest) error {
	seen := make(map[[32]byte]bool, len(list))
	for _, r := range list {
		if r.Share < 0 || r.Limit < 0 || seen[r.Subject] {
			return fmt.Errorf("%w: invalid share %d of %d: negative, or its subject appears twice",
				ErrUnavailable, r.Share, r.Limit)
		}
		seen[r.Subject] = true
	}
	return nil
}

// Instances coordinates the processes that use one store. It measures durations by the clock of the
// store. An engine that only one process can open may lose all of this when it is closed.
type Instances interface {
	// Enroll stores a new instance and returns its slot: the lowest that is free or whose instance
	// was not seen for SlotRetention. It sets Slot and Seen itself; the heartbeat of now counts.
	// ErrExists: the id is taken. ErrTooMany: there is no free slot.
	Enroll(ctx context.Context, i Instance) (slot int, err error)
	// Heartbeat records that an instance is live, and returns all that are. ErrNotFound: it is not
	// enrolled, has left, or another instance has taken its slot.
	Heartbeat(ctx context.Context, id string) (Fleet, error)
	// Leave ends an instance: it is not live any more and its jobs are free. Its shares remain
	// until they expire, because the requests that it has served count for that long, and no other
	// instance gets its slot before ShareLife is over. It is not an error if there is none.
	Leave(ctx context.Context, id string) error
	// Hold reports whether the instance owner holds a job for the time d from now on. It takes a job
	// that nobody holds and extends one that owner holds already.
	Hold(ctx context.Context, owner, job string, d time.Duration) (bool, error)
	// Shares sets the shares that an instance holds, for ShareLife, and returns them in the order
	// of the requests. ErrNotFound: see Heartbeat. Other errors are those of CheckShares.
	Shares(ctx context.Context, id string, list []ShareRequest) ([]Share, error)
}
