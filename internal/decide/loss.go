package decide

import (
	"cmp"
	"slices"
)

// This file keeps the announced losses, so that the end of an outage is recognized.

// mostLosses limits the losses that can be restored, and so the length of a Standing. It is
// the number of facts.
const mostLosses = 12

// restored returns which of the announced losses the evaluation restores together with all
// later ones: the result is the one before that loss. It returns -1 if there is no such loss.
func (e *evaluation) restored() int {
	if e.gained() != "" || e.eased() != "" {
		return -1
	}
	before := outlook{missing: e.then.missing}
	for i, loss := range slices.Backward(e.losses) {
		before.missing = less(before.missing, loss.Facts)
		same := len(before.lacks(e.here)) == 0 && len(e.here.lacks(before)) == 0
		if same && e.here.state == loss.State {
			return i
		}
	}
	return -1
}

// lossesAfter returns the announced losses after a step. They remain as long as no reason
// is gained, ends or eases, and until their facts are back.
func (e *evaluation) lossesAfter(direction Direction) []Loss {
	switch {
	case e.gained() != "" || e.eased() != "":
		return []Loss{}
	case direction == Restored:
		return slices.Clone(e.losses[:e.restored()])
	}
	list := remaining(e.losses, e.here.missing)
	if direction == Lost {
		list = append(list, Loss{e.then.state, e.here.lacks(e.then)})
	}
	return list[max(0, len(list)-mostLosses):]
}

// remaining returns the losses of the facts that are still missing. A loss that is over
// leaves its state to the next one, because that is now the state before it.
func remaining(losses []Loss, missing []string) []Loss {
	list, state := []Loss{}, State("")
	for _, loss := range losses {
		state = cmp.Or(state, loss.State)
		if facts := both(loss.Facts, missing); len(facts) > 0 {
			list, state = append(list, Loss{state, facts}), ""
		}
	}
	return list
}

// judgedWith lists the facts that determine whether a fact is complete: see gap. A wind
// without a direction, for example, is a gap only if there is a current.
var judgedWith = map[string][]string{
	WindForecast:      {CurrentPrediction, MarineText},
	CurrentPrediction: {WindForecast, MarineText},
	SeaState:          {CurrentPrediction, WindForecast, MarineText},
}

// stillMissing returns the missing facts. A fact that was missing is still missing if a fact
// with which it is judged has lost its values since: that may have completed it.
func (a announced) stillMissing(d *Decision) []string {
	list, emptied := slices.Clone(d.MissingInputs), less(a.present, presentIn(d))
	for _, id := range less(a.missing, d.MissingInputs) {
		if len(both(judgedWith[id], emptied)) > 0 {
			list = append(list, id)
		}
	}
	return list
}
