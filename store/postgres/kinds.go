package postgres

import (
	"context"

	"leadline/store"
)

// The tables with a column for each field.
var (
	accountTable = newTable("account", "id",
		func(a store.Account) []string { return []string{a.ID, a.Email} }, nil)
	passwordTable = newTable[store.PasswordRow]("password", "account", nil, nil)
	identityTable = newTable("identity", "issuer, subject",
		func(i store.Identity) []string { return []string{i.Issuer, i.Subject} }, nil)
	keyTable = newTable("api_key", "hash",
		func(k store.Key) []string { return []string{k.ID} }, map[string]string{"From": "replaces"})
	sessionTable = newTable[store.Session]("session", "hash", nil, nil)
	ticketTable  = newTable[store.Ticket]("ticket", "hash", nil, nil)
	useTable     = newTable("use_day", "account, day, surface",
		func(u store.Use) []string { return []string{u.Surface} }, nil)
	componentDayTable = newTable("component_day", "component, day",
		func(d store.ComponentDay) []string { return []string{d.Component} }, nil)
	onceTable = newTable("once", "name",
		func(o store.OnceRow) []string { return []string{o.Name} }, nil)
	watchTable = newTable("watch", "id",
		func(w store.Watch) []string { return []string{w.ID, w.Station} }, nil)
)

// porting exports and imports the rows of a kind.
type porting struct {
	// page returns up to n rows after a key, in the order of keys.
	page func(ctx context.Context, s *Store, after string, n int) ([]any, error)
	add  func(in *imported, row any) error
}

// portings are those of all kinds. Tables with other columns have functions of their own.
var portings = map[string]porting{
	store.KindAccounts:   accountTable.porting(),
	store.KindPasswords:  passwordTable.porting(),
	store.KindIdentities: identityTable.porting(),
	store.KindKeys:       keyTable.porting(),
	store.KindMonths: {pages(scanMonth, "select account, month, reserved from quota_month",
		"account, month"), adds((*imported).month)},
	store.KindSessions: sessionTable.porting(),
	store.KindTickets:  ticketTable.porting(),
	store.KindClients: {pages(scanClient, "select "+clientColumns+" from client", "id"),
		adds((*imported).client)},
	store.KindCodes: {pages(scanCode, "select "+codeColumns+" from code", "hash"),
		adds((*imported).code)},
	store.KindGrants: {grantRows, adds((*imported).grant)},
	store.KindIncidents: {pages(scanIncident, "select body::text from incident", "id"),
		adds((*imported).incident)},
	store.KindFacts: {pages(scanFact, "select name, value from (select * from fact where name <> '"+
		store.CopyMark+"') f", "name"), adds((*imported).fact)},
	store.KindUses:          useTable.porting(),
	store.KindComponentDays: componentDayTable.porting(),
	store.KindEndpoints: {pages(scanEndpoint, "select "+endpointColumns+" from endpoint e", "id"),
		adds((*imported).endpoint)},
	store.KindEvents: {pages(scanEventRow, "select "+eventColumns+`, e.spreading, e.spread_after
		from event e`, "id"), adds((*imported).event)},
	store.KindOnce: onceTable.porting(),
	store.KindDeliveries: {pages(scanDelivery, "select "+deliveryColumns+" from delivery d",
		"endpoint, event"), adds((*imported).delivery)},
	store.KindWatches: watchTable.porting(),
}
