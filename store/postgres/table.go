package postgres

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
)

// table describes a table whose rows are of type T, with a column for each field of T. The
// statements that read and write all columns follow from the fields: a new field is read and
// written once a migration has added its column.
type table[T any] struct {
	columns []column
	list    string // the columns with the name of the table
	read    string // selects the columns from the table
	insert  string // adds a row with the parameters args
	key     string // the columns by which Export sorts rows, comma-separated
	names   func(T) []string
}

// column is the column of a field.
type column struct {
	name  string
	field []int // the index of the field
}

// newTable describes a table. names returns what store.CheckName must accept; nil for nothing. The
// name of a column is that of its field with an underscore between words, unless renamed has it.
func newTable[T any](
	name, key string, names func(T) []string, renamed map[string]string,
) table[T] {
	t := table[T]{key: key, names: names}
	var all, values, selected []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		c := column{renamed[f.Name], f.Index}
		if c.name == "" {
			c.name = columnName(f.Name)
		}
		t.columns = append(t.columns, c)
		all, selected = append(all, c.name), append(selected, name+"."+c.name)
		values = append(values, "$"+strconv.Itoa(len(t.columns)))
	}
	t.list = strings.Join(selected, ", ")
	t.read = "select " + t.list + " from " + name + " "
	t.insert = "insert into " + name + " (" + strings.Join(all, ", ") + ") values (" +
		strings.Join(values, ", ") + ")"
	return t
}

// columnName returns a name such as last_used for LastUsed.
func columnName(field string) string {
	var name []rune
	lower := false
	for _, r := range field {
		if lower && unicode.IsUpper(r) {
			name = append(name, '_')
		}
		lower = unicode.IsLower(r)
		name = append(name, unicode.ToLower(r))
	}
	return string(name)
}

// without returns the table without some columns, for args and set.
func (t table[T]) without(columns ...string) table[T] {
	t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(c column) bool {
		return slices.Contains(columns, c.name)
	})
	return t
}

// set returns the assignments of an update that sets the columns to the parameters args.
func (t table[T]) set() string {
	var list []string
	for i, c := range t.columns {
		list = append(list, c.name+" = $"+strconv.Itoa(i+1))
	}
	return strings.Join(list, ", ")
}

// fields returns the places that the columns are scanned to.
func (t table[T]) fields(r *T) []any {
	v := reflect.ValueOf(r).Elem()
	list := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch p := v.FieldByIndex(c.field).Addr().Interface().(type) {
		case *time.Time:
			list[i] = when{p}
		case *[32]byte:
			list[i] = digest{p}
		default:
			list[i] = p
		}
	}
	return list
}

func (t table[T]) scan(r pgx.CollectableRow) (row T, err error) {
	return row, r.Scan(t.fields(&row)...)
}

// args returns the parameters of the statements that write a row.
func (t table[T]) args(row T) []any {
	v := reflect.ValueOf(&row).Elem()
	list := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch x := v.FieldByIndex(c.field).Interface().(type) {
		case time.Time:
			list[i] = at(x)
		case [32]byte:
			list[i] = x[:]
		case []string:
			list[i] = plains(x)
		case string:
			if list[i] = plain(x); c.name == "account" {
				list[i] = name(x) // an account with an invalid name does not exist
			}
		case uint64:
			list[i] = int64(x)
		default:
			list[i] = x
		}
	}
	return list
}

// porting returns what follows from the description of a table whose rows are those of Export.
func (t table[T]) porting() porting {
	return porting{pages(t.scan, t.read, t.key), adds(func(in *imported, row T) error {
		in.query(t.insert, t.args(row)...)
		if t.names == nil {
			return nil
		}
		return checkNames(t.names(row)...)
	})}
}
