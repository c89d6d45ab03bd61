package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The first search of the README is that of Example, except that Example checks
// errors and uses another node.
func TestTheFirstSearchOfTheREADMERuns(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	spaces := regexp.MustCompile(`[ \t]+`)
	_, rest, _ := strings.Cut(string(readme), "```go\n")
	shown, _, found := strings.Cut(rest, "```")
	_, body, _ := strings.Cut(string(example), "func Example() {")
	body, _, _ = strings.Cut(body, "// Output:")
	body = spaces.ReplaceAllString(body, " ")
	body = strings.Replace(body, `client.New(node.URL, "key")`, `client.New("http://localhost:8080", key)`, 1)
	lines := strings.Split(strings.TrimSpace(spaces.ReplaceAllString(shown, " ")), "\n")
	if !found || len(lines) < 5 || len(lines) > 10 {
		t.Errorf("the README shows %d lines", len(lines))
	}
	for _, line := range lines {
		_, after, ok := strings.Cut(body, strings.TrimSpace(line))
		if !ok {
			t.Errorf("the example does not run %s", line)
			continue
		}
		body = after
	}
}
