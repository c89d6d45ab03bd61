package main

import (
	"strings"
	"testing"
)

func TestTheExampleFindsExplainsAndSuggests(t *testing.T) {
	directory := t.TempDir()
	const want = `{"id":"2","title":"The Dispossessed","author":"Ursula K. Le Guin","year":1974}
the explanation gives the same score: true
oct: Octavia E. Butler
`
	for range 2 { // the second time the index exists already
		var out strings.Builder
		if err := run(t.Context(), directory, &out); err != nil || out.String() != want {
			t.Fatalf("%v\n%s", err, out.String())
		}
	}
}
