package change

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/problem"
)

// keyed is a shape in which everything is an object and a list with the key k.
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
		Apply(tree, keyed{}, paths[i], []byte(paths[i+1]), DocumentCodes(), problem.Path{}, found)
	}
	return string(tree.Append(nil)), found
}

// A list is known by a member once it was looked through, and what changes the
// member is seen by the paths that follow.
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

// Many selectors of a long list look through it once; what looks through it every
// time is bounded.
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
	var renamed []string
	for i := range 4000 {
		renamed = append(renamed, fmt.Sprintf("l[k%d].k", i), fmt.Sprintf(`"r%d"`, i))
	}
	if _, found := changed(t, source.String(), renamed...); found.Len() == 0 || found.Problems()[0].Code != problem.RequestValueInvalid {
		t.Errorf("4000 paths that look through 50000 values each: %v", found.Err())
	}
}
