package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
)

// A definition stored by a later version is reported as such to every caller;
// the index can still be listed and deleted.
func TestDefinitionsOfALaterVersion(t *testing.T) {
	const later = `"definition":{"fields":{"id":{"type":"string","primaryKey":true},"w":%s}%s}}`
	for _, c := range []struct{ name, stored, read, replaced string }{
		{"feature", `{"requiredFeatures":["type.wave"],` + fmt.Sprintf(later, `{"type":"wave"}`, ""), "index:unsupported", "index:unsupported"},
		{"member", `{"requiredFeatures":[],` + fmt.Sprintf(later, `{"type":"string"}`, `,"curation":{}`), "index:definition:unrepresentable", "index:definition:unrepresentable"},
		{"property", `{"requiredFeatures":[],` + fmt.Sprintf(later, `{"type":"string","echo":{}}`, ""), "index:definition:unrepresentable", "index:definition:unrepresentable"},
		{"type", `{"requiredFeatures":[],` + fmt.Sprintf(later, `{"type":"wave"}`, ""), "index:field:type_unrepresentable", "index:definition:unrepresentable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			storage := node.Storage{Bucket: memory.New(time.Now), FS: vfs.Memory(), Directory: "indexes"}
			s, stop := serveStorage(t, storage, Options{})
			s.ask("PUT", s.admin, catalogue, 201, "")
			s.expect("PUT", "/1", `{}`, 204, "")
			s.commit()
			stop()
			store(t, storage, c.stored)

			s, _ = serveStorage(t, storage, Options{})
			search := strings.TrimSuffix(s.url, "documents") + "search"
			s.ask("GET", s.admin, "", 409, c.read)
			s.ask("POST", search, "{}", 409, c.read)
			s.ask("GET", s.url, "", 409, c.read)
			s.ask("PUT", s.url+"/2", "{}", 409, c.read)
			s.ask("PUT", s.admin, catalogue, 409, c.replaced)
			s.ask("GET", strings.TrimSuffix(s.admin, "/shop"), "", 200, "")
			s.ask("DELETE", s.admin, "", 204, "")
		})
	}
}

// ask sends a request and compares status and code; an empty code compares none.
func (s *documentServer) ask(method, url, body string, wantStatus int, wantCode string) {
	s.Helper()
	status, _, text := ask(s.TB, method, url, body)
	if status != wantStatus || (wantCode != "" && problemsOf(s.TB, text)[0].Code != wantCode) {
		s.Errorf("%s %s: got %d %s, want %d %s", method, url, status, text, wantStatus, wantCode)
	}
}

// store replaces the stored definition of a generation.
func store(t *testing.T, storage node.Storage, definition string) {
	t.Helper()
	generations, err := storage.FS.List(storage.Directory)
	if err != nil || len(generations) != 1 {
		t.Fatalf("%v: %v", generations, err)
	}
	directory := storage.Directory + "/" + strings.TrimSuffix(generations[0], "/")
	m, err := manifest.Read(storage.FS, directory)
	if err != nil {
		t.Fatal(err)
	}
	next := m.Next()
	next.Definition = jsontext.Value(definition)
	if err := manifest.Write(storage.FS, directory, next); err != nil {
		t.Fatal(err)
	}
}

// Settings stored by a later version are ignored and reported, not partially
// changed; a complete replacement is accepted.
func TestSettingsOfALaterVersion(t *testing.T) {
	storage := node.Storage{Bucket: memory.New(time.Now), FS: vfs.Memory()}
	s, stop := serveStorage(t, storage, Options{})
	s.ask("PUT", s.admin, catalogue, 201, "")
	s.ask("PUT", s.admin+"/settings", `{}`, 201, "")
	stop()
	listing, err := storage.Bucket.List(t.Context(), "settings/", "")
	if err != nil || len(listing.Entries) != 1 {
		t.Fatalf("%v: %v", listing, err)
	}
	type stored struct {
		Settings jsontext.Value `json:"settings"`
		Features []string       `json:"features"`
	}
	kept := versioned.New[stored](storage.Bucket, listing.Entries[0].Key, "settings")
	_, err = kept.Change(t.Context(), func(versioned.Object[stored]) (stored, error) {
		return stored{jsontext.Value(`{"curation":{},"ranking":{}}`), []string{"personal"}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}

	s, _ = serveStorage(t, storage, Options{})
	for url, want := range map[string]string{
		s.admin + "/settings": `"unsupportedFeatures":["curation","personal"]`,
		s.admin:               `"settingsUnsupportedFeatures":["curation","personal"]`,
	} {
		if status, _, body := ask(t, "GET", url, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", url, status, body)
		}
	}
	s.ask("PATCH", s.admin+"/settings", `{"ranking":null}`, 409, "settings:unrepresentable")
	s.ask("POST", strings.TrimSuffix(s.url, "documents")+"search", "{}", 200, "")
	s.ask("PUT", s.admin+"/settings", `{}`, 200, "")
	s.ask("PATCH", s.admin+"/settings", `{"ranking":{}}`, 200, "")
}
