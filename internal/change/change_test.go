package change

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func TestPathsAreTakenApart(t *testing.T) {
	for text, want := range map[string]Path{
		"price":        {{Name: "price"}},
		"a.b.c":        {{Name: "a"}, {Name: "b"}, {Name: "c"}},
		"title[sv-SE]": {{Name: "title", Selector: Selector{Word, "", "sv-SE"}}},
		"tags[]":       {{Name: "tags", Selector: Selector{Kind: Add}}},
		"v[sku=a=b].x": {{Name: "v", Selector: Selector{Match, "sku", "a=b"}}, {Name: "x"}},
		`v[sku=V\]4]`:  {{Name: "v", Selector: Selector{Match, "sku", "V]4"}}},
		`v[V\=5]`:      {{Name: "v", Selector: Selector{Word, "", "V=5"}}},
		`a\.b\[c\\d`:   {{Name: `a.b[c\d`}},
		"v[sku=]":      {{Name: "v", Selector: Selector{Match, "sku", ""}}},
		"a[x].b[y=1]":  {{Name: "a", Selector: Selector{Word, "", "x"}}, {Name: "b", Selector: Selector{Match, "y", "1"}}},
		"":             nil,
		".a":           nil,
		"a.":           nil,
		"a..b":         nil,
		"a[":           nil,
		"a[b":          nil,
		"a]":           nil,
		"a[b]c":        nil,
		"a[b][c]":      nil,
		"a[=x]":        nil,
		`a\`:           nil,
		"[b]":          nil,
		`a[b\]`:        nil,
	} {
		got, err := ParsePath(text)
		if (err != nil) != (want == nil) || len(got) != len(want) {
			t.Errorf("%q: got %+v, %v", text, got, err)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%q: got %+v, want %+v", text, got[i], want[i])
			}
		}
	}
}

// shape is a hand-written shape.
type shape struct {
	members   map[string]shape
	multiple  bool
	key       string
	localized bool
}

func (s shape) Member(name string) (Shape, bool) { m, ok := s.members[name]; return m, ok }
func (s shape) Names() []string                  { return slices.Sorted(maps.Keys(s.members)) }
func (s shape) IsObject() bool                   { return s.members != nil }
func (s shape) IsMultiple() bool                 { return s.multiple }
func (s shape) Key() string                      { return s.key }
func (s shape) IsLocalized() bool                { return s.localized }
func (s shape) Variant(tag string) (string, bool) {
	switch strings.Split(tag, "-")[0] {
	case "", "en":
		return "en", true
	case "fr":
		return "fr", true
	}
	return "", false
}

var catalogue = shape{members: map[string]shape{
	"price": {}, "category": {}, "tags": {multiple: true}, "title": {localized: true}, "words": {localized: true, multiple: true},
	"dimensions": {members: map[string]shape{"width": {}, "deep": {members: map[string]shape{"x": {}}}}},
	"variants":   {members: map[string]shape{"sku": {}, "price": {}, "count": {}, "tags": {multiple: true}}, multiple: true, key: "sku"},
	"parts":      {members: map[string]shape{"no": {}}, multiple: true},
}}

func TestPathsAreApplied(t *testing.T) {
	const before = `{"price":1,"tags":["a"],"title":"jam","dimensions":{"width":3},"variants":[{"sku":"V-1","count":1},{"sku":"V-2","count":2},{"sku":"V-3","count":3.0}],"parts":[{"no":"P"}]}`
	for _, c := range []struct{ path, value, want string }{
		{"price", "2.50", strings.Replace(before, `"price":1`, `"price":2.50`, 1)},
		{"price", "null", strings.Replace(before, `"price":1,`, ``, 1)},
		{"category", `"x"`, strings.Replace(before, `[{"no":"P"}]}`, `[{"no":"P"}],"category":"x"}`, 1)},
		{"dimensions.width", "12", strings.Replace(before, `"width":3`, `"width":12`, 1)},
		{`dimensions\.width`, "12", strings.Replace(before, `"width":3`, `"width":12`, 1)},
		{"dimensions.deep.x", "1", strings.Replace(before, `"width":3`, `"width":3,"deep":{"x":1}`, 1)},
		{"dimensions.deep.x", "null", before},
		{"tags[]", `"b"`, strings.Replace(before, `["a"]`, `["a","b"]`, 1)},
		{"words[]", `"b"`, strings.Replace(before, `[{"no":"P"}]}`, `[{"no":"P"}],"words":["b"]}`, 1)},
		{"title[fr-CA]", `"c"`, strings.Replace(before, `"title":"jam"`, `"title":{"en":"jam","fr":"c"}`, 1)},
		{"title[en]", "null", strings.Replace(before, `"title":"jam",`, ``, 1)},
		{"variants[sku=V-2].count", "9", strings.Replace(before, `"count":2`, `"count":9`, 1)},
		{"variants[count=2].count", "9", strings.Replace(before, `"count":2`, `"count":9`, 1)},
		{"variants[count=3].count", "9", strings.Replace(before, `"count":3.0`, `"count":9`, 1)},
		{"variants[count=3.0].count", "9", strings.Replace(before, `"count":3.0`, `"count":9`, 1)},
		{"variants[count=2.0].count", "9", "!no_match"},
		{"variants[V-1]", `{"sku":"V-9"}`, strings.Replace(before, `{"sku":"V-1","count":1}`, `{"sku":"V-9"}`, 1)},
		{"variants[V-1]", `null`, strings.Replace(before, `{"sku":"V-1","count":1},`, ``, 1)},
		{"variants[V-1].tags[]", `"x"`, strings.Replace(before, `"count":1`, `"count":1,"tags":["x"]`, 1)},
		{"parts[no=P]", `null`, strings.Replace(before, `,"parts":[{"no":"P"}]`, ``, 1)},
		{"a[", "1", "!path_invalid"},
		{"variants[a].x[b]", "1", "!path_invalid"},
		{"tags[].x", "1", "!add_reaches_inside"},
		{"absent", "1", "!field_unknown"},
		{"dimensions.no", "1", "!field_unknown"},
		{"variants[no=1]", "1", "!field_unknown"},
		{"category[fr]", `"x"`, "!selector_unsupported"},
		{"tags[a]", `"x"`, "!selector_unsupported"},
		{"tags[a=b]", `"x"`, "!match_not_an_object"},
		{"category[]", `"x"`, "!add_unsupported"},
		{"category.x", `"x"`, "!not_an_object"},
		{"variants.price", `1`, "!selector_required"},
		{"parts[P].no", `"x"`, "!key_unsupported"},
		{"dimensions[x]", `1`, "!key_unsupported"},
		{"variants[V-404]", `{}`, "!no_match"},
		{"variants[sku=V-404]", `null`, "!no_match"},
		{"title[es]", `"x"`, "!locale_unknown"},
	} {
		var found problem.List
		tree := ParseTree([]byte(before))
		target := Target{Tree: tree, Shape: catalogue, Codes: DocumentCodes(), At: problem.At("documents[3]"), Found: &found}
		ok := target.Apply(c.path, []byte(c.value))
		got := string(tree.Append(nil))
		if !ok {
			p := found.Problems()[0]
			got = "!" + p.Code.Name()[strings.LastIndex(p.Code.Name(), ":")+1:]
			if want := problem.At("documents[3]").Append(c.path).String(); p.Path != want {
				t.Errorf("%s: reported at %s, want %s", c.path, p.Path, want)
			}
		}
		if got != c.want {
			t.Errorf("%s = %s\n got %s\nwant %s", c.path, c.value, got, c.want)
		}
	}
}

// apply applies one path to a tree with the codes of documents.
func apply(tree *Tree, shape Shape, path string, value []byte, found *problem.List) bool {
	target := Target{Tree: tree, Shape: shape, Codes: DocumentCodes(), Found: found}
	return target.Apply(path, value)
}

func TestAddingToATaggedListAddsToTheDefault(t *testing.T) {
	var found problem.List
	tree := ParseTree([]byte(`{"words":{"fr":["a"]}}`))
	apply(tree, catalogue, "words[]", []byte(`"b"`), &found)
	if got := string(tree.Append(nil)); got != `{"words":{"fr":["a"],"en":["b"]}}` {
		t.Error(got)
	}
}

func TestSelectorsReadTextHoweverItIsSpelled(t *testing.T) {
	for path, want := range map[string]string{
		"variants[V-2].count": `{"variants":[{"sku":"V\u002d2","count":9},{"sku":"\\"}]}`,
		`variants[\\].count`:  `{"variants":[{"sku":"V\u002d2"},{"sku":"\\","count":9}]}`,
	} {
		var found problem.List
		tree := ParseTree([]byte(`{"variants":[{"sku":"V\u002d2"},{"sku":"\\"}]}`))
		apply(tree, catalogue, path, []byte("9"), &found)
		if got := string(tree.Append(nil)); got != want || found.Len() > 0 {
			t.Errorf("%s: got %s %v, want %s", path, got, found.Err(), want)
		}
	}
}

// TestManyMembers checks that an object with many members behaves like one that is
// searched linearly.
func TestManyMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tree := ParseTree([]byte(`{}`))
	var want []string
	for i := range 3000 {
		name := fmt.Sprint(r.IntN(300))
		at := slices.Index(want, name)
		switch {
		case i%500 > 400 || r.IntN(60) == 0: // shrink it for a while
			tree.Remove(name)
			if at >= 0 {
				want = slices.Delete(want, at, at+1)
			}
		case r.IntN(2) == 0:
			if got := tree.Get(name); (got != nil) != (at >= 0) || got != nil && !got.reads(name) {
				t.Fatalf("%d: %s is %v, stands at %d", i, name, got, at)
			}
		default:
			tree.Set(name, ParseTree([]byte(name)))
			if at < 0 {
				want = append(want, name)
			}
		}
		if i%1000 == 700 {
			tree.Prune(func(name string) (func(*Tree), bool) { return nil, len(name) < 3 })
			want = slices.DeleteFunc(want, func(name string) bool { return len(name) >= 3 })
		}
		if len(tree.members) != len(want) {
			t.Fatalf("%d: %d members, want %d", i, len(tree.members), len(want))
		}
		for j, m := range tree.members {
			if m.name != want[j] || !m.value.reads(m.name) {
				t.Fatalf("%d: %s stands at %d, want %s", i, m.name, j, want[j])
			}
		}
	}
}

func FuzzApply(f *testing.F) {
	for _, seed := range []string{"price", "variants[V-1].price", `a\.b[x\]y]`, "tags[]", "title[fr]", "a[", "dimensions.deep.x"} {
		f.Add(seed, `{"variants":[{"sku":"V-1"}],"title":"x","tags":3}`, `{"a":[1,null]}`)
	}
	f.Fuzz(func(t *testing.T, path, target, value string) {
		raw, err := jsonread.Check([]byte(target))
		if err != nil || raw[0] != '{' {
			return
		}
		set, err := jsonread.Check([]byte(value))
		if err != nil {
			return
		}
		var found problem.List
		tree := ParseTree(raw)
		if !apply(tree, catalogue, path, set, &found) {
			return
		}
		if _, err := jsonread.Check(tree.Append(nil)); err != nil {
			t.Fatalf("%s gave %s: %v", path, tree.Append(nil), err)
		}
	})
}
