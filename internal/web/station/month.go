package station

import (
	"leadline/internal/web/site"
)

// buildMonth gathers the month to print: the table alone.
func (b *builder) buildMonth(g *site.Gathering) {
	if b.Info.Kind == "current" {
		b.askCurrent(g, b.Info.Station.ID, nil)
	} else {
		b.askTide(g)
		b.askSun(g)
	}
	b.lay(g)
	b.finish()
}
