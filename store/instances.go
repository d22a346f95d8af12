package store

import (
	"context"
	"time"
)

// Instance is a process that uses the store, one of several if the engine allows it.
type Instance struct {
	ID      string    `json:"id"`      // a UUID of this start of the process
	Slot    int       `json:"slot"`    // 1 to MostInstances; no two live instances have the same
	Name    string    `json:"name"`    // for people: the host, unless the operator named it
	Version string    `json:"version"` // of the program
	Started time.Time `json:"started"`
	Seen    time.Time `json:"seen"` // its last heartbeat, by the clock of the store
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

// Instances coordinates the processes that use one store. An engine that only one process can open
// behaves as a store with a single instance. Durations are measured by the clock of the store.
type Instances interface {
	// Enroll stores a new instance and returns its slot: the lowest that is free or whose instance
	// was not seen for SlotRetention. It sets Slot and Seen of i itself. ErrExists: the id is
	// taken. ErrTooMany: there is no free slot.
	Enroll(ctx context.Context, i Instance) (slot int, err error)
	// Heartbeat records that an instance is live. ErrNotFound: it is not enrolled, or another one
	// has taken its slot.
	Heartbeat(ctx context.Context, id string) (Fleet, error)
	// Leave removes an instance with the jobs and the shares that it holds. It is not an error if
	// there is none.
	Leave(ctx context.Context, id string) error
	// Hold reports whether the instance owner holds a job for the time d from now on. It takes a job
	// that nobody holds and extends one that owner holds already.
	Hold(ctx context.Context, owner, job string, d time.Duration) (bool, error)
	// Shares sets the shares that the instance in a slot holds, for ShareLife, and returns them in
	// the order of the requests. A share is what was requested or, if the shares of the other
	// instances leave less below the limit, that. No subject may appear twice.
	Shares(ctx context.Context, slot int, list []ShareRequest) ([]int, error)
}
