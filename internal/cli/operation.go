package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"leadline/internal/operation"
)

// property is an argument in the input schema of an operation.
type property struct {
	Type        string
	Description string
	Enum        []string
	Default     any
}

// properties returns the arguments of operations, merged by name.
func properties(operations ...operation.Tool) map[string]property {
	merged := map[string]property{}
	for _, op := range operations {
		var schema struct{ Properties map[string]property }
		if err := json.Unmarshal(op.Input, &schema); err != nil {
			panic("cli: the schema of " + op.Name + " is not JSON: " + err.Error())
		}
		for name, p := range schema.Properties {
			known, ok := merged[name]
			if ok && !slices.Equal(known.Enum, p.Enum) {
				p.Default = nil // the operations have different defaults
				p.Enum = append(p.Enum, known.Enum...)
			}
			merged[name] = p
		}
	}
	return merged
}

// argument is the value of the flag of one argument of an operation.
type argument struct {
	property
	name string // name of the argument
	text string
	all  map[string]any
}

// bind adds the flag of an argument, which stores its value in all.
func (p property) bind(c *cobra.Command, name, usage string, all map[string]any) {
	flag := strings.ReplaceAll(name, "_", "-")
	c.Flags().Var(&argument{property: p, name: name, all: all}, flag, usage)
	if p.Type == "boolean" {
		c.Flags().Lookup(flag).NoOptDefVal = "true"
	}
	complete := cobra.FixedCompletions(p.Enum, cobra.ShellCompDirectiveNoFileComp)
	if err := c.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic("cli: " + err.Error()) // the flag was just added
	}
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
	switch a.property.Type {
	case "string", "array":
		return "VALUE"
	case "boolean":
		return "BOOL"
	}
	return "NUMBER"
}

// oneOf lists the values of an argument.
func (p property) oneOf() string { return strings.Join(p.Enum, ", ") }

// operation returns the tool with a name, which must be in the catalog.
func toolNamed(catalog []operation.Tool, name string) operation.Tool {
	i := slices.IndexFunc(catalog, func(t operation.Tool) bool { return t.Name == name })
	return catalog[i]
}

// call runs an operation. With asJSON it prints the result as JSON and returns nil.
func (s Streams) call(
	ctx context.Context, op operation.Tool, arguments map[string]any, asJSON bool,
) (any, error) {
	input, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	result, err := op.Call(ctx, input)
	if err != nil {
		return nil, inFlags(err, op)
	}
	if !asJSON {
		return result.Value, nil
	}
	body, err := result.Structured()
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(s.Out, "%s\n", body)
	return nil, err
}
