package cli

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// completedLines are lines with a partly typed last word and the completions a
// shell offers.
var completedLines = []struct{ line, want string }{
	{"quire lo", "load locale-data"},
	{"quire load --rej", "--rejects"},
	{"quire load things.csv --dr", "--draft"},
	{"quire import el", "elasticsearch"},
	{"quire import elasticsearch --source", "--source-key"},
	{"quire completion z", "zsh"},
	{"quire locale-data b", "build"},
}

// script returns the completion script of a shell and skips the test if the
// shell is not installed.
func script(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed", shell)
	}
	code, out, said := run(nil, "completion", shell)
	if code != exitDone {
		t.Fatalf("%d %s", code, said)
	}
	return out
}

// ask runs a program in a shell and returns its output. The timeout only ends a
// shell that hangs.
func ask(t *testing.T, shell, program string, arguments ...string) string {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	out, err := exec.CommandContext(ctx, shell, append(arguments, "-c", program)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

func checkOffered(t *testing.T, line, want string, got []string) {
	t.Helper()
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		t.Errorf("%s: %q, want %q", line, got, want)
	}
}

func TestBashCompletes(t *testing.T) {
	source := script(t, "bash")
	for _, c := range completedLines {
		program := source + "COMP_WORDS=(" + c.line + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_quire\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		checkOffered(t, c.line, c.want, strings.Fields(ask(t, "bash", program, "--noprofile", "--norc")))
	}
}

func TestFishCompletes(t *testing.T) {
	source := script(t, "fish")
	for _, c := range completedLines {
		var offered []string
		for line := range strings.Lines(ask(t, "fish", source+"complete -C '"+c.line+"'\n", "--no-config")) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		checkOffered(t, c.line, c.want, offered)
	}
}

// zsh completes only in an interactive shell, so the test runs one in a
// terminal of its own and types a tab. The completion then appears on the line.
func TestZshCompletes(t *testing.T) {
	source := script(t, "zsh")
	for _, c := range completedLines {
		if strings.Contains(c.want, " ") {
			continue // a list is displayed, not inserted
		}
		line := c.line[:strings.LastIndex(c.line, " ")+1] + c.want
		program := `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PROMPT=; autoload -U compinit; compinit -u -D; source $QUIRE_SCRIPT; echo rea''dy"
zpty -r inner seen '*ready*'
zpty -n -w inner "$QUIRE_LINE"$'\t'
zpty -r inner seen "*$QUIRE_WANT*"
print completed
zpty -d inner
`
		t.Setenv("QUIRE_SCRIPT", write(t, "quire.zsh", source))
		t.Setenv("QUIRE_LINE", c.line)
		t.Setenv("QUIRE_WANT", line)
		if out := ask(t, "zsh", program, "-f"); !strings.Contains(out, "completed") {
			t.Errorf("%s: %s", c.line, out)
		}
	}
}
