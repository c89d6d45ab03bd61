package log

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

func payload(lsn uint64) []byte {
	return fmt.Appendf(nil, "record %d %s", lsn, strings.Repeat("x", int(lsn*7%41)))
}

// open opens a log and replays it, checking that records are consecutive.
func open(fs vfs.FS, after uint64) (*Log, uint64, error) {
	l, err := Open(fs, "log")
	if err != nil {
		return nil, 0, err
	}
	last := after
	err = l.Replay(after, func(lsn uint64, got []byte) error {
		if lsn != last+1 || !bytes.Equal(got, payload(lsn)) {
			return fmt.Errorf("record %d after %d holds %q", lsn, last, got)
		}
		last = lsn
		return nil
	})
	return l, last, err
}

func mustOpen(t *testing.T, fs vfs.FS, after, want uint64) *Log {
	t.Helper()
	l, last, err := open(fs, after)
	if err != nil {
		t.Fatal(err)
	}
	if last != want || l.last != want {
		t.Fatalf("replayed up to %d (%d), want %d", last, l.last, want)
	}
	return l
}

func appendTo(t *testing.T, l *Log, from, to uint64) {
	t.Helper()
	for lsn := from; lsn <= to; lsn++ {
		if err := l.Append(lsn, payload(lsn)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReplayHandsOutWhatWasAppended(t *testing.T) {
	fs := vfs.Memory()
	l := mustOpen(t, fs, 0, 0)
	appendTo(t, l, 1, 20)
	l.Close()
	mustOpen(t, fs, 0, 20).Close()
	l = mustOpen(t, fs, 7, 20)
	appendTo(t, l, 21, 30) // another file
	l.Close()
	mustOpen(t, fs, 0, 30)
	mustOpen(t, fs, 25, 30)
}

// Replay keeps only the current record in memory, not the log.
func TestReplayTakesNoMemory(t *testing.T) {
	fs := vfs.OS(t.TempDir())
	l := mustOpen(t, fs, 0, 0)
	const records, size = 64, 1 << 20
	for lsn := uint64(1); lsn <= records; lsn++ {
		if err := l.Append(lsn, bytes.Repeat([]byte{byte(lsn)}, size)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	l, err := Open(fs, "log")
	if err != nil {
		t.Fatal(err)
	}
	inUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, count := inUse(), 0
	err = l.Replay(0, func(lsn uint64, payload []byte) error {
		count++
		if more := inUse() - before; more > 8*size {
			return fmt.Errorf("%d bytes in use at record %d", more, lsn)
		}
		return nil
	})
	if err != nil || count != records {
		t.Fatalf("%d records, %v", count, err)
	}
}

func TestReleaseRemovesWholeFiles(t *testing.T) {
	fs := vfs.Memory()
	for round := range uint64(3) {
		l := mustOpen(t, fs, round*10, round*10)
		appendTo(t, l, round*10+1, round*10+10)
		l.Close()
	}
	l := mustOpen(t, fs, 10, 30)
	if err := l.Release(15); err != nil {
		t.Fatal(err)
	}
	if names, _ := fs.List("log"); len(names) != 2 {
		t.Fatalf("files %v", names)
	}
	appendTo(t, l, 31, 31)
	if err := l.Release(31); err != nil {
		t.Fatal(err)
	}
	l.Close()
	mustOpen(t, fs, 31, 31)
	mustOpen(t, fs, 30, 31)
}

// TestAnIdleLogKeepsNoMemory releases all records: the memory of a large record is
// not kept for the next one.
func TestAnIdleLogKeepsNoMemory(t *testing.T) {
	l := mustOpen(t, vfs.Memory(), 0, 0)
	for lsn := range uint64(3) {
		if err := l.Append(lsn+1, make([]byte, 100_000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Release(2); err != nil || l.scratch == nil {
		t.Errorf("record 3 is not released, and the memory is not kept: %v", err)
	}
	if err := l.Release(3); err != nil || l.scratch != nil {
		t.Errorf("an idle log keeps %d bytes: %v", cap(l.scratch), err)
	}
}

func TestAHoleIsRefused(t *testing.T) {
	fs := vfs.Memory()
	l := mustOpen(t, fs, 0, 0)
	appendTo(t, l, 1, 5)
	l.Close()
	l = mustOpen(t, fs, 5, 5)
	appendTo(t, l, 6, 9)
	l.Close()
	if err := fs.Remove("log/" + fileName(1)); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, fs, 5, 9)
	if _, _, err := open(fs, 4); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("got %v", err)
	}
}

// F4: a log truncated at any byte replays the records before that byte.
func TestCutAtEveryByte(t *testing.T) {
	whole := vfs.Memory()
	l := mustOpen(t, whole, 0, 0)
	var ends []int64
	for lsn := uint64(1); lsn <= 8; lsn++ {
		appendTo(t, l, lsn, lsn)
		ends = append(ends, l.offset)
	}
	l.Close()
	content, err := whole.ReadFile("log/" + fileName(1))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(content) + 1 {
		fs := withFile(t, content[:cut])
		want := uint64(0)
		for _, end := range ends {
			if int64(cut) >= end {
				want++
			}
		}
		l := mustOpen(t, fs, 0, want)
		appendTo(t, l, want+1, want+2)
		l.Close()
		mustOpen(t, fs, 0, want+2)
	}
}

func withFile(t *testing.T, content []byte) vfs.FS {
	t.Helper()
	fs := vfs.Memory()
	fs.MakeDir("log")
	file, err := fs.Create("log/" + fileName(1))
	if err != nil {
		t.Fatal(err)
	}
	file.Write(content)
	file.Close()
	return fs
}

// F4: a flipped bit is rejected when good records follow, and otherwise loses only
// the last record.
func TestEveryFlippedBit(t *testing.T) {
	whole := vfs.Memory()
	l := mustOpen(t, whole, 0, 0)
	appendTo(t, l, 1, 4)
	before := l.offset
	appendTo(t, l, 5, 5)
	l.Close()
	content, err := whole.ReadFile("log/" + fileName(1))
	if err != nil {
		t.Fatal(err)
	}
	for i := range content {
		damaged := bytes.Clone(content)
		damaged[i] ^= 1 << (i % 8)
		_, last, err := open(withFile(t, damaged), 0)
		inHeaderPadding := i >= 36 && i < headerSize
		switch {
		case inHeaderPadding:
		case int64(i) >= before:
			if err != nil || last != 4 {
				t.Fatalf("byte %d of the last record flipped: up to %d, %v", i, last, err)
			}
		case !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion):
			t.Fatalf("byte %d flipped: up to %d, %v", i, last, err)
		}
	}
}

// A document that contains the bytes of a record neither makes a torn tail look
// like damage, nor is replayed as a record.
func TestRecordsInsidePayloadsAreNotRecords(t *testing.T) {
	forged := appendRecord(nil, 0, headerSize, 3, []byte("forged"))
	fs := vfs.Memory()
	l, err := Open(fs, "log")
	if err != nil {
		t.Fatal(err)
	}
	for lsn := uint64(1); lsn <= 2; lsn++ {
		if err := l.Append(lsn, bytes.Repeat(forged, 3)); err != nil {
			t.Fatal(err)
		}
	}
	cut := l.offset - 30
	l.Close()
	file, _ := fs.Edit("log/" + fileName(1))
	file.Truncate(cut)
	file.Close()
	l, _ = Open(fs, "log")
	count := 0
	if err := l.Replay(0, func(uint64, []byte) error { count++; return nil }); err != nil || count != 1 {
		t.Fatalf("%d records, %v", count, err)
	}
}

// F5: after a failed fsync nothing is acknowledged, and everything acknowledged
// before is there.
func TestFailedSyncStopsAcknowledging(t *testing.T) {
	for fails := range 12 {
		syncs := 0
		fs := faultfs.New(func(call faultfs.Call) error {
			if call.Op == "sync" || call.Op == "syncdir" {
				if syncs++; syncs == fails+1 {
					return errors.New("input/output error")
				}
			}
			return nil
		})
		l, _, err := open(fs, 0)
		acknowledged := uint64(0)
		failed := err != nil
		for lsn := uint64(1); lsn <= 10 && err == nil; lsn++ {
			switch err := l.Append(lsn, payload(lsn)); {
			case err == nil && failed:
				t.Fatalf("record %d acknowledged after the failure", lsn)
			case err == nil:
				acknowledged = lsn
			case !errors.Is(err, ErrFailed):
				t.Fatalf("record %d: %v", lsn, err)
			default:
				failed = true
			}
		}
		for seed := range uint64(20) {
			after := fs.Restart(rand.New(rand.NewPCG(seed, uint64(fails))), false)
			_, last, err := open(after, 0)
			if err != nil || last < acknowledged {
				t.Fatalf("sync %d failed, seed %d: up to %d of %d acknowledged, %v", fails, seed, last, acknowledged, err)
			}
		}
	}
}

// F3: whatever a power loss leaves, every acknowledged record is there.
func TestPowerLossAtEveryCall(t *testing.T) {
	for stop := 1; stop < 60; stop++ {
		fs := faultfs.New(func(call faultfs.Call) error {
			if call.Number == stop {
				return faultfs.ErrPower
			}
			return nil
		})
		acknowledged := uint64(0)
		if l, _, err := open(fs, 0); err == nil {
			for lsn := uint64(1); lsn <= 15; lsn++ {
				if l.Append(lsn, payload(lsn)) == nil {
					acknowledged = lsn
				}
			}
		}
		for seed := range uint64(20) {
			after := fs.Restart(rand.New(rand.NewPCG(seed, uint64(stop))), seed == 0)
			l, last, err := open(after, 0)
			if err != nil || last < acknowledged || last > acknowledged+1 {
				t.Fatalf("power lost at call %d, seed %d: up to %d of %d acknowledged, %v", stop, seed, last, acknowledged, err)
			}
			if err := l.Append(last+1, payload(last+1)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// F6: a full disk rejects records one by one; they are accepted again once there is
// space.
func TestFullDiskResumes(t *testing.T) {
	full := false
	fs := faultfs.New(func(call faultfs.Call) error {
		if full && (call.Op == "write" || call.Op == "create" || call.Op == "reserve") {
			return faultfs.ErrNoSpace
		}
		return nil
	})
	l := mustOpenFault(t, fs)
	full = true
	for range 2 {
		if err := l.Append(1, payload(1)); !errors.Is(err, ErrNotWritten) {
			t.Fatalf("got %v", err)
		}
	}
	full = false
	appendTo(t, l, 1, 3)
	full = true
	for range 2 {
		if err := l.Append(4, payload(4)); !errors.Is(err, ErrNotWritten) {
			t.Fatalf("got %v", err)
		}
	}
	full = false
	appendTo(t, l, 4, 6)
	mustOpen(t, fs.Restart(nil, true), 0, 6)
}

func mustOpenFault(t *testing.T, fs vfs.FS) *Log {
	t.Helper()
	l, _, err := open(fs, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func exampleBatch() *Batch {
	return &Batch{
		Generation: ID{1, 2}, LSN: 9, Epoch: 3, Session: ID{4}, WriteID: ID{5}, Promised: 12,
		Operations: []Operation{
			{Kind: Add, Key: "k1", Body: []byte(`{"id":"k1"}`)},
			{Kind: Delete, Key: "", Body: []byte{}},
			{Kind: Fence, Key: strings.Repeat("long", 100), Body: []byte{0}},
		},
	}
}

func TestBatchIsReadAsWritten(t *testing.T) {
	want := exampleBatch()
	encoded := want.Encode()
	got, err := DecodeBatch(encoded)
	if err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(want, got); difference != "" {
		t.Fatal(difference)
	}
	for i := range encoded {
		damaged := bytes.Clone(encoded)
		damaged[i] ^= 1 << (i % 8)
		if _, err := DecodeBatch(damaged); err == nil {
			t.Fatalf("byte %d flipped and accepted", i)
		}
	}
}

func FuzzDecodeBatch(f *testing.F) {
	f.Add(exampleBatch().Encode(), true)
	f.Fuzz(func(t *testing.T, content []byte, sealed bool) {
		if sealed && len(content) >= 4 {
			content = sealBatch(content[:len(content)-4])
		}
		batch, err := DecodeBatch(content)
		if err != nil {
			return
		}
		again, err := DecodeBatch(batch.Encode())
		if err != nil || cmp.Diff(batch, again) != "" {
			t.Fatalf("not stable: %v", err)
		}
	})
}

func FuzzReplay(f *testing.F) {
	header := fileHeader(1, 42)
	f.Add(appendRecord(header, 42, headerSize, 1, payload(1)))
	f.Fuzz(func(t *testing.T, content []byte) {
		l, err := Open(withFile(t, content), "log")
		if err != nil {
			t.Fatal(err)
		}
		l.Replay(0, func(uint64, []byte) error { return nil })
	})
}

// The head of an operation is decoded as part of its body.
func TestAHeadStandsBeforeItsBody(t *testing.T) {
	whole := Batch{Operations: []Operation{{Kind: Add, Key: "k", Body: []byte("\x00{}")}}}
	parts := Batch{Operations: []Operation{{Kind: Add, Key: "k", Head: []byte{0}, Body: []byte("{}")}}}
	if got, want := parts.Encode(), whole.Encode(); !bytes.Equal(got, want) {
		t.Errorf("%x, not %x", got, want)
	}
	if got, want := OperationSize(parts.Operations[0]), OperationSize(whole.Operations[0]); got != want {
		t.Errorf("%d bytes, not %d", got, want)
	}
}
