package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
	"github.com/quiresearch/quire/problem"
)

// I17, R14: storage:io_error says that nothing was changed. If the log accepted only the
// first of a run of writes, the answer is storage:unknown.
func TestARunThatTheLogTookInPartIsUnknown(t *testing.T) {
	const documents = maxBatchOperations + 500 // more than one append
	everything := func(_ context.Context, view *snapshot.Snapshot) (all []document.Key, err error) {
		keys, err := view.Keys("", false, false)
		if err != nil {
			return nil, err
		}
		for key, _, _, ok := keys.Next(); ok; key, _, _, ok = keys.Next() {
			all = append(all, document.Key(key))
		}
		return all, keys.Err()
	}
	var left atomic.Int64 // appends that the log still accepts
	fs := faultfs.New(func(call faultfs.Call) error {
		if call.Op == "write" && strings.HasSuffix(call.Name, ".log") && left.Add(-1) < 0 {
			return faultfs.ErrNoSpace
		}
		return nil
	})
	left.Store(1 << 30)
	create(t, fs, books)
	g := open(t, fs, manual)
	s := g.WriteStream()
	for i := range documents {
		if err := add(s, fmt.Sprintf(`{"id":"%d"}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	mustWait(t, s)
	mustCommit(t, g)

	left.Store(1)
	deleted, receipt, err := g.DeleteMatching(t.Context(), everything)
	if !errors.Is(err, problem.StorageUnknown) || errors.Is(err, problem.StorageIoError) || receipt.Durable == 0 {
		t.Errorf("%d deleted, %d durable, %v", deleted, receipt.Durable, err)
	}
	left.Store(0)
	if _, receipt, err = g.DeleteMatching(t.Context(), everything); !errors.Is(err, problem.StorageIoError) || receipt.Durable != 0 {
		t.Errorf("%d durable, %v", receipt.Durable, err)
	}
	left.Store(1)
	s = g.WriteStream()
	if err := add(s, `{"id":"kept"}`); err != nil {
		t.Fatal(err)
	}
	mustWait(t, s) // the outcome of earlier writes is known
	if err := add(s, `{"id":"refused"}`); err != nil {
		t.Fatal(err)
	}
	if receipt, err = s.Wait(t.Context()); !errors.Is(err, problem.StorageIoError) || receipt.Durable != 1 {
		t.Errorf("%d durable, %v", receipt.Durable, err)
	}
}

// A write that was accepted after an earlier one of its stream had failed may become
// durable: then it is not true either that nothing was changed.
func TestAWriteBehindARefusedOneIsUnknown(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	refused := problem.StorageIoError.New("resource", "index")
	s := g.WriteStream()
	s.taken(1)
	s.settle(1, 0, refused)
	if _, err := s.Wait(t.Context()); !errors.Is(err, problem.StorageIoError) {
		t.Errorf("one refused write: %v", err)
	}
	s.taken(1)
	s.settle(1, 7, nil)
	if receipt, err := s.Wait(t.Context()); !errors.Is(err, problem.StorageUnknown) || receipt.Durable != 0 {
		t.Errorf("a durable write behind it: %d durable, %v", receipt.Durable, err)
	}
}
