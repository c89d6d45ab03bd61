package faultbucket_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/buckettest"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
)

func TestWithoutFaultsItConforms(t *testing.T) {
	buckettest.Run(t, func(*testing.T) bucket.Bucket { return faultbucket.New(memory.New(nil), nil) })
}

func TestFaultsOfAWrite(t *testing.T) {
	tests := []struct {
		name  string
		fault faultbucket.Fault
		want  error
		held  bool // afterwards
		late  bool // after Settle
	}{
		{"unavailable", faultbucket.Unavailable, bucket.ErrUnknown, false, false},
		{"lost reply", faultbucket.LoseReply, bucket.ErrUnknown, true, true},
		{"late", faultbucket.Late, bucket.ErrUnknown, false, true},
		{"undecided", faultbucket.Undecided, bucket.ErrUndecided, false, false},
		{"stall", faultbucket.Stall, bucket.ErrUnknown, false, false},
		{"hang", faultbucket.Hang, bucket.ErrUnknown, false, false},
		{"cut", faultbucket.Cut, bucket.ErrUnknown, false, false},
		{"duplicate", faultbucket.Duplicate, bucket.ErrCondition, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			store := memory.New(nil)
			b := faultbucket.New(store, func(call faultbucket.Call) faultbucket.Fault {
				if call.Op == "put" {
					return test.fault
				}
				return faultbucket.None
			})
			ctx, cancel := context.WithCancel(t.Context())
			if test.fault == faultbucket.Stall || test.fault == faultbucket.Hang {
				cancel()
			}
			defer cancel()
			_, err := b.PutIf(ctx, "key", bucket.Bytes([]byte("x")), bucket.Absent())
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v", err)
			}
			check := func(want bool) {
				t.Helper()
				_, err := b.Get(t.Context(), "key", "")
				if want != (err == nil) {
					t.Fatalf("want there %v, got %v", want, err)
				}
			}
			check(test.held)
			b.Settle()
			check(test.late)
		})
	}
}

func TestFaultsOfReads(t *testing.T) {
	var fault faultbucket.Fault
	b := faultbucket.New(memory.New(nil), func(faultbucket.Call) faultbucket.Fault { return fault })
	put := func(key, content string) {
		t.Helper()
		if _, err := b.PutIf(t.Context(), key, bucket.Bytes([]byte(content)), bucket.Always); err != nil {
			t.Fatal(err)
		}
	}
	put("a/old", "first")
	for range 4 {
		put("a/new", "second")
	}
	if _, err := b.Delete(t.Context(), "a/old", bucket.Always); err != nil {
		t.Fatal(err)
	}

	fault = faultbucket.Cut
	object, err := b.Get(t.Context(), "a/new", "")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(object.Body)
	if string(content) != "sec" || !errors.Is(err, bucket.ErrUnknown) {
		t.Errorf("got %q, %v", content, err)
	}

	fault = faultbucket.Stale
	listing, err := b.List(t.Context(), "", "")
	if err != nil || len(listing.Entries) != 2 || listing.Entries[1].Key != "a/old" {
		t.Errorf("a stale listing shows %v, %v", listing.Entries, err)
	}
	put("b/c", "third")
	folded, err := b.List(t.Context(), "", "/")
	if err != nil || len(folded.Prefixes) != 1 || folded.Prefixes[0] != "a/" {
		t.Errorf("a stale listing shows %v, %v", folded.Prefixes, err)
	}
}
