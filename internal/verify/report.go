package verify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"leadline/internal/coast"
	"leadline/internal/stations"
	"leadline/store"
)

// MostListed limits the differing stations that a Report keeps (ours).
const MostListed = 50

// Report describes a comparison of many stations.
type Report struct {
	Began       time.Time      `json:"began"`
	Ended       time.Time      `json:"ended"`    // zero while it runs
	Stations    int            `json:"stations"` // that were to be compared
	Compared    int            `json:"compared"`
	NotCompared map[string]int `json:"notCompared"` // by reason
	Height      *Largest       `json:"height"`      // difference in meters; nil without tides
	Speed       *Largest       `json:"speed"`       // difference in knots; nil without currents
	Differing   int            `json:"differing"`
	Listed      []Result       `json:"listed"` // those that differ most, the largest first
}

// Largest is the largest difference and its station.
type Largest struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Add adds the result of a station. before is the newest report before this one, or nil: a station
// that differed in it has differed since then.
func (r *Report) Add(one Result, before *Report) {
	if one.Err != nil {
		if r.NotCompared == nil {
			r.NotCompared = map[string]int{}
		}
		r.NotCompared[ReasonOf(one.Err)]++
		return
	}
	r.Compared++
	largest := &r.Height
	if one.Kind == stations.Current {
		largest = &r.Speed
	}
	if *largest == nil || one.Difference > (*largest).Value {
		*largest = &Largest{one.ID, one.Name, one.Difference}
	}
	if !one.Differs {
		return
	}
	r.Differing++
	one.Since = r.Began
	if before != nil {
		for _, old := range before.Listed {
			if old.ID == one.ID {
				one.Since = old.Since
			}
		}
	}
	r.Listed = append(r.Listed, one)
	slices.SortStableFunc(r.Listed, func(a, b Result) int {
		return cmp.Or(cmp.Compare(b.Difference, a.Difference), b.Minutes-a.Minutes,
			b.Missing+b.Extra-a.Missing-a.Extra, cmp.Compare(a.ID, b.ID))
	})
	r.Listed = r.Listed[:min(len(r.Listed), MostListed)]
}

// ReasonOf returns one of a few reasons why a station was not compared, so that a report can count
// them.
func ReasonOf(err error) string {
	switch _, refused := coast.AsError(err); {
	case errors.Is(err, errWeak), errors.Is(err, errMLLW), errors.Is(err, errNone),
		errors.Is(err, errNoRows):
		return err.Error()
	case unanswered(err):
		return "NOAA did not respond"
	case refused:
		return "NOAA has no predictions"
	}
	return "the comparison failed"
}

// Reason is a reason why stations were not compared.
type Reason struct {
	Text  string
	Count int
}

// Reasons returns the reasons why stations were not compared, the most frequent first.
func (r Report) Reasons() (list []Reason) {
	for text, n := range r.NotCompared {
		list = append(list, Reason{text, n})
	}
	slices.SortFunc(list, func(a, b Reason) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text))
	})
	return list
}

// Largest writes the largest differences: "0.001 m and 0.004 kn". It is empty if nothing was
// compared.
func (r Report) Largest() string {
	switch {
	case r.Height == nil && r.Speed == nil:
		return ""
	case r.Speed == nil:
		return fmt.Sprintf("%.3f m", r.Height.Value)
	case r.Height == nil:
		return fmt.Sprintf("%.3f kn", r.Speed.Value)
	}
	return fmt.Sprintf("%.3f m and %.3f kn", r.Height.Value, r.Speed.Value)
}

// Enough is the share of stations from which on a check is complete (ours): NOAA may withdraw some.
const Enough = 0.9

// Complete reports whether a check says something about all stations.
func (r Report) Complete() bool {
	return r.Compared > 0 && float64(r.Compared) >= Enough*float64(r.Stations)
}

// State has what the store knows of checks.
type State struct {
	Newest    *Report   `json:"newest,omitempty"`   // that has ended
	Current   *Progress `json:"current,omitempty"`  // that runs
	Abandoned time.Time `json:"abandoned,omitzero"` // when the last check began that did not end
}

// Progress is a check that runs.
type Progress struct {
	Report Report   `json:"report"`
	After  string   `json:"after"`           // id of the last station in order; "" before the first
	Later  []string `json:"later,omitempty"` // stations that are compared again at the end
	Again  bool     `json:"again,omitempty"` // the end is reached
}

// fact is the name of the fact of the store that holds the State.
const fact = "verification"

// read returns the State of a store and its bytes, nil for a store without one.
func read(ctx context.Context, s store.Meta) (state State, raw []byte, err error) {
	raw, err = s.Meta(ctx, fact)
	if errors.Is(err, store.ErrNotFound) {
		return State{}, nil, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		return State{}, raw, fmt.Errorf("read the comparison with NOAA's predictions: %w", err)
	}
	return state, raw, nil
}

// Condition says what the newest check is worth.
type Condition string

// The conditions. All but Current say that there is no full and recent result.
const (
	Off        Condition = "off"        // no result, and no check will run
	Waiting    Condition = "waiting"    // no result yet
	Failed     Condition = "failed"     // the last check did not end
	Outdated   Condition = "outdated"   // ended more than MostAge ago
	Incomplete Condition = "incomplete" // too few stations were compared
	Current    Condition = "current"
)

// SchemaName returns the name of the conditions in OpenAPI documents.
func (Condition) SchemaName() string { return "VerifyState" }

// Values returns all conditions.
func (Condition) Values() []string {
	return coast.Strings(Off, Waiting, Failed, Outdated, Incomplete, Current)
}

// MostAge is the age from which on a result is outdated (ours): half a month more than Every.
const MostAge = 45 * 24 * time.Hour

// Snapshot is the State of a server at a time.
type Snapshot struct {
	State
	On        bool // the server runs checks
	Condition Condition
}

// Read returns the Snapshot of a store. on reports whether the server runs checks.
func Read(ctx context.Context, s store.Meta, on bool, now time.Time) (Snapshot, error) {
	state, _, err := read(ctx, s)
	return Snapshot{state, on, state.condition(on, now)}, err
}

func (s State) condition(on bool, now time.Time) Condition {
	switch n := s.Newest; {
	case !s.Abandoned.IsZero() && (n == nil || s.Abandoned.After(n.Began)):
		return Failed
	case n == nil && on:
		return Waiting
	case n == nil:
		return Off
	case now.Sub(n.Ended) > MostAge:
		return Outdated
	case !n.Complete():
		return Incomplete
	}
	return Current
}

// Summary is a Snapshot in the status of the service.
type Summary struct {
	State               Condition  `json:"state" doc:"Whether the newest check is full and recent: off or waiting without a result, failed if the last one did not end, outdated after 45 days, incomplete if less than nine tenths of the stations were compared, else current."`
	CheckedAt           *time.Time `json:"checkedAt" doc:"When the newest check ended, UTC; null before the first one."`
	Stations            int        `json:"stations" doc:"Stations with constants of their own that the newest check was about; 0 before the first one."`
	Compared            int        `json:"compared" doc:"Of these, stations that could be compared."`
	Differing           int        `json:"differing" doc:"Compared stations that differ by more than rounding explains, for instance because NOAA has revised their constants."`
	LargestHeightMeters *float64   `json:"largestHeightMeters" doc:"Largest difference of a high or low water in meters; null if none was compared."`
	LargestSpeedKnots   *float64   `json:"largestSpeedKnots" doc:"Largest difference of a flood, ebb or slack in knots; null if none was compared."`
}

// SchemaName returns the name of summaries in OpenAPI documents.
func (Summary) SchemaName() string { return "Verification" }

// Summary returns the snapshot for programs.
func (s Snapshot) Summary() Summary {
	out := Summary{State: s.Condition}
	if n := s.Newest; n != nil {
		out.CheckedAt, out.Stations, out.Compared, out.Differing = &n.Ended, n.Stations, n.Compared,
			n.Differing
		out.LargestHeightMeters, out.LargestSpeedKnots = n.Height.rounded(), n.Speed.rounded()
	}
	return out
}

// rounded returns the value with four decimals, nil for nil.
func (l *Largest) rounded() *float64 {
	if l == nil {
		return nil
	}
	v := math.Round(l.Value*10_000) / 10_000
	return &v
}
