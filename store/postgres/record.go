package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"leadline/store"
)

// at returns a time as it is stored: to the second, NULL for the zero time.
func at(t time.Time) *time.Time {
	t = store.Second(t)
	if t.IsZero() {
		return nil
	}
	return &t
}

// exact returns a time with its fractions of a second, NULL for the zero time.
func exact(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// when reads a time; NULL is the zero time.
type when struct{ t *time.Time }

// ScanTimestamptz implements pgtype.TimestamptzScanner.
func (w when) ScanTimestamptz(v pgtype.Timestamptz) error {
	*w.t = time.Time{}
	if v.Valid {
		*w.t = v.Time.UTC()
	}
	return nil
}

// digest reads a hash.
type digest struct{ hash *[32]byte }

// ScanBytes implements pgtype.BytesScanner.
func (d digest) ScanBytes(v []byte) error {
	if len(v) != len(d.hash) {
		return fmt.Errorf("hash has %d bytes, want %d", len(v), len(d.hash))
	}
	copy(d.hash[:], v)
	return nil
}

// units are the units of a month, which exceed the integers of the server.
type units uint64

// NumericValue implements pgtype.NumericValuer.
func (u units) NumericValue() (pgtype.Numeric, error) {
	return pgtype.Numeric{Int: new(big.Int).SetUint64(uint64(u)), Valid: true}, nil
}

// ScanNumeric implements pgtype.NumericScanner.
func (u *units) ScanNumeric(v pgtype.Numeric) error {
	if !v.Valid || v.NaN || v.Int == nil || v.Exp < 0 || v.Exp > 20 {
		return fmt.Errorf("invalid units %+v", v)
	}
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Exp)), nil)
	if n.Mul(n, v.Int); !n.IsUint64() {
		return fmt.Errorf("invalid units %s", n)
	}
	*u = units(n.Uint64())
	return nil
}

// body reads a JSON column into a record, from which what is not in it is removed.
type body struct{ record any }

// ScanText implements pgtype.TextScanner.
func (b body) ScanText(v pgtype.Text) error {
	if !v.Valid {
		return nil
	}
	return json.Unmarshal([]byte(v.String), b.record)
}

// encode returns a record in JSON.
func encode(record any) (string, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return "", fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return string(text), nil
}

// plain returns a text that the server can store: UTF-8 without zero bytes.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// plains applies plain to a list. The result is not nil.
func plains(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = plain(text)
	}
	return out
}

// name returns a name that is looked up. Names that cannot be stored do not exist.
func name(text string) string {
	if store.CheckName(text) != nil {
		return ""
	}
	return text
}

// checkNames checks names as store.CheckName does.
func checkNames(names ...string) error {
	for _, n := range names {
		if err := store.CheckName(n); err != nil {
			return err
		}
	}
	return nil
}

// withOwner reads columns of the row with a key in a table, and its account.
func withOwner[T any](
	ctx context.Context, s *Store, call string, fields func(*T) []any, columns, table, key string,
	value any,
) (T, store.Account, error) {
	type pair struct {
		record T
		owner  store.Account
	}
	found, err := row(ctx, s, call, func(r pgx.CollectableRow) (p pair, err error) {
		return p, r.Scan(append(fields(&p.record), accountTable.fields(&p.owner)...)...)
	}, "select "+columns+", "+accountTable.list+" from "+table+" join account on account.id = "+
		table+".account where "+table+"."+key+" = $1", value)
	return found.record, found.owner, err
}
