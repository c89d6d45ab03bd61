package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quiresearch/quire/query"
)

func TestPagesFollowTheAlgorithm(t *testing.T) {
	show := func(links []query.PageLink) string {
		var parts []string
		for _, l := range links {
			text := fmt.Sprint(l.Number)
			if l.Current {
				text += "*"
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, " ")
	}
	for _, c := range []struct {
		total                     int64
		limit, offset, max, depth int
		want                      string
	}{
		{0, 10, 0, 9, 10000, "0:  |  | "},
		{25, 5, 0, 9, 10000, "5: 1* 2 3 4 5 |  | "},
		{100, 10, 0, 5, 10000, "10: 1* 2 3 4 |  | 10"},
		{100, 10, 40, 5, 10000, "10: 1 | 4 5* 6 | 10"},
		{100, 10, 90, 5, 10000, "10: 1 |  | 7 8 9 10*"},
		{100, 10, 70, 5, 10000, "10: 1 |  | 7 8* 9 10"},
		{1000, 10, 0, 5, 100, "100: 1* 2 3 4 |  | none"},
		{100, 10, 45, 5, 10000, "10: 1 | 4 5* 6 | 10"},
		{30, 10, 0, 1, 10000, "3:  |  | 3"},
	} {
		l := pageList(c.total, c.limit, c.offset, c.max, c.depth)
		end := show(l.End)
		if !l.HasEnd {
			end = "none"
		}
		got := fmt.Sprintf("%d: %s | %s | %s", l.Count, show(l.Start), show(l.Middle), end)
		if got != c.want {
			t.Errorf("%+v: got %q, want %q", c, got, c.want)
		}
		for _, links := range [][]query.PageLink{l.Start, l.Middle, l.End} {
			for _, link := range links {
				cur, err := decodeCursor(link.Cursor, at("after"))
				if err != nil || !cur.isOffset || cur.offset != int(link.Number-1)*c.limit {
					t.Errorf("page %d: cursor %+v, %v", link.Number, cur, err)
				}
			}
		}
	}
}
