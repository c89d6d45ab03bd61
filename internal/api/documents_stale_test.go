package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/layout"
)

// force replaces the definition although documents were added under another
// one.
func (s *documentServer) force(definition string) {
	s.Helper()
	if status, _, body := ask(s.TB, "PUT", s.admin+"?allowStaleDocuments=true", definition); status != 200 {
		s.Fatalf("%d %s", status, body)
	}
}

// pages follows next from page to page and returns all documents.
func (s *documentServer) pages(limit int) (documents []string) {
	s.Helper()
	query := ""
	for range 100 {
		status, _, text := ask(s.TB, "GET", fmt.Sprintf("%s?limit=%d%s", s.url, limit, query), "")
		var page struct {
			Documents []json.RawMessage
			Next      *string
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || status != 200 {
			s.Fatalf("%d %s: %v", status, text, err)
		}
		for _, document := range page.Documents {
			documents = append(documents, string(document))
		}
		if page.Next == nil {
			return documents
		}
		query = "&after=" + url.QueryEscape(*page.Next)
	}
	s.Fatal("the pages do not end")
	return nil
}

// expectPages compares the listing in pages of several sizes and as NDJSON.
func (s *documentServer) expectPages(want []string) {
	s.Helper()
	s.commit()
	for _, limit := range []int{1, 2, 3, 100} {
		if got := s.pages(limit); !slices.Equal(got, want) {
			s.Errorf("%d on a page: %s\nwant %s", limit, got, want)
		}
	}
	if got := s.list(); got != strings.Join(want, "\n") {
		s.Errorf("in lines: %s", got)
	}
}

// Documents keep the keys they were written with: keys that are not whole
// numbers follow those that are.
func TestListingsAfterTheTypeOfTheKeyChanged(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"string","primaryKey":true}}}`, Options{})
	s.expect("POST", "", `{"documents":[{"id":"a"},{"id":"1"},{"id":"10"},{"id":"07"},{"id":"7"},{"id":"3000000000"}]}`, 200, "")
	s.commit()
	s.force(`{"fields":{"id":{"type":"int32","primaryKey":true}}}`)
	s.expectPages([]string{`{"id":"1"}`, `{"id":"7"}`, `{"id":"10"}`, `{"id":"3000000000"}`, `{"id":"07"}`, `{"id":"a"}`})
	s.expect("POST", "", `{"documents":[{"id":7},{"id":-3}]}`, 200, "")
	s.expect("PUT", "/2", `{}`, 204, "")
	s.expectPages([]string{`{"id":-3}`, `{"id":"1"}`, `{"id":2}`, `{"id":7}`, `{"id":"10"}`, `{"id":"3000000000"}`, `{"id":"07"}`, `{"id":"a"}`})
	s.expect("GET", "/a", "", 200, `{"document":{"id":"a"},"freshness":"T"}`)
	s.refuse("GET", "/b", "", 400, "search:value_invalid@")
	s.refuse("GET", "?after=", "", 400, "search:value_invalid@after")

	s.expect("POST", "/actions/delete", `{"all":true}`, 200, "")
	s.expect("POST", "", `{"documents":[{"id":1},{"id":2}]}`, 200, "")
	s.commit()
	s.expect("GET", "?after=01", "", 200, `{"documents":[{"id":2}],"freshness":"T"}`)
}

func TestListingsAfterTheKeyBecameNarrowerOrText(t *testing.T) {
	s := serveDocuments(t, `{"fields":{"id":{"type":"int64","primaryKey":true}}}`, Options{})
	s.expect("POST", "", `{"documents":[{"id":5000000000},{"id":4000000000},{"id":2}]}`, 200, "")
	s.commit()
	s.force(`{"fields":{"id":{"type":"int32","primaryKey":true}}}`)
	s.expectPages([]string{`{"id":2}`, `{"id":4000000000}`, `{"id":5000000000}`})
	s.force(`{"fields":{"id":{"type":"string","primaryKey":true}}}`)
	s.expectPages([]string{`{"id":2}`, `{"id":4000000000}`, `{"id":5000000000}`})
	s.expect("PUT", "/a", `{}`, 204, "")
	s.commit()
	s.refuse("GET", "?after="+strings.Repeat("x", layout.MaxTerm+1), "", 400, "search:value_invalid@after")
}

// Documents of an index that had no key are also listed, in their own order.
func TestListingsAfterAKeyIsGained(t *testing.T) {
	for _, definition := range []string{`{"fields":{"id":{"type":"string","role":"id"}}}`, `{"fields":{"id":{"type":"int32","primaryKey":true}}}`} {
		s := serveDocuments(t, `{"fields":{"id":{"type":"string"}}}`, Options{})
		want := []string{}
		for range 3 { // beyond the counter's first byte
			var lines strings.Builder
			for i := range 60 {
				fmt.Fprintf(&lines, "{\"id\":\"x%02d\"}\n", i)
				want = append(want, fmt.Sprintf(`{"id":"x%02d"}`, i))
			}
			s.expect("POST", "", lines.String(), 200, "", "Content-Type", ndjsonType)
			s.commit()
		}
		s.force(definition)
		for _, limit := range []int{7, 20, 180, 1000} {
			if got := s.pages(limit); !slices.Equal(got, want) {
				t.Errorf("%s: %d on a page: %d documents %s", definition, limit, len(got), got)
			}
		}
	}
}
