package document

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

const (
	counted  = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string"},"pop":{"type":"double","signal":{},"validation":{"min":0}},"n":{"type":"int32","signal":{}}}}`
	numbered = `{"fields":{"id":{"type":"int64","primaryKey":true,"validation":{"max":1000}},"r":{"type":"float","signal":{},"required":true}}}`
)

func TestWhichChangesAreRefreshes(t *testing.T) {
	for _, c := range []struct {
		definition, change string
		want               bool
	}{
		{counted, `{"id":"1","pop":0.5}`, true},
		{counted, `{ "pop" : 7 , "n" : -3, "id" : "a b" }`, true},
		{numbered, `{"id":-0,"r":1.25}`, true},
		{counted, `{"id":"1"}`, false},
		{counted, `{"pop":1}`, false},
		{counted, `{"id":"","pop":1}`, false},
		{counted, `{"id":"é","pop":1}`, false},
		{counted, `{"id":"\u0031","pop":1}`, false},
		{counted, `{"id":1,"pop":1}`, false},
		{counted, `{"id":"1","pop":"1"}`, false},
		{counted, `{"id":"1","pop":null}`, false},
		{counted, `{"id":"1","pop":-1}`, false},
		{counted, `{"id":"1","pop":1e3}`, false},
		{counted, `{"id":"1","pop":01}`, false},
		{counted, `{"id":"1","n":1.5}`, false},
		{counted, `{"id":"1","n":3000000000}`, false},
		{counted, `{"id":"1","pop":1,"pop":2}`, false},
		{counted, `{"id":"1","pop":1,"id":"1"}`, false},
		{counted, `{"id":"1","pop":1,"name":"x"}`, false},
		{counted, `{"id":"1","pop":1,"bogus":1}`, false},
		{counted, `{"id":"1","pop":1}x`, false},
		{counted, `{"id":"1","pop":1,}`, false},
		{counted, `{"id":"1","pop":1`, false},
		{counted, `{"id":"1" "pop":1}`, false},
		{numbered, `{"id":1001,"r":1}`, false},
		{numbered, `{"id":"7","r":1}`, false},
	} {
		var refreshes Refreshes
		if got := NewReader(schemaOf(t, c.definition)).ReadRefresh([]byte(c.change), &refreshes); got != c.want || refreshes.Len() != map[bool]int{true: 1}[got] {
			t.Errorf("%s: %v, %d refreshes", c.change, got, refreshes.Len())
		}
	}
}

// FuzzReadRefresh checks that whatever ReadRefresh accepts, Check accepts and
// ReadChange reads alike.
func FuzzReadRefresh(f *testing.F) {
	var readers []*Reader
	for _, text := range []string{counted, numbered, everything} {
		readers = append(readers, NewReader(schemaOf(f, text)))
	}
	for _, text := range []string{`{"id":"1","pop":0.5}`, `{"id":7,"r":-1.5}`, ` {"id":"1","pop":1} `, `{"id":"1","n":0,"pop":12.50}`, `{"id":-0,"r":1}`, `{"\id":"1","pop":1}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, r := range readers {
			var refreshes Refreshes
			if !r.ReadRefresh(data, &refreshes) {
				if refreshes.Len() != 0 || len(refreshes.keys) != 0 || len(refreshes.signals) != 0 {
					t.Fatalf("%q left something behind", data)
				}
				continue
			}
			raw, err := jsonread.Check(data)
			if err != nil {
				t.Fatalf("%q: %v", data, err)
			}
			var found problem.List
			change := r.ReadChange(raw, problem.Path{}, &found)
			if change == nil || !change.SignalsOnly {
				t.Fatalf("%q is not a refresh: %v", data, found.Err())
			}
			refreshes.Each(func(key Key, signals []Signal) {
				if key != change.Key || !cmp.Equal(signals, change.Signals,
					cmp.Comparer(func(a, b *definition.ResolvedField) bool { return a == b })) {
					t.Fatalf("%q: %q %v, as a change %q %v", data, key, signals, change.Key, change.Signals)
				}
			})
		}
	})
}
