package nws

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"leadline/internal/coast"
	"leadline/internal/upstream"
)

// Alerts holds the alerts in force at a place. An empty list means that there are none, as of
// AsOf.
type Alerts struct {
	AsOf    time.Time  // time of the response (UTC), from which freshness counts
	Updated *time.Time // last change of the feed, as published; days ago for an empty feed
	Alerts  []Alert    // in the service's order, each id once, without those that another replaces
}

// Alert is one alert, in the service's own words. Missing texts are empty, missing times nil. All
// times are UTC.
type Alert struct {
	ID          string
	Event       string // "Small Craft Advisory": says what to do, not Severity
	Headline    string
	NWSHeadline string // headline of the office's text
	Description string // with its line breaks
	Instruction string
	Area        string // names of the zones
	Status      string // Actual, Exercise, System, Test or Draft
	MessageType string // Alert, Update or Cancel
	Severity    string
	Certainty   string
	Urgency     string
	Zones       []string // codes of zones and counties
	Sent        *time.Time
	Effective   *time.Time
	Onset       *time.Time
	Expires     *time.Time // of the message
	Ends        *time.Time // of the event
	VTEC        []string   // code of the event, constant across updates
	Replaces    []string   // ids of earlier alerts that this one updates or cancels
}

// Idle reports whether the alert is an exercise, a test, a draft or a message between systems. Any
// other status counts, known or not.
func (a Alert) Idle() bool {
	return slices.ContainsFunc([]string{"Exercise", "System", "Test", "Draft"},
		func(status string) bool { return strings.EqualFold(a.Status, status) })
}

// AlertsAt returns the alerts in force at a coordinate in degrees north and east.
func (c *Client) AlertsAt(
	ctx context.Context, latitude, longitude float64,
) (upstream.Value[Alerts], error) {
	at, err := coordinate(latitude, longitude)
	if err != nil {
		return upstream.Value[Alerts]{}, err
	}
	return c.alerts(ctx, "point="+url.QueryEscape(at))
}

// AlertsIn returns the alerts in force in any of the zones. Without zones, or with an invalid
// code, the error is InvalidRequest.
func (c *Client) AlertsIn(ctx context.Context, zones ...string) (upstream.Value[Alerts], error) {
	zones = slices.Compact(slices.Sorted(slices.Values(zones)))
	if len(zones) == 0 || slices.ContainsFunc(zones, func(z string) bool { return !ugc(z) }) {
		return upstream.Value[Alerts]{}, coast.Errorf(coast.InvalidRequest,
			"Alerts are requested by zone, such as NYZ072 or PZZ251, not by %q.", zones)
	}
	return c.alerts(ctx, "zone="+url.QueryEscape(strings.Join(zones, ",")))
}

func (c *Client) alerts(ctx context.Context, query string) (upstream.Value[Alerts], error) {
	return upstream.Get(ctx, c.up, c.request("/alerts/active?"+query, geoJSON, alertClass), readAlerts)
}

// alertBody has the members of an alert that are read.
type alertBody struct {
	ID, Event, Headline, Description, Instruction, AreaDesc string
	Status, MessageType, Severity, Certainty, Urgency       string
	Sent, Effective, Onset, Expires, Ends                   string
	Geocode                                                 struct{ UGC []string }
	Parameters                                              struct{ VTEC, NWSheadline []string }
	References                                              []struct{ Identifier string }
}

// readAlerts reads a feed. A response with an error in it is an error, also if it has a list: its
// empty list does not mean that there are no alerts.
func readAlerts(r upstream.Response) (Alerts, error) {
	var body struct {
		Features *[]struct{ Properties alertBody }
		Updated  string
		Type     string
		Error    any // its form is not known
		// Pagination says where the rest of a longer list is.
		Pagination struct{ Next string }
	}
	if err := decode(r, "alerts", &body); err != nil {
		return Alerts{}, err
	}
	if body.Error != nil || strings.Contains(body.Type, "/problems/") {
		return Alerts{}, coast.Errorf(coast.ProductUnavailable,
			"The weather service sent an error instead of alerts.")
	}
	if body.Features == nil {
		return Alerts{}, errors.New("read alerts: no features")
	}
	if body.Pagination.Next != "" {
		return Alerts{}, errors.New("read alerts: only the first page of a list")
	}
	out := Alerts{AsOf: r.Date.UTC(), Alerts: make([]Alert, 0, len(*body.Features))}
	var err error
	if out.Updated, err = optional(body.Updated); err != nil {
		return Alerts{}, fmt.Errorf("read alerts: updated: %w", err)
	}
	seen := map[string]bool{}
	for _, f := range *body.Features {
		a, err := f.Properties.alert()
		if err != nil {
			return Alerts{}, fmt.Errorf("read alerts: %w", err)
		}
		if !seen[a.ID] { // the service repeats some
			seen[a.ID] = true
			out.Alerts = append(out.Alerts, a)
		}
	}
	out.Alerts = newestOf(out.Alerts)
	return out, nil
}

// newestOf leaves out the alerts of a feed that a later one of it replaces. Exercises and tests
// replace nothing, nor does an alert that refers to a later one replace it.
func newestOf(alerts []Alert) []Alert {
	replaced := map[string][]Alert{} // by whom
	for _, a := range alerts {
		for _, id := range a.Replaces {
			if id != a.ID && a.Status == "Actual" && a.Sent != nil {
				replaced[id] = append(replaced[id], a)
			}
		}
	}
	return slices.DeleteFunc(alerts, func(a Alert) bool {
		return a.Sent != nil && slices.ContainsFunc(replaced[a.ID], func(by Alert) bool {
			return !by.Sent.Before(*a.Sent) && !slices.Contains(a.Replaces, by.ID)
		})
	})
}

func (b alertBody) alert() (Alert, error) {
	a := Alert{
		ID: b.ID, Event: b.Event, Headline: b.Headline,
		NWSHeadline: strings.Join(b.Parameters.NWSheadline, "; "),
		Description: b.Description, Instruction: b.Instruction, Area: b.AreaDesc, Status: b.Status,
		MessageType: b.MessageType,
		Severity:    b.Severity, Certainty: b.Certainty, Urgency: b.Urgency, Zones: b.Geocode.UGC,
		VTEC: b.Parameters.VTEC,
	}
	for _, r := range b.References {
		a.Replaces = append(a.Replaces, r.Identifier)
	}
	if a.ID == "" || a.Event == "" {
		return Alert{}, fmt.Errorf("alert %q without id or event", a.ID+a.Event)
	}
	for _, t := range []struct {
		to   **time.Time
		text string
	}{{&a.Sent, b.Sent}, {&a.Effective, b.Effective}, {&a.Onset, b.Onset}, {&a.Expires, b.Expires},
		{&a.Ends, b.Ends}} {
		var err error
		if *t.to, err = optional(t.text); err != nil {
			return Alert{}, fmt.Errorf("alert %s: %w", a.ID, err)
		}
	}
	return a, nil
}

// optional parses a time that may be missing.
func optional(text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	t, err := instant(text)
	if err != nil {
		return nil, err
	}
	return &t, nil
}
