package main

import (
	"encoding/json"
	"testing"
)

func TestExamplesAreJSON(t *testing.T) {
	for _, s := range searches {
		if !json.Valid([]byte(s.body)) {
			t.Errorf("%s: %s", s.title, s.body)
		}
	}
}
