package nws

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
)

// vtec matches a valid time event code (NWSI 10-1703, 2.1): class, action, office, phenomenon,
// significance, number, begin and end.
var vtec = coast.Pattern(
	`^/[OTEX]\.([A-Z]{3})\.[A-Z]{4}\.[A-Z]{2}\.[A-Z]\.\d{4}\.\d{6}T\d{4}Z-(\d{6}T\d{4}Z)/$`)

// furtherNotice is the end of an event that holds until further notice.
const furtherNotice = "000000T0000Z"

// Begin returns when the event begins; nil if the alert does not say, or if its end is not later,
// for then neither time is known.
func (a Alert) Begin() *time.Time {
	if a.reversed() {
		return nil
	}
	return a.onset()
}

// End returns when the event ends: by Ends, else by the codes of the event, of which the last end
// counts. It is nil if the event holds until further notice, or if the end is not known because a
// code has another form or the end is not after the beginning. stated is false if there is neither
// and the message does not expire before the event begins: then the event counts until its message
// expires, which the office replaces by then.
func (a Alert) End() (end *time.Time, stated bool) {
	if a.reversed() {
		return nil, true
	}
	end, stated = a.end()
	return end, stated || a.Expires != nil && a.onset() != nil && !a.Expires.After(*a.onset())
}

// onset returns the beginning as written.
func (a Alert) onset() *time.Time { return cmp.Or(a.Onset, a.Effective) }

// reversed reports whether the event ends before it begins, and was not cancelled.
func (a Alert) reversed() bool {
	begin := a.onset()
	end, _ := a.end()
	return begin != nil && end != nil && !end.After(*begin) && !slices.ContainsFunc(a.VTEC, over)
}

// end returns the end as written: see End.
func (a Alert) end() (end *time.Time, stated bool) {
	if a.Ends != nil {
		return a.Ends, true
	}
	codes := slices.DeleteFunc(slices.Clone(a.VTEC), over)
	for _, code := range codes {
		one := endIn(code)
		if one == nil {
			return nil, true
		}
		if end == nil || one.After(*end) {
			end = one
		}
	}
	return end, len(codes) > 0
}

// over reports whether a code says that its event was cancelled, has expired or was replaced.
func over(code string) bool {
	parts := vtec().FindStringSubmatch(plainCode(code))
	return parts != nil && slices.Contains([]string{"CAN", "EXP", "UPG"}, parts[1])
}

// endIn returns the end in a code; nil if it names no time.
func endIn(code string) *time.Time {
	parts := vtec().FindStringSubmatch(plainCode(code))
	if parts == nil || parts[2] == furtherNotice {
		return nil
	}
	end, err := time.Parse("060102T1504Z", parts[2])
	if err != nil {
		return nil
	}
	return &end
}

// plainCode returns a code in capitals without spaces around it.
func plainCode(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }
