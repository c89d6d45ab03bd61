package steps

import (
	"slices"
	"strings"
	"testing"
)

func TestRowsFillInTheRequest(t *testing.T) {
	step := Step{Line: 10, Request: []string{"POST /${index}/search", `{"text":"${text}","limit":${limit}}`}, Answer: []string{
		"index | text       | limit | hits",
		"# Quotes are escaped.",
		`shop  | "red" <mug | 5     | 1, 2`,
		"books |            | 0     |",
	}}
	rows, err := step.Rows()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"POST /shop/search", `{"text":"\"red\" <mug","limit":5}`}, {"POST /books/search", `{"text":"","limit":0}`}}
	if !slices.Equal(rows[0].Request, want[0]) || !slices.Equal(rows[1].Request, want[1]) {
		t.Errorf("%q and %q", rows[0].Request, rows[1].Request)
	}
	if rows[0].Line != 15 || rows[1].Line != 16 {
		t.Errorf("lines %d and %d", rows[0].Line, rows[1].Line)
	}
	step.Answer = append(step.Answer, "shop | too few")
	if _, err := step.Rows(); err == nil {
		t.Error("a row with too few cells is accepted")
	}
}

func TestAlignedRowsAreReadAgain(t *testing.T) {
	rows := [][]string{{"text", "hits"}, {"# Ü."}, {"für", ""}, {"x", "1, 2"}}
	lines := AlignRows(rows)
	if got := strings.Join(lines, "\n"); got != "text | hits\n# Ü.\nfür  |\nx    | 1, 2" {
		t.Errorf("%s", got)
	}
	for i, line := range lines {
		if got := SplitRow(line); !slices.Equal(got, rows[i]) {
			t.Errorf("%q is read as %q", line, got)
		}
	}
}
