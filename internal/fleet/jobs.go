package fleet

import (
	"context"
	"sync"
	"time"
)

const (
	// jobFor is the time for which a job is held. It ends in the store after the holder has stopped:
	// jobStop after its last renewal was sent.
	jobFor     = 30 * time.Second
	jobStop    = 20 * time.Second
	renewEvery = 10 * time.Second
)

// Job returns a function that runs a job of a name, on one of the instances at a time, until its
// ctx ends. The job must return soon after its own ctx ends; it may be run again.
func (m *Member) Job(name string, run func(context.Context)) func(context.Context) {
	return func(ctx context.Context) {
		j := &job{member: m, name: name, run: run}
		defer j.stop()
		for ctx.Err() == nil {
			j.renew(ctx)
			select {
			case <-time.After(renewEvery):
			case <-ctx.Done():
			}
		}
	}
}

// job is a job that this instance runs or would run.
type job struct {
	member *Member
	name   string
	run    func(context.Context)

	cancel  context.CancelFunc // nil while the job does not run
	until   *time.Timer        // stops it
	running sync.WaitGroup
}

// renew takes or extends the job, and starts or stops it. If the store fails, it runs on until its
// time is over.
func (j *job) renew(ctx context.Context) {
	sent := time.Now()
	calling, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	held, err := j.member.c.Store.Hold(calling, j.member.ID(), j.name, jobFor)
	switch {
	case err != nil:
	case !held:
		j.stop()
	default:
		j.extend(ctx, sent.Add(jobStop))
	}
}

// extend lets the job run until a time, and starts it if it does not run.
func (j *job) extend(ctx context.Context, until time.Time) {
	if j.until != nil && j.until.Stop() {
		j.until.Reset(time.Until(until))
		return
	}
	j.stop() // its time was over; it may take long to end
	d := time.Until(until)
	if d <= 0 {
		return
	}
	ctx, j.cancel = context.WithCancel(ctx)
	j.until = time.AfterFunc(d, j.cancel)
	j.member.c.Log.Debug("this instance runs a job", "job", j.name)
	j.running.Go(func() { j.run(ctx) })
}

// stop ends the job and waits for it.
func (j *job) stop() {
	if j.cancel == nil {
		return
	}
	j.until.Stop()
	j.cancel()
	j.running.Wait()
	j.cancel, j.until = nil, nil
}
