package quire

import (
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rowsOf returns the first cell of every row of a page whose last cell lists
// tests, after checking that each test exists.
func rowsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	numbered := regexp.MustCompile(`^[IFRS]\d+$`)
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

// eachGoFile calls visit with every Go file of the module and its lines.
func eachGoFile(t *testing.T, visit func(name string, lines []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "node_modules" || entry.Name() == "data") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".go" && name != "guarantees_test.go" {
			visit(filepath.ToSlash(name), strings.Split(read(t, name), "\n"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every guarantee, fault, rule of the interface and rule of security cited in
// the code or on the page of campaigns is defined in the documentation, with
// tests that exist.
func TestCitationsAreDefined(t *testing.T) {
	defined := rowsOf(t, "docs/guarantees.md")
	for number := range rowsOf(t, "docs/guides/security.md") {
		defined[number] = true
	}
	cited := regexp.MustCompile(`\b[IFRS]\d{1,2}\b`)
	section := regexp.MustCompile(`\(\d{1,2}\.\d{1,2}\)[.:]`)
	found := 0
	eachGoFile(t, func(name string, lines []string) {
		for _, line := range lines {
			_, comment, ok := strings.Cut(line, "//")
			if !ok {
				continue
			}
			if number := section.FindString(comment); number != "" {
				t.Errorf("%s cites section %s of a page that is not in this repository", name, number)
			}
			for _, number := range cited.FindAllString(comment, -1) {
				if found++; !defined[number] {
					t.Errorf("%s cites %s, which no page defines", name, number)
				}
			}
		}
	})
	for _, number := range cited.FindAllString(read(t, "docs/reliability.md"), -1) {
		if !defined[number] {
			t.Errorf("docs/reliability.md cites %s, which no page defines", number)
		}
	}
	if found < 100 {
		t.Errorf("only %d citations were found", found)
	}
}

// Every letter prefix of invariants belongs to one package, so that a number in
// a comment or a failed check leads to one place. I, F, R and S belong to the
// documentation.
func TestInvariantsHaveTheirOwnLetters(t *testing.T) {
	listed := regexp.MustCompile(`^//\t([A-Z]+)\d+  `)
	owner := map[string]string{"I": "docs", "F": "docs", "R": "docs", "S": "docs"}
	eachGoFile(t, func(name string, lines []string) {
		folder := path.Dir(name)
		for _, line := range lines {
			match := listed.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			letters := match[1]
			switch before, taken := owner[letters]; {
			case !taken:
				owner[letters] = folder
			case before != folder && folder != "internal/clustertest": // it restates the guarantees it checks
				t.Errorf("%s lists %s invariants, and so does %s", folder, letters, before)
			}
		}
	})
	if len(owner) < 20 {
		t.Errorf("only %d packages list invariants", len(owner))
	}
}
