package suggest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// text is a value and its label.
type text struct{ value, label string }

func lower(text string) []byte { return []byte(strings.ToLower(text)) }

func build(values []text, normalize func(string) []byte) *Index {
	x, err := Build(context.Background(), len(values), func(i int) (string, string) { return values[i].value, values[i].label }, normalize)
	if err != nil {
		panic(err)
	}
	return x
}

var brands = []text{{"Adidas", ""}, {"Adidas Originals", ""}, {"Asics", ""}, {"red", "Rouge"}, {"rouge", "Crimson"}}

// names lists the values of ranges, with a star after those found by their label.
func names(x *Index, ranges []Range) string {
	counts := make([]uint32, x.Len())
	for i := range counts {
		counts[i] = 1
	}
	var all []string
	for _, m := range x.Count(counts).Top(ranges, 100, nil) {
		name := brands[m.Value].value
		if m.ByLabel {
			name += "*"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

func TestPrefixFindsValuesAndLabels(t *testing.T) {
	x := build(brands, lower)
	for text, want := range map[string]string{
		"adi": "Adidas, Adidas Originals", "originals": "", "rou": "red*, rouge", "c": "rouge*", "": "Adidas, Adidas Originals, Asics, red*, rouge*",
	} {
		if got := names(x, x.Prefix(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNearForgivesOneMistake(t *testing.T) {
	x := build(brands, lower)
	for text, want := range map[string]string{
		"adixas": "Adidas, Adidas Originals", "addas": "Adidas, Adidas Originals", "adiddas": "Adidas, Adidas Originals",
		"aiddas": "Adidas, Adidas Originals", "xdidas": "", "axixas": "", "asisc": "Asics", "crinso": "rouge*",
	} {
		if got := names(x, x.Near(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// startsNear reports whether a form starts with a reading of the word at most one
// edit away that keeps its first character.
func startsNear(word, form []rune) bool {
	starts := func(text, prefix []rune) bool {
		return len(text) >= len(prefix) && slices.Equal(text[:len(prefix)], prefix)
	}
	if !starts(form, word[:1]) {
		return false
	}
	if starts(form, word) {
		return true
	}
	for i := 1; i < len(word); i++ {
		if !starts(form, word[:i]) {
			return false
		}
		rest, against := word[i:], form[i:]
		switch {
		case starts(against, rest[1:]),
			len(against) > 0 && (starts(against[1:], rest[1:]) || starts(against[1:], rest)),
			len(rest) > 1 && len(against) > 1 && rest[0] == against[1] && rest[1] == against[0] && starts(against[2:], rest[2:]):
			return true
		}
	}
	return false
}

// TestFindsWhatComparingFinds compares ranges and rankings with a scan of every
// form.
func TestFindsWhatComparingFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	word := func(most int) string {
		letters := []rune("abåЖ")
		runes := make([]rune, 1+r.IntN(most))
		for i := range runes {
			runes[i] = letters[r.IntN(len(letters))]
		}
		return string(runes)
	}
	for round := range 300 {
		values := make([]text, r.IntN(60))
		for i := range values {
			values[i].value = word(8)
			if round%2 == 0 && r.IntN(3) == 0 {
				values[i].label = word(8)
			}
		}
		slices.SortFunc(values, func(a, b text) int { return strings.Compare(a.value, b.value) })
		x := build(values, lower)
		counts := make([]uint32, len(values))
		for i := range counts {
			counts[i] = uint32(r.IntN(4))
		}
		typed, limit := strings.ToLower(word(7)), 1+r.IntN(10)
		known := make(map[int]bool)
		for i := range values {
			if r.IntN(5) == 0 {
				known[i] = true
			}
		}
		for name, c := range map[string]struct {
			ranges []Range
			finds  func(form string) bool
		}{
			"prefix": {x.Prefix(typed), func(form string) bool { return strings.HasPrefix(form, typed) }},
			"near":   {x.Near(typed), func(form string) bool { return startsNear([]rune(typed), []rune(form)) }},
		} {
			var want []Match
			held := []int{}
			for i, v := range values {
				byValue, byLabel := c.finds(strings.ToLower(v.value)), v.label != "" && c.finds(strings.ToLower(v.label))
				if counts[i] > 0 && (byValue || byLabel) {
					held = append(held, i)
					if !known[i] {
						want = append(want, Match{Value: i, Count: int64(counts[i]), ByLabel: byLabel})
					}
				}
			}
			slices.SortStableFunc(want, func(a, b Match) int { return int(b.Count - a.Count) })
			want = want[:min(limit, len(want))]
			for kind, ranking := range map[string]*Ranking{"once": x.Count(counts), "tree": x.Order(counts)} {
				if got := ranking.Top(c.ranges, limit, known); !reflect.DeepEqual(got, want) && len(got)+len(want) > 0 {
					t.Fatalf("round %d, %s of %q, %s: got %v, want %v, of %v", round, name, typed, kind, got, want, values)
				}
				if got := ranking.Held(c.ranges); !slices.Equal(got, held) || ranking.CountHeld(c.ranges) != len(held) {
					t.Fatalf("round %d, %s of %q: holds %v (%d), want %v", round, name, typed, got, ranking.CountHeld(c.ranges), held)
				}
			}
		}
	}
}

func TestTypedCountsShownCharacters(t *testing.T) {
	fold := func(text string) []byte { return []byte(strings.ReplaceAll(strings.ToLower(text), "ß", "ss")) }
	for _, c := range []struct {
		shown, typed string
		want         int
	}{{"Adidas", "adi", 3}, {"Straße", "strass", 5}, {"Straße", "stras", 5}, {"Straße", "strasse", 6}, {"x", "", 0}, {"Ål", "å", 1}, {"ßß", "ss", 1}} {
		if got := Typed(c.shown, c.typed, fold); got != c.want {
			t.Errorf("%v: got %d", c, got)
		}
	}
}

func FuzzNear(f *testing.F) {
	f.Add("adidas", "adixas")
	f.Fuzz(func(t *testing.T, value, typed string) {
		x := build([]text{{value: value}, {value: typed, label: value}}, func(s string) []byte { return []byte(s) })
		x.Near(typed)
		if typed != "" && len(x.Order([]uint32{1, 1}).Top(x.Prefix(typed), 2, nil)) == 0 {
			t.Error("a value does not start with itself")
		}
	})
}

func TestBuildEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Build(ctx, 1, func(int) (string, string) { return "a", "" }, lower); err == nil {
		t.Error("built after the end")
	}
}

// BenchmarkTop completes among a million values.
func BenchmarkTop(b *testing.B) {
	const n = 1_000_000
	x, err := Build(context.Background(), n, func(i int) (string, string) { return fmt.Sprintf("u%07d", i), "" }, lower)
	if err != nil {
		b.Fatal(err)
	}
	counts := make([]uint32, n)
	for i := range counts {
		counts[i] = uint32(i*7919) % 1000
	}
	ranking := x.Order(counts)
	for name, find := range map[string]func() []Range{
		"all": x.All, "letter": func() []Range { return x.Prefix("u") }, "prefix": func() []Range { return x.Prefix("u12345") },
		"near": func() []Range { return x.Near("u1x23456") },
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				ranking.Top(find(), 10, nil)
			}
		})
	}
}
