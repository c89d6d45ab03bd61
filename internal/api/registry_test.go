package api

import (
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/problem"
)

func TestRepairRequests(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string // code at path
	}{
		{`{}`, nil},
		{`{"promoteNewest":true,"restore":["books","shop@2"]}`, nil},
		{`{"restore":["A","x@"]}`, []string{"index:name_invalid restore[0]", "index:generation:name_invalid restore[1]"}},
		{`{"restore":["A"],"promoteNewest":"x"}`, []string{"request:value_invalid promoteNewest"}},
		{`{"restore":"books","other":1}`, []string{"request:value_invalid restore", "request:property_unknown other"}},
	} {
		_, err := readRepair([]byte(c.body))
		var got []string
		for _, p := range problem.All(err) {
			got = append(got, p.Code.Name()+" "+p.Path)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", c.body, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %q, want %q", c.body, got, c.want)
			}
		}
	}
}

// A reindex listing reports everything that is wrong with its parameters, and the
// source of a job is reported where it stands.
func TestProblemsOfReindexRequests(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	root := "Bearer " + rootKey
	if status, _, body := d.ask("GET", "/v1alpha1/admin/reindexes?limit=0&phase=a,ready&phase=b", root, ""); status != 400 || strings.Count(body, `"code":"reindex:phase_invalid"`) != 2 ||
		strings.Count(body, `"code":"request:limit_out_of_range"`) != 1 {
		t.Errorf("%d %s", status, body)
	}
	for _, name := range []string{"books", "books@2"} {
		if status, _, body := d.ask("PUT", "/v1alpha1/admin/indexes/"+name, root, small); status != 201 {
			t.Fatal(body)
		}
	}
	if status, code, body := d.ask("POST", "/v1alpha1/admin/indexes/books@2/actions/reindex", root, `{"from":"Books"}`); status != 400 || code != "index:name_invalid" ||
		strings.Count(body, `"path":"from"`) != 2 {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := d.ask("POST", "/v1alpha1/admin/indexes/books@2/actions/reindex", root, `null`); status != 202 {
		t.Errorf("%d %s", status, body)
	}
}
