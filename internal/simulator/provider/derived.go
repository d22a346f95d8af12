package provider

import "net/http"

func (p *Provider) serveDerived(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
