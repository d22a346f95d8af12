package provider

import (
	"net/http"
	"strconv"
	"time"
)

// A bulletin is one issue of a text: which, whose, when.
type bulletin struct {
	kind   string
	office *office
	issued time.Time // UTC

	revision int       // of the orders for its zones, 0 without any: a text never changes under one id
	expires  time.Time // of a segment to order, zero for when the next issue is due
}

// bulletinNames are the texts that are written here.
var bulletinNames = map[string]string{
	"CWF": "Coastal Waters Forecast",
	"SRF": "Surf Zone Forecast",
	"NSH": "Nearshore Marine Forecast",
	"GLF": "Great Lakes Forecast",
	"OFF": "Offshore Waters Forecast",
}

// Texts are issued each six hours and kept for seven days.
const (
	issueEvery   = 6 * time.Hour
	issuesListed = 28
)

// writes reports whether an office writes a kind of text.
func (o *office) writes(kind string) bool {
	switch kind {
	case "CWF":
		return o.ocean()
	case "SRF":
		return o.ocean() && o.dialect != alaskan
	case "NSH", "GLF":
		return o.lake()
	case "OFF":
		return o.grid == ""
	}
	return false
}

// bulletins are the issues of a kind of text, newest first; none where the
// office does not write it.
func (s *weatherService) bulletins(kind string, o *office) []bulletin {
	if o == nil || !o.writes(kind) {
		return nil
	}
	shift := time.Duration(scramble(kind, o.id)%360) * time.Minute
	newest := s.now().Add(-shift).Truncate(issueEvery).Add(shift).UTC()
	if order, _ := s.orders.surf(o.land); kind == "SRF" && order.None {
		return nil
	}
	issued, revision := s.orders.issue(kind, o)
	if !issued.IsZero() {
		newest = issued
	}
	list := make([]bulletin, issuesListed)
	for i := range list {
		list[i] = bulletin{kind: kind, office: o, issued: newest.Add(-time.Duration(i) * issueEvery), revision: revision}
	}
	return list
}

// id is the same for the same issue, however often it is listed.
func (b bulletin) id() string {
	parts := []string{"bulletin", b.kind, b.office.id, stamp(b.issued)}
	if b.revision > 0 {
		parts = append(parts, strconv.Itoa(b.revision))
	}
	return newUUID(parts...)
}

func (b bulletin) head() object {
	return object{
		{"@id", api + "/products/" + b.id()},
		{"id", b.id()},
		{"wmoCollectiveId", b.office.bureau},
		{"issuingOffice", b.office.issuer},
		{"issuanceTime", stamp(b.issued)},
		{"productCode", b.kind},
		{"productName", bulletinNames[b.kind]},
	}
}

// text reply keeps what lists and texts have in common.
func (s *weatherService) textReply(body any, name string) reply {
	return reply{body: body, linked: true, age: countdown(s.now(), 2*time.Minute, name), shared: 2 * time.Minute}
}

// listProducts answers /products/types/{type}/locations/{office}: an empty
// list for an office without such texts, or an unknown one.
func (s *weatherService) listProducts(r *http.Request) (reply, *problem) {
	graph := []object{}
	for _, b := range s.bulletins(r.PathValue("type"), officeOf(r.PathValue("office"))) {
		graph = append(graph, b.head())
	}
	return s.textReply(object{{"@context", object{}}, {"@graph", graph}}, r.URL.Path), nil
}

// latestProduct answers with the newest text itself.
func (s *weatherService) latestProduct(r *http.Request) (reply, *problem) {
	list := s.bulletins(r.PathValue("type"), officeOf(r.PathValue("office")))
	if len(list) == 0 {
		return reply{}, notFound()
	}
	return s.textReply(s.productBody(list[0]), list[0].id()), nil
}

// product answers /products/{id}, for the issues that are still listed.
func (s *weatherService) product(r *http.Request) (reply, *problem) {
	id := r.PathValue("id")
	for kind := range bulletinNames {
		for _, table := range [][]office{offices, centres} {
			for i := range table {
				for _, b := range s.bulletins(kind, &table[i]) {
					if b.id() == id {
						return s.textReply(s.productBody(b), id), nil
					}
				}
			}
		}
	}
	return reply{}, notFound()
}

func (s *weatherService) productBody(b bulletin) object {
	body := append(object{{"@context", object{}}}, b.head()...)
	return append(body, member{"productText", s.write(b)})
}
