package script

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
)

// What the documents tell to type works: every curl command is sent to a node
// without credentials, in the order they stand, and none may be refused; a
// search that finds nothing shows nothing. Guides that go on where another
// document ends share its node.
func TestCommandsOfTheDocumentsWork(t *testing.T) {
	for _, documents := range [][]struct {
		file     string
		commands int
	}{
		{{"../../README.md", 5}, {"../../docs/guides/everyday.md", 16}},
		{{"../../README.md", 5}, {"../../docs/guides/relevance.md", 8}},
		{{"../../docs/guides/own-data.md", 5}},
	} {
		node, err := Start(t.Context(), t.TempDir(), "SERVICE_AUTH_MODE=none", "SERVICE_AUTH_ROOT_KEY=")
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			if sent := sendCommands(t, node, document.file); sent != document.commands {
				t.Errorf("%s: %d commands were found", document.file, sent)
			}
		}
		if err := node.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// sendCommands sends the curl commands of a document and returns how many there
// are.
func sendCommands(t *testing.T, node *Node, document string) int {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	files := make(map[string]string)
	for _, block := range codeBlocks(string(text)) {
		if block.file != "" {
			files[block.file] = block.text
		}
		for _, words := range shellCommands(block.text) {
			if words[0] != "curl" {
				continue
			}
			sent++
			status, answer, err := curl(t, node, words[1:], files)
			if err != nil || status >= http.StatusMultipleChoices || strings.Contains(answer, `"total":{"count":0`) {
				t.Errorf("%s: %q: %d %s %v", document, words, status, answer, err)
			}
		}
	}
	return sent
}

// curl sends what a curl command would.
func curl(t *testing.T, node *Node, arguments []string, files map[string]string) (int, string, error) {
	method, target, body, header := http.MethodGet, "", "", http.Header{}
	for at := 0; at < len(arguments); at++ {
		argument := arguments[at]
		if !strings.HasPrefix(argument, "-") {
			target = argument
			continue
		}
		at++
		if at == len(arguments) {
			return 0, "", fmt.Errorf("%s has no value", argument)
		}
		switch value := arguments[at]; argument {
		case "-X":
			method = value
		case "-H":
			name, content, _ := strings.Cut(value, ": ")
			header.Set(name, content)
		case "-d", "--data-binary":
			body = value
			if name, ok := strings.CutPrefix(value, "@"); ok {
				body = files[name]
			}
			if method == http.MethodGet {
				method = http.MethodPost
			}
		default:
			return 0, "", fmt.Errorf("the option %s is not known here", argument)
		}
	}
	path, ok := strings.CutPrefix(target, "localhost:8080")
	if !ok {
		return 0, "", fmt.Errorf("%s is no address of a node", target)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, node.base+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, string(answer), err
}

// codeBlock is text a document shows as it is. A fence may name the file that
// holds it.
type codeBlock struct{ file, text string }

// codeBlocks returns the fenced and the indented blocks of a document.
func codeBlocks(document string) []codeBlock {
	var blocks []codeBlock
	var open *codeBlock
	fenced := false
	for line := range strings.Lines(document) {
		info, fence := strings.CutPrefix(line, "```")
		indented, isIndented := strings.CutPrefix(line, "    ")
		switch {
		case fence && fenced:
			open, fenced = nil, false
		case fence:
			_, file, _ := strings.Cut(strings.TrimSpace(info), " ")
			blocks = append(blocks, codeBlock{file: file})
			open, fenced = &blocks[len(blocks)-1], true
		case fenced:
			open.text += line
		case isIndented:
			if open == nil {
				blocks = append(blocks, codeBlock{})
				open = &blocks[len(blocks)-1]
			}
			open.text += indented
		default:
			open = nil
		}
	}
	return blocks
}

// shellCommands splits text into the words of its commands, as a shell does:
// single quotes keep everything, a backslash joins lines, # begins a comment.
func shellCommands(text string) [][]string {
	var all [][]string
	var words []string
	var word strings.Builder
	inWord, quoted := false, false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\'':
			quoted = false
		case quoted:
			word.WriteByte(c)
		case c == '\'':
			quoted, inWord = true, true
		case c == '\\' && strings.HasPrefix(text[i:], "\\\n"):
			i++
		case c == '#' && !inWord:
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == '\n':
			endWord()
			if len(words) > 0 {
				all = append(all, words)
				words = nil
			}
		case c == ' ':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endWord()
	if len(words) > 0 {
		all = append(all, words)
	}
	return all
}
