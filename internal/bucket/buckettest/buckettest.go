// Package buckettest is the conformance suite of bucket.Bucket: every
// implementation passes it, and callers rely on nothing beyond it.
package buckettest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
)

// Run checks an implementation against the contract. open returns an empty bucket
// for each test.
func Run(t *testing.T, open func(t *testing.T) bucket.Bucket) {
	tests := []struct {
		name string
		run  func(*testing.T, bucket.Bucket)
	}{
		{"a written object is read back", writtenIsRead},
		{"a missing object is not found", missingIsNotFound},
		{"create refuses an existing object", createRefusesExisting},
		{"a stale tag is refused", staleTagIsRefused},
		{"replacing a missing object is a fault", replaceMissing},
		{"an unchanged object is not sent again", notModified},
		{"the tag follows the content", tagFollowsContent},
		{"of many creates one wins", oneCreateWins},
		{"of many replaces one wins", oneReplaceWins},
		{"a listing folds at the delimiter", listingFolds},
		{"a listing sees writes and deletes at once", listingIsCurrent},
		{"a conditional delete keeps what changed", conditionalDelete},
		{"keys that could leave the store are refused", hostileKeys},
		{"a cancelled call does nothing", cancelled},
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) { test.run(t, open(t)) })
	}
}

func put(t *testing.T, b bucket.Bucket, key, content string, condition bucket.Condition) bucket.Written {
	t.Helper()
	written, err := b.PutIf(t.Context(), key, bucket.Bytes([]byte(content)), condition)
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	return written
}

func get(t *testing.T, b bucket.Bucket, key string) (string, bucket.Tag) {
	t.Helper()
	content, object, err := bucket.ReadAll(t.Context(), b, key, "", 1<<20)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	return string(content), object.Tag
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

func writtenIsRead(t *testing.T, b bucket.Bucket) {
	for _, content := range []string{"", "one", strings.Repeat("long", 10_000)} {
		written := put(t, b, "g/01/manifest", content, bucket.Always)
		got, tag := get(t, b, "g/01/manifest")
		if got != content || tag != written.Tag || tag == "" {
			t.Fatalf("read %d bytes with tag %q, wrote %d with %q", len(got), tag, len(content), written.Tag)
		}
		if written.Date.IsZero() {
			t.Fatal("the answer has no date")
		}
	}
}

func missingIsNotFound(t *testing.T, b bucket.Bucket) {
	_, err := b.Get(t.Context(), "nothing", "")
	wantError(t, err, bucket.ErrNotFound)
	_, err = b.Get(t.Context(), "nothing", "tag")
	wantError(t, err, bucket.ErrNotFound)
	put(t, b, "some/thing", "x", bucket.Always)
	_, err = b.Get(t.Context(), "some/other", "")
	wantError(t, err, bucket.ErrNotFound)
}

func createRefusesExisting(t *testing.T, b bucket.Bucket) {
	put(t, b, "once", "first", bucket.Absent())
	_, err := b.PutIf(t.Context(), "once", bucket.Bytes([]byte("second")), bucket.Absent())
	wantError(t, err, bucket.ErrCondition)
	if got, _ := get(t, b, "once"); got != "first" {
		t.Fatalf("the object holds %q", got)
	}
}

func staleTagIsRefused(t *testing.T, b bucket.Bucket) {
	first := put(t, b, "registry", "1", bucket.Absent())
	second := put(t, b, "registry", "2", bucket.Matches(first.Tag))
	_, err := b.PutIf(t.Context(), "registry", bucket.Bytes([]byte("3")), bucket.Matches(first.Tag))
	wantError(t, err, bucket.ErrCondition)
	put(t, b, "registry", "3", bucket.Matches(second.Tag))
	if got, _ := get(t, b, "registry"); got != "3" {
		t.Fatalf("the object holds %q", got)
	}
}

func replaceMissing(t *testing.T, b bucket.Bucket) {
	_, err := b.PutIf(t.Context(), "gone", bucket.Bytes([]byte("x")), bucket.Matches("some"))
	wantError(t, err, bucket.ErrNotFound)
	_, err = b.Get(t.Context(), "gone", "")
	wantError(t, err, bucket.ErrNotFound)
}

func notModified(t *testing.T, b bucket.Bucket) {
	written := put(t, b, "settings/1", "a", bucket.Always)
	object, err := b.Get(t.Context(), "settings/1", written.Tag)
	wantError(t, err, bucket.ErrNotModified)
	if object.Date.IsZero() {
		t.Fatal("the answer has no date")
	}
	put(t, b, "settings/1", "b", bucket.Always)
	content, _, err := bucket.ReadAll(t.Context(), b, "settings/1", written.Tag, 10)
	if err != nil || string(content) != "b" {
		t.Fatalf("read %q, %v", content, err)
	}
}

func tagFollowsContent(t *testing.T, b bucket.Bucket) {
	seen := make(map[bucket.Tag]string)
	for i := range 20 {
		content := fmt.Sprint("content ", i)
		written := put(t, b, "changing", content, bucket.Always)
		if other, ok := seen[written.Tag]; ok {
			t.Fatalf("%q and %q have the tag %s", other, content, written.Tag)
		}
		seen[written.Tag] = content
	}
}

func race(t *testing.T, writers int, write func(i int) error) {
	t.Helper()
	var group sync.WaitGroup
	var won atomic.Int32
	for i := range writers {
		group.Go(func() {
			err := write(i)
			switch {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, bucket.ErrCondition) && !errors.Is(err, bucket.ErrUndecided):
				t.Errorf("writer %d: %v", i, err)
			}
		})
	}
	group.Wait()
	if won.Load() != 1 {
		t.Fatalf("%d of %d writers won", won.Load(), writers)
	}
}

func oneCreateWins(t *testing.T, b bucket.Bucket) {
	race(t, 32, func(i int) error {
		_, err := b.PutIf(t.Context(), "wal/1", bucket.Bytes(fmt.Append(nil, "writer ", i)), bucket.Absent())
		return err
	})
}

func oneReplaceWins(t *testing.T, b bucket.Bucket) {
	start := put(t, b, "leadership", "start", bucket.Absent())
	race(t, 32, func(i int) error {
		_, err := b.PutIf(t.Context(), "leadership", bucket.Bytes(fmt.Append(nil, "writer ", i)), bucket.Matches(start.Tag))
		return err
	})
}

func keysOf(listing bucket.Listing) string {
	var keys []string
	for _, entry := range listing.Entries {
		keys = append(keys, fmt.Sprintf("%s:%d", entry.Key, entry.Size))
	}
	return strings.Join(keys, " ") + " | " + strings.Join(listing.Prefixes, " ")
}

func listingFolds(t *testing.T, b bucket.Bucket) {
	for _, key := range []string{"g/1/manifest", "g/1/wal/10", "g/1/wal/2", "g/2/manifest", "g1", "registry"} {
		put(t, b, key, key, bucket.Always)
	}
	tests := []struct{ prefix, delimiter, want string }{
		{"", "/", "g1:2 registry:8 | g/"},
		{"g/", "/", " | g/1/ g/2/"},
		{"g/1/", "", "g/1/manifest:12 g/1/wal/10:10 g/1/wal/2:9 | "},
		{"g/1/wal/1", "", "g/1/wal/10:10 | "},
		{"g/1", "/", " | g/1/"},
		{"g", "", "g/1/manifest:12 g/1/wal/10:10 g/1/wal/2:9 g/2/manifest:12 g1:2 | "},
		{"none/", "/", " | "},
	}
	for _, test := range tests {
		listing, err := b.List(t.Context(), test.prefix, test.delimiter)
		if err != nil {
			t.Fatal(err)
		}
		if got := keysOf(listing); got != test.want {
			t.Errorf("list %q by %q: %q, want %q", test.prefix, test.delimiter, got, test.want)
		}
	}
}

func listingIsCurrent(t *testing.T, b bucket.Bucket) {
	for i := range 10 {
		key := fmt.Sprintf("seg/%d", i)
		put(t, b, key, "x", bucket.Absent())
		listing, err := b.List(t.Context(), "seg/", "")
		if err != nil || len(listing.Entries) != i+1 {
			t.Fatalf("%d entries after %d writes, %v", len(listing.Entries), i+1, err)
		}
	}
	if _, err := b.Delete(t.Context(), "seg/3", bucket.Always); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(t.Context(), "seg/3", bucket.Always); err != nil {
		t.Fatalf("a second delete: %v", err)
	}
	listing, err := b.List(t.Context(), "seg/", "")
	if err != nil || len(listing.Entries) != 9 {
		t.Fatalf("%d entries after the delete, %v", len(listing.Entries), err)
	}
}

func conditionalDelete(t *testing.T, b bucket.Bucket) {
	first := put(t, b, "removed", "1", bucket.Always)
	put(t, b, "removed", "2", bucket.Always)
	_, err := b.Delete(t.Context(), "removed", bucket.Matches(first.Tag))
	wantError(t, err, bucket.ErrCondition)
	_, tag := get(t, b, "removed")
	if _, err := b.Delete(t.Context(), "removed", bucket.Matches(tag)); err != nil {
		t.Fatal(err)
	}
	_, err = b.Get(t.Context(), "removed", "")
	wantError(t, err, bucket.ErrNotFound)
}

func hostileKeys(t *testing.T, b bucket.Bucket) {
	for _, key := range []string{"", "..", "../x", "a/../../x", "/etc", "a//b", "a/", "a\x00b", "~x", "a b", "ä"} {
		if _, err := b.PutIf(t.Context(), key, bucket.Bytes(nil), bucket.Always); err == nil {
			t.Errorf("put %q was accepted", key)
		}
		if _, err := b.Get(t.Context(), key, ""); err == nil {
			t.Errorf("get %q was accepted", key)
		}
	}
}

func cancelled(t *testing.T, b bucket.Bucket) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.PutIf(ctx, "late", bucket.Bytes([]byte("x")), bucket.Always); err == nil {
		t.Fatal("a cancelled put succeeded")
	}
	_, err := b.Get(t.Context(), "late", "")
	wantError(t, err, bucket.ErrNotFound)
}
