package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Porter is implemented by engines whose rows can be copied to another engine. Rows that an engine
// may lose when it is closed are not copied, nor is the fact CopyMark.
type Porter interface {
	// Export returns up to n records of a kind in order of their keys, those after the key after,
	// "" for the first.
	Export(ctx context.Context, kind, after string, n int) ([]Record, error)
	// Import adds records, all or none, without the effects of the calls that made them: limits and
	// notifications. A record follows those that it refers to, in an earlier call or the same. A
	// fact replaces an earlier one; a fact without a body is removed. Nothing else may use the
	// store meanwhile. ErrExists: another row with this key, or with another name that must be
	// unique. ErrNotFound: what a record refers to does not exist.
	Import(ctx context.Context, list []Record) error
	// Tally returns the sums of all kinds.
	Tally(ctx context.Context) (map[string]Sum, error)
}

// CopyMark is the name of the fact that marks a store as an unfinished copy.
const CopyMark = "copy"

// The kinds of records. Keys consist of the names in parentheses, see RecordKey.
const (
	KindAccounts      = "accounts"       // Account (id)
	KindPasswords     = "passwords"      // PasswordRow (account)
	KindIdentities    = "identities"     // Identity (issuer, subject)
	KindKeys          = "keys"           // Key (hash)
	KindMonths        = "months"         // MonthRow (account, month)
	KindSessions      = "sessions"       // Session (hash)
	KindTickets       = "tickets"        // Ticket (hash)
	KindClients       = "clients"        // Client (id)
	KindCodes         = "codes"          // Code (hash)
	KindGrants        = "grants"         // GrantRow (id)
	KindIncidents     = "incidents"      // Incident (id)
	KindFacts         = "facts"          // FactRow (name)
	KindUses          = "uses"           // Use (account, day, surface)
	KindComponentDays = "component-days" // ComponentDay (component, day)
	KindEndpoints     = "endpoints"      // Endpoint (id)
	KindEvents        = "events"         // EventRow (id)
	KindOnce          = "once"           // OnceRow (name)
	KindDeliveries    = "deliveries"     // Delivery (endpoint, event)
	KindWatches       = "watches"        // Watch (id)
)

// Kinds returns the kinds of records in an order in which they refer only to earlier ones.
func Kinds() []string {
	return []string{
		KindAccounts, KindPasswords, KindIdentities, KindKeys, KindMonths, KindSessions,
		KindTickets, KindClients, KindCodes, KindGrants, KindIncidents, KindFacts, KindUses,
		KindComponentDays, KindEndpoints, KindEvents, KindOnce, KindDeliveries, KindWatches,
	}
}

// PasswordRow is the password of an account, in the form that is stored.
type PasswordRow struct {
	Account string `json:"account"`
	Kept    string `json:"kept"`
}

// MonthRow is the usage of an account in a month.
type MonthRow struct {
	Account string `json:"account"`
	Used
}

// GrantRow is a grant with its refresh tokens.
type GrantRow struct {
	Grant
	Token    Digest          `json:"token"`
	Replaced []ReplacedToken `json:"replaced,omitempty"` // in order of the times, then of the tokens
}

// ReplacedToken is a refresh token that was replaced, with the sealed response to its rotation.
type ReplacedToken struct {
	Token  Digest    `json:"token"`
	At     time.Time `json:"at"`
	Sealed []byte    `json:"sealed"`
}

// FactRow is a fact.
type FactRow struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

// EventRow is an event. One for all accounts may wait for Spread.
type EventRow struct {
	Event
	Waits bool   `json:"waits,omitzero"`
	Last  string `json:"last,omitzero"` // endpoint that has the last delivery so far, "" for none
}

// OnceRow is the name of an event: no other event is stored under it before Until, the zero time
// for never.
type OnceRow struct {
	Name  string    `json:"name"`
	Until time.Time `json:"until"`
}

// Record is a row in a form that does not depend on the engine.
type Record struct {
	Kind string
	Key  string // records of a kind are in order of their keys, byte by byte
	Body []byte // the row in canonical JSON
}

// RecordKey joins the names of a key. Names do not contain the zero byte between them, so that keys
// sort like their names. A hash is in hexadecimal digits, a month has 6 digits and a day 8.
func RecordKey(names ...string) string { return strings.Join(names, "\x00") }

// SplitKey returns the n names of a key, empty ones if it has fewer.
func SplitKey(key string, n int) []string {
	return append(strings.SplitN(key, "\x00", n), make([]string, n)...)[:n]
}

// The rows with hashes in hexadecimal digits.
type (
	keyRow struct {
		Key
		Hash Digest `json:"hash"`
	}
	sessionRow struct {
		Session
		Hash Digest `json:"hash"`
	}
	ticketRow struct {
		Ticket
		Hash Digest `json:"hash"`
	}
	codeRow struct {
		Code
		Hash Digest `json:"hash"`
	}
)

// NewRecord returns the record of a row, which has one of the types that are listed at the kinds.
// Equal rows have equal records, whether or not empty lists are nil, and regardless of fractions of
// seconds, zones of times, the pending count of an endpoint and the order of replaced tokens.
func NewRecord(row any) (Record, error) {
	switch r := row.(type) {
	case Account:
		return record(KindAccounts, r, r.ID)
	case PasswordRow:
		return record(KindPasswords, r, r.Account)
	case Identity:
		return record(KindIdentities, r, r.Issuer, r.Subject)
	case Key:
		return record(KindKeys, keyRow{r, r.Hash}, hexOf(r.Hash))
	case MonthRow:
		return record(KindMonths, r, r.Account, fmt.Sprintf("%06d", r.Month))
	case Session:
		return record(KindSessions, sessionRow{r, r.Hash}, hexOf(r.Hash))
	case Ticket:
		return record(KindTickets, ticketRow{r, r.Hash}, hexOf(r.Hash))
	case Client:
		return record(KindClients, r, r.ID)
	case Code:
		return record(KindCodes, codeRow{r, r.Hash}, hexOf(r.Hash))
	case GrantRow:
		r = Stored(r)
		slices.SortFunc(r.Replaced, func(a, b ReplacedToken) int {
			return cmp.Or(a.At.Compare(b.At), bytes.Compare(a.Token[:], b.Token[:]))
		})
		return record(KindGrants, r, r.ID)
	case Incident:
		return record(KindIncidents, r, r.ID)
	case FactRow:
		return record(KindFacts, r, r.Name)
	case Use:
		return record(KindUses, r, r.Account, fmt.Sprintf("%08d", r.Day), r.Surface)
	case ComponentDay:
		return record(KindComponentDays, r, r.Component, fmt.Sprintf("%08d", r.Day))
	case Endpoint:
		r.Pending = 0
		return record(KindEndpoints, r, r.ID)
	case EventRow:
		return record(KindEvents, r, r.ID)
	case OnceRow:
		return record(KindOnce, r, r.Name)
	case Delivery:
		return record(KindDeliveries, r, r.Endpoint, r.Event)
	case Watch:
		return record(KindWatches, r, r.ID)
	}
	return Record{}, fmt.Errorf("%w: no kind of records has rows of type %T", ErrUnavailable, row)
}

// Row returns the row of a record, in the type that NewRecord accepts.
func (r Record) Row() (any, error) {
	switch r.Kind {
	case KindAccounts:
		return row[Account](r)
	case KindPasswords:
		return row[PasswordRow](r)
	case KindIdentities:
		return row[Identity](r)
	case KindKeys:
		w, err := row[keyRow](r)
		w.Key.Hash = w.Hash
		return w.Key, err
	case KindMonths:
		return row[MonthRow](r)
	case KindSessions:
		w, err := row[sessionRow](r)
		w.Session.Hash = w.Hash
		return w.Session, err
	case KindTickets:
		w, err := row[ticketRow](r)
		w.Ticket.Hash = w.Hash
		return w.Ticket, err
	case KindClients:
		return row[Client](r)
	case KindCodes:
		w, err := row[codeRow](r)
		w.Code.Hash = w.Hash
		return w.Code, err
	case KindGrants:
		return row[GrantRow](r)
	case KindIncidents:
		return row[Incident](r)
	case KindFacts:
		return row[FactRow](r)
	case KindUses:
		return row[Use](r)
	case KindComponentDays:
		return row[ComponentDay](r)
	case KindEndpoints:
		return row[Endpoint](r)
	case KindEvents:
		return row[EventRow](r)
	case KindOnce:
		return row[OnceRow](r)
	case KindDeliveries:
		return row[Delivery](r)
	case KindWatches:
		return row[Watch](r)
	}
	return nil, fmt.Errorf("%w: unknown kind %.50q of records", ErrUnavailable, r.Kind)
}

// row decodes the body of a record. Fields that T does not have are an error: a newer version of
// this program wrote them, and they would be lost.
func row[T any](r Record) (row T, err error) {
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&row); err != nil {
		return row, fmt.Errorf("%w: invalid record %.80q of %s: %w", ErrUnavailable, r.Key, r.Kind, err)
	}
	return row, nil
}

// record encodes a row under the names of its key. Equal rows have equal forms.
func record[T any](kind string, row T, names ...string) (Record, error) {
	row = Stored(row)
	withoutEmpty(reflect.ValueOf(&row).Elem())
	body, err := json.Marshal(row)
	if err != nil {
		return Record{}, fmt.Errorf("%w: encoding a record of %s: %w", ErrUnavailable, kind, err)
	}
	return Record{Kind: kind, Key: RecordKey(names...), Body: body}, nil
}

// withoutEmpty replaces empty lists by nil.
func withoutEmpty(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Slice && v.Len() == 0:
		v.SetZero()
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			withoutEmpty(v.Index(i))
		}
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			withoutEmpty(v.Field(i))
		}
	}
}

// Sum describes all records of a kind.
type Sum struct {
	Count int    `json:"count"`
	Hash  Digest `json:"hash"` // SHA-256 of the bodies in order, each with a line feed
}

// TallyOf returns the sums of all kinds, of what export returns page by page.
func TallyOf(
	ctx context.Context,
	export func(ctx context.Context, kind, after string, n int) ([]Record, error),
) (map[string]Sum, error) {
	const page = 1000
	sums := map[string]Sum{}
	for _, kind := range Kinds() {
		hash, count, after := sha256.New(), 0, ""
		for {
			list, err := export(ctx, kind, after, page)
			if err != nil {
				return nil, err
			}
			for _, r := range list {
				hash.Write(append(r.Body, '\n'))
				after = r.Key
			}
			count += len(list)
			if len(list) < page {
				break
			}
		}
		sums[kind] = Sum{count, Digest(hash.Sum(nil))}
	}
	return sums, nil
}

// Digest is a hash that JSON writes as hexadecimal digits.
type Digest [32]byte

// MarshalText returns the digits.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText accepts the output of MarshalText and nothing else.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(d)) {
		return fmt.Errorf("invalid hash %.80q: must have %d digits", text, hex.EncodedLen(len(d)))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

func hexOf(hash [32]byte) string { return hex.EncodeToString(hash[:]) }
