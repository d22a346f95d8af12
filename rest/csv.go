package rest

import (
	"bytes"
	"context"
	"encoding/csv"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/julienschmidt/httprouter"

	"leadline/internal/operation"
	"leadline/internal/schema"
)

// tableSuffix follows the path of a route whose result is also served as a table.
const tableSuffix = ".csv"

// withTable adds a table to an endpoint. It has all rows, unless the request has a limit: a table
// cannot name its next page. all returns a request for all rows.
func withTable[Q query[In], In any, Out operation.Tabular](
	e endpoint, h operation.Handler[In, Out], all func(In) In,
) endpoint {
	takes := sync.OnceValue(schema.Arguments[Q])
	e.table = func(r *http.Request, params httprouter.Params) (perform, error) {
		given, err := parameters(r.URL, params)
		if err != nil {
			return nil, err
		}
		var q Q
		if err := takes().DecodeQuery(given, &q); err != nil {
			return nil, err
		}
		in := q.Input()
		if !given.Has("limit") {
			in = all(in)
		}
		return func(ctx context.Context) (reply, error) {
			_, body, err := operation.Encode(ctx, h, in, func(_ context.Context, out Out) ([]byte, error) {
				return encodeTable(out.Table()), nil
			})
			return reply{body: body}, err
		}, nil
	}
	return e
}

// encodeTable writes a table as RFC 4180 describes.
func encodeTable(t operation.Table) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	w.Write(t.Header) // a buffer does not fail
	for _, row := range t.Rows {
		for i, cell := range row {
			row[i] = plain(cell)
		}
		w.Write(row)
	}
	w.Flush()
	return b.Bytes()
}

// plain returns a cell that spreadsheets do not read as a formula: a text that begins like one gets
// an apostrophe in front. Numbers stay as they are.
func plain(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// handleTable returns the HTTP handler of the table of an operation.
func (d dispatcher) handleTable(o route) httprouter.Handle {
	e := o.endpoint
	e.prepare = e.table
	name := path.Base(o.path) + tableSuffix
	return func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
		out, err := d.serve(e, r, params)
		if err != nil {
			d.fail(w, r, err)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
		h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "private, no-cache")
		h.Set("Content-Length", strconv.Itoa(len(out.body)))
		if r.Method != http.MethodHead {
			w.Write(out.body)
		}
	}
}
