package search

import (
	"errors"
	"reflect"
	"testing"

	"github.com/quiresearch/quire/internal/search/collect"
	"github.com/quiresearch/quire/problem"
)

func at(name string) problem.Path { return problem.At(name) }

func TestCursorsComeBackAsTheyWere(t *testing.T) {
	keys := []collect.Key{{Kind: collect.ByScore, Descending: true}, {Kind: collect.ByNumber}, {Kind: collect.ByText}, {Kind: collect.ByDistance}}
	values := []collect.Value{{Float: 1.25}, {Number: -7}, {Text: []byte("a\x00b")}, {Missing: true}}
	c, err := decodeCursor(encodePosition(77, keys, values, 1<<40), at("after"))
	if err != nil || c.isOffset || c.standing != 1<<40 || !reflect.DeepEqual(c.values, values) {
		t.Fatalf("%+v, %v", c, err)
	}
	if err := c.check(77, keys, at("after")); err != nil {
		t.Error(err)
	}
	if err := c.check(78, keys, at("after")); !errors.Is(err, problem.SearchCursorSortMismatch) {
		t.Errorf("another order: %v", err)
	}
	if err := c.check(77, keys[:3], at("after")); !errors.Is(err, problem.SearchCursorStale) {
		t.Errorf("fewer keys: %v", err)
	}
	keys[1].Kind = collect.ByText
	if err := c.check(77, keys, at("after")); !errors.Is(err, problem.SearchCursorStale) {
		t.Errorf("another kind: %v", err)
	}
	for _, text := range []string{"", "x", "AA", "AQ", "AQk", encodeOffset(5) + "AA", "!!"} {
		if _, err := decodeCursor(text, at("after")); !errors.Is(err, problem.SearchCursorInvalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(encodeOffset(10))
	f.Add(encodePosition(1, []collect.Key{{Kind: collect.ByText}}, []collect.Value{{Text: []byte("x")}}, 3))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := decodeCursor(text, at("after"))
		if (c == nil) == (err == nil) {
			t.Fatal("neither or both of cursor and error")
		}
	})
}

func TestTheTypeOfAFieldIsNoPartOfAnOrder(t *testing.T) {
	of := func(kind collect.KeyKind, name string, descending bool) uint32 {
		o := order{keys: []collect.Key{{Kind: kind, Descending: descending}}, names: []string{name}}
		return o.fingerprint("documents")
	}
	number := of(collect.ByNumber, "n", false)
	if of(collect.ByText, "n", false) != number {
		t.Error("another type is another order")
	}
	for _, other := range []uint32{of(collect.ByNumber, "m", false), of(collect.ByNumber, "n", true), of(collect.ByDistance, "n", false), of(collect.ByScore, "n", false)} {
		if other == number {
			t.Error("two orders are one")
		}
	}
}
