package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// keyed is a shape in which every place is an object and a list with the key k.
type keyed struct{}

func (s keyed) Member(string) (Shape, bool)       { return keyed{}, true }
func (s keyed) Names() []string                   { return nil }
func (s keyed) IsObject() bool                    { return true }
func (s keyed) IsMultiple() bool                  { return true }
func (s keyed) Key() string                       { return "k" }
func (s keyed) IsLocalized() bool                 { return false }
func (s keyed) Variant(tag string) (string, bool) { return tag, false }

func changed(t *testing.T, source string, paths ...string) (string, *problem.List) {
	t.Helper()
	tree, found := ParseTree([]byte(source)), new(problem.List)
	for i := 0; i < len(paths); i += 2 {
		apply(tree, keyed{}, paths[i], []byte(paths[i+1]), found)
	}
	return string(tree.Append(nil)), found
}

// TestSelectorsSeeWhatEarlierPathsChanged checks that paths see the members that
// earlier paths changed, although a list is indexed by a member once it was
// scanned.
func TestSelectorsSeeWhatEarlierPathsChanged(t *testing.T) {
	const list = `{"l":[{"k":"a","n":1},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0}]}`
	for _, test := range []struct {
		paths []string
		want  string
	}{
		{[]string{"l[a].n", "9", "l[b].n", "8"}, `{"l":[{"k":"a","n":9},{"k":"b","n":8},{"k":"b","n":8},{"k":4.0}]}`},
		{[]string{"l[a].n", "9", "l[a].k", `"c"`, "l[c].n", "7"}, `{"l":[{"k":"c","n":7},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0}]}`},
		{[]string{"l[a].n", "9", "l[a]", `{"k":"z"}`, "l[z].n", "7"}, `{"l":[{"k":"z","n":7},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0}]}`},
		{[]string{"l[a].n", "9", "l[a]", `{"k":"a","m":1}`, "l[a].n", "7"}, `{"l":[{"k":"a","m":1,"n":7},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0}]}`},
		{[]string{"l[a].n", "9", "l[]", `{"k":"y"}`, "l[y].n", "7"}, `{"l":[{"k":"a","n":9},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0},{"k":"y","n":7}]}`},
		{[]string{"l[4].n", "5", "l[4.0]", "null", "l[a].n", "6"}, `{"l":[{"k":"a","n":6},{"k":"b","n":2},{"k":"b","n":3}]}`},
		{[]string{"l[b].n", "5", "l[b]", "null", "l[a].n", "6"}, `{"l":[{"k":"a","n":6},{"k":4.0}]}`},
		{[]string{"l[n=1].k", `"q"`, "l[q].n", "5", "l[4].n", "0"}, `{"l":[{"k":"q","n":5},{"k":"b","n":2},{"k":"b","n":3},{"k":4.0,"n":0}]}`},
	} {
		got, found := changed(t, list, test.paths...)
		if got != test.want || found.Len() > 0 {
			t.Errorf("%q: %s, want %s (%v)", test.paths, got, test.want, found.Err())
		}
	}
}

// TestSelectorsOfALongListAreBounded checks that many selectors of a long list scan
// it once, and that selectors which scan it every time are bounded.
func TestSelectorsOfALongListAreBounded(t *testing.T) {
	var source strings.Builder
	source.WriteString(`{"l":[{"k":"k"}`)
	for i := range 50_000 {
		fmt.Fprintf(&source, `,{"k":"k%d","n":1}`, i)
	}
	source.WriteString("]}")
	var set, removed []string
	for i := range 4000 {
		set = append(set, fmt.Sprintf("l[k%d].n", i), "2")
		removed = append(removed, fmt.Sprintf("l[k%d]", i), "null")
	}
	if got, found := changed(t, source.String(), set...); found.Len() > 0 || strings.Count(got, `"n":2`) != 4000 {
		t.Errorf("%d changed: %v", strings.Count(got, `"n":2`), found.Err())
	}
	if got, found := changed(t, source.String(), removed...); found.Len() > 0 || strings.Count(got, `"n":1`) != 46_000 {
		t.Errorf("%d left: %v", strings.Count(got, `"n":1`), found.Err())
	}
	var renamed, alternating []string
	for i := range 4000 {
		renamed = append(renamed, fmt.Sprintf("l[k%d].k", i), fmt.Sprintf(`"r%d"`, i))
		alternating = append(alternating, fmt.Sprintf("l[k%d].m", i), fmt.Sprint(i), fmt.Sprintf("l[m=%d].n", i), "2")
	}
	if got, found := changed(t, source.String(), renamed...); found.Len() > 0 || strings.Count(got, `"k":"r`) != 4000 {
		t.Errorf("%d renamed: %v", strings.Count(got, `"k":"r`), found.Err())
	}
	if got, found := changed(t, source.String(), alternating...); found.Len() > 0 || strings.Count(got, `"n":2`) != 4000 {
		t.Errorf("%d changed: %v", strings.Count(got, `"n":2`), found.Err())
	}
	var scanned []string
	for i := range 200 {
		scanned = append(scanned, fmt.Sprintf("l[m%d=1].n", i), "1")
	}
	_, found := changed(t, source.String(), scanned...)
	if last := found.Problems()[found.Len()-1]; found.Len() > 100 || last.Code != problem.RequestValueInvalid {
		t.Errorf("200 paths that look through 50000 values each: %d problems, %v", found.Len(), last)
	}
}

// TestEqualValuesAreBounded checks that values that compare equal are found,
// changed and removed together, and that each of them counts, as does each copy of
// the placed value.
func TestEqualValuesAreBounded(t *testing.T) {
	source := `{"l":[{"k":"a"}` + strings.Repeat(`,{"k":"a"}`, 50_000-1) + `]}`
	if got, found := changed(t, source, "l[a]", "null"); found.Len() > 0 || got != "{}" {
		t.Errorf("%d bytes are left: %v", len(got), found.Err())
	}
	if got, found := changed(t, source, "l[a].n", "1"); found.Len() > 0 || strings.Count(got, `"n":1`) != 50_000 {
		t.Errorf("%d changed: %v", strings.Count(got, `"n":1`), found.Err())
	}
	var touched []string
	for i := range 200 {
		touched = append(touched, fmt.Sprintf("l[a].n%d", i), "1")
	}
	if _, found := changed(t, source, touched...); found.Len() != 1 || found.Problems()[0].Code != problem.RequestValueInvalid {
		t.Errorf("200 paths that change 50000 values each: %v", found.Err())
	}
	long := `"` + strings.Repeat("x", 3000) + `"`
	for _, path := range []string{"l[a]", "l[a].n"} {
		if _, found := changed(t, source, path, long); found.Len() != 1 || found.Problems()[0].Code != problem.RequestValueInvalid {
			t.Errorf("50000 copies of 3000 bytes at %s: %v", path, found.Err())
		}
	}
}

// TestVariantsAreBounded checks that tags are resolved a bounded number of times,
// however many variants there are.
func TestVariantsAreBounded(t *testing.T) {
	var variants strings.Builder
	variants.WriteString(`{"fr":"a"`)
	for i := range 50_000 {
		fmt.Fprintf(&variants, `,"x%d":"a"`, i)
	}
	variants.WriteString("}")
	tree, found := ParseTree([]byte("{}")), new(problem.List)
	apply(tree, catalogue, "title", []byte(variants.String()), found)
	for i := range 100 {
		apply(tree, catalogue, fmt.Sprintf("title[fr-%d]", i), []byte(`"b"`), found)
	}
	if found.Len() != 1 || found.Problems()[0].Code != problem.RequestValueInvalid {
		t.Errorf("100 paths through 50000 variants each: %v", found.Err())
	}
}
