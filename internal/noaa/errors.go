package noaa

import (
	"errors"
	"regexp"
	"strings"

	"leadline/internal/coast"
)

// noData begins the message of the error that says that there are no rows. It distinguishes an
// empty part of a period from a failed one. A cached error can only be recognized by its message.
const noData = "Nothing was found for this station, product and period"

const noDataAdvice = noData + ": try another period, or see which products the station has"

// UnknownReason begins the message of the error for a sentence of the data service that is not
// known. It is not certain that such a sentence says that there is no data.
const UnknownReason = "The provider refused the request"

// IsNoData reports whether an error says that there are no rows: NOAA said so, or listed none.
func IsNoData(err error) bool {
	var e *coast.Error
	return errors.As(err, &e) && e.Code == coast.ProductUnavailable &&
		strings.HasPrefix(e.Message, noData)
}

// rule maps a sentence of the provider to an error. $1 in the message is the first group of the
// pattern.
type rule struct {
	pattern func() *regexp.Regexp
	code    coast.Code
	message string
}

// rules classify the provider's sentences; the first match counts.
var rules = []rule{
	{coast.Pattern(`(?i)no (predictions )?data was found`), coast.ProductUnavailable, noDataAdvice},
	{coast.Pattern(`(?i)wrong station id|not a valid station`), coast.StationNotFound,
		"NOAA CO-OPS has no such station here: check the id (seven digits for water levels, letters " +
			"and digits for currents), or search for it by name"},
	{coast.Pattern(`(?i)great lakes stations don't have predictions`), coast.ProductUnavailable,
		"There are no tide predictions for the Great Lakes: ask for observed water levels"},
	{coast.Pattern(`(?i)only available for great lakes`), coast.ProductUnavailable,
		"Daily means are made of the Great Lakes alone: ask for hourly heights, or for highs and lows"},
	{coast.Pattern(`(?i)currents predictions are not available`), coast.ProductUnavailable,
		"No currents are predicted for this station: look for the nearest that has current predictions"},
	{coast.Pattern(`(?i)range limit`), coast.RangeTooLong,
		"The period is longer than the provider allows: ask for a shorter one"},
	{coast.Pattern(`(?i)wrong date`), coast.InvalidRequest,
		"The provider does not accept the period: check that both days exist and that it begins before " +
			"it ends"},
	{coast.Pattern(`(?i)available bin number of [^:]*: *([0-9]+(?:, *[0-9]+)*)`), coast.InvalidRequest,
		"The station has no such bin: give one of $1, or none for the station's own"},
	{coast.Pattern(`(?i)wrong bin number`), coast.InvalidRequest,
		"The station has no such bin: leave it out for the station's own, or ask which bins there are"},
	{coast.Pattern(`(?i)supported datum values are: *([a-z0-9]+(?:, *[a-z0-9]+)*)`),
		coast.DatumUnavailable,
		"The station does not have this datum: give one of $1, or STND"},
	{coast.Pattern(`(?i)there is no ((?-i:[A-Z][A-Z0-9]+))(?: offset)? for the station`),
		coast.DatumUnavailable,
		"The station has no $1: ask which datums it has, or give STND"},
	{coast.Pattern(`(?i)wrong datum`), coast.DatumUnavailable,
		"Heights are not available on this datum: give one that the station measures from, such as " +
			"MLLW or STND"},
}

// classify returns the error for a sentence of the provider. An unknown sentence is taken as the
// reason why there is no such product.
func classify(reason string) *coast.Error {
	for _, r := range rules {
		if at := r.pattern().FindStringSubmatchIndex(reason); at != nil {
			message := r.pattern().ExpandString(nil, r.message, reason, at)
			return coast.Errorf(r.code, "%s. NOAA says: %s", message, quote(reason))
		}
	}
	return coast.Errorf(coast.ProductUnavailable, "%s. NOAA says: %s", UnknownReason, quote(reason))
}

// maxQuote limits the characters of a quotation of the provider (ours).
const maxQuote = 300

// quote returns the provider's text in quotes.
func quote(reason string) string {
	reason = strings.ReplaceAll(reason, `"`, "'")
	if r := []rune(reason); len(r) > maxQuote {
		reason = string(r[:maxQuote]) + "…"
	}
	return `"` + reason + `"`
}
