package faultbucket_test

import (
	"context"
	"errors"
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
			if test.fault == faultbucket.Stall {
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
