package decide

import (
	"slices"
	"time"
)

// How long a change must last until it is announced (events: ours).
const (
	worseLasts  = 5 * time.Minute  // without a new action
	changeLasts = 10 * time.Minute // better, changed and known
	lossLasts   = time.Hour
	nearLoss    = 15 * time.Minute // a loss, if the requested time is within nearTime
	nearTime    = 6 * time.Hour
	stepsApart  = 10 * time.Minute // at least, unless the later step is worse
)

// unconfirmed returns the change that the evaluation shows. It lasts since the first of the
// evaluations that agree with this one.
func (s Standing) unconfirmed(
	e *evaluation, d *Decision, direction Direction, now time.Time,
) Unconfirmed {
	u := Unconfirmed{Direction: direction, Since: now, Result: e.here.fingerprint()}
	if before := s.Unconfirmed; before != nil && before.agrees(u) {
		u.Since = earlier(now, before.Since)
	}
	u.At = s.confirmed(e, d, u, now)
	for _, t := range []time.Time{s.spaced(direction, now), s.allowed(direction, now)} {
		if t.After(u.At) {
			u.At = t
		}
	}
	return u
}

// agrees reports whether a later evaluation agrees. What is worse or lost need not be the
// same again: it is announced as it then is. Other changes must have the same result.
func (u Unconfirmed) agrees(later Unconfirmed) bool {
	return u.Direction == later.Direction &&
		(u.Direction == Worse || u.Direction == Lost || u.Result == later.Result)
}

// confirmed returns from when on a change may be announced:
//
//   - restored and a new action: at once.
//   - otherwise worse: after worseLasts.
//   - better, changed and known: after changeLasts.
//   - lost: after lossLasts, or nearLoss if the requested time is near. It counts from the
//     first evaluation without the fact.
func (s Standing) confirmed(e *evaluation, d *Decision, u Unconfirmed, now time.Time) time.Time {
	switch {
	case u.Direction == Restored || u.Direction == Worse && e.newAction():
		return now
	case u.Direction == Worse:
		return u.Since.Add(worseLasts)
	case u.Direction == Lost:
		return lossConfirmed(s.lostSince(e, u), d.RequestedFor)
	}
	return u.Since.Add(changeLasts)
}

// newAction reports whether a reason at action was gained or the state became action-needed.
func (e *evaluation) newAction() bool {
	return e.gained() == Action || e.here.state == ActionNeeded && e.then.state != ActionNeeded
}

// lostSince returns the first evaluation without one of the facts that were lost.
func (s Standing) lostSince(e *evaluation, u Unconfirmed) time.Time {
	since, lost := u.Since, e.here.lacks(e.then)
	for _, m := range s.Missing {
		if slices.Contains(lost, m.ID) {
			since = earlier(since, m.Since)
		}
	}
	return since
}

// lossConfirmed returns when a loss has lasted long enough. The shorter time counts as soon as
// the requested time is near.
func lossConfirmed(since, requested time.Time) time.Time {
	near := since.Add(nearLoss)
	if begins := instant(requested).Add(-nearTime); begins.After(near) {
		near = begins
	}
	return earlier(since.Add(lossLasts), near)
}

// spaced returns from when on a step may follow the last one, or the zero time. A last step
// that lies ahead is from a wrong clock and does not count.
func (s Standing) spaced(direction Direction, now time.Time) time.Time {
	last := s.last().At
	if direction == Worse || last.IsZero() || last.After(now) {
		return time.Time{}
	}
	return last.Add(stepsApart)
}

// allowed returns from when on the number of steps in a day allows another one, or the zero
// time.
func (s Standing) allowed(direction Direction, now time.Time) time.Time {
	most := mostMilder
	if direction == Worse {
		most = mostSteps
	}
	var recent []time.Time
	for _, step := range s.Steps {
		if step.At.After(now.Add(-day)) && !step.At.After(now) {
			recent = append(recent, step.At)
		}
	}
	if len(recent) < most {
		return time.Time{}
	}
	return recent[len(recent)-most].Add(day)
}
