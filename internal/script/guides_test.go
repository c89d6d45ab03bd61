package script

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/s3test"
)

// guidesAfterReadme continue where the README ends; guidesWithoutCommands have
// nothing to run.
var (
	guidesAfterReadme     = []string{"everyday.md", "relevance.md"}
	guidesWithoutCommands = []string{"console.md", "language-models.md", "security.md"}
)

// Every command of every guide works: a shell runs the blocks marked sh in
// order, each guide in its own directory and with its own node. A block with a
// file name becomes that file. A guide fails if a command fails or a search has
// no hits. Blocks marked text do not end or need other machines: textBlocks
// lists how each is run, or why it is not.
func TestCommandsOfTheGuidesRun(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "go", "jq", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	tools := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(tools, "quire"), "../../cmd/quire").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	runTextBlocks(t, tools)
	guides, err := filepath.Glob("../../docs/guides/*.md")
	if err != nil || len(guides) < 12 {
		t.Fatalf("%d guides, %v", len(guides), err)
	}
	for _, guide := range append(guides, "../../README.md") {
		t.Run(filepath.Base(guide), func(t *testing.T) {
			variables := []string{"SERVICE_AUTH_MODE=none", "SERVICE_AUTH_ROOT_KEY=", "SERVICE_SEARCH_COUNTS_ENABLED=true"}
			if filepath.Base(guide) == "object-mode.md" {
				store := s3test.Start(t)
				variables = append(variables, "SERVICE_STORAGE_MODE=object", "SERVICE_INDEXER_ENABLED=true", "SERVICE_NODE_ADDRESS=http://127.0.0.1:1",
					"SERVICE_STORAGE_REMOTE_URL="+store.URL, "SERVICE_STORAGE_REMOTE_BUCKET="+store.Bucket,
					"SERVICE_STORAGE_REMOTE_ACCESS_KEY="+store.Access, "SERVICE_STORAGE_REMOTE_SECRET_KEY="+store.Secret)
			}
			node, err := Start(t.Context(), t.TempDir(), variables...)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := node.Stop(); err != nil {
					t.Error(err)
				}
			}()
			if slices.Contains(guidesAfterReadme, filepath.Base(guide)) {
				runGuide(t, node, tools, "../../README.md")
			}
			ran := runGuide(t, node, tools, guide)
			if isEmpty := slices.Contains(guidesWithoutCommands, filepath.Base(guide)); isEmpty != (ran == 0) {
				t.Errorf("%d blocks of commands", ran)
			}
		})
	}
}

// runGuide runs the shell blocks of a guide and returns their number.
func runGuide(t *testing.T, node *Node, tools, guide string) int {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	directory, ran := t.TempDir(), 0
	for _, block := range fences(string(text)) {
		if block.file != "" {
			file := filepath.Join(directory, block.file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(block.text), 0o600)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if block.language == "text" && strings.Contains(block.text, "localhost:8080/v1alpha1") {
			t.Errorf("this can be run: mark it sh\n%s", block.text)
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

// fence is a fenced block: its language, the name of the file it defines, and
// its text.
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
