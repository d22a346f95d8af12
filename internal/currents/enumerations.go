package currents

import (
	"strings"
)

// CurrentPhase names the direction of a current that windows are limited to.
type CurrentPhase string

// Values returns all values.
func (CurrentPhase) Values() []string { return []string{"any", "flood", "ebb"} }

// SpeedSide names a side of a speed.
type SpeedSide string

// Values returns all values.
func (SpeedSide) Values() []string { return []string{"at_most", "at_least"} }

// words returns the side for a sentence.
func (s SpeedSide) words() string { return strings.ReplaceAll(string(s), "_", " ") }

// WindowKind names a kind of window of a current.
type WindowKind string

// Values returns all values.
func (WindowKind) Values() []string { return []string{"slack", "run"} }

// SlackTurn names the runs before and after a slack.
type SlackTurn string

// Values returns all values.
func (SlackTurn) Values() []string {
	return []string{"flood to ebb", "ebb to flood", "flood to flood", "ebb to ebb"}
}

// Opposition names how far the wind is against the current, by the rule of decisions.
type Opposition string

// Values returns all values.
func (Opposition) Values() []string { return []string{"none", "watch", "action"} }

// WindOrigin names the forecast of a wind: the grid, or the coastal waters text.
type WindOrigin string

// Values returns all values.
func (WindOrigin) Values() []string { return []string{"grid", "text"} }

// CurrentSpeedUnit is a unit of the speeds of currents.
type CurrentSpeedUnit string

// Values returns all values.
func (CurrentSpeedUnit) Values() []string { return []string{"kn", "cm/s"} }

// TransitDirection names a way through a pass: with the flood behind the vessel, or with the ebb.
type TransitDirection string

// Values returns all values.
func (TransitDirection) Values() []string { return []string{"with_flood", "with_ebb"} }

// MarineMiles is the unit of distances at sea.
type MarineMiles string

// Values returns all values.
func (MarineMiles) Values() []string { return []string{"nmi"} }

// CurrentType names the kind of an event of a current.
type CurrentType string

// Values returns all values.
func (CurrentType) Values() []string { return []string{"flood", "ebb", "slack"} }
