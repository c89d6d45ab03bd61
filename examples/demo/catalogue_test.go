package main

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestCatalogueIsTheSameEveryTime(t *testing.T) {
	first, second := catalogue(), catalogue()
	if len(first) < 200 || !reflect.DeepEqual(first, second) {
		t.Errorf("%d products, equal: %v", len(first), reflect.DeepEqual(first, second))
	}
	seen := make(map[string]bool)
	for _, p := range first {
		if p.Name["en"] == "" || p.Name["sv"] == "" || len(p.Variants) == 0 || p.Price <= 0 {
			t.Errorf("incomplete: %+v", p)
		}
		for _, v := range p.Variants {
			if seen[v.SKU] {
				t.Errorf("%s twice", v.SKU)
			}
			seen[v.SKU] = true
		}
	}
}

func TestExamplesAreJSON(t *testing.T) {
	for _, s := range searches {
		if !json.Valid([]byte(s.body)) {
			t.Errorf("%s: %s", s.title, s.body)
		}
	}
	if !json.Valid(definition) || !json.Valid(settings) {
		t.Error("definition or settings are no JSON")
	}
}
