package pages

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"leadline/e2e/product"
)

// TestPatterns compiles each regular expression that the product compiles when it is first used.
func TestPatterns(t *testing.T) {
	files, folders := token.NewFileSet(), map[string][]*ast.File{}
	for folder := range arrows {
		names, err := fs.Glob(product.Tree(), path.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.DeleteFunc(names, isTest) {
			text, err := fs.ReadFile(product.Tree(), name)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			folders[folder] = append(folders[folder], file)
		}
	}
	count := 0
	for folder, list := range folders {
		count += compilePatterns(t, files, folder, list)
	}
	if count < 50 {
		t.Errorf("%d patterns found, want at least 50", count)
	}
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// compilePatterns compiles the arguments of coast.Pattern in a package and returns their number.
func compilePatterns(t *testing.T, files *token.FileSet, folder string, list []*ast.File) int {
	values := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	// Constants have values although the imports of the package are not resolved.
	check := types.Config{Error: func(error) {}}
	_, _ = check.Check(folder, files, list, &values)
	count := 0
	for _, file := range list {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || types.ExprString(call.Fun) != "coast.Pattern" {
				return true
			}
			count++
			at, value := files.Position(call.Pos()), values.Types[call.Args[0]].Value
			if value == nil {
				t.Errorf("%s: the pattern is not a constant", at)
			} else if _, err := regexp.Compile(constant.StringVal(value)); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			return true
		})
	}
	return count
}
