package quire

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// securityRules is the number of rules in docs/guides/security.md.
const securityRules = 30

// The page lists every rule once, and every test it lists exists.
func TestEverySecurityRuleHasItsTest(t *testing.T) {
	page, err := os.ReadFile("docs/guides/security.md")
	if err != nil {
		t.Fatal(err)
	}
	next := 1
	for line := range strings.SplitSeq(string(page), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 || !regexp.MustCompile(`^S\d+$`).MatchString(cells[0]) {
			continue
		}
		if cells[0] != "S"+strconv.Itoa(next) {
			t.Errorf("%s stands where S%d belongs", cells[0], next)
		}
		next++
		named := 0
		for part := range strings.SplitSeq(cells[2], "; ") {
			folder, tests, ok := strings.Cut(strings.TrimPrefix(part, "`"), "` ")
			if !ok {
				t.Errorf("%s: %q names no package", cells[0], part)
				continue
			}
			sources := testsOf(t, folder)
			for name := range strings.SplitSeq(tests, ", ") {
				named++
				if !strings.Contains(sources, "func "+name+"(") {
					t.Errorf("%s: %s has no test %s", cells[0], folder, name)
				}
			}
		}
		if named == 0 {
			t.Errorf("%s names no test", cells[0])
		}
	}
	if next != securityRules+1 {
		t.Errorf("the page names %d rules", next-1)
	}
}

// testsOf returns the text of the tests in a package.
func testsOf(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	var all strings.Builder
	for _, file := range files {
		all.WriteString(read(t, file))
	}
	return all.String()
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// S24: every package with a stored format has a fuzz target for reading it.
func TestEveryStoredFormIsFuzzed(t *testing.T) {
	// Columns are only read through a segment, whose target reaches all of them.
	through := map[string]string{"internal/segment/columns": "internal/segment"}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "FORMAT.md" {
			return err
		}
		folder := filepath.Dir(name)
		if other, ok := through[folder]; ok {
			folder = other
		}
		if !strings.Contains(testsOf(t, folder), "func Fuzz") {
			t.Errorf("%s stores something and has no fuzz target", folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// S23: every module is required in exactly one version and has a checksum.
func TestDependenciesArePinned(t *testing.T) {
	sums := read(t, "go.sum")
	required := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(read(t, "go.mod"), -1)
	if len(required) == 0 || len(required) > 64 {
		t.Errorf("%d modules are required", len(required))
	}
	for _, module := range required {
		if !strings.Contains(sums, module[1]+" "+module[2]+" h1:") && !strings.Contains(sums, module[1]+" "+module[2]+"/go.mod h1:") {
			t.Errorf("%s %s has no checksum", module[1], module[2])
		}
	}
	if strings.Contains(read(t, "go.mod"), "\nreplace ") {
		t.Error("a module is replaced")
	}
	if !strings.Contains(read(t, "Makefile"), "check: format-check vet staticcheck generate-check licences vulnerabilities") {
		t.Error("make check does not look for vulnerabilities")
	}
}

// S23: a build does not depend on where or by whom it is run.
func TestBuildsCanBeRepeated(t *testing.T) {
	for _, file := range []string{"Makefile", "Dockerfile"} {
		for line := range strings.SplitSeq(read(t, file), "\n") {
			if strings.Contains(line, "build ") && strings.Contains(line, "./cmd/quire") && !strings.Contains(line, "-trimpath") {
				t.Errorf("%s builds with paths: %s", file, line)
			}
		}
		if !strings.Contains(read(t, file), "CGO_ENABLED") {
			t.Errorf("%s says nothing of cgo", file)
		}
	}
	if !regexp.MustCompile(`(?m)^FROM golang:1\.\d+\.\d+ AS build$`).MatchString(read(t, "Dockerfile")) {
		t.Error("the image does not name the whole version of its compiler")
	}
}

// S23: the image contains only the program and runs it as an unprivileged user.
func TestTheImageRunsWithoutRights(t *testing.T) {
	stages := strings.Split(read(t, "Dockerfile"), "\nFROM ")
	last := stages[len(stages)-1]
	if !strings.HasPrefix(last, "scratch\n") {
		t.Error("the image is built on another")
	}
	user := regexp.MustCompile(`(?m)^USER (\d+)`).FindStringSubmatch(last)
	if user == nil || user[1] == "0" {
		t.Errorf("the image runs as %v", user)
	}
}
