package blockfile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

func build(t testing.TB, sections map[ID][]byte, order []ID) []byte {
	var out bytes.Buffer
	w := NewWriter(&out, "test", "TEST", 3)
	for _, id := range order {
		w.Section(id, sections[id])
	}
	s, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if s.Size != int64(out.Len()) || s.CRC32C != Checksum(out.Bytes()) {
		t.Fatalf("summary %+v does not fit", s)
	}
	return out.Bytes()
}

func sample(t testing.TB) ([]byte, map[ID][]byte) {
	rng := rand.New(rand.NewPCG(1, 1))
	sections := map[ID][]byte{}
	var order []ID
	for i, n := range []int{0, 1, 63, 64, 65, 1000, 300_000} {
		id := ID{Owner: uint32(i / 2), Part: uint16(i)}
		data := make([]byte, n)
		for j := range data {
			data[j] = byte(rng.Uint32())
		}
		sections[id] = data
		order = append(order, id)
	}
	return build(t, sections, order), sections
}

// writes records the length of every write.
type writes struct {
	bytes.Buffer
	lengths []int
}

func (w *writes) Write(p []byte) (int, error) {
	w.lengths = append(w.lengths, len(p))
	return w.Buffer.Write(p)
}

func TestLargeFilesAreWrittenInHugePages(t *testing.T) {
	data := make([]byte, 5*vfs.HugePage)
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	out := new(writes)
	w := NewWriter(out, "test", "TEST", 3)
	w.Begin(ID{Part: 1})
	for rest := data; len(rest) > 0; { // in pieces that match no boundary
		n := min(len(rest), 1+rng.IntN(700_000))
		_, _ = w.Write(rest[:n])
		rest = rest[n:]
	}
	w.Section(ID{Part: 2}, data[:100])
	summary, err := w.Finish()
	if err != nil || summary.CRC32C != Checksum(out.Bytes()) {
		t.Fatalf("summary %+v, %v", summary, err)
	}
	last := len(out.lengths) - 1
	for i, n := range out.lengths {
		if i < last && n != vfs.HugePage || n > vfs.HugePage {
			t.Errorf("write %d of %d has %d bytes", i, last+1, n)
		}
	}
	if last != 5 {
		t.Errorf("%d writes", last+1)
	}
	r, err := Open("test", out.Bytes(), "TEST", 3, 3, VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Section(ID{Part: 1}); !ok || !bytes.Equal(got, data) {
		t.Error("the section differs")
	}
}

func TestSectionsComeBack(t *testing.T) {
	file, sections := sample(t)
	r, err := Open("test", file, "TEST", 3, 3, VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range sections {
		got, ok := r.Section(id)
		if !ok || !bytes.Equal(got, want) {
			t.Fatalf("section %v differs", id)
		}
		if r.Offset(id)%Align != 0 {
			t.Fatalf("section %v not aligned", id)
		}
		if cap(got)-len(got) < 64 {
			t.Fatalf("section %v: %d bytes follow", id, cap(got)-len(got))
		}
	}
	if _, ok := r.Section(ID{Owner: 99}); ok {
		t.Fatal("a section that was not written")
	}
	if _, err := Open("test", file, "ELSE", 3, 3, VerifyAll); !errors.Is(err, ErrVersion) {
		t.Fatalf("other kind: %v", err)
	}
	if _, err := Open("test", file, "TEST", 2, 4, VerifyAll); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("test", file, "TEST", 4, 5, VerifyAll); !errors.Is(err, ErrVersion) {
		t.Fatalf("a version that is no longer read: %v", err)
	}
	if _, err := Open("test", file, "TEST", 1, 2, VerifyAll); !errors.Is(err, ErrVersion) {
		t.Fatalf("later version: %v", err)
	}
}

func TestEveryCutAndFlipIsFoundOrHarmless(t *testing.T) {
	sections := map[ID][]byte{{1, 1}: []byte("some bytes"), {1, 2}: bytes.Repeat([]byte{7}, 100), {2, 1}: nil}
	file := build(t, sections, []ID{{1, 1}, {1, 2}, {2, 1}})
	check := func(what string, data []byte) {
		r, err := Open("test", data, "TEST", 3, 3, VerifyAll)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) {
				t.Fatalf("%s: %v", what, err)
			}
			return
		}
		for id, want := range sections {
			if got, ok := r.Section(id); !ok || !bytes.Equal(got, want) {
				t.Fatalf("%s: section %v changed unnoticed", what, id)
			}
		}
	}
	for n := range file {
		check("cut", file[:n])
		for bit := range 8 {
			data := bytes.Clone(file)
			data[n] ^= 1 << bit
			check("flip", data)
		}
	}
}

func TestWriterRefusesMisuse(t *testing.T) {
	w := NewWriter(&bytes.Buffer{}, "x", "TEST", 1)
	w.Section(ID{1, 1}, nil)
	w.Section(ID{1, 1}, nil)
	if _, err := w.Finish(); err == nil {
		t.Fatal("one section twice")
	}
	w = NewWriter(&bytes.Buffer{}, "x", "TEST", 1)
	w.Write([]byte("x"))
	if _, err := w.Finish(); err == nil {
		t.Fatal("bytes outside of a section")
	}
}

func FuzzOpen(f *testing.F) {
	file := build(f, map[ID][]byte{{1, 1}: []byte("abc")}, []ID{{1, 1}})
	f.Add(file)
	f.Add(file[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Inspect("fuzz", data)
		if err != nil {
			return
		}
		for _, s := range r.Sections() {
			r.Section(s.ID)
		}
		r.Verify()
	})
}

// TestSectionsAreCheckedBeforeUse opens a file with one damaged section: that
// section always fails, the others never.
func TestSectionsAreCheckedBeforeUse(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, "test", "TEST", 1)
	for part := range uint16(3) {
		w.Section(ID{Owner: 1 + uint32(part%2), Part: part}, bytes.Repeat([]byte{byte(part)}, 100))
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	whole, err := Open("test", out.Bytes(), "TEST", 1, 1, VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(out.Bytes())
	damaged[whole.Offset(ID{Owner: 1, Part: 2})+50] ^= 4
	if _, err := Open("test", damaged, "TEST", 1, 1, VerifyAll); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("all sections verified: %v", err)
	}
	r, err := Open("test", damaged, "TEST", 1, 1, VerifyUsed)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := errors.Join(r.Check(ID{Owner: 1}), r.CheckOwner(2), r.Check(ID{Owner: 9}), r.CheckOwner(9)); err != nil {
			t.Fatal(err)
		}
		if err := r.Check(ID{Owner: 1, Part: 2}); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("the damaged section: %v", err)
		}
		if err := r.CheckOwner(1); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("its owner: %v", err)
		}
	}
}
