// Package noaa is the client of NOAA CO-OPS, the service that measures and predicts the tides of
// the United States. The input is a station and a period; the output is rows of the provider's
// values in metric units with times in UTC, and their age. The package does not compute or guess
// values: a value that the provider left empty is nil, and a body of unknown format is an error.
//
// One host has three services. The data service (/api/prod/datagetter) has the measurements:
// levels.go, weather.go and currents.go, and predictions for comparison with our own. The metadata
// service (/mdapi/prod/webapi) lists stations and what they have. The derived-product service
// (/dpapi/prod/webapi) has statistics of long records.
//
// These properties of the data service shape this package:
//
//   - It rejects long spans, with a limit for each product. A long period is requested in parts.
//     Their boundaries are such that parts in the past have the same URLs every day and are found
//     in the cache (span.go).
//   - It says that it has no data in a sentence, with status 200 or 400. errors.go classifies the
//     sentences and returns a coast.Error that says what to do and quotes the provider.
//   - It writes every number as a string, empty if there is no value, in bodies of half a megabyte.
//     record.go reads them without creating Go values for members that are not used.
//
// Every request goes through upstream.Get, which caches responses and limits the request rate.
package noaa
