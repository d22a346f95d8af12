package operation

// Link names a page or a file of this server that shows a result in another form. Clients offer it
// to people.
type Link struct {
	Title string `json:"title"` // such as month to print
	// URI is an absolute address. Results have the path alone, and front ends set the server.
	URI  string `json:"uri"`
	Type string `json:"type"` // of its content, such as text/html
}

// linked is a result that has links, at most three. Pictured reports whether it has a picture.
type linked interface{ Links(pictured bool) []Link }

// Links returns the links of the output for people, with absolute addresses; nil without a server.
func (r Result) Links() []Link {
	l, ok := r.Value.(linked)
	if !ok || r.Base == "" {
		return nil
	}
	links := l.Links(r.Image != nil)
	for i := range links {
		links[i].URI = r.Base + links[i].URI
	}
	return links
}
