// Package events makes events: a change of a decision, a warning
// of the quota, a component that is down, a notice of the operator. An event is one of eight kinds
// of data, with a body of JSON. An Outbox makes it, and stores it or returns it for the transaction
// of its cause. The package does not send events and decides nothing about the coast.
//
//	kinds.go         the kinds of events and their data
//	body.go          the body of an event
//	id.go            ids of events, endpoints and watches
//	outbox.go        Outbox: what the events of all causes have in common
//	tests.go         tests of endpoints
//	quota.go         warnings of the monthly quota
//	announcement.go  notices of the operator, states of components
//	change.go        material changes, of operations and of watches
//
// The packages below it send events and hold what accounts manage:
//
//	signature   secrets of endpoints and signatures of events
//	sender      one HTTP request to an endpoint
//	dispatch    when and in which order deliveries are attempted
//	endpoints   rules about endpoints, their deliveries and replays
//	watches     planning requests that are repeated
package events
