package web

import "context"

// buildMonth gathers the month to print: the table alone.
func (b *stationBuilder) buildMonth(ctx context.Context) {
	b.live = false // nothing on the sheet is observed
	g := gather(ctx, patience)
	var layouts []func()
	add := func(layout func()) { layouts = append(layouts, layout) }
	b.askTide(g, add)
	b.askSky(g, add)
	g.done()
	for _, layout := range layouts {
		layout()
	}
	b.finish()
}
