package script

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/script/steps"
)

var rewrite = flag.Bool("rewrite", false, "replace the expected answers by the actual ones")

const directory = "../../spec"

// scripts returns the script files.
func scripts(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range specFiles(t) {
		if filepath.Ext(name) == ".txt" {
			found = append(found, name)
		}
	}
	return found
}

// specFiles returns the files under spec/.
func specFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Every file under spec/ is the page about them, a script, which TestScripts
// runs, or a body named by a script.
func TestFilesAreUsed(t *testing.T) {
	var all strings.Builder
	for _, file := range scripts(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, file := range specFiles(t) {
		name, err := filepath.Rel(directory, file)
		if err != nil {
			t.Fatal(err)
		}
		if name == "README.md" || filepath.Ext(name) == ".txt" {
			continue
		}
		if !strings.Contains(all.String(), "\n@"+filepath.ToSlash(name)+"\n") {
			t.Errorf("%s is not a script, and no script names it", file)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, file := range scripts(t) {
		name, err := filepath.Rel(directory, file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(name, ".txt"), func(t *testing.T) {
			t.Parallel()
			runFile(t, file)
		})
	}
}

func runFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	script, err := steps.Parse(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	ctx := context.Background()
	data := t.TempDir()
	node, err := Start(ctx, data, script.Variables()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := node.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	node.files = directory
	for i := range script.Steps {
		step := &script.Steps[i]
		if step.IsRestart() {
			if err := node.Stop(); err != nil {
				t.Fatalf("%s:%d: stop: %v", file, step.Line, err)
			}
			saved, files := node.saved, node.files
			if node, err = Start(ctx, data, append(script.Variables(), node.expandAll(step.Request[1:])...)...); err != nil {
				t.Fatalf("%s:%d: %v", file, step.Line, err)
			}
			node.saved, node.files = saved, files
			continue
		}
		answer, err := node.Do(ctx, *step)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if *rewrite {
			step.Answer = answer
			continue
		}
		compare(t, file, *step, answer)
	}
	if *rewrite {
		if err := os.WriteFile(file, []byte(script.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func compare(t *testing.T, file string, step steps.Step, answer []string) {
	t.Helper()
	if step.IsTable() {
		compareTable(t, file, step, answer)
		return
	}
	status, headers, body := parseAnswer(step.Answer)
	gotStatus, gotHeaders, gotBody := parseAnswer(answer)
	for _, header := range headers {
		if !slices.Contains(gotHeaders, header) {
			t.Errorf("%s:%d: no header %s among %q", file, step.Line, header, gotHeaders)
		}
	}
	if status != gotStatus || layOutAgain(body) != layOutAgain(gotBody) {
		t.Errorf("%s:%d: %s\nexpected %s\n%s\ngot %s\n%s", file, step.Line, step.Request[0], status, body, gotStatus, gotBody)
	}
}

// compareTable compares row by row, ignoring column widths.
func compareTable(t *testing.T, file string, step steps.Step, answer []string) {
	t.Helper()
	for i, line := range step.Answer {
		if !steps.IsComment(line) && !slices.Equal(steps.SplitRow(line), steps.SplitRow(answer[i])) {
			t.Errorf("%s:%d: %s\nexpected %s\ngot      %s", file, step.Line+len(step.Request)+1+i, step.Request[0], line, answer[i])
		}
	}
}
