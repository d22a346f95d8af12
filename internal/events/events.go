// Package events sends events, signed, to the URLs that accounts register. An event comes in as
// one of eight kinds of data. It goes out as an HTTP request whose body is signed as Standard
// Webhooks 1.0.0 describes. The package decides which URLs and which addresses may receive
// events, and what follows from a response.
//
//	kinds.go      the kinds of events and their data
//	body.go       the body of an event
//	id.go         ids of events, endpoints and watches
//	sign.go       secrets and signatures
//	sealing.go    secrets as the store has them, encrypted
//	address.go    which URLs can be registered
//	networks.go   which addresses can be dialed
//	proxy.go      the proxy that all requests may have to use
//	transport.go  connections: timeouts, TLS, limits
//	attempt.go    one HTTP request of a delivery
//	outcome.go    what follows from a response or from a failure
//	reply.go      the part of a response that is kept
package events
