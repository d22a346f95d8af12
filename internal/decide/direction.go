package decide

import (
	"slices"
	"strings"

	"leadline/internal/coast"
)

// Direction classifies a step of a watch.
type Direction string

// The directions.
const (
	Worse    Direction = "worse"    // the state or a reason became worse
	Better   Direction = "better"   // the state improved because a reason ended or eased
	Changed  Direction = "changed"  // a material change that is none of the others
	Lost     Direction = "lost"     // facts became unavailable, and nothing else became worse
	Known    Direction = "known"    // a fact is available for the first time
	Restored Direction = "restored" // the facts of an announced loss are back, nothing else changed
)

// Values returns all directions.
func (Direction) Values() []string {
	return coast.Strings(Worse, Better, Changed, Lost, Known, Restored)
}

// outlook holds the parts of a result that determine a direction.
type outlook struct {
	state   State
	hazards map[string]Severity // reasons at watch and action by code, except absences
	missing []string
}

func newOutlook(state State, reasons []BaselineReason, missing []string) outlook {
	o := outlook{state, map[string]Severity{}, missing}
	for _, r := range reasons {
		if r.Severity.weighs() && !absence(r.Code) && r.Severity.rank() > o.hazards[r.Code].rank() {
			o.hazards[r.Code] = r.Severity
		}
	}
	return o
}

// covers reports whether the outlook has a hazard of the code that is at least as severe. The
// reason that merges several alerts covers each alert.
func (o outlook) covers(code string, severity Severity) bool {
	return o.hazards[code].rank() >= severity.rank() ||
		strings.HasPrefix(code, alertPrefix) && o.hazards[alerts].rank() >= severity.rank()
}

// beyond returns the codes of the hazards that another outlook does not cover.
func (o outlook) beyond(other outlook) (codes []string) {
	for code, severity := range o.hazards {
		if !other.covers(code, severity) {
			codes = append(codes, code)
		}
	}
	return codes
}

// lacks returns the facts that are missing here and not in another outlook.
func (o outlook) lacks(other outlook) []string { return less(o.missing, other.missing) }

// less returns the ids that are not in a second list.
func less(ids, other []string) []string {
	return slices.DeleteFunc(slices.Clone(ids),
		func(id string) bool { return slices.Contains(other, id) })
}

// both returns the ids that are also in a second list.
func both(ids, other []string) []string { return less(ids, less(ids, other)) }

// direction classifies the change from the announced to the effective result.
//
// The order of the cases matters, because an outage also raises the rank of the state, and
// its end also lowers it:
//
//   - An outage is lost. It is worse only if a reason was gained as well.
//   - The end of an outage is restored, known or changed. It is better only if a reason ended
//     or eased as well, and if no reason is carried and no required fact is missing.
//   - Nothing good is announced while a fact has lost its values: that may have completed another
//     fact. A wind without a direction, for example, is a gap only if there is a current.
//
// Precautionary facts count like required ones here (ours): without them the state is watch at
// least, so the end of their outage would otherwise be better.
func (e *evaluation) direction() Direction {
	rank, was := e.here.state.rank(), e.then.state.rank()
	gained, eased := len(e.here.beyond(e.then)) > 0, len(e.then.beyond(e.here)) > 0
	lacking, back := e.here.lacks(e.then), e.then.lacks(e.here)
	switch {
	case gained && rank >= was:
		return Worse
	case !gained && (len(lacking) > 0 || rank > was):
		return Lost
	case len(lacking) > 0 || len(e.emptied) > 0:
		return Changed
	case len(less(back, e.lost)) > 0:
		return Known
	case len(back) > 0 && !gained && !eased:
		return Restored
	case rank < was && eased && len(e.carried) == 0 && !e.lacksRequired:
		return Better
	}
	return Changed
}
