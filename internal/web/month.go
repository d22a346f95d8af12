package web

// buildMonth gathers the month to print: the table alone.
func (b *stationBuilder) buildMonth(g *gathering) {
	if b.info.Kind == "current" {
		b.askCurrent(g, b.info.Station.ID, nil)
	} else {
		b.askTide(g)
		b.askSun(g)
	}
	b.lay(g)
	b.finish()
}
