// Package events announces what happens: it makes events, stores them, and sends them, signed, to
// the URLs that accounts register. An event is one of eight kinds of data. It goes out as an HTTP
// request whose body is signed as Standard Webhooks 1.0.0 describes, at least once and for days if
// the receiver fails. Watches are planning requests that are repeated; their changes are events.
// The package makes no decision about the coast itself.
//
// Making events:
//
//	kinds.go      the kinds of events and their data
//	body.go       the body of an event
//	id.go         ids of events, endpoints and watches
//	outbox.go     Outbox: the events of all causes
//
// What accounts manage:
//
//	service.go    Service: endpoints, their secrets and tests
//	delivery.go   deliveries, replays and the list of events
//	endpoint.go   descriptions of endpoints and attempts
//	hourly.go     limits of tests and replays
//	watch.go      Watches: planning requests that are repeated
//
// One attempt:
//
//	sign.go       secrets and signatures
//	sealing.go    secrets as the store has them, encrypted
//	address.go    which URLs can be registered
//	networks.go   which addresses can be dialed
//	proxy.go      the proxy that all requests may have to use
//	transport.go  connections: timeouts, TLS, limits
//	attempt.go    Sender: one HTTP request of a delivery
//	outcome.go    what follows from a response or from a failure
//	reply.go      the part of a response that is kept
//
// All deliveries:
//
//	dispatch.go   Dispatcher: its loop, and what it does from time to time
//	claims.go     which endpoints it owns, and their deliveries
//	flights.go    attempts in progress
//	slots.go      the lanes of attempts; hosts.go limits of a receiver's host
//	results.go    results on their way to the store
//	schedule.go   when a delivery is due again
//	health.go     when an endpoint is paused or suspended
//	backoff.go    outages of the store; clocks.go clocks of receivers
//
// All watches:
//
//	scheduler.go  Scheduler: evaluates watches
//	cadence.go    how often
package events
