package intervals

// Light names a kind of light that results are limited to.
type Light string

// Values returns all values.
func (Light) Values() []string { return []string{"any", "daylight", "civil", "dark", "moonlit"} }

// WindowCause names the reason for which a window begins or ends.
type WindowCause string

// Values returns all values but weather, which only windows with bounds of the weather have: routes
// have no such windows.
func (WindowCause) Values() []string {
	return []string{
		"level", "slack", "sunrise", "sunset", "dawn", "dusk", "moonlight", "hours", "weekday", "span",
	}
}

// WindowEnd names an end of a window.
type WindowEnd string

// Values returns all values.
func (WindowEnd) Values() []string { return []string{"from", "to"} }
