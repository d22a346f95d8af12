// Package resources holds the reference topics as embedded Markdown.
package resources

// Topic is one page of reference.
type Topic struct {
	Name  string // as in leadline://reference/{name}
	Title string
	About string // one sentence
	Text  string // Markdown
}

// Facts are the tables that live in other packages' code, rendered as Markdown there, and stand inside the topics.
type Facts struct {
	Decisions string // thresholds (decisions topic)
	Limits    string // tiers and headers (limits topic)
	DataBuilt string // date of the station data (sources topic)
}

// Library is the set of topics.
type Library struct{}

// New renders the topics.
func New(f Facts) *Library { panic("stub") }

// Guide is the getting-started page (leadline://guide/getting-started).
func (l *Library) Guide() Topic { panic("stub") }

// Topics returns the 15 topics in their order.
func (l *Library) Topics() []Topic { panic("stub") }

// Topic returns the topic with the name.
func (l *Library) Topic(name string) (Topic, bool) { panic("stub") }
