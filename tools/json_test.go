package tools

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"leadline/internal/render"
)

// TestResultsAsJSON compares the JSON of random results of all operations with that of
// encoding/json.
func TestResultsAsJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	types := 0
	for _, m := range operationsOf(reflect.TypeFor[Set]()) {
		types++
		layout := render.Of(m.Out(0))
		for range 100 {
			out := reflect.New(m.Out(0)).Elem()
			fill(out, random)
			want, err := json.Marshal(out.Interface())
			if err != nil {
				t.Fatal(err)
			}
			got, err := layout.JSON(t.Context(), out.Interface())
			if err != nil || string(got) != string(want) {
				t.Fatalf("%s: %s, %v, want %s", m.Out(0), got, err, want)
			}
		}
	}
	if want := len(everyTool(newSet(t))); types < want {
		t.Errorf("there are %d types of results, want at least one for each of the %d tools", types, want)
	}
}

// operationsOf returns the operations among the methods of the subjects of a set: they take a
// context and an input, and return a result and an error.
func operationsOf(set reflect.Type) (all []reflect.Type) {
	for i := range set.NumField() {
		if f := set.Field(i); f.Anonymous || !f.IsExported() {
			continue // what the subjects depend on
		}
		subject := set.Field(i).Type
		for k := range subject.NumMethod() {
			m := subject.Method(k).Type
			if m.NumIn() == 3 && m.In(1) == reflect.TypeFor[context.Context]() && m.NumOut() == 2 &&
				m.In(2).Kind() == reflect.Struct && m.Out(0).Kind() == reflect.Struct {
				all = append(all, m)
			}
		}
	}
	return all
}

// fill sets v to a random value. A third of the pointers, lists and maps stay nil.
func fill(v reflect.Value, random *rand.Rand) {
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "MLLW", "<&>", "St. John's", "a\nb\"\\", "21 °C"}[random.IntN(6)])
	case reflect.Int:
		v.SetInt(int64(random.IntN(2000) - 1000))
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.1, -3.25, 1e-7, 2e21, random.Float64()}[random.IntN(6)])
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), random)
		}
	case reflect.Slice:
		fillList(v, random)
	case reflect.Struct:
		fillStruct(v, random)
	}
}

func fillList(v reflect.Value, random *rand.Rand) {
	n := random.IntN(3)
	if random.IntN(3) == 0 || v.Type().Elem().Kind() == reflect.Uint8 {
		return // random bytes are not a valid json.RawMessage
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		fill(v.Index(i), random)
	}
}

func fillStruct(v reflect.Value, random *rand.Rand) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		at := time.Unix(random.Int64N(4e9), 0).In(time.FixedZone("", random.IntN(20)*1800-18000))
		v.Set(reflect.ValueOf(at))
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
			fill(v.Field(i), random)
		}
	}
}

// TestTurns checks which inputs wait for a turn of calculations: none whose operation waits for a
// provider, although a span of it may be as long.
func TestTurns(t *testing.T) {
	var got []string
	for _, m := range operationsOf(reflect.TypeFor[Set]()) {
		in := reflect.PointerTo(m.In(2))
		if in.Implements(reflect.TypeFor[interface{ TakesTurn() bool }]()) {
			got = append(got, m.In(2).Name())
		}
	}
	slices.Sort(got)
	got = slices.Compact(got) // two operations take predictions: with and without forecasts
	want := []string{"CurrentPredictionsInput", "CurrentWindowsInput", "RoutesInput",
		"SearchStationsInput", "TidePredictionsInput", "TideRanksInput", "TideWindowsInput",
		"TransitsInput"}
	if !slices.Equal(got, want) {
		t.Errorf("%v take turns, want %v", got, want)
	}
}
