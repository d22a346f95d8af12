package coast

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestValuesAreAll compares the closed lists with the constants of their types.
func TestValuesAreAll(t *testing.T) {
	declared := declaredIn(t, "coast.go", "error.go")
	for name, got := range map[string][]string{
		"Kind": Kind("").Values(), "Freshness": Freshness("").Values(), "Code": Code("").Values(),
	} {
		if want := declared[name]; !slices.Equal(got, want) {
			t.Errorf("%s.Values() = %v, want %v", name, got, want)
		}
		delete(declared, name)
	}
	if len(declared) > 0 {
		t.Errorf("types of constants without Values: %v", declared)
	}
}

// declaredIn returns the values of the constants in files, by the names of their types.
func declaredIn(t *testing.T, files ...string) map[string][]string {
	t.Helper()
	declared := map[string][]string{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, typed := spec.Type.(*ast.Ident)
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok && typed {
				value, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				declared[kind.Name] = append(declared[kind.Name], value)
			}
			return true
		})
	}
	return declared
}
