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
)

var rewrite = flag.Bool("rewrite", false, "replace the expected answers by the actual ones")

const directory = "../../spec"

// scripts returns the script files.
func scripts(t *testing.T) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(directory, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if filepath.Ext(name) != ".txt" {
				t.Errorf("%s is no script and no test runs it", name)
				return nil
			}
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
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
	script, err := Parse(string(text))
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
	for i := range script.Steps {
		step := &script.Steps[i]
		if step.IsRestart() {
			if err := node.Stop(); err != nil {
				t.Fatalf("%s:%d: stop: %v", file, step.Line, err)
			}
			saved := node.saved
			if node, err = Start(ctx, data, append(script.Variables(), node.expandAll(step.Request[1:])...)...); err != nil {
				t.Fatalf("%s:%d: %v", file, step.Line, err)
			}
			node.saved = saved
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

func compare(t *testing.T, file string, step Step, answer []string) {
	t.Helper()
	status, headers, body := parseAnswer(step.Answer)
	gotStatus, gotHeaders, gotBody := parseAnswer(answer)
	for _, header := range headers {
		if !slices.Contains(gotHeaders, header) {
			t.Errorf("%s:%d: no header %s among %q", file, step.Line, header, gotHeaders)
		}
	}
	if status != gotStatus || body != gotBody {
		t.Errorf("%s:%d: %s\nexpected %s\n%s\ngot %s\n%s", file, step.Line, step.Request[0], status, body, gotStatus, gotBody)
	}
}

func TestParseAndWriteAgain(t *testing.T) {
	const text = "# A rule.\n\n# First.\nGET /a\nAccept: x\n----\n200\n{\"a\":1}\n\nrestart\n\nPOST /b\n{\n\"x\":1}\n----\n204\n"
	script, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Steps) != 3 || !script.Steps[1].IsRestart() || script.String() != text {
		t.Errorf("%d steps:\n%s", len(script.Steps), script)
	}
	for _, bad := range []string{"", "GET /a\n----\n200\n", "# Rule.\n\nGET /a\n"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# A rule.\n\nGET /a\n----\n200\n")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(script.String())
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, script, err)
		}
		if again.String() != script.String() {
			t.Errorf("%q is not stable", text)
		}
	})
}
