package api

import (
	"testing"

	"github.com/quiresearch/quire/problem"
)

// Every code is listed by an operation that returns it.
func TestEveryCodeBelongsToAnOperation(t *testing.T) {
	known := map[string]bool{problem.RequestNotFound.Name(): true} // belongs to no operation
	for _, code := range everyCodes {
		known[code.Name()] = true
	}
	for _, route := range Routes() {
		for _, code := range route.Codes {
			known[code.Name()] = true
		}
	}
	for _, code := range problem.Codes() {
		if !known[code.Name()] {
			t.Errorf("no operation answers %s", code.Name())
		}
	}
}
