package search

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/query"
)

const readingsDefinition = `{"fields":{"id":{"type":"string","role":"id"},"name":{"type":"string","role":"title"},"body":{"type":"string","role":"description"},
	"tags":{"type":"string","multiple":true,"role":"tag"},"code":{"type":"string","role":"code"},
	"colour":{"type":"string","filter":{},"facet":{}},"price":{"type":"double","filter":{},"unit":"EUR"},"weight":{"type":"int32","filter":{},"unit":"kilogram"},
	"v":{"type":"object","multiple":true,"mode":"nested","fields":{"label":{"type":"string","matching":{}},"plain":{"type":"string","matching":{"analyzer":{"preset":"preserve_terms"}}},
		"size":{"type":"int32","filter":{},"unit":"centimeter"},"kind":{"type":"string","filter":{},"facet":{}}}}}}`

// some returns between one and most of the words, with repetitions.
func (m maker) some(most int, words []string) string {
	all := make([]string, 1+m.IntN(most))
	for i := range all {
		all[i] = m.of(words...)
	}
	return strings.Join(all, " ")
}

// TestReadingsRemoveNothing compares what a typed text finds with and without
// interpretation: a document that holds the words is found either way.
func TestReadingsRemoveNothing(t *testing.T) {
	words := []string{"mug", "lamp", "the", "for", "under", "unter", "5", "10", "eur", "kg", "5kg", "10eur", "2-5", "red", "dark", "north", "face", "it", "cm", "between", "and", "to", "från", "moins", "de", "7cm", `"mug"`, `"the lamp"`, "-lamp"}
	read, found := 0, 0
	for seed := range uint64(40) {
		m := maker{rand.New(rand.NewPCG(seed, 3))}
		text := func(most int) string { return m.some(most, words) }
		x := newIndex(t, readingsDefinition)
		x.set(t, `{"fields":{"colour":{"interpret":{},"values":[{"value":"red","labels":{"sv":"mug","de":"the lamp"}}]},"v.kind":{"interpret":{}}}}`)
		lines := make([]string, 60)
		for i := range lines {
			d := object{"id": fmt.Sprint(i), "name": text(5), "body": text(12), "tags": []string{text(2), text(2)}, "code": text(2), "price": m.IntN(20), "weight": m.IntN(12),
				"colour": m.of("red", "dark red", "the north face", "it", "lamp"),
				"v":      []any{object{"label": text(6), "plain": text(6), "size": m.IntN(9), "kind": m.of("red", "lamp")}, object{"label": text(6), "size": m.IntN(9)}}}
			line, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = string(line)
		}
		x.add(t, lines[:30], nil)
		x.add(t, lines[30:], nil)
		for range 60 {
			clause := object{"type": "text", "text": text(5), "match": "user", "relax": "off", "prefix": "off", "typos": "off", "combine": m.of("term", "field")}
			nested := m.IntN(3) == 0
			switch {
			case nested && m.IntN(2) == 0:
				clause["fields"] = object{"v.label": nil}
			case !nested && m.IntN(2) == 0:
				clause["fields"] = object{"name": nil, m.of("body", "tags", "code"): 2}
			}
			if !nested && m.IntN(4) == 0 {
				clause["interpret"] = object{"fields": []any{object{"field": "price", "when": []any{object{"field": "colour", "match": object{"value": "red"}}}}}}
			}
			run := func() (map[string]bool, bool, string) {
				query := []any{clause}
				switch {
				case nested:
					query = []any{object{"type": "nested", "path": "v", "clauses": query}}
				case clause["combine"] == "field":
					query = []any{object{"type": "and", "clauses": []any{object{"type": "or", "clauses": query}}}}
				}
				body, err := json.Marshal(object{"limit": 1000, "locale": []string{"en", "sv", "de", "fr"}[seed%4], "query": query})
				if err != nil {
					t.Fatal(err)
				}
				answer := x.mustSearch(t, string(body))
				ids := make(map[string]bool)
				for _, h := range answer.Hits {
					ids[h.ID] = true
				}
				return ids, answer.Interpreted != nil, string(body)
			}
			withReading, isRead, body := run()
			if !isRead {
				continue
			}
			read++
			clause["interpret"] = "off"
			literally, _, _ := run()
			found += len(literally)
			for id := range literally {
				if !withReading[id] {
					t.Fatalf("seed %d: %s\nloses %s", seed, body, lines[atoi(id)])
				}
			}
		}
	}
	if read < 500 || found < 500 {
		t.Errorf("only %d texts were read, and %d documents hold their words", read, found)
	}
}

func atoi(text string) (n int) {
	fmt.Sscan(text, &n)
	return n
}

// TestReadingsAreWanted puts words that no document holds around a text that is
// interpreted: they are dropped, and the text finds what it finds alone.
func TestReadingsAreWanted(t *testing.T) {
	words := []string{"mug", "lamp", "the", "for", "under", "5", "10", "eur", "kg", "5kg", "2-5", "red", "dark", "north", `"mug"`, `"the lamp"`, "-lamp", "-north", `-"red mug"`}
	relaxed, onlyRead := 0, 0
	for seed := range uint64(30) {
		m := maker{rand.New(rand.NewPCG(seed, 4))}
		text := func(most int) string { return m.some(most, words) }
		x := newIndex(t, readingsDefinition)
		x.set(t, `{"fields":{"colour":{"interpret":{}}}}`)
		lines := make([]string, 40)
		for i := range lines {
			line, err := json.Marshal(object{"id": fmt.Sprint(i), "name": text(4), "body": text(6), "price": m.IntN(20), "weight": m.IntN(12), "colour": m.of("red", "dark red", "lamp")})
			if err != nil {
				t.Fatal(err)
			}
			lines[i] = string(line)
		}
		x.add(t, lines, nil)
		for range 60 {
			clause := object{"type": "text", "match": "user", "prefix": "off", "typos": "off", "relax": m.of("unmatched", "words"), "combine": m.of("term", "field")}
			if m.IntN(2) == 0 {
				clause["fields"] = object{m.of("name", "body", "code"): nil}
			}
			run := func(typed string) (*query.Answer, map[string]bool) {
				clause["text"] = typed
				body, err := json.Marshal(object{"limit": 1000, "query": []any{clause}})
				if err != nil {
					t.Fatal(err)
				}
				answer := x.mustSearch(t, string(body))
				ids := make(map[string]bool)
				for _, h := range answer.Hits {
					ids[h.ID] = true
				}
				return answer, ids
			}
			typed := text(4)
			alone, want := run(typed)
			if alone.Interpreted == nil || alone.Relaxed != nil || len(want) == 0 {
				continue
			}
			around := m.of("qqqq "+typed, typed+" qqqq", "qqqq "+typed+" vvvv")
			answer, got := run(around)
			if answer.Relaxed == nil {
				t.Fatalf("seed %d: %q finds %d documents, %q none", seed, typed, len(want), around)
			}
			if slices.ContainsFunc(answer.Relaxed.Dropped, func(d query.DroppedWord) bool { return d.Word != "qqqq" && d.Word != "vvvv" }) {
				continue // a word that requires nothing next to an interpretation
			}
			if covered := len(answer.Hits) > 0 && answer.Hits[0].Missing != nil; covered {
				for id := range want {
					if !got[id] {
						t.Fatalf("seed %d: %q finds %s, covered as %q it is not found", seed, typed, id, around)
					}
				}
				continue // other documents that hold most of the words match too
			}
			if answer.Relaxed.Text != typed || !maps.Equal(got, want) {
				t.Fatalf("seed %d: %q finds %v, %q is relaxed to %q and finds %v", seed, typed, want, around, answer.Relaxed.Text, got)
			}
			relaxed++
			if alone.Interpreted.Text == "" {
				onlyRead++
			}
		}
	}
	if relaxed < 200 || onlyRead < 50 {
		t.Errorf("only %d texts were relaxed, %d of them to readings alone", relaxed, onlyRead)
	}
}
