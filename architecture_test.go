package quire

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/quiresearch/quire/"

var row = regexp.MustCompile("^\\| `([a-z0-9/]+)` \\|")

// ladder returns the packages of ARCHITECTURE.md in order: those of the product
// and those for tests.
func ladder(t *testing.T) (product, testing []string) {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(line, "| Package |") {
			tables++
		}
		if found := row.FindStringSubmatch(line); found != nil {
			switch tables {
			case 1:
				product = append(product, found[1])
			case 2:
				testing = append(testing, found[1])
			}
		}
	}
	if len(product) == 0 || len(testing) == 0 {
		t.Fatal("ARCHITECTURE.md lists no packages")
	}
	return product, testing
}

// sourceFiles returns the Go files of each package of the repository.
func sourceFiles(t *testing.T) map[string][]string {
	t.Helper()
	found := make(map[string][]string)
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			base := entry.Name()
			if base == "testdata" || base == "node_modules" || base != "." && strings.HasPrefix(base, ".") || hasModule(name) {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".go"):
			directory := filepath.ToSlash(path.Dir(filepath.ToSlash(name)))
			if directory != "." {
				found[directory] = append(found[directory], name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// hasModule reports whether a directory below the root is a separate module.
func hasModule(directory string) bool {
	if directory == "." {
		return false
	}
	_, err := os.Stat(filepath.Join(directory, "go.mod"))
	return err == nil
}

func TestEveryPackageStandsInTheListOnce(t *testing.T) {
	product, forTests := ladder(t)
	all := append(slices.Clone(product), forTests...)
	seen := make(map[string]bool)
	for _, name := range all {
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
	}
	for name := range sourceFiles(t) {
		if !seen[name] && !strings.HasPrefix(name, "bench") {
			t.Errorf("%s is missing from ARCHITECTURE.md", name)
		}
	}
}

func TestImportsGoDown(t *testing.T) {
	product, forTests := ladder(t)
	for name, files := range sourceFiles(t) {
		at := slices.Index(product, name)
		if at < 0 {
			continue // tests may import everything
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, imported := range imports(t, file) {
				below := slices.Index(product, imported)
				switch {
				case slices.Contains(forTests, imported):
					t.Errorf("%s imports %s, which is for tests", file, imported)
				case below >= 0 && below < at:
					t.Errorf("%s imports %s, which stands above %s", file, imported, name)
				}
			}
		}
	}
}

// Only server and cli read the configuration; script and reference are not part
// of the product.
func TestOnlyServerAndCLIReadTheConfiguration(t *testing.T) {
	for name, files := range sourceFiles(t) {
		switch name {
		case "internal/server", "internal/cli", "internal/config", "internal/reference", "internal/script":
			continue
		}
		for _, file := range files {
			if slices.Contains(imports(t, file), "internal/config") && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s imports internal/config", file)
			}
		}
	}
}

// imports returns the packages of this module that a file imports.
func imports(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if inner, ok := strings.CutPrefix(name, module); ok {
			found = append(found, inner)
		}
	}
	return found
}

var (
	link    = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	dropped = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// anchors returns the anchors of a document: its headings in lower case,
// without punctuation, words joined by dashes.
func anchors(document string) []string {
	var all []string
	for _, found := range heading.FindAllStringSubmatch(document, -1) {
		all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(found[1]), ""), " ", "-"))
	}
	return all
}

// Links between documents lead to an existing file and, if they have an anchor,
// to a heading in it.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || entry.Name() != "." && strings.HasPrefix(entry.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".md") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			target, anchor := found[1], found[2]
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			file := name
			if target != "" {
				file = filepath.Join(filepath.Dir(name), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
				continue
			}
			if anchor == "" {
				continue
			}
			linked, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if !slices.Contains(anchors(string(linked)), anchor) {
				t.Errorf("%s links to %s#%s, which is not a heading", name, target, anchor)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
