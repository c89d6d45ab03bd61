package script

import (
	"slices"
	"strings"
	"testing"
)

func TestCellsOfAnAnswer(t *testing.T) {
	columns := []string{"text", "hits", "read", "words", "remains", "total"}
	isInput := []bool{true, false, false, false, false, false}
	for _, test := range []struct {
		body string
		want []string
	}{
		{`{}`, []string{"", "-", "-", "-", "-", "-"}},
		{`{"hits":[],"total":{"count":0}}`, []string{"", "", "-", "-", "-", `{"count":0}`}},
		{`{"hits":[{"id":"1","document":{"id":"1"},"score":"*"},{"id":"b c","document":{"id":"b c"},"score":"*"}]}`,
			[]string{"", "1, b c", "-", "-", "-", "-"}},
		{`{"hits":[{"id":"1","document":{"id":"1"}}]}`, []string{"", `[{"id":"1","document":{"id":"1"}}]`, "-", "-", "-", "-"}},
		{`{"hits":[{"id":"1","document":{"id":"1","a":2},"score":"*"}]}`,
			[]string{"", `[{"id":"1","document":{"id":"1","a":2},"score":"*"}]`, "-", "-", "-", "-"}},
		{`{"interpreted":{"filters":[],"text":"mug"}}`, []string{"", "-", "", "", "mug", "-"}},
		{`{"interpreted":{"filters":[{"field":"a","match":{"value":5},"words":["5","a"]},{"field":"b","match":{"value":"x y"},"words":["x","y"]}],"text":""}}`,
			[]string{"", "-", `a = 5; b = "x y"`, "5 a; x y", "", "-"}},
		{`{"interpreted":{"filters":[{"field":"a","match":{"type":"range","gte":1.5,"lt":2},"words":["1.5;","2"]}],"text":""}}`,
			[]string{"", "-", "1.5 <= a < 2", `["1.5;","2"]`, "", "-"}},
		{`{"interpreted":{"filters":[{"field":"a","match":{"type":"range","gt":1},"words":["1"],"when":[1],"fallback":[2]}],"text":""}}`,
			[]string{"", "-", "a > 1 when [1] fallback [2]", "1", "", "-"}},
		{`{"interpreted":{"filters":[{"field":"a","match":{"type":"other"},"words":["1"]}],"text":""}}`,
			[]string{"", "-", `{"field":"a","match":{"type":"other"},"words":["1"]}`, `{"field":"a","match":{"type":"other"},"words":["1"]}`, "", "-"}},
	} {
		got, err := answerCells([]string{"200", test.body}, columns, isInput)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s:\n%q, not\n%q, %v", test.body, got, test.want, err)
		}
	}
	failure := []string{"400 validation", "a:b at x", "a:c at y"}
	if got, err := answerCells(failure, columns, isInput); err != nil || got[1] != "400 validation / a:b at x / a:c at y" {
		t.Errorf("%q %v", got, err)
	}
	for _, body := range []string{`{"facets":[]}`, `[1]`, `x`, `{"total":"a|b"}`} {
		if got, err := answerCells([]string{"200", body}, columns, isInput); err == nil {
			t.Errorf("%s is written as %q", body, got)
		}
	}
}

// Layout is only for readers: a value means the same on one line or many.
func TestLayout(t *testing.T) {
	long := strings.Repeat("x", 60)
	text := `{"a":{"b":"` + long + `","c":["` + long + `",1.50]},"d":[]}` + "\n[1]"
	want := "{\n  \"a\": {\n    \"b\": \"" + long + "\",\n    \"c\": [\"" + long + "\",1.50]\n  },\n  \"d\": []\n}\n[1]"
	if got := layOutAgain(text); got != want || layOutAgain(got) != want {
		t.Errorf("%s", got)
	}
	for _, other := range []string{"", "# HELP x\nx 1", "{\"a\""} {
		if got := layOutAgain(other); got != other {
			t.Errorf("%q is laid out as %q", other, got)
		}
	}
}
