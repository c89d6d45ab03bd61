package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

// Run prints a script that completes commands, flags and file names.
//
//	bash: source <(quire completion bash)
//	zsh:  source <(quire completion zsh)
//	fish: quire completion fish | source
func (c *completionCommand) Run(s *surroundings, parsed *kong.Context) error {
	all := completions(parsed.Model.Node)
	var script string
	switch c.Shell {
	case "bash":
		script = bashCompletion(all)
	case "zsh":
		// zsh reads the functions of bash.
		script = "autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(all)
	default:
		script = fishCompletion(all)
	}
	_, err := fmt.Fprint(s.out, script)
	return err
}

// completion is the set of words that can follow one command.
type completion struct {
	path  []string // the command and its parents
	words []word   // commands and flags
}

type word struct{ text, help string }

// completions returns the completions of all commands, starting with the
// program itself.
func completions(node *kong.Node) []completion {
	var all []completion
	var walk func(n *kong.Node, path []string)
	walk = func(n *kong.Node, path []string) {
		one := completion{path: path}
		for _, child := range n.Children {
			if !child.Hidden && child.Type == kong.CommandNode {
				one.words = append(one.words, word{child.Name, child.Help})
			}
		}
		for _, group := range n.AllFlags(true) {
			for _, flag := range group {
				one.words = append(one.words, word{"--" + flag.Name, flag.Help})
			}
		}
		for _, argument := range n.Positional {
			for _, choice := range argument.EnumSlice() {
				if choice != "" {
					one.words = append(one.words, word{choice, ""})
				}
			}
		}
		all = append(all, one)
		for _, child := range n.Children {
			if !child.Hidden && child.Type == kong.CommandNode {
				walk(child, append(path[:len(path):len(path)], child.Name))
			}
		}
	}
	walk(node, nil)
	return all
}

func bashCompletion(all []completion) string {
	var out strings.Builder
	out.WriteString("_quire() {\n  local path= word\n  for word in \"${COMP_WORDS[@]:1:$((COMP_CWORD-1))}\"; do\n    case \"$path/$word\" in\n")
	for _, one := range all[1:] {
		fmt.Fprintf(&out, "    /%s) path=/%s ;;\n", strings.Join(one.path, "/"), strings.Join(one.path, "/"))
	}
	out.WriteString("    esac\n  done\n  case \"$path\" in\n")
	for _, one := range all {
		texts := make([]string, len(one.words))
		for i, w := range one.words {
			texts[i] = w.text
		}
		path := ""
		if len(one.path) > 0 {
			path = "/" + strings.Join(one.path, "/")
		}
		fmt.Fprintf(&out, "  \"%s\") COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\")) ;;\n", path, strings.Join(texts, " "))
	}
	out.WriteString("  esac\n}\ncomplete -o default -F _quire quire\n")
	return out.String()
}

func fishCompletion(all []completion) string {
	var out strings.Builder
	names := make([]string, 0)
	for _, w := range all[0].words {
		if !strings.HasPrefix(w.text, "-") {
			names = append(names, w.text)
		}
	}
	// A file name never appears in place of a command.
	fmt.Fprintf(&out, "complete -c quire -n 'not __fish_seen_subcommand_from %s' -f\n", strings.Join(names, " "))
	for _, one := range all {
		condition := "not __fish_seen_subcommand_from " + strings.Join(names, " ")
		if len(one.path) > 0 {
			condition = "__fish_seen_subcommand_from " + strings.Join(one.path, "; and __fish_seen_subcommand_from ")
		}
		for _, w := range one.words {
			help := strings.NewReplacer("'", "’", "\n", " ").Replace(w.help)
			if flag, ok := strings.CutPrefix(w.text, "--"); ok {
				fmt.Fprintf(&out, "complete -c quire -n '%s' -l %s -d '%s'\n", condition, flag, help)
				continue
			}
			fmt.Fprintf(&out, "complete -c quire -n '%s' -a %s -d '%s'\n", condition, w.text, help)
		}
	}
	return out.String()
}
