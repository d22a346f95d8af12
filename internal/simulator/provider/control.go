package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// kinds are what an order may name.
var kinds = []Kind{OK, Refuse, Reset, Hang, Drip, Slow, TooMany, Blocked, Broken, Unavailable, GatewayTime, Truncated, Huge, Garbage, WrongType}

// control serves the simulator's own paths.
func (p *Provider) control(w http.ResponseWriter, r *http.Request) {
	var err error
	switch r.Method + " " + r.URL.Path {
	case "POST /-/fail":
		err = p.orderFault(r)
	case "POST /-/heal":
		p.Heal()
	case "POST /-/revise":
		err = p.orderRevision(r)
	case "POST /-/weather":
		err = p.orderWeather(r)
	case "POST /-/water":
		err = p.orderWater(r)
	case "POST /-/epoch":
		err = p.orderEpoch(r)
	case "POST /-/alert":
		err = p.orderAlert(r)
	case "POST /-/restore":
		err = p.orderRestore(r)
	case "GET /-/requests":
		p.writeRequests(w, r)
		return
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// orderFault reads path (a prefix, or data, metadata, derived or weather),
// kind, retry-after in seconds, delay, for and every.
func (p *Provider) orderFault(r *http.Request) error {
	f := Fault{Kind: Kind(r.FormValue("kind"))}
	if !slices.Contains(kinds, f.Kind) {
		return fmt.Errorf("kind %q is none of %q", f.Kind, kinds)
	}
	if seconds := r.FormValue("retry-after"); seconds != "" {
		n, err := strconv.Atoi(seconds)
		if err != nil {
			return fmt.Errorf("reading retry-after: %w", err)
		}
		f.RetryAfter = n
	}
	for name, at := range map[string]*time.Duration{"delay": &f.Delay, "for": &f.For, "every": &f.Every} {
		if text := r.FormValue(name); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("reading %s: %w", name, err)
			}
			*at = d
		}
	}
	p.Fail(half(r.FormValue("path")), f)
	return nil
}

// half is the prefix that a name stands for.
func half(name string) string {
	halves := map[string]string{"data": Data, "metadata": Metadata, "derived": Derived}
	if prefix, ok := halves[name]; ok {
		return prefix
	}
	return name
}

// orderRevision reads station and metres.
func (p *Provider) orderRevision(r *http.Request) error {
	metres, err := strconv.ParseFloat(r.FormValue("metres"), 64)
	if err != nil {
		return fmt.Errorf("reading metres: %w", err)
	}
	p.Revise(r.FormValue("station"), metres)
	return nil
}

// writeRequests writes one count for ?path=, else all by path.
func (p *Provider) writeRequests(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Has("path") {
		fmt.Fprintln(w, p.Requests(half(r.FormValue("path"))))
		return
	}
	json.NewEncoder(w).Encode(p.counts())
}
