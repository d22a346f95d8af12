package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"leadline/tools"
)

// property is an argument in the input schema of an operation.
type property struct {
	Type    string
	Enum    []string
	Default any
}

// properties returns the arguments of operations, merged by name.
func properties(operations ...tools.Tool) map[string]property {
	merged := map[string]property{}
	for _, op := range operations {
		var schema struct{ Properties map[string]property }
		if err := json.Unmarshal(op.Input, &schema); err != nil {
			panic("cli: the schema of " + op.Name + " is not JSON: " + err.Error())
		}
		for name, p := range schema.Properties {
			if known, ok := merged[name]; ok && !slices.Equal(known.Enum, p.Enum) {
				p.Default = nil // differs between the operations
			}
			merged[name] = p
		}
	}
	return merged
}

// argument is the value of the flag of one argument of an operation.
type argument struct {
	property
	name string // of the argument
	text string
	all  map[string]any
}

// bind adds the flag of an argument, whose value goes into all.
func (p property) bind(flags *pflag.FlagSet, name, usage string, all map[string]any) {
	flags.Var(&argument{property: p, name: name, all: all}, name, usage)
}

// Set implements pflag.Value.
func (a *argument) Set(text string) error {
	a.text = text
	a.all[a.name] = text
	if a.property.Type != "string" && json.Valid([]byte(text)) {
		a.all[a.name] = json.RawMessage(text)
	}
	return nil
}

// String implements pflag.Value.
func (a *argument) String() string {
	if a.Default == nil {
		return a.text
	}
	return cmp.Or(a.text, fmt.Sprint(a.Default))
}

// Type implements pflag.Value.
func (a *argument) Type() string {
	if a.property.Type == "string" {
		return "VALUE"
	}
	return "NUMBER"
}

// oneOf lists the values of an argument.
func (p property) oneOf() string { return strings.Join(p.Enum, ", ") }

// operation returns the tool with a name.
func operation(set *tools.Set, name string) tools.Tool {
	catalog := set.Catalog()
	i := slices.IndexFunc(catalog, func(t tools.Tool) bool { return t.Name == name })
	return catalog[i] // the names are constants of this package
}

// call runs an operation. With asJSON it prints the result as JSON and returns nil.
func (s Streams) call(
	ctx context.Context, op tools.Tool, arguments map[string]any, asJSON bool,
) (any, error) {
	input, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	result, err := op.Call(ctx, input)
	if err != nil || !asJSON {
		return result.Value, err
	}
	body, err := result.Structured()
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(s.Out, "%s\n", body)
	return nil, err
}
