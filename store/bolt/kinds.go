package bolt

import (
	"slices"

	"go.etcd.io/bbolt"

	"leadline/store"
)

// The kinds of records. Their types are those of the contract.
var (
	accountKind = kind[store.Account]{
		bucket:  accounts,
		key:     func(a *store.Account) []byte { return []byte(a.ID) },
		names:   func(a *store.Account) []string { return []string{a.ID, a.Email} },
		count:   func(r *store.Report) *int { return &r.Accounts },
		indexes: [][]byte{accountsByEmail},
		entries: func(a *store.Account, id []byte, put putEntry) {
			put(accountsByEmail, []byte(a.Email), id)
		},
	}
	keyKind = kind[store.Key]{
		bucket:  keys,
		hash:    func(k *store.Key) *[32]byte { return &k.Hash },
		names:   func(k *store.Key) []string { return []string{k.ID} },
		owner:   func(k *store.Key) string { return k.Account },
		count:   func(r *store.Report) *int { return &r.Keys },
		indexes: [][]byte{keysByID, keysOfAccount, keysByEnd},
		entries: func(k *store.Key, hash []byte, put putEntry) {
			id := []byte(k.ID)
			put(keysByID, id, hash)
			put(keysOfAccount, owned(k.Account, stamp(k.Created), id), hash)
			if end := k.End(); !end.IsZero() {
				put(keysByEnd, byEnd(end, id), hash)
			}
		},
	}
	sessionKind = kind[store.Session]{
		bucket:  sessions,
		hash:    func(s *store.Session) *[32]byte { return &s.Hash },
		owner:   func(s *store.Session) string { return s.Account },
		count:   func(r *store.Report) *int { return &r.Sessions },
		indexes: [][]byte{sessionsOfAccount, sessionsByEnd},
		entries: func(s *store.Session, hash []byte, put putEntry) {
			put(sessionsOfAccount, owned(s.Account, hash), hash)
			put(sessionsByEnd, byEnd(s.Expires, hash), hash)
		},
	}
	ticketKind = kind[store.Ticket]{
		bucket:  tickets,
		hash:    func(t *store.Ticket) *[32]byte { return &t.Hash },
		indexes: [][]byte{ticketsByEnd},
		entries: func(t *store.Ticket, hash []byte, put putEntry) {
			put(ticketsByEnd, byEnd(t.Expires, hash), hash)
		},
	}
	clientKind = kind[store.Client]{
		bucket:  clients,
		key:     func(c *store.Client) []byte { return []byte(c.ID) },
		names:   func(c *store.Client) []string { return []string{c.ID} },
		count:   func(r *store.Report) *int { return &r.Clients },
		indexes: [][]byte{clientsByEnd},
		entries: func(c *store.Client, id []byte, put putEntry) {
			put(clientsByEnd, byEnd(c.Expires, id), id)
		},
	}
	codeKind = kind[store.Code]{
		bucket:  codes,
		hash:    func(c *store.Code) *[32]byte { return &c.Hash },
		names:   func(c *store.Code) []string { return []string{c.Grant.ID} },
		owner:   func(c *store.Code) string { return c.Grant.Account },
		indexes: [][]byte{codesByGrant, codesOfAccount, codesByEnd},
		entries: func(c *store.Code, hash []byte, put putEntry) {
			put(codesByGrant, []byte(c.Grant.ID), hash)
			put(codesOfAccount, owned(c.Grant.Account, hash), hash)
			put(codesByEnd, byEnd(c.Expires, hash), hash)
		},
	}
	grantKind = kind[store.GrantRow]{
		bucket:  grants,
		key:     func(g *store.GrantRow) []byte { return []byte(g.ID) },
		names:   func(g *store.GrantRow) []string { return []string{g.ID} },
		owner:   func(g *store.GrantRow) string { return g.Account },
		count:   func(r *store.Report) *int { return &r.Grants },
		indexes: [][]byte{grantsOfAccount, grantsByEnd},
		entries: func(g *store.GrantRow, id []byte, put putEntry) {
			put(grantsOfAccount, owned(g.Account, id), id)
			put(grantsByEnd, byEnd(g.Expires, id), id)
		},
	}
	incidentKind = kind[store.Incident]{
		bucket: incidents,
		key:    func(i *store.Incident) []byte { return []byte(i.ID) },
		names:  func(i *store.Incident) []string { return []string{i.ID} },
		count:  func(r *store.Report) *int { return &r.Incidents },
	}
	endpointKind = kind[store.Endpoint]{
		bucket:  endpoints,
		key:     func(e *store.Endpoint) []byte { return []byte(e.ID) },
		names:   func(e *store.Endpoint) []string { return slices.Concat(e.Kinds, []string{e.ID}) },
		owner:   func(e *store.Endpoint) string { return e.Account },
		count:   func(r *store.Report) *int { return &r.Endpoints },
		indexes: [][]byte{endpointsOfAccount, endpointsOfKind, endpointsDue, queues},
		entries: func(e *store.Endpoint, id []byte, put putEntry) {
			put(endpointsOfAccount, owned(e.Account, stamp(e.Created), id), []byte(e.State))
			for _, kind := range slices.Compact(slices.Sorted(slices.Values(e.Kinds))) {
				put(endpointsOfKind, owned(kind, id), noValue)
			}
		},
		also: (*examination).queue,
	}
	eventKind = kind[store.Event]{
		bucket:  events,
		key:     func(e *store.Event) []byte { return []byte(e.ID) },
		count:   func(r *store.Report) *int { return &r.Events },
		indexes: [][]byte{eventsOfAccount, eventsByEnd},
		entries: func(e *store.Event, id []byte, put putEntry) {
			put(eventsOfAccount, owned(e.Account, id), []byte(e.Type))
			put(eventsByEnd, byEnd(e.Expires, id), id)
		},
		also: (*examination).event,
	}
	deliveryKind = kind[store.Delivery]{
		bucket:  deliveries,
		key:     func(d *store.Delivery) []byte { return owned(d.Endpoint, []byte(d.Event)) },
		count:   func(r *store.Report) *int { return &r.Deliveries },
		indexes: [][]byte{deliveriesOfEvent, deliveriesDue},
		entries: func(d *store.Delivery, _ []byte, put putEntry) {
			put(deliveriesOfEvent, owned(d.Event, []byte(d.Endpoint)), noValue)
			if d.State == store.DeliveryPending {
				put(deliveriesDue, dueDelivery(*d), noValue)
			}
		},
		also: (*examination).delivery,
	}
	watchKind = kind[store.Watch]{
		bucket:  watches,
		key:     func(w *store.Watch) []byte { return []byte(w.ID) },
		names:   func(w *store.Watch) []string { return []string{w.ID, w.Account, w.Station} },
		owner:   func(w *store.Watch) string { return w.Account },
		count:   func(r *store.Report) *int { return &r.Watches },
		indexes: [][]byte{watchesOfAccount, watchesByEnd, watchesByDue},
		entries: func(w *store.Watch, id []byte, put putEntry) {
			put(watchesOfAccount, owned(w.Account, stamp(w.Created), id), []byte(w.State))
			put(watchesByEnd, byEnd(w.Ends, id), id)
			if w.State != store.WatchEnded {
				due := append(stamp(w.Due), stamp(w.At)...)
				put(watchesByDue, append(due, owned(w.Station, id)...), []byte(w.Account))
			}
		},
	}
)

// porting exports, imports and checks the rows of a kind.
type porting struct {
	bucket  []byte
	export  func(*export) error
	add     func(tx *bbolt.Tx, row any) error // a refusal may leave a part of the row
	examine func(*examination)
}

// portings are those of all kinds.
var portings = map[string]porting{
	store.KindAccounts: accountKind.porting(),
	store.KindPasswords: {
		passwords, exports(passwords, passwordRow), adds(importPassword), (*examination).passwords,
	},
	store.KindIdentities: {
		identities, exports(identities, identityRow), adds(importIdentity), (*examination).identities,
	},
	store.KindKeys:      keyKind.porting(),
	store.KindMonths:    {quota, (*export).months, adds(importMonth), (*examination).months},
	store.KindSessions:  sessionKind.porting(),
	store.KindTickets:   ticketKind.porting(),
	store.KindClients:   clientKind.porting(),
	store.KindCodes:     codeKind.porting(),
	store.KindGrants:    grantKind.porting(),
	store.KindIncidents: incidentKind.porting(),
	store.KindFacts:     {facts, exports(facts, factRow), importFact, func(*examination) {}},
	store.KindUses:      {uses, (*export).uses, adds(importUse), (*examination).uses},
	store.KindComponentDays: {
		componentDays, (*export).componentDays, adds(importComponentDay), (*examination).componentDays,
	},
	store.KindEndpoints: endpointKind.porting(),
	store.KindEvents:    {events, exports(events, eventRow), adds(importEvent), (*examination).events},
	store.KindOnce:      {once, exports(once, onceRow), adds(importOnce), (*examination).names},
	store.KindDeliveries: {
		deliveries, deliveryKind.export, adds(importDelivery), deliveryKind.examine,
	},
	store.KindWatches: watchKind.porting(),
}
