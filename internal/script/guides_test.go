package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// runGuides are the guides whose shell commands are run as they stand, by a
// shell, with the program and a node; the others are run by
// TestCommandsOfTheDocumentsWork or name commands of other machines.
var runGuides = []string{"shop.md", "languages.md", "coming-from.md", "vectors.md"}

// Every command of a guide works: blocks marked sh are run in the order they
// stand, each guide in a directory of its own and on a node of its own. A block
// that names a file is that file. A command that fails fails the guide, and so
// does a search without hits.
func TestCommandsOfTheGuidesRun(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not there", tool)
		}
	}
	tools := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(tools, "quire"), "../../cmd/quire").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, guide := range runGuides {
		t.Run(guide, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../docs/guides", guide))
			if err != nil {
				t.Fatal(err)
			}
			node, err := Start(t.Context(), t.TempDir(), "SERVICE_AUTH_MODE=none", "SERVICE_AUTH_ROOT_KEY=")
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := node.Stop(); err != nil {
					t.Error(err)
				}
			}()
			if runGuide(t, node, tools, string(text)) == 0 {
				t.Error("no command was found")
			}
		})
	}
}

// runGuide runs the shell blocks of a guide and returns how many there are.
func runGuide(t *testing.T, node *Node, tools, text string) int {
	directory, ran := t.TempDir(), 0
	for _, block := range fences(text) {
		if block.file != "" {
			if err := os.WriteFile(filepath.Join(directory, block.file), []byte(block.text), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if block.language != "sh" {
			continue
		}
		ran++
		address := strings.TrimPrefix(node.base, "http://")
		script := "set -euo pipefail\ncurl() { command curl -sS --fail-with-body \"$@\"; echo; }\n" + strings.ReplaceAll(block.text, "localhost:8080", address)
		command := exec.CommandContext(t.Context(), "bash", "-c", script)
		command.Dir = directory
		command.Env = append(slices.Clone(os.Environ()), "PATH="+tools+":"+os.Getenv("PATH"), "QUIRE_URL="+node.base, "HOME="+directory)
		out, err := command.CombinedOutput()
		if err != nil || strings.Contains(string(out), `"total":{"count":0`) {
			t.Errorf("%s\n%v\n%s", block.text, err, out)
		}
	}
	return ran
}

// fence is a fenced block: its language and the file it stands for.
type fence struct{ language, file, text string }

func fences(document string) []fence {
	var found []fence
	isOpen := false
	for line := range strings.Lines(document) {
		info, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && isOpen:
			isOpen = false
		case isFence:
			language, file, _ := strings.Cut(strings.TrimSpace(info), " ")
			found = append(found, fence{language: language, file: file})
			isOpen = true
		case isOpen:
			found[len(found)-1].text += line
		}
	}
	return found
}
