package demo

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestCatalogueIsTheSameEveryTime(t *testing.T) {
	first, second := Catalogue(), Catalogue()
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

func TestDefinitionAndSettingsAreJSON(t *testing.T) {
	if !json.Valid(Definition) || !json.Valid(Settings) {
		t.Error("definition or settings are not JSON")
	}
}

func TestLinesHoldTheCatalogue(t *testing.T) {
	lines, err := Lines()
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(lines))
	for at, want := range Catalogue() {
		var got Product
		if err := decoder.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("line %d: %+v", at+1, got)
		}
	}
	if decoder.More() {
		t.Error("there are more lines than products")
	}
}
