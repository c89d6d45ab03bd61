package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// stored returns the files of a generation with every kind of file: segments,
// side files with deletes, signals and tracked keys, a log, a manifest. later
// is the manifest of a later commit.
func stored(t *testing.T) (files map[string][]byte, want map[string]map[string]any) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	if err := g.StartTracking(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"a%d","title":"first %d","sales":%d,"editions":[{"isbn":"%d"}]}`, i, i, i, i))
	}
	mustCommit(t, g)
	s := g.WriteStream()
	if err := s.Delete(t.Context(), "a3"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context(), "a4", signals(t, g, "sales", 1000, "rating", 5)); err != nil {
		t.Fatal(err)
	}
	mustWait(t, s)
	mustAdd(t, g, `{"id":"b","title":"second"}`)
	mustCommit(t, g)
	mustAdd(t, g, `{"id":"c","title":"logged"}`)
	mustAdd(t, g, `{"id":"d","title":"logged too"}`)
	abandon(g)
	files = contents(t, fs)
	g = open(t, fs, manual)
	want = mustDocuments(t, g)
	return files, want
}

// contents reads every file of a generation.
func contents(t *testing.T, fs vfs.FS) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, directory := range []string{"g", "g/log"} {
		names, err := fs.List(directory)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "/") || name == lockName {
				continue
			}
			content, err := fs.ReadFile(path.Join(directory, name))
			if err != nil {
				t.Fatal(err)
			}
			files[path.Join(directory, name)] = content
		}
	}
	return files
}

// restore makes a file system with the given files.
func restore(t *testing.T, files map[string][]byte) vfs.FS {
	t.Helper()
	fs := vfs.Memory()
	fs.MakeDir("g/log")
	for name, content := range files {
		file, err := fs.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(content)
		file.Close()
	}
	return fs
}

// F21: each kind of file truncated, emptied, flipped, missing or swapped is
// rejected or does no harm, and a rejected opening deletes nothing.
func TestDamagedFilesAreRefused(t *testing.T) {
	files, want := stored(t)
	kinds := make(map[string]bool)
	for name, content := range files {
		kinds[path.Ext(name)] = true
		damages := map[string]func() []byte{
			"empty":   func() []byte { return []byte{} },
			"missing": func() []byte { return nil },
			"half":    func() []byte { return content[:len(content)/2] },
			"longer":  func() []byte { return append(bytes.Clone(content), 0) },
		}
		for i := range 40 {
			at := i * (len(content) - 1) / 39
			damages[fmt.Sprintf("byte %d flipped", at)] = func() []byte {
				flipped := bytes.Clone(content)
				flipped[at] ^= 1 << (i % 8)
				return flipped
			}
		}
		for other, replaced := range files {
			if path.Ext(other) == path.Ext(name) && other != name {
				damages["swapped with "+other] = func() []byte { return replaced }
			}
		}
		for damage, make := range damages {
			damaged := make()
			trial := map[string][]byte{}
			for other, content := range files {
				trial[other] = content
			}
			if trial[name] = damaged; damaged == nil {
				delete(trial, name)
			}
			fs := restore(t, trial)
			g, err := Open(context.Background(), Storage{FS: fs, Directory: "g"}, manual)
			if err != nil {
				if left := contents(t, fs); path.Ext(name) != ".log" && len(left) != len(trial) {
					t.Fatalf("%s %s: a refused opening left %d of %d files", name, damage, len(left), len(trial))
				}
				continue
			}
			view := g.Snapshot()
			var got map[string]map[string]any
			err = vfs.Protect(func() (err error) {
				got, err = documents(g, view)
				return err
			})
			view.Release()
			abandon(g)
			if err != nil {
				// I12: segment contents are verified before they are used.
				if !errors.Is(err, vfs.ErrFault) || !errors.Is(err, blockfile.ErrCorrupt) {
					t.Fatalf("%s %s: opened, then %v", name, damage, err)
				}
				continue
			}
			isLog := path.Ext(name) == ".log"
			if difference := cmp.Diff(want, got); difference != "" && !isLog {
				t.Fatalf("%s %s: opened with %s", name, damage, difference)
			}
			if isLog && (got["b"] == nil || len(got) < len(want)-2) {
				t.Fatalf("%s %s: committed documents are gone", name, damage)
			}
		}
	}
	for _, kind := range []string{segmentSuffix, sideSuffix, ".log", ""} {
		if !kinds[kind] {
			t.Fatalf("no file of kind %q was damaged", kind)
		}
	}
}

// Verify finds damage in parts of a segment that nothing reads.
func TestVerifyFindsDamage(t *testing.T) {
	files, _ := stored(t)
	found := 0
	for name, content := range files {
		if path.Ext(name) != segmentSuffix {
			continue
		}
		for _, at := range []int{len(content) / 3, len(content) / 2, 2 * len(content) / 3} {
			trial := maps.Clone(files)
			trial[name] = bytes.Clone(content)
			trial[name][at] ^= 8
			g, err := Open(t.Context(), Storage{FS: restore(t, trial), Directory: "g"}, manual)
			if err != nil {
				continue // needed for the opening
			}
			if err := g.Verify(t.Context()); errors.Is(err, blockfile.ErrCorrupt) {
				found++
			} else if err != nil {
				t.Fatal(err)
			}
			abandon(g)
		}
	}
	if found == 0 {
		t.Error("no damage was found")
	}
}

// I12: a damaged segment is never merged, leaves no file of a merge that met it,
// and does not prevent the others from being merged.
func TestADamagedSegmentIsLeftOutOfMerges(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	for i := range 12 {
		mustAdd(t, g, fmt.Sprintf(`{"id":"a%d","title":"title %d","sales":%d}`, i, i, i))
		mustCommit(t, g)
	}
	first := fileOf(g.current.Load().Segments[0])
	abandon(g)
	files := contents(t, fs)
	isDamaged := false
	for at := range files["g/"+first] {
		trial := maps.Clone(files)
		trial["g/"+first] = bytes.Clone(files["g/"+first])
		trial["g/"+first][at] ^= 16
		fs = restore(t, trial)
		var err error
		if g, err = Open(t.Context(), Storage{FS: fs, Directory: "g"}, manual); err != nil {
			continue // needed for the opening
		}
		if isDamaged = g.Verify(t.Context()) != nil; isDamaged {
			break
		}
		abandon(g)
	}
	if !isDamaged {
		t.Fatal("nothing is damaged")
	}
	defer abandon(g)
	damaged := make(map[*segment.Reader]bool)
	again, err := mergeNow(g, damaged)
	if !again || !errors.Is(err, blockfile.ErrCorrupt) || len(damaged) != 1 {
		t.Fatalf("%v, %v, %d damaged", again, err, len(damaged))
	}
	for again {
		if again, err = mergeNow(g, damaged); err != nil {
			t.Fatal(err)
		}
	}
	view := g.Snapshot()
	if view.Documents != 12 || len(view.Segments) != 3 || fileOf(view.Segments[0]) != first {
		t.Errorf("%d documents in %d segments", view.Documents, len(view.Segments))
	}
	view.Release()
	named := g.Manifest()
	abandon(g) // the running verification holds on to its files
	for name := range contents(t, fs) {
		if path.Ext(name) == segmentSuffix && named.File(path.Base(name)) == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// F22: a manifest that is missing or older than the files is never taken for an
// empty generation: the opening fails and nothing is deleted.
func TestMissingAndOlderManifests(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	empty, err := fs.ReadFile("g/" + manifest.Name)
	if err != nil {
		t.Fatal(err)
	}
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`)
	mustCommit(t, g)
	g.Close(t.Context())
	g = open(t, fs, manual)
	mustAdd(t, g, `{"id":"b","title":"two"}`)
	mustCommit(t, g)
	abandon(g)
	for name, content := range map[string][]byte{"missing": nil, "older": empty, "garbage": []byte("x")} {
		files := contents(t, fs)
		if files["g/manifest"] = content; content == nil {
			delete(files, "g/manifest")
		}
		damaged := restore(t, files)
		if g, err := Open(t.Context(), Storage{FS: damaged, Directory: "g"}, manual); err == nil {
			abandon(g)
			t.Fatalf("%s manifest: opened", name)
		}
		if left := contents(t, damaged); len(left) != len(files) {
			t.Fatalf("%s manifest: %d of %d files left", name, len(left), len(files))
		}
		if err := Create(t.Context(), Storage{FS: damaged, Directory: "g"}, parse(t, books)); err == nil {
			t.Fatalf("%s manifest: a generation was created over the files", name)
		}
	}
}

func TestInspectDescribesEveryFile(t *testing.T) {
	files, _ := stored(t)
	fs := restore(t, files)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		var out bytes.Buffer
		if err := Inspect(fs, name, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if out.Len() < 40 {
			t.Fatalf("%s: %q", name, out.String())
		}
	}
	if err := Inspect(restore(t, map[string][]byte{"g/x": []byte("something else")}), "g/x", new(bytes.Buffer)); err == nil {
		t.Fatal("an unknown file was described")
	}
}

func TestCheckFindsAKeyThatIsLiveTwice(t *testing.T) {
	fs := vfs.Memory()
	create(t, fs, books)
	g := open(t, fs, manual)
	mustAdd(t, g, `{"id":"a","title":"one"}`, `{"id":"b"}`)
	mustCommit(t, g)
	mustAdd(t, g, `{"id":"a","title":"two"}`)
	mustCommit(t, g)
	if err := g.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := CheckAll(fs, ".", &out); err != nil || !strings.Contains(out.String(), "2 documents in 2 segments") {
		t.Fatalf("%v: %s", err, out.String())
	}
	// A manifest that forgot the deletes of the second commit.
	m, err := manifest.Read(fs, "g")
	if err != nil {
		t.Fatal(err)
	}
	forged := m.Next()
	forged.Segments[0].Side = ""
	forged.Segments[0].Live++
	forged.Live++
	if err := manifest.Write(fs, "g", forged); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(fs, "g"); err == nil || !strings.Contains(err.Error(), "live") {
		t.Fatalf("got %v", err)
	}
}

// F38: an unreadable page is an error and does not end the process.
func TestUnreadablePageIsAnError(t *testing.T) {
	root := t.TempDir()
	name := path.Join(root, "file")
	if err := os.WriteFile(name, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	mapping, err := vfs.OS(root).Map("file")
	if err != nil {
		t.Fatal(err)
	}
	defer mapping.Release()
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	sum := 0
	err = vfs.Protect(func() error {
		for _, b := range mapping.Bytes() {
			sum += int(b)
		}
		return nil
	})
	if err == nil {
		t.Fatal("the pages were read")
	}
	if err := vfs.Protect(func() error { panic("bug") }); err == nil || !strings.Contains(err.Error(), "bug") {
		t.Errorf("a bug in background work answered %v", err)
	}
}
