package quire

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rowsOf returns the first cell of every row of a page whose last cell names
// tests, after checking that each test exists.
func rowsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	numbered := regexp.MustCompile(`^[IFS]\d+$`)
	rows := make(map[string]bool)
	for line := range strings.SplitSeq(read(t, page), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 || !numbered.MatchString(cells[0]) {
			continue
		}
		if rows[cells[0]] {
			t.Errorf("%s: %s stands twice", page, cells[0])
		}
		rows[cells[0]] = true
		for part := range strings.SplitSeq(cells[2], "; ") {
			folder, tests, ok := strings.Cut(strings.TrimPrefix(part, "`"), "` ")
			if !ok {
				t.Errorf("%s: %s names no test", page, cells[0])
				continue
			}
			sources := testsOf(t, folder)
			for name := range strings.SplitSeq(tests, ", ") {
				if !strings.Contains(sources, "func "+name+"(") {
					t.Errorf("%s: %s names %s, which %s does not have", page, cells[0], name, folder)
				}
			}
		}
	}
	return rows
}

// Every guarantee, fault and security rule that the code cites is defined in
// the documentation, with tests that exist.
func TestCitationsAreDefined(t *testing.T) {
	defined := rowsOf(t, "docs/guarantees.md")
	for number := range rowsOf(t, "docs/guides/security.md") {
		defined[number] = true
	}
	cited := regexp.MustCompile(`\b[IFS]\d{1,2}\b`)
	found := 0
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "node_modules" || entry.Name() == "data") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" || name == "guarantees_test.go" {
			return nil
		}
		for line := range strings.SplitSeq(read(t, name), "\n") {
			_, comment, ok := strings.Cut(line, "//")
			if !ok {
				continue
			}
			for _, number := range cited.FindAllString(comment, -1) {
				if found++; !defined[number] {
					t.Errorf("%s cites %s, which no page defines", name, number)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("only %d citations were found", found)
	}
}
