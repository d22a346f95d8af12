// Package operation declares what all front ends serve. An operation is one input struct, whose
// tags hold names, bounds and defaults; one output struct, which embeds a coast.Frame or a
// coast.Provenance; and one method, together in a file of the package of its subject. The method
// receives valid input and takes its facts from package facts. It returns a coast.Error, or a
// result in which missing lists the facts that could not be obtained.
//
// The package holds what the subjects share: how operations are declared and run, results as text,
// pages and pictures, and the arguments of many operations. It does not know any subject.
package operation

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"leadline/internal/access"
	"leadline/internal/coast"
	"leadline/internal/render"
	"leadline/internal/schema"
)

// Group names the section of the catalogue that lists a tool.
type Group string

// The groups, in the order of the catalogue.
const (
	Water     Group = "Water"
	Weather   Group = "Weather"
	Stations  Group = "Stations"
	Derived   Group = "Derived products"
	Sky       Group = "Sky"
	Reference Group = "Reference"

	PlanningTools Group = "Planning" // not in the default list
)

// Handler is an operation: it takes valid input and returns the output or a coast.Error.
type Handler[In, Out any] func(context.Context, In) (Out, error)

// Tool is one entry of the catalogue.
type Tool struct {
	Name   string
	Title  string
	Group  Group
	About  string          // for the model: what the tool returns and what it does not
	Input  json.RawMessage // JSON Schema of the arguments, properties in the order of the struct
	Output reflect.Type    `json:"-"` // struct of the results, which schema.Results describes
	Live   bool            // sends requests to a provider
	// Pictured reports whether results can have a picture, and whether the App draws them.
	Pictured bool
	// Quotes reports whether results quote forecasts or warnings that people have written.
	Quotes bool
	call   func(ctx context.Context, args []byte) (Result, error)
}

// Call checks args, a JSON object, against the input schema and runs the
// operation. An error that is not a coast.Error is an internal fault.
func (t Tool) Call(ctx context.Context, args []byte) (Result, error) { return t.call(ctx, args) }

// With returns t with another way to run it.
func (t Tool) With(call func(context.Context, []byte) (Result, error)) Tool {
	t.call = call
	return t
}

// offerKey is the key of a context's offer.
type offerKey struct{}

// MoreTools is the note of a result that would name tools that its address does not offer.
const MoreTools = "Further tools are offered at /mcp?toolsets=core,planning."

// WithOffer returns a context for the caller of an address that offers the tools that has reports;
// all if has is nil.
func WithOffer(ctx context.Context, has func(tool string) bool) context.Context {
	return context.WithValue(ctx, offerKey{}, has)
}

// Offers reports whether the caller of an operation can call a tool. Callers of other front ends
// can call all.
func Offers(ctx context.Context, tool string) bool {
	has, limited := ctx.Value(offerKey{}).(func(string) bool)
	return !limited || has == nil || has(tool)
}

// toolInput is an operation's input together with the arguments that only MCP accepts.
type toolInput[In any] struct {
	Input  In     `json:",inline"`
	Format string `json:"response_format,omitempty" enum:"markdown json" unlisted:"true"`
	View   string `json:"view,omitempty" enum:"answer full" unlisted:"true"`
	// Sources adds the records of the sources to the structured content.
	Sources string `json:"sources,omitempty" enum:"line full" unlisted:"true"`
}

// Declare returns the catalogue entry of an operation.
func Declare[In any, Out described](
	name, title string, group Group, about string, live bool, h Handler[In, Out],
) Tool {
	takes, layout := inputOf[toolInput[In]](), layoutOf[Out]()
	return Tool{
		Name: name, Title: title, Group: group, About: about, Live: live,
		Input: takes.json, Output: reflect.TypeFor[Out](),
		call: func(ctx context.Context, args []byte) (Result, error) {
			var in toolInput[In]
			if err := takes.Decode(args, &in); err != nil {
				return Result{}, err
			}
			_, result, err := resultOf(ctx, group, h, in, layout())
			return result, err
		},
	}
}

// input is a schema of arguments, also as JSON.
type input struct {
	*schema.Schema
	json json.RawMessage
}

// declared caches inputs and layouts by their types: each front end declares the same operations.
var declared sync.Map

func inputOf[In any]() input {
	return declaredOnce(reflect.TypeFor[In](), func() input {
		s := schema.Arguments[In]()
		text, _ := json.Marshal(s) // cannot fail
		return input{s, slices.Clip(text)}
	})
}

// layoutOf returns a function with the layout of a type, which is made on first use: a process
// rarely returns results of all operations.
func layoutOf[Out any]() func() *render.Layout {
	t := reflect.TypeFor[Out]()
	return declaredOnce(t, func() func() *render.Layout {
		return sync.OnceValue(func() *render.Layout { return render.Of(t) })
	})
}

// declaredOnce returns what is declared for a type. The first call for the type reads it.
func declaredOnce[V any](t reflect.Type, read func() V) V {
	v, ok := declared.Load(t)
	if !ok {
		v, _ = declared.LoadOrStore(t, read())
	}
	return v.(V)
}

// resultOf runs an operation. It returns its output, also as the result of a tool of a group.
func resultOf[In, Out any](
	ctx context.Context, group Group, h Handler[In, Out], in toolInput[In], l *render.Layout,
) (Out, Result, error) {
	if in.View == "full" {
		ctx = WithOffer(ctx, nil)
	}
	out, err := Run(ctx, h, in.Input)
	if err != nil {
		return out, Result{}, err
	}
	return out, Result{
		Value: l.Mark(out), JSON: in.Format == "json", Full: in.View == "full", layout: l,
		Sources: in.Sources == "full",
		terse:   group != PlanningTools, // whose results have the disclaimer
	}, nil
}

// Run runs an operation on decoded input. If the input has a Validate method, which
// checks the rules that span fields, Run calls it first. An operation whose input is long to
// compute waits for its turn. All front ends use Run.
//
// An operation ends with the cause of the end of its context: its loops look at the context for
// each row, and a step between two looks computes at most a year of one thing, in some 10 ms.
func Run[In, Out any](ctx context.Context, h Handler[In, Out], in In) (out Out, err error) {
	end, err := begin(ctx, &in)
	if err != nil {
		return out, err
	}
	defer end()
	return h(ctx, in)
}

// Encode runs an operation like Run, and encodes its output within the same turn: the output of a
// long list takes megabytes.
func Encode[In, Out any](
	ctx context.Context, h Handler[In, Out], in In,
	encode func(context.Context, Out) ([]byte, error),
) (out Out, body []byte, err error) {
	end, err := begin(ctx, &in)
	if err != nil {
		return out, nil, err
	}
	defer end()
	if out, err = h(ctx, in); err == nil {
		body, err = encode(ctx, out)
	}
	return out, body, err
}

// begin checks an input, waits for the turn of one that is long to compute, and returns the
// function that ends it.
func begin[In any](ctx context.Context, in *In) (end func(), err error) {
	if v, ok := any(in).(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, err
		}
	}
	if c, ok := any(in).(interface{ TakesTurn() bool }); ok && c.TakesTurn() {
		return access.Turn(ctx)
	}
	return func() {}, nil
}

// EncoderOf returns a function that writes results of type Out as JSON, with the list
// of the fields that quote a provider. It ends with the cause of the end of its context.
func EncoderOf[Out any]() func(context.Context, Out) ([]byte, error) {
	layout := layoutOf[Out]()
	return func(ctx context.Context, v Out) ([]byte, error) {
		l := layout()
		return l.JSON(ctx, l.Mark(v))
	}
}

// Result is the output of an operation in the formats that MCP carries.
type Result struct {
	Value any  // the operation's output, a struct
	JSON  bool // the caller requested the text block as JSON, too
	Full  bool // the caller requested the structured content as REST returns it
	// Sources reports whether the caller requested the records of the sources, too.
	Sources bool
	Base    string // address of the server for links, without a path; "" for none
	Image   []byte // a chart of the output as PNG, if the caller requested one
	curve   string // the same as a line of text, or the reason why there is no image
	terse   bool   // its forms leave out standing notes
	layout  *render.Layout
	body    []byte // Value as JSON, once encoded
}

// Forms returns the output as text and as structured content of at most limit bytes. The two
// say the same, with at most 96 rows: clients show a model one of them. They leave out
// notes that repeat the first line, and standing notes, which the instructions have, but for
// planning. If the caller requested the
// full structured content, it has all rows that fit.
func (r Result) Forms(limit int) (text, structured []byte, err error) {
	answer := r.answer(func(note string) bool {
		return coast.Repeats(note) || r.terse && coast.Standing(note)
	})
	text, structured = answer.Text(), answer.JSON()
	if r.Full {
		if r, err = r.Fit(limit); err != nil {
			return nil, nil, err
		}
		if structured, err = r.Structured(); err != nil {
			return nil, nil, err
		}
	}
	if len(structured) > limit {
		return nil, nil, tooLong(len(structured), limit)
	}
	if r.JSON {
		text = structured
	}
	return text, structured, nil
}

// Structured returns the whole output as JSON, as REST does.
func (r Result) Structured() ([]byte, error) {
	if r.body != nil {
		return r.body, nil
	}
	return r.encode(r.Value)
}

// encode returns an output of the result's type as JSON.
func (r Result) encode(value any) ([]byte, error) {
	if r.layout == nil {
		return json.Marshal(value)
	}
	return r.layout.JSON(context.Background(), value) // the caller limits its rows
}

// paged is an output whose rows can be returned in pages.
type paged interface {
	Len() int        // the number of rows
	First(n int) any // the output with only its first n rows, and next
}

// Page marks a result as a first page. Outputs that can become long embed it.
type Page struct {
	Truncated bool           `json:"truncated,omitempty" schema:"-"`
	Total     int            `json:"total,omitempty" schema:"-"` // number of rows on all pages
	Next      map[string]any `json:"next,omitempty" schema:"-"`  // arguments that return the next page
}

// Arguments returns the arguments of a call with an input, without zero values, so that it
// omits what the caller omitted.
func Arguments(in any) map[string]any {
	all := map[string]any{}
	v := reflect.ValueOf(in)
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if value := v.FieldByIndex(f.Index); !f.Anonymous && f.IsExported() && !value.IsZero() {
			all[name] = value.Interface()
		}
	}
	return all
}

// At returns the time of the ith value in a series.
func At(start time.Time, i, stepMinutes int) time.Time {
	return start.Add(time.Duration(i*stepMinutes) * time.Minute)
}

// Fit returns r if its JSON has at most limit bytes. Otherwise it returns the first
// page, with truncated, total and the arguments that return the next page.
func (r Result) Fit(limit int) (Result, error) {
	const leastRow = 2 // characters: a digit and a comma
	p, ok := r.Value.(paged)
	if !ok || p.Len() <= limit/leastRow { // more rows cannot fit: skip the encoding
		whole, err := r.Structured()
		if err != nil || len(whole) <= limit {
			r.body = whole
			return r, err
		}
		if !ok {
			return r, tooLong(len(whole), limit)
		}
	}
	n := sort.Search(min(p.Len()-1, limit/leastRow), func(n int) bool {
		b, err := r.encode(p.First(n + 1))
		return err != nil || len(b) > limit
	})
	r.Value, r.body = p.First(n), nil
	return r, nil
}

func tooLong(has, limit int) error {
	return coast.Errorf(coast.RangeTooLong,
		"The result has %d characters; one result may have at most %d. Request less of it.", has, limit)
}

// described is a result that writes the body of its text: a sentence that answers the
// question, then rows.
type described interface{ Describe(t *render.Answer) }

// Quoting returns t as a tool whose results quote forecasts or warnings in their authors' words.
func (t Tool) Quoting() Tool {
	t.Quotes = true
	return t
}

// Keyed returns t for callers that the keyed routes of REST accept too. It checks them before the
// arguments.
func Keyed(t Tool) Tool {
	call := t.call
	t.call = func(ctx context.Context, args []byte) (Result, error) {
		if err := access.Authorize(ctx, access.KeyedDecision); err != nil {
			return Result{}, err
		}
		return call(ctx, args)
	}
	return t
}
