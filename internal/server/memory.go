package server

import (
	"context"
	"os"
	"runtime/debug"
	goruntime "runtime/metrics"
	"time"
)

// Little memory is live, so memory is cheap and collections are not: the heap may grow
// to five times the live memory. From memoryLeast bytes on it is collected more often,
// so that 3,000 concurrent connections stay below 150 MB. A server whose caches are full
// has more live memory than that: its limit is memoryRoom bytes above the live memory,
// or the collector would run all the time. Ours, as measured by scripts/load.
const (
	gcPercent   = 400
	memoryLeast = 96 << 20
	memoryRoom  = 48 << 20
)

// TuneCollector adjusts the garbage collector of the process to a server until ctx ends,
// except for what the operator has set by GOGC and GOMEMLIMIT.
func TuneCollector(ctx context.Context) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(memoryLeast)
	go func() {
		live := []goruntime.Sample{{Name: "/gc/heap/live:bytes"}}
		for tick := time.NewTicker(10 * time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				goruntime.Read(live)
				debug.SetMemoryLimit(memoryLimit(live[0].Value.Uint64()))
			}
		}
	}()
}

// memoryLimit returns the memory size from which the heap is collected more often, given the
// number of live bytes.
func memoryLimit(live uint64) int64 {
	return max(memoryLeast, int64(live)+memoryRoom)
}
