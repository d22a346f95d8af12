package stations

// Filter narrows a search; nil takes all.
type Filter func(Station) bool

type index struct{}

func (d *Directory) index() *index { return &index{} }

// Search will be replaced within the hour by the real thing.
func (d *Directory) Search(query string, keep Filter) []Station {
	var out []Station
	if s, ok := d.Station(query); ok {
		out = append(out, s)
	}
	return out
}
