package generations

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var rewriteScripts = flag.Bool("rewrite", false, "replace the expected output in testdata and LIFECYCLE.md")

// compare compares a file with its expected content, or replaces it.
func compare(t *testing.T, name, want string) {
	t.Helper()
	if *rewriteScripts {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != want {
		t.Errorf("%s differs from the table; go test ./internal/generations -rewrite shows how (%v)", name, err)
	}
}

func named[T fmt.Stringer](t *testing.T, all []T, name string) T {
	t.Helper()
	i := slices.IndexFunc(all, func(one T) bool { return one.String() == name })
	if i < 0 {
		t.Fatalf("there is no %q", name)
	}
	return all[i]
}

func every[T ~uint8](n T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}

func (t transition) String() string {
	if !t.isListed {
		return "refused"
	}
	names := make([]string, len(t.actions))
	for i, one := range t.actions {
		names[i] = one.String()
	}
	return strings.TrimRight(fmt.Sprintf("%-15s %s", t.next, strings.Join(names, ", ")), " ")
}

// TestLifecycle runs the stories of testdata/lifecycle.txt through the table.
func TestLifecycle(t *testing.T) {
	const name = "testdata/lifecycle.txt"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		fmt.Fprintln(&out, lines[i])
		if lines[i] == "" || lines[i][0] == '#' {
			continue
		}
		at := named(t, every(state(states)), lines[i])
		fmt.Fprintf(&out, "%s\n----\n", lines[i+1])
		for _, one := range strings.Fields(lines[i+1]) {
			done := step(at, named(t, every(event(events)), one))
			fmt.Fprintf(&out, "%-10s %s\n", one, done)
			if done.isListed {
				at = done.next
			}
		}
		for i += 2; i+1 < len(lines) && lines[i+1] != ""; i++ { // expected output
		}
	}
	compare(t, name, out.String())
}

// TestEveryPairIsListedOrRefused prints the table with every pair of state and event.
func TestEveryPairIsListedOrRefused(t *testing.T) {
	var out strings.Builder
	used := make(map[action]bool)
	reached := map[state]bool{absent: true}
	for _, s := range every(state(states)) {
		for _, e := range every(event(events)) {
			done := step(s, e)
			fmt.Fprintf(&out, "%-14s %-10s %s\n", s, e, done)
			for _, one := range done.actions {
				used[one] = true
			}
			if !done.isListed {
				if len(done.actions) > 0 || done.next != absent {
					t.Errorf("%s, %s is refused and does something", s, e)
				}
				continue
			}
			reached[done.next] = true
			if done.has(startCopy) || done.opensWriter() {
				if !done.next.isHeld() || s == removed {
					t.Errorf("%s, %s opens something that is not held", s, e)
				}
			}
			if e == askWriter && !done.has(refuse) && done.next != openingWriter && done.next != promoting && done.next != writing {
				t.Errorf("%s, %s does not lead to a writer", s, e)
			}
		}
	}
	compare(t, "testdata/transitions.txt", out.String())
	if len(used) != actions || len(reached) != states {
		t.Errorf("%d of %d actions are used and %d of %d states reached", len(used), actions, len(reached), states)
	}
}

// TestLifecyclePage writes the diagram of LIFECYCLE.md from the table.
func TestLifecyclePage(t *testing.T) {
	var out strings.Builder
	out.WriteString(`# The life of a generation on a node

Written from the table in [state.go](state.go) by ` + "`go test ./internal/generations -rewrite`" + `. An arrow carries the events that lead
from one state to another; events that change nothing, and those that cannot happen, are left out.
[transitions.txt](testdata/transitions.txt) lists every pair of state and event with its actions, and
[lifecycle.txt](testdata/lifecycle.txt) tells stories.

` + "```mermaid\nstateDiagram-v2\n    [*] --> absent\n")
	id := func(s state) string { return strings.ReplaceAll(s.String(), " ", "_") }
	for _, s := range every(state(states)) {
		for _, next := range every(state(states)) {
			var by []string
			for _, e := range every(event(events)) {
				if done := step(s, e); done.isListed && done.next == next && next != s {
					by = append(by, e.String())
				}
			}
			if len(by) > 0 {
				fmt.Fprintf(&out, "    %s --> %s: %s\n", id(s), id(next), strings.Join(by, ", "))
			}
		}
	}
	out.WriteString("```\n\n| Event | What happened |\n|---|---|\n")
	for _, e := range every(event(events)) {
		fmt.Fprintf(&out, "| `%s` | %s |\n", e, comment(t, e.String()))
	}
	out.WriteString("\n| State | Meaning |\n|---|---|\n")
	for i, name := range []string{"absent", "openingCopy", "openingWriter", "servingCopy", "promoting", "writing", "leaving", "removed"} {
		fmt.Fprintf(&out, "| %s | %s |\n", state(i), comment(t, name))
	}
	compare(t, "LIFECYCLE.md", out.String())
}

// comment returns the comment after the declaration of a constant in state.go.
func comment(t *testing.T, constant string) string {
	t.Helper()
	source, err := os.ReadFile("state.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(source)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == constant {
			if _, said, ok := strings.Cut(line, "// "); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	t.Fatalf("state.go says nothing of %s", constant)
	return ""
}
