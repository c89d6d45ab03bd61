package format

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../.."

func TestEveryFormatIsInTheTableAndDescribed(t *testing.T) {
	var declared int
	file, err := parser.ParseFile(token.NewFileSet(), "format.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			declared += len(g.Specs)
		}
	}
	names, marks := map[string]bool{}, map[string]bool{}
	for _, f := range All() {
		if f.Name == "" || f.Version == 0 || f.Oldest == 0 || f.Oldest > f.Version || f.Holds == "" {
			t.Errorf("%+v lacks name, versions or purpose", f)
		}
		if names[f.Name] || f.Mark != "" && marks[f.Mark] {
			t.Errorf("%s: name or mark twice", f.Name)
		}
		names[f.Name], marks[f.Mark] = true, true
		if _, err := os.Stat(filepath.Join(root, f.Package, "FORMAT.md")); err != nil {
			t.Errorf("%s is not described: %v", f.Name, err)
		}
	}
	if declared != len(All()) {
		t.Errorf("%d formats declared, All returns %d", declared, len(All()))
	}
}

// Only this package defines versions of stored formats.
func TestVersionsStandHereAlone(t *testing.T) {
	literal := regexp.MustCompile(`(?m)^\s*(?:const |var )?\w*(?:[vV]ersion|[mM]agic)\w*(?: \w+)?\s*=\s*(?:\d+|"[^"]+")\s*$`)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != root && (strings.HasPrefix(base, ".") || base == "bench" || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(name)
		for _, found := range literal.FindAllString(string(content), -1) {
			t.Errorf("%s: %s belongs in the table of formats", name, strings.TrimSpace(found))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
