package campaign

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/s3test"
)

// keptNode is the node id of a kept bucket. A node with the same id may take over
// the indexes of its predecessor at once.
const keptNode = "SERVICE_NODE_ID=kept"

// Buckets that earlier versions wrote are served by a node with an empty directory,
// searched, changed, and served again from another empty directory. make upgrade
// lets the earlier version read what this one writes.
func TestKeptBucketsAreServed(t *testing.T) {
	archives, err := filepath.Glob("testdata/kept-buckets/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no kept bucket: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			server := s3test.Start(t)
			store := server.Store(t, "")
			for key, content := range readArchive(t, archive) {
				if _, err := store.PutIf(t.Context(), key, bucket.Bytes(content), bucket.Absent()); err != nil {
					t.Fatal(err)
				}
			}
			environment := append(bucketOf(server), keptNode)
			p := start(t, t.TempDir(), environment...)
			c := newCaller(p)
			c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
			readKept(t, c, 39)
			c.must(t, "POST", "/indexes/books/documents", `{"documents":[`+keptDocument(42)+`,`+keptDocument(43)+`]}`)
			c.must(t, "DELETE", "/indexes/books/documents/42", "")
			p.kill()
			p = start(t, t.TempDir(), environment...)
			c = newCaller(p)
			c.must(t, "POST", "/admin/indexes/books/actions/commit", "")
			readKept(t, c, 40)
			p.noPanic(t)
			if err := p.terminate(time.Minute); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestKeepABucket writes an archive for TestKeptBucketsAreServed.
func TestKeepABucket(t *testing.T) {
	if *keep == "" {
		t.Skip("writes a file: go test ./internal/campaign -run TestKeepABucket -binary PROGRAM -keep $PWD/internal/campaign/testdata/kept-buckets/NAME.tar.gz")
	}
	server := s3test.Start(t)
	p := start(t, t.TempDir(), append(bucketOf(server), keptNode, "SERVICE_INDEXES_COMMIT_MAX_INTERVAL=1h")...)
	writeKept(t, newCaller(p))
	p.kill()
	store := server.Store(t, "")
	listing, err := store.List(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string][]byte)
	for _, entry := range listing.Entries {
		if contents[entry.Key], _, err = bucket.ReadAll(t.Context(), store, entry.Key, "", math.MaxInt32); err != nil {
			t.Fatal(err)
		}
	}
	writeArchive(t, *keep, contents)
}
