package api

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/vfs"
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

// I17: a repair that wrote the registry and then fails to restore copies must
// not respond as if nothing was changed.
func TestARepairThatStopsHalfway(t *testing.T) {
	under, quiet := memory.New(nil), slog.New(slog.DiscardHandler)
	fickle := faultbucket.New(under, nil)
	member, err := ownership.Join(t.Context(), fickle, ownership.Options{Node: "a", Address: "http://a", Lease: time.Minute, Candidate: true}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	n, err := node.Open(t.Context(), node.Storage{Bucket: fickle, FS: vfs.Memory(), Object: &node.Object{Member: member}}, node.Options{}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close(context.Background()) })
	d := &deployment{T: t, bucket: memory.New(nil), node: n}
	d.serve(auth.Options{RootKey: rootKey})
	if _, err := under.Delete(t.Context(), "registry", bucket.Always); err != nil {
		t.Fatal(err)
	}
	isWritten := false
	fickle.SetPlan(func(c faultbucket.Call) faultbucket.Fault {
		isRegistry := c.Key == "registry"
		switch {
		case isRegistry && c.Op == "put":
			isWritten = true
		case isRegistry && isWritten:
			return faultbucket.Unavailable
		}
		return faultbucket.None
	})
	status, code, body := d.ask("POST", "/v1alpha1/admin/registry/actions/repair", "Bearer "+rootKey, `{"restoreFromNodes":true}`)
	if status != 503 || code != "storage:unknown" || !isWritten {
		t.Errorf("%d %s", status, body)
	}
	if _, err := under.Get(t.Context(), "registry", ""); err != nil {
		t.Error(err)
	}
}

// A reindex listing reports all problems with its parameters, and a problem
// with the source of a job is reported at its path.
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
