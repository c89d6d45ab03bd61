package problem

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var grammar = regexp.MustCompile(`^(validation|[a-z]+(:[a-z_]+)+)$`)

func TestEveryCodeIsWellFormedAndUnique(t *testing.T) {
	seen := make(map[string]bool)
	for _, code := range Codes() {
		if seen[code.Name()] {
			t.Errorf("%s is declared twice", code.Name())
		}
		seen[code.Name()] = true
		if !grammar.MatchString(code.Name()) {
			t.Errorf("%s does not read family:part:problem", code.Name())
		}
		if code.Message() == "" || code.Remedy() == "" {
			t.Errorf("%s lacks a message or a remedy", code.Name())
		}
		switch code.Status() {
		case 400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 500, 502, 503:
		default:
			t.Errorf("%s has status %d, which the interface does not use", code.Name(), code.Status())
		}
	}
}

// TestPublishedCodesOnlyGrow checks that published codes stay, because clients
// match on them.
func TestPublishedCodesOnlyGrow(t *testing.T) {
	text, err := os.ReadFile("testdata/published.txt")
	if err != nil {
		t.Fatal(err)
	}
	published := make(map[string]bool)
	for name := range strings.FieldsSeq(string(text)) {
		published[name] = true
	}
	for _, code := range Codes() {
		if !published[code.Name()] {
			t.Errorf("%s is missing from testdata/published.txt", code.Name())
		}
		delete(published, code.Name())
	}
	for name := range published {
		t.Errorf("%s was published and is gone", name)
	}
}
