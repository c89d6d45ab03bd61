package elasticsearch

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/draft"
)

func TestTypesAreTranslated(t *testing.T) {
	for property, want := range map[string]string{
		`{"type":"integer"}`:   `{"type":"int32","filter":{},"sort":{}}`,
		`{"type":"long"}`:      `{"type":"int64","filter":{},"sort":{}}`,
		`{"type":"float"}`:     `{"type":"float","filter":{},"sort":{}}`,
		`{"type":"boolean"}`:   `{"type":"boolean","filter":{},"facet":{}}`,
		`{"type":"date"}`:      `{"type":"timestamp","role":"timestamp"}`,
		`{"type":"geo_point"}`: `{"type":"geo_point","role":"geo"}`,
		`{"type":"keyword"}`:   `{"type":"string","filter":{},"sort":{},"facet":{},"matching":{"analyzer":{"preset":"preserve_terms"}}}`,
		`{"type":"text","analyzer":"french"}`: `{"type":"string","locales":{"defaultLocale":"fr"},` +
			`"matching":{"highlight":{},"typoTolerance":{},"lengthNormalization":"moderate"}}`,
		`{"type":"text","fields":{"raw":{"type":"keyword"}}}`: `{"type":"string","filter":{},"sort":{},"facet":{},` +
			`"matching":{"highlight":{},"typoTolerance":{},"lengthNormalization":"moderate"}}`,
		`{"type":"keyword","index":false}`:                             `{"type":"string"}`,
		`{"type":"dense_vector","dims":64,"similarity":"dot_product"}`: `{"type":"vector","dimensions":64}`,
		`{"type":"knn_vector","dimension":32}`:                         `{"type":"vector","dimensions":32}`,
		`{"type":"binary"}`:                                            `{"type":"string"}`,
		`{"properties":{"a":{"type":"byte"}}}`:                         `{"type":"object","fields":{"a":{"type":"int32","filter":{},"sort":{}}}}`,
		`{"type":"nested","properties":{"a":{"type":"byte"}}}`:         `{"type":"object","multiple":true,"mode":"nested","fields":{"a":{"type":"int32","filter":{}}}}`,
		`{"type":"join"}`:                                              "left out",
		`{"type":"object","enabled":false}`:                            "left out",
		`{"type":"percolator"}`:                                        "left out",
		`{"type":"token_count","analyzer":"standard"}`:                 "left out",
		`{"type":"nested","properties":{"b":{"type":"nested","properties":{"a":{"type":"date"}}}}}`: `{"type":"object","multiple":true,"mode":"nested","fields":` +
			`{"b":{"type":"object","multiple":true,"mode":"flattened","fields":{"a":{"type":"timestamp","filter":{}}}}}}`,
	} {
		var mapping Mapping
		if err := json.Unmarshal([]byte(`{"properties":{"f":`+property+`}}`), &mapping); err != nil {
			t.Fatal(err)
		}
		translated := Translate(&mapping, draft.New(draft.Options{}).Finish())
		got := "left out"
		if field := translated.Fields.Get("f"); field != nil {
			content, err := json.Marshal(field)
			if err != nil {
				t.Fatal(err)
			}
			got = string(content)
		} else if len(translated.Notes) == 0 {
			t.Errorf("%s is left out without a note", property)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", property, got, want)
		}
		body, err := (&draft.Draft{Fields: translated.Fields}).MarshalDefinition()
		if err != nil {
			t.Fatal(err)
		}
		if got != "left out" {
			if _, err := definition.Parse(body, definition.Capabilities{}); err != nil {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

func TestDigitsThatAreLostAreNoted(t *testing.T) {
	mapping := &Mapping{Properties: map[string]*Property{"at": {Type: "date_nanos"}}}
	if notes := Translate(mapping, draft.New(draft.Options{}).Finish()).Notes; len(notes) != 1 || !strings.Contains(notes[0], "at: digits after the milliseconds") {
		t.Errorf("%q", notes)
	}
}

func TestAddressesNameAnIndex(t *testing.T) {
	for address, want := range map[string]string{
		"localhost:9200/books":           "books",
		"https://u:p@host:9200/books-1/": "books-1",
		"http://host:9200":               "",
		"http://host:9200/a/b":           "",
		"://":                            "",
	} {
		cluster, err := New(address)
		if (err == nil) != (want != "") || err == nil && cluster.Index != want {
			t.Errorf("%s: %v %v", address, cluster, err)
		}
		if err != nil && strings.Contains(err.Error(), "u:p@") {
			t.Errorf("%v shows a password", err)
		}
	}
}

func TestFormatsOfDatesAreObeyed(t *testing.T) {
	for format, want := range map[string]draft.Column{
		"":                                  {DayFirst: true, Digits: draft.Digits{Unit: time.Millisecond, Years: true}},
		"epoch_second":                      {DayFirst: true, Digits: draft.Digits{Unit: time.Second}},
		"epoch_millis||strict_year":         {DayFirst: true, Digits: draft.Digits{Unit: time.Millisecond}},
		"yyyy||epoch_second||epoch_millis":  {DayFirst: true, Digits: draft.Digits{Unit: time.Second, Years: true}},
		"MM/dd/yyyy":                        {},
		"yyyy-MM-dd HH:mm:ss||M/d/yyyy||d.": {},
		"dd/MM/yyyy || basic_date":          {DayFirst: true, Digits: draft.Digits{Days: true}},
	} {
		got := draft.Column{}
		if got.DayFirst, got.Digits = dates(format); got.DayFirst != want.DayFirst || got.Digits != want.Digits {
			t.Errorf("%q: %+v", format, got)
		}
	}
}
