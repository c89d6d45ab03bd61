package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/bitset"
	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/segment/columns"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/segment/terms"
	"github.com/quiresearch/quire/internal/segment/vectors"
	"github.com/quiresearch/quire/internal/vfs"
)

var rewrite = flag.Bool("rewrite", false, "replace expected output")

// smallFile returns a segment of a few documents of every kind.
func smallFile(tb testing.TB, blocks int) []byte {
	rng := rand.New(rand.NewPCG(11, 11))
	var docs []modelDoc
	for i := range blocks {
		docs = append(docs, randomBlock(rng, i, modelWords(400), true)...)
	}
	fs := vfs.Memory()
	finish(tb, fs, "s", docs).Release()
	data, err := fs.ReadFile("s")
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func openBytes(data []byte) (*Reader, error) {
	return open(vfs.NewMapping("s", data, nil), blockfile.VerifyAll)
}

// TestEveryDamagedByteIsFoundOrHarmless is F21 for segments: it truncates the file
// at every length and flips a bit of every byte.
func TestEveryDamagedByteIsFoundOrHarmless(t *testing.T) {
	file := smallFile(t, 12)
	want := dumpBytes(t, file)
	check := func(what string, at int, data []byte) {
		r, err := openBytes(data)
		if err != nil {
			if !errors.Is(err, blockfile.ErrCorrupt) && !errors.Is(err, blockfile.ErrVersion) {
				t.Fatalf("%s at %d: %v", what, at, err)
			}
			return
		}
		if err := Check(r); err != nil {
			t.Fatalf("%s at %d: found only by a check: %v", what, at, err)
		}
		if what == "flip" && at%16 == 0 && !bytes.Equal(dumpBytes(t, data), want) {
			t.Fatalf("%s at %d: another answer", what, at)
		}
	}
	for at := range file {
		if at%7 == 0 {
			check("cut", at, file[:at])
		}
		data := bytes.Clone(file)
		data[at] ^= 1 << (at % 8)
		check("flip", at, data)
	}
	for _, data := range [][]byte{nil, []byte("x"), make([]byte, 1000)} {
		check("other", 0, data)
	}
}

// TestDamageIsFoundBeforeUse flips a bit of every byte of a file whose checksums
// are verified on first use of a part: every field and every record is either
// rejected or unchanged (I12). A rejected part stays rejected.
func TestDamageIsFoundBeforeUse(t *testing.T) {
	file := smallFile(t, 6)
	whole, err := openBytes(file)
	if err != nil {
		t.Fatal(err)
	}
	records := func(r *Reader) (all [][]byte, err error) {
		for doc := range r.NumDocs() {
			record, err := r.Stored().Get(nil, doc)
			if err != nil {
				return nil, err
			}
			all = append(all, record)
		}
		return all, nil
	}
	want, err := records(whole)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := range file {
		data := bytes.Clone(file)
		data[at] ^= 1 << (at % 8)
		r, err := open(vfs.NewMapping("s", data, nil), blockfile.VerifyUsed)
		if err != nil {
			refused++
			continue
		}
		damaged := ""
		for i, f := range r.meta.fields {
			from, to := whole.span(uint32(i + 1))
			isInside := from <= at && at < to
			switch err := r.field(i).err; {
			case err != nil && !errors.Is(err, blockfile.ErrCorrupt), err != nil && !errors.Is(err, vfs.ErrFault):
				t.Fatalf("byte %d, field %q: %v", at, f.Name, err)
			case err != nil:
				damaged = f.Name
			case isInside && whole.isSummed(at):
				t.Fatalf("byte %d is in field %q, which opens", at, f.Name)
			}
		}
		got, err := records(r)
		switch {
		case err != nil && errors.Is(err, vfs.ErrFault):
			damaged = "records"
		case err != nil:
			t.Fatalf("byte %d: %v", at, err)
		case !reflect.DeepEqual(got, want):
			t.Fatalf("byte %d: other records", at)
		}
		if err := r.Verify(t.Context()); (err != nil) != (damaged != "") {
			t.Fatalf("byte %d: %q is damaged, a verification of all says %v", at, damaged, err)
		}
		if damaged != "" {
			refused++
		}
	}
	if refused < len(file)/3 {
		t.Fatalf("%d of %d flipped bytes were found", refused, len(file))
	}
}

// TestDamagedStandingsAreRefused is I12 for the gaps that a merge leaves: every
// snapshot reads them, and they go into the next merge.
func TestDamagedStandingsAreRefused(t *testing.T) {
	fs := vfs.Memory()
	data := smallFile(t, 20)
	r, err := openBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	live := bitset.NewFull(r.NumDocs())
	for doc := firstChild(r, r.Parent(0)); doc <= r.Parent(0); doc++ {
		live.Clear(doc)
	}
	if _, _, err := Merge(t.Context(), fs, "m", []MergeInput{{Reader: r, Live: live}}); err != nil {
		t.Fatal(err)
	}
	merged, err := fs.ReadFile("m")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := openBytes(merged)
	if err != nil {
		t.Fatal(err)
	}
	at := whole.file.Offset(blockfile.ID{Part: partStandings})
	if at == 0 {
		t.Fatal("no gaps were written")
	}
	merged[at+5] ^= 1
	if r, err := open(vfs.NewMapping("m", merged, nil), blockfile.VerifyUsed); !errors.Is(err, blockfile.ErrCorrupt) {
		t.Fatalf("opened with %v: the last document stands at %d", err, r.EndStanding())
	}
}

// TestAMergeOfDamageLeavesNothing is I12 for merges: each damaged byte stops the
// merge, or does no harm, and no file is left.
func TestAMergeOfDamageLeavesNothing(t *testing.T) {
	file := smallFile(t, 6)
	stopped := 0
	for at := 0; at < len(file); at += 5 {
		data := bytes.Clone(file)
		data[at] ^= 1 << (at % 8)
		r, err := open(vfs.NewMapping("s", data, nil), blockfile.VerifyUsed)
		if err != nil {
			continue
		}
		fs := vfs.Memory()
		if _, _, err = Merge(t.Context(), fs, "m", []MergeInput{{Reader: r}}); err == nil {
			if r.Verify(t.Context()) != nil {
				t.Fatalf("byte %d: damage was merged", at)
			}
			continue
		}
		stopped++
		if !errors.Is(err, vfs.ErrFault) || !errors.Is(err, blockfile.ErrCorrupt) {
			t.Fatalf("byte %d: %v", at, err)
		}
		if names, err := fs.List("."); err != nil || len(names) > 0 {
			t.Fatalf("byte %d: %v left, %v", at, names, err)
		}
	}
	if stopped == 0 {
		t.Fatal("no merge met the damage")
	}
}

// span returns where the sections of an owner begin and end.
func (r *Reader) span(owner uint32) (from, to int) {
	for _, s := range r.file.Sections() {
		if s.Owner == owner {
			if to == 0 {
				from = int(s.Offset)
			}
			to = int(s.Offset + s.Length)
		}
	}
	return from, to
}

// isSummed reports whether a byte is in a section and not between two.
func (r *Reader) isSummed(at int) bool {
	return slices.ContainsFunc(r.file.Sections(), func(s blockfile.Section) bool {
		return int(s.Offset) <= at && at < int(s.Offset+s.Length)
	})
}

func dumpBytes(t testing.TB, data []byte) []byte {
	fs := vfs.Memory()
	f, err := fs.Create("s")
	if err != nil {
		t.Fatal(err)
	}
	f.Write(data)
	f.Close()
	var out bytes.Buffer
	if err := Dump(&out, fs, "s"); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// resum recomputes all checksums of a file, so that damage reaches the decoders.
func resum(data []byte) {
	size := len(data)
	if size < 128 {
		return
	}
	footer := data[size-64:]
	dir, count := binary.LittleEndian.Uint64(footer), binary.LittleEndian.Uint64(footer[8:])
	if dir > uint64(size) || count > 1000 || dir+count*32 > uint64(size) {
		return
	}
	for i := range count {
		e := data[dir+i*32:]
		offset, length := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[16:])
		if offset > uint64(size) || length > uint64(size)-offset {
			return
		}
		binary.LittleEndian.PutUint32(e[24:], blockfile.Checksum(data[offset:offset+length]))
	}
	binary.LittleEndian.PutUint32(footer[16:], blockfile.Checksum(data[dir:dir+count*32]))
	binary.LittleEndian.PutUint32(footer[60:], blockfile.Checksum(footer[:60]))
	binary.LittleEndian.PutUint32(data[60:], blockfile.Checksum(data[:60]))
}

// TestDamageBehindRightChecksumsIsFoundByCheck damages sections and repairs the
// checksums: opening or checking must fail or succeed, never panic, and whatever
// Check accepts must be usable.
func TestDamageBehindRightChecksumsIsFoundByCheck(t *testing.T) {
	file := smallFile(t, 40)
	rng := rand.New(rand.NewPCG(5, 5))
	for range 4000 {
		data := bytes.Clone(file)
		for range 1 + rng.IntN(3) {
			at := 64 + rng.IntN(len(data)-128)
			data[at] = byte(rng.Uint32())
		}
		resum(data)
		useAll(data)
	}
}

// useAll opens a file and, if it passes the check, reads all of it.
func useAll(data []byte) {
	r, err := openBytes(data)
	if err != nil {
		return
	}
	if Check(r) != nil {
		return
	}
	set := bitset.New(r.NumDocs())
	var it postings.Iterator
	for _, f := range r.Fields() {
		switch f.Kind {
		case Terms:
			field := r.Terms(f.Name)
			field.Prefix([]byte("w"))
			field.Fuzzy(nil, []byte("w012é"), terms.FuzzyOptions{Distance: 1, Limit: 10_000})
			for ord := range field.Len() {
				field.Iterator(&it, field.At(ord))
				it.IntoBitset(set.Words(), 0)
			}
		case Numbers:
			out := make([]int64, columns.BlockSize)
			for b := range r.Numbers(f.Name).NumBlocks() {
				r.Numbers(f.Name).Values(blockOf(b, int(r.NumDocs())), out, 0)
			}
			if p := r.NumberPoints(f.Name); p != nil {
				p.IntoBitset(-100, 100, set)
			}
		case Geo:
			if p := r.GeoPoints(f.Name); p != nil {
				p.IntoCircle(10, 10, 1e6, set)
			}
		}
	}
	Merge(context.Background(), vfs.Memory(), "m", []MergeInput{{Reader: r}})
}

func FuzzSegment(f *testing.F) {
	file := smallFile(f, 6)
	f.Add(file, uint16(100), byte(1))
	f.Add(file, uint16(5000), byte(255))
	f.Fuzz(func(_ *testing.T, data []byte, at uint16, value byte) {
		data = bytes.Clone(data)
		if len(data) > 0 {
			data[int(at)%len(data)] = value
		}
		resum(data)
		useAll(data)
	})
}

// TestDumpOfASmallSegment is the golden dump of FORMAT.md.
func TestDumpOfASmallSegment(t *testing.T) {
	fs := vfs.Memory()
	b := NewBuilder()
	title := b.Field(FieldOptions{Name: "title", Kind: Terms, Positions: true, Lengths: true})
	key := b.Field(FieldOptions{Name: "id", Kind: Terms, Key: true})
	price := b.Field(FieldOptions{Name: "price", Kind: Numbers, Points: true})
	color := b.Field(FieldOptions{Name: "color", Kind: Ordinals, Multi: true})
	place := b.Field(FieldOptions{Name: "place", Kind: Geo, Points: true})
	vector := b.Field(FieldOptions{Name: "image", Kind: Vector, Vectors: vectors.Options{Dimensions: 2}})
	b.Field(FieldOptions{Name: "unused", Kind: Numbers})
	for i, words := range [][]string{{"red", "running", "shoes"}, {"blue", "shoes", "shoes"}, {"red", "hat"}} {
		if i == 1 {
			b.StartDoc()
			b.Number(price, 7)
			b.EndDoc(false)
		}
		b.StartDoc()
		for at, w := range words {
			b.Term(title, []byte(w), uint32(at))
		}
		b.Length(title, uint32(len(words)))
		b.Term(key, []byte{byte('1' + i)}, 0)
		b.Number(price, int64(1000*i))
		b.Ordinal(color, []byte(words[0]))
		b.Geo(place, 59.33+float64(i), 18.07)
		b.Vector(vector, []float32{float32(i), 1})
		b.Stored([]byte(words[0]))
		b.EndDoc(true)
	}
	if _, err := b.Finish(fs, "small"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Dump(&out, fs, "small"); err != nil {
		t.Fatal(err)
	}
	r, err := Open(fs, "small", blockfile.VerifyAll)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	if r.Parent(1) != 2 || firstChild(r, 2) != 1 || firstChild(r, 0) != 0 || firstChild(r, 3) != 3 {
		t.Fatal("steps between parent and children")
	}
	data, err := fs.ReadFile("small")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/small.dump", out.Bytes())
	golden(t, "testdata/small.segment", data)
	// The file kept from this version must stay readable.
	kept, err := os.ReadFile("testdata/small.segment")
	if err != nil {
		t.Fatal(err)
	}
	old, err := openBytes(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(old); err != nil {
		t.Fatal(err)
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -rewrite and read the difference", path)
	}
}

func TestMisuseOfABuilderIsAnError(t *testing.T) {
	for name, use := range map[string]func(*Builder){
		"no documents":    func(*Builder) {},
		"open document":   func(b *Builder) { b.StartDoc() },
		"ends in a child": func(b *Builder) { b.StartDoc(); b.EndDoc(false) },
		"wrong vector": func(b *Builder) {
			f := b.Field(FieldOptions{Kind: Vector, Vectors: vectors.Options{Dimensions: 2}})
			b.StartDoc()
			b.Vector(f, nil)
			b.EndDoc(true)
		},
		"begun twice":      func(b *Builder) { b.StartDoc(); b.StartDoc(); b.EndDoc(true) },
		"ended, not begun": func(b *Builder) { b.EndDoc(true) },
		"field of no kind": func(b *Builder) { b.Field(FieldOptions{}); b.StartDoc(); b.EndDoc(true) },
		"no dimensions":    func(b *Builder) { b.Field(FieldOptions{Kind: Vector}); b.StartDoc(); b.EndDoc(true) },
	} {
		fs := vfs.Memory()
		b := NewBuilder()
		use(b)
		if _, err := b.Finish(fs, "s"); err == nil {
			t.Errorf("%s: no error", name)
		}
		if names, _ := fs.List(""); len(names) != 0 {
			t.Errorf("%s: leaves %q", name, names)
		}
		if b.Docs() != 0 {
			t.Errorf("%s: not empty afterwards", name)
		}
	}
}

func TestMergeOfNothingAndCancelled(t *testing.T) {
	fs := vfs.Memory()
	r := finish(t, fs, "s", randomBlock(rand.New(rand.NewPCG(1, 1)), 1, modelWords(50), true))
	info, docMap, err := Merge(context.Background(), fs, "m", []MergeInput{{Reader: r, Live: bitset.New(r.NumDocs())}})
	if err != nil || info.Docs != 0 || docMap[0][0] != NoDoc {
		t.Fatalf("%+v %v", info, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Merge(ctx, fs, "m", []MergeInput{{Reader: r}}); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if names, _ := fs.List(""); len(names) != 1 {
		t.Fatalf("left behind: %q", names)
	}
}
