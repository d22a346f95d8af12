// Package noaa is the client of NOAA CO-OPS, the service that measures and
// predicts the tides of the United States. What comes in is a station and a
// period; what goes out are rows of numbers in metric units with times in UTC,
// each the provider's own, and how old the answer is. It computes nothing,
// converts nothing and guesses nothing: a value that the provider left empty
// is nil, and a body whose form is not known is an error.
//
// Three services stand behind one host. The data service (/api/prod/datagetter)
// has the measurements: levels.go, weather.go and currents.go, and for
// comparison with our own the predictions. The metadata service
// (/mdapi/prod/webapi) knows what stations there are and what they have, the
// derived-product service (/dpapi/prod/webapi) what was made of long records.
//
// The data service has habits that shape this package:
//
//   - It refuses long spans, each product at its own length. A long period is
//     asked for in parts, laid so that parts that lie in the past keep their
//     addresses from one day to the next and are found in the cache (span.go).
//   - It says with status 200 or 400 alike that it has nothing, in a sentence.
//     errors.go tells the sentences apart and answers with a coast.Error that
//     says what to do and quotes the provider.
//   - It writes every number as a string, empty where there is none, in bodies
//     of half a megabyte; record.go reads them without making Go values of what
//     is not asked for.
//
// Every request goes through upstream.Get, which asks politely and remembers.
package noaa
