// Package limit counts requests in rate limits, and orders long calculations.
//
// A Rate says whose requests are counted, on which surface, and how many may pass in 60 seconds.
// The result is whether one more may, and when. Requests are counted in memory, exactly and by a
// monotonic clock: no 60 seconds contain more requests than the limit. Several instances of a
// server hold shares of the limit of an account, and ask the store for them in the background.
// Groups are networks that share a limit; Client finds the address of a client behind proxies.
//
// It does not identify callers, and does not word refusals of requests.
package limit
