package accounts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"leadline/internal/access/credential"
	"leadline/internal/coast"
	"leadline/store"
)

// export is the head of an exported document: everything except the deliveries.
type export struct {
	ExportedAt time.Time          `json:"exportedAt"`
	Account    exportedAccount    `json:"account"`
	Password   bool               `json:"password"` // the account has one
	Identities []exportedIdentity `json:"identities"`
	Sessions   []exportedSession  `json:"sessions"`
	Keys       []Key              `json:"keys"`
	Apps       []exportedApp      `json:"apps"`
	Months     []exportedMonth    `json:"months"`
	Days       []exportedDay      `json:"days"`
	Endpoints  []exportedEndpoint `json:"endpoints"`
	Watches    []exportedWatch    `json:"watches"`
}

type exportedAccount struct {
	ID        string    `json:"id"`
	Email     string    `json:"email"`
	Plan      string    `json:"plan"`
	CreatedAt time.Time `json:"createdAt"`
}

// exportedIdentity names the person at an OpenID provider.
type exportedIdentity struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

type exportedSession struct {
	Agent      string    `json:"agent"`
	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	LastSeenOn string    `json:"lastSeenOn,omitempty"`
}

// exportedApp is the grant of a connected app.
type exportedApp struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Client      string    `json:"client"`
	RedirectURI string    `json:"redirectURI"`
	Scopes      []string  `json:"scopes"`
	CreatedAt   time.Time `json:"createdAt"`
	UsedAt      time.Time `json:"usedAt"`
	ExpiresAt   time.Time `json:"expiresAt"`
}

type exportedMonth struct {
	Month string `json:"month"`
	Units uint64 `json:"units"`
}

type exportedDay struct {
	Day     string `json:"day"`
	Surface string `json:"surface"`
	Served  uint32 `json:"served"`
	Refused uint32 `json:"refused"`
}

type exportedEndpoint struct {
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Description string     `json:"description"`
	Kinds       []string   `json:"kinds"`
	State       string     `json:"state"`
	Reason      string     `json:"reason,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	EnabledAt   *time.Time `json:"enabledAt"`
}

type exportedWatch struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Station     string          `json:"station"`
	Request     json.RawMessage `json:"request"`
	State       string          `json:"state"`
	At          time.Time       `json:"at"`
	CreatedAt   time.Time       `json:"createdAt"`
	EvaluatedAt *time.Time      `json:"evaluatedAt"`
	EndsAt      *time.Time      `json:"endsAt"`
	Units       int             `json:"units"`
}

// exportedDelivery describes a delivery without the bodies of its requests and responses.
type exportedDelivery struct {
	Endpoint  string            `json:"endpoint"`
	Event     string            `json:"event"`
	Kind      string            `json:"kind"`
	State     string            `json:"state"`
	CreatedAt time.Time         `json:"createdAt"`
	Attempts  []exportedAttempt `json:"attempts"`
}

type exportedAttempt struct {
	At     time.Time `json:"at"`
	Status int       `json:"status"` // 0 without a response
	Millis int       `json:"millis"`
	Error  string    `json:"error,omitempty"`
}

// Export writes what the store has about an account to w, as one JSON object. It includes no
// secret, no hash of one, and no body of an event. Deliveries are written while they are read, a
// page at a time; everything else is bounded by the limits of an account and is read first.
//
// The rows are not read at one instant. If the account does not exist the error is
// store.ErrNotFound, and nothing is written. After any other error the object may be incomplete.
func (s *Service) Export(ctx context.Context, w io.Writer, account string) error {
	out, err := s.exportHead(ctx, account)
	if err != nil {
		return err
	}
	head, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	to := bufio.NewWriterSize(w, 16<<10)
	to.Write(bytes.TrimSuffix(head, []byte("\n}")))
	to.WriteString(",\n  \"deliveries\": [")
	if err := s.exportDeliveries(ctx, to, out.Endpoints); err != nil {
		return errors.Join(err, to.Flush())
	}
	to.WriteString("\n  ]\n}\n")
	return to.Flush()
}

// exportHead reads everything except the deliveries.
func (s *Service) exportHead(ctx context.Context, account string) (export, error) {
	a, err := s.c.Store.Account(ctx, account)
	if err != nil {
		return export{}, err
	}
	out := export{
		ExportedAt: store.Second(s.c.Now()),
		Account:    exportedAccount{a.ID, a.Email, a.Plan, a.Created},
	}
	for _, part := range []func(context.Context, store.Account, *export) error{
		s.exportSignIn, s.exportKeys, s.exportApps, s.exportUsage, s.exportEndpoints, s.exportWatches,
	} {
		if err := part(ctx, a, &out); err != nil {
			return export{}, err
		}
	}
	return out, nil
}

// exportSignIn adds the ways in and the sessions.
func (s *Service) exportSignIn(ctx context.Context, a store.Account, out *export) error {
	_, err := s.c.Store.Password(ctx, a.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	out.Password = err == nil
	identities, err := s.c.Store.IdentitiesOf(ctx, a.ID)
	if err != nil {
		return err
	}
	out.Identities = each(identities, func(i store.Identity) exportedIdentity {
		return exportedIdentity{i.Issuer, i.Subject}
	})
	sessions, err := s.c.Store.SessionsOf(ctx, a.ID)
	out.Sessions = each(sessions, func(v store.Session) exportedSession {
		return exportedSession{v.Agent, v.Created, v.Expires, dayText(v.Seen)}
	})
	return err
}

// exportKeys adds the API keys, without their hashes.
func (s *Service) exportKeys(ctx context.Context, a store.Account, out *export) error {
	keys, err := s.c.Keys.List(ctx, a.ID)
	out.Keys = each(keys, func(k credential.KeyRecord) Key { return s.describe(k, a) })
	return err
}

// exportApps adds the grants of connected apps, without their tokens.
func (s *Service) exportApps(ctx context.Context, a store.Account, out *export) error {
	grants, err := s.Apps(ctx, a.ID)
	out.Apps = each(grants, func(g store.Grant) exportedApp {
		return exportedApp{
			g.ID, g.Name, g.Client, g.RedirectURI, g.Scopes, g.Created, g.Used, g.Expires,
		}
	})
	return err
}

// exportedSpan is longer than the store keeps days of use.
const exportedSpan = 15 * 31 * 24 * time.Hour

// exportUsage adds the months, and the days of use.
func (s *Service) exportUsage(ctx context.Context, a store.Account, out *export) error {
	months, err := s.Months(ctx, a.ID)
	if err != nil {
		return err
	}
	out.Months = each(months, func(m store.Used) exportedMonth {
		return exportedMonth{m.Month.Start().Format("2006-01"), m.Units}
	})
	now := s.c.Now()
	days, err := s.c.Store.UsesOf(
		ctx, a.ID, store.DayOf(now.Add(-exportedSpan)), store.DayOf(now).Next())
	out.Days = each(days, func(u store.Use) exportedDay {
		return exportedDay{dayText(u.Day), u.Surface, u.Served, u.Refused}
	})
	return err
}

// exportEndpoints adds the endpoints of webhooks, without their signing secrets.
func (s *Service) exportEndpoints(ctx context.Context, a store.Account, out *export) error {
	list, err := s.c.Store.EndpointsOf(ctx, a.ID)
	out.Endpoints = each(list, func(e store.Endpoint) exportedEndpoint {
		return exportedEndpoint{
			e.ID, e.URL, e.Description, e.Kinds, e.State, e.Reason, e.Created, coast.Known(e.Enabled),
		}
	})
	return err
}

// exportWatches adds the watches.
func (s *Service) exportWatches(ctx context.Context, a store.Account, out *export) error {
	list, err := s.c.Store.WatchesOf(ctx, a.ID)
	out.Watches = each(list, func(v store.Watch) exportedWatch {
		return exportedWatch{
			v.ID, v.Name, v.Station, v.Request, v.State, v.At, v.Created,
			coast.Known(v.Evaluated), coast.Known(v.Ends), v.Units,
		}
	})
	return err
}

// exportDeliveries writes the deliveries of endpoints, the newest of each first, as the elements of
// an array.
func (s *Service) exportDeliveries(
	ctx context.Context, to *bufio.Writer, endpoints []exportedEndpoint,
) error {
	separator := "\n    "
	for _, e := range endpoints {
		for before, more := "", true; more; {
			list, err := s.c.Store.DeliveriesOf(
				ctx, e.ID, store.DeliveryFilter{Before: before}, pageSize)
			if err != nil {
				return err
			}
			for _, d := range list {
				line, err := json.Marshal(exportDelivery(d))
				if err != nil {
					return err
				}
				to.WriteString(separator)
				if _, err := to.Write(line); err != nil {
					return err
				}
				separator, before = ",\n    ", d.Event
			}
			more = len(list) == pageSize
		}
	}
	return nil
}

func exportDelivery(d store.Delivery) exportedDelivery {
	attempts := each(d.Attempts, func(a store.Attempt) exportedAttempt {
		return exportedAttempt{a.At, a.Status, a.Millis, a.Error}
	})
	return exportedDelivery{d.Endpoint, d.Event, d.Kind, d.State, d.Created, attempts}
}

// dayText returns a day as 2026-11-21, or "" for no day.
func dayText(d store.Day) string {
	if d == 0 {
		return ""
	}
	return d.Start().Format(time.DateOnly)
}

// each returns the results of f for the elements of a list. The result is never nil.
func each[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}
