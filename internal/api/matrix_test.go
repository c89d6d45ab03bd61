package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/query"
)

// deployment is a complete node behind the API, in memory.
type deployment struct {
	*testing.T
	server    *httptest.Server
	bucket    bucket.Bucket
	authority *auth.Authority
	node      *node.Node
}

func deploy(t *testing.T, options auth.Options) *deployment {
	t.Helper()
	d := &deployment{T: t, bucket: memory.New(nil)}
	quiet := slog.New(slog.DiscardHandler)
	n, err := node.Open(context.Background(), node.Storage{Bucket: d.bucket, FS: vfs.Memory()}, node.Options{Search: findNothing}, nil, quiet)
	if err != nil {
		t.Fatal(err)
	}
	d.node = n
	d.serve(options)
	t.Cleanup(func() { _ = n.Close(context.Background()) })
	return d
}

// findNothing answers the searches of evaluations without hits.
func findNothing(context.Context, search.View, *query.Search) (*query.Answer, error) {
	return new(query.Answer), nil
}

// serve switches the server to the given authentication options.
func (d *deployment) serve(options auth.Options) {
	d.Helper()
	quiet := slog.New(slog.DiscardHandler)
	authority, err := auth.Open(context.Background(), d.bucket, options, quiet)
	if err != nil {
		d.Fatal(err)
	}
	d.authority = authority
	if d.server != nil {
		d.server.Close()
	}
	d.server = httptest.NewServer(New(Components{Node: d.node, Authority: authority, Health: NewHealth(time.Second), Log: quiet}, Options{}))
	d.Cleanup(d.server.Close)
}

func (d *deployment) key(permissions []auth.Permission, indexes ...string) string {
	d.Helper()
	_, credential := d.create(auth.NewKey{Grants: []auth.Grant{{Permissions: permissions, Indexes: indexes}}})
	return credential
}

func (d *deployment) create(wanted auth.NewKey) (string, string) {
	d.Helper()
	key, credential, err := d.authority.Create(context.Background(), wanted)
	if err != nil {
		d.Fatal(err)
	}
	return key.ID, string(credential)
}

// ask sends a request with the given Authorization header; empty: no header.
func (d *deployment) ask(method, path, authorization, body string) (int, string, string) {
	d.Helper()
	status, _, text := ask(d.T, method, d.server.URL+path, body, "Authorization", authorization)
	if status < 400 {
		return status, "", text
	}
	return status, code(d.T, text), text
}

// pathOf fills in the parameters of a route.
func pathOf(route Route, name, key string) string {
	return strings.NewReplacer("{name}", name, "{key}", "1", "{field}", "name", "{id}", key).Replace(route.Path)
}

const small = `{"fields":{"id":{"type":"string","primaryKey":true},"name":{"type":"string","filter":{},"facet":{}}}}`

// S1, S7: every endpoint against every kind of credential: a missing credential
// gets 401, one that may see nothing gets 404, one that may see but not act
// gets 403, and only one with the permission passes.
func TestEveryEndpointAgainstEveryCredential(t *testing.T) {
	d := deploy(t, auth.Options{RootKey: rootKey})
	if status, _, body := d.ask("PUT", "/v1alpha1/admin/indexes/books", "Bearer "+rootKey, small); status != 201 {
		t.Fatal(body)
	}
	past := time.Now().Add(-time.Hour)
	_, lapsed := d.create(auth.NewKey{ExpiresAt: &past, Grants: []auth.Grant{{Permissions: everyPermission(), Indexes: []string{"*"}}}})
	revokedID, revoked := d.create(auth.NewKey{Grants: []auth.Grant{{Permissions: everyPermission(), Indexes: []string{"*"}}}})
	if err := d.authority.Revoke(context.Background(), revokedID); err != nil {
		t.Fatal(err)
	}
	anonymousID, _ := d.create(auth.NewKey{Grants: []auth.Grant{{Permissions: []auth.Permission{auth.Search}, Indexes: []string{"books"}}}})
	d.serve(auth.Options{RootKey: rootKey})
	for _, route := range routes {
		if !route.IsVersioned() {
			continue
		}
		t.Run(route.Operation, func(t *testing.T) {
			d.T = t
			path := pathOf(route, "books", "0000000000000000")
			send := func(authorization string) (int, string) {
				status, code, _ := d.ask(route.Method, path, authorization, "")
				return status, code
			}
			for what, authorization := range map[string]string{
				"none": "", "no scheme": rootKey, "another scheme": "Basic " + rootKey, "empty": "Bearer ",
				"unknown": "Bearer quire_0123456789abcdef_x", "expired": "Bearer " + lapsed, "revoked": "Bearer " + revoked,
			} {
				if status, code := send(authorization); status != 401 || code != "auth:unauthenticated" {
					t.Errorf("%s: %d %s", what, status, code)
				}
			}
			if route.Scope == auth.ScopeCredential {
				for what, credential := range map[string]string{"a key for another index": d.key([]auth.Permission{auth.DocumentsRead}, "shop*"), "root": rootKey} {
					if status, code := send("Bearer " + credential); status != 200 {
						t.Errorf("%s: %d %s", what, status, code)
					}
				}
				return
			}
			others := withoutPermission(route.Permission)
			elsewhere := []auth.Permission{route.Permission}
			if route.Scope == auth.ScopeIndex {
				if status, code := send("Bearer " + d.key(elsewhere, "shop*", "book", "books@*")); status != 404 || code != "index:not_found" {
					t.Errorf("permission on another index: %d %s", status, code)
				}
			}
			if status, code := send("Bearer " + d.key(others, "books")); status != 403 || code != "auth:forbidden" {
				t.Errorf("every other permission: %d %s", status, code)
			}
			patterns := []string{"books"}
			if route.Scope == auth.ScopeDeployment {
				patterns = nil
			}
			for what, credential := range map[string]string{"right": d.key(elsewhere, patterns...), "root": rootKey} {
				status, code := send("Bearer " + credential)
				wantsMore := code == "auth:forbidden" && (route.Operation == "previewSettings" || route.Operation == "startReindex" || route.Operation == "putIndex")
				if status == 401 || status == 403 && !wantsMore {
					t.Errorf("%s: %d %s", what, status, code)
				}
				if route.Operation == "deleteIndex" {
					d.ask("PUT", "/v1alpha1/admin/indexes/books", "Bearer "+rootKey, small)
				}
			}
		})
	}
	d.T = t
	d.serve(auth.Options{RootKey: rootKey, AnonymousKey: anonymousID})
	for _, route := range routes {
		if !route.IsVersioned() {
			continue
		}
		status, code, _ := d.ask(route.Method, pathOf(route, "books", "0000000000000000"), "", "")
		if got := status != 401 && status != 403; got != (route.Permission == auth.Search || route.Scope == auth.ScopeCredential) {
			t.Errorf("anonymous %s: %d %s", route.Operation, status, code)
		}
		if route.Scope != auth.ScopeIndex {
			continue
		}
		status, code, _ = d.ask(route.Method, pathOf(route, "secret", "0000000000000000"), "", "")
		if status != 404 || code != "index:not_found" {
			t.Errorf("anonymous %s elsewhere: %d %s", route.Operation, status, code)
		}
	}
}

func everyPermission() []auth.Permission { return withoutPermission("") }

func withoutPermission(p auth.Permission) []auth.Permission {
	var others []auth.Permission
	for _, row := range auth.Permissions() {
		if row.Permission != p {
			others = append(others, row.Permission)
		}
	}
	return others
}

// S3, S10: the name that is authorized is the name that is used: a key for one
// index never reaches another, however the name is written.
func FuzzNamesReachOnlyWhatIsGranted(f *testing.F) {
	for _, seed := range []string{"other", "books@1", "books%401", "%62ooks", "books%2f..%2fother", "..%2fother", "books%00", "BOOKS", "books@1@2", "books%40%2a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		request, err := http.NewRequest("GET", "http://node/v1alpha1/admin/indexes/"+name, nil)
		if err != nil {
			return
		}
		d := deploy(t, auth.Options{RootKey: rootKey})
		for _, index := range []string{"books", "other"} {
			if status, _, body := d.ask("PUT", "/v1alpha1/admin/indexes/"+index, "Bearer "+rootKey, small); status != 201 {
				t.Fatal(body)
			}
		}
		answer := httptest.NewRecorder()
		request.Header.Set("Authorization", "Bearer "+d.key(everyPermission(), "books"))
		d.server.Config.Handler.ServeHTTP(answer, request)
		if body := answer.Body.String(); answer.Code == 200 && (!strings.Contains(body, `"name":"books"`) || strings.Contains(body, "other")) {
			t.Fatalf("%q answers %s", name, body)
		}
	})
}
