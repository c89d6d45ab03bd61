package replication

import (
	"errors"
	"path"
	"testing"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

// lose deletes objects of the generation.
func (d *deployment) lose(names ...string) {
	d.t.Helper()
	for _, name := range names {
		_, err := d.bucket.Delete(d.t.Context(), path.Join("g", d.id, name), bucket.Always)
		must(d.t, err)
	}
}

// I11: a copy that lacks a file which the bucket lost too does not replace a lost
// manifest; a whole copy does.
func TestACopyThatIsNotWholeIsNotGivenBack(t *testing.T) {
	d := create(t, memory.New(nil))
	n := d.open()
	must(t, n.add(0, 5))
	must(t, n.commit())
	must(t, n.add(5, 10))
	must(t, n.commit())
	m, remote, disk := n.writer.Manifest(), New(d.bucket, d.id, grace), vfs.Memory()
	must(t, remote.Pull(t.Context(), disk, "g", m, nil))
	must(t, disk.Remove(path.Join("g", m.Files[0].Name)))
	d.lose("manifest", m.Files[0].Key, m.Files[1].Key)
	if lack, err := remote.Restore(t.Context(), disk, "g", 0); err != nil || !lack.Manifest {
		t.Errorf("%+v, %v", lack, err)
	}
	if _, err := remote.Read(t.Context(), ""); !errors.Is(err, ErrNoManifest) {
		t.Errorf("a manifest names a file that is nowhere: %v", err)
	}
	if lack, err := remote.Restore(t.Context(), n.fs, "g", 0); err != nil || !lack.IsNothing() {
		t.Errorf("%+v, %v", lack, err)
	}
	if got := d.open().count(); got != 10 {
		t.Errorf("%d of 10 documents", got)
	}
}

// withEarlierCopy commits twice and returns a copy of the first commit.
func withEarlierCopy(t *testing.T, d *deployment) (n *node, remote *Remote, earlier vfs.FS) {
	t.Helper()
	n = d.open()
	must(t, n.add(0, 5))
	must(t, n.commit())
	remote, earlier = New(d.bucket, d.id, grace), vfs.Memory()
	must(t, remote.Pull(t.Context(), earlier, "g", n.writer.Manifest(), nil))
	must(t, n.add(5, 10))
	must(t, n.commit())
	return n, remote, earlier
}

// I22: an earlier copy replaces a lost manifest while the log continues from it. If
// the log is gone too it does not, because the files of the newer state would be
// swept.
func TestAnEarlierCopyNeedsItsLog(t *testing.T) {
	for _, isSwept := range []bool{false, true} {
		c := &clock{time.Unix(1_700_000_000, 0)}
		d := create(t, memory.New(c.time))
		n, remote, earlier := withEarlierCopy(t, d)
		newest := n.writer.Manifest().Version
		if isSwept {
			c.now = c.now.Add(3 * grace)
			_, err := n.writer.Sweep(t.Context())
			must(t, err)
		}
		d.lose("manifest")
		lack, err := remote.Restore(t.Context(), earlier, "g", newest)
		if isSwept {
			if !errors.Is(err, ErrHole) {
				t.Errorf("an earlier copy without its log: %+v, %v", lack, err)
			}
			lack, err = remote.Restore(t.Context(), n.fs, "g", newest)
		}
		if err != nil || !lack.IsNothing() {
			t.Fatalf("swept %t: %+v, %v", isSwept, lack, err)
		}
		if held, err := remote.Read(t.Context(), ""); err != nil || held.Manifest.Version < newest {
			t.Errorf("swept %t: version %d was stored before: %+v, %v", isSwept, newest, held.Manifest, err)
		}
		if got := d.open().count(); got != 10 {
			t.Errorf("swept %t: %d of 10 documents", isSwept, got)
		}
	}
}

// I22: a copy of a restored state is restored again, once, although both hold the
// state of one earlier write.
func TestACopyIsGivenBackAgain(t *testing.T) {
	d := create(t, memory.New(nil))
	n, remote, earlier := withEarlierCopy(t, d)
	newest := n.writer.Manifest().Version
	var last bucket.Tag
	for range 2 {
		d.lose("manifest")
		for range 2 {
			if lack, err := remote.Restore(t.Context(), earlier, "g", newest); err != nil || !lack.IsNothing() {
				t.Fatalf("%+v, %v", lack, err)
			}
		}
		held, err := remote.Read(t.Context(), "")
		must(t, err)
		if held.Manifest.Version <= newest || held.Tag == last {
			t.Errorf("version %d after %d", held.Manifest.Version, newest)
		}
		must(t, remote.Pull(t.Context(), earlier, "g", held.Manifest, nil))
		newest, last = held.Manifest.Version+1, held.Tag
	}
	if got := d.open().count(); got != 10 {
		t.Errorf("%d of 10 documents", got)
	}
}

// I6, I9: a copy replaces an earlier manifest that it is built on, with the epoch
// of the last log record, so that the next writer has a higher one. It does not
// once a writer continued from the earlier one.
func TestACopyTakesThePlaceOfAnEarlierManifest(t *testing.T) {
	for _, isTaken := range []bool{false, true} {
		d := create(t, memory.New(nil))
		n := d.open()
		key := path.Join("g", d.id, "manifest")
		first, _, err := bucket.ReadAll(t.Context(), d.bucket, key, "", 1<<20)
		must(t, err)
		must(t, n.add(0, 5))
		must(t, n.commit())
		must(t, n.add(5, 10))
		must(t, n.commit())
		last := d.open()
		must(t, last.add(10, 12)) // only the log holds these
		_, err = d.bucket.PutIf(t.Context(), key, bucket.Bytes(first), bucket.Always)
		must(t, err)
		remote := New(d.bucket, d.id, grace)
		if isTaken {
			_, err := remote.Take(t.Context(), vfs.Memory(), "g", manifest.NewID())
			must(t, err)
		}
		local, err := manifest.Read(n.fs, "g")
		must(t, err)
		if lack, err := remote.Check(t.Context(), nil); err != nil || !lack.IsNothing() {
			t.Errorf("taken %t: without a copy: %+v, %v", isTaken, lack, err)
		}
		if lack, err := remote.Check(t.Context(), local); err != nil || lack.Manifest == isTaken {
			t.Errorf("taken %t: %+v, %v", isTaken, lack, err)
		}
		lack, err := remote.Restore(t.Context(), n.fs, "g", 0)
		if isTaken {
			if !errors.Is(err, ErrDiverged) {
				t.Errorf("%+v, %v", lack, err)
			}
			continue
		}
		if err != nil || !lack.IsNothing() {
			t.Fatalf("%+v, %v", lack, err)
		}
		if held, err := remote.Read(t.Context(), ""); err != nil || held.Manifest.Sequence != local.Sequence || held.Manifest.Epoch < last.writer.epoch {
			t.Errorf("%+v, %v", held.Manifest, err)
		}
		if got := d.open().count(); got != 12 {
			t.Errorf("%d of 12 documents", got)
		}
	}
}

// I13: an earlier copy replaced a lost manifest. Readers may still use the files
// that only the lost one named, so these stay for a grace from then on, however old
// they are, and are swept after it.
func TestFilesOfALostManifestStayForAGrace(t *testing.T) {
	for _, newest := range []uint64{0, 100} { // the version known to have been stored
		c := &clock{time.Unix(1_700_000_000, 0)}
		d := create(t, memory.New(c.time))
		n, remote, earlier := withEarlierCopy(t, d)
		lost := n.writer.Manifest()
		d.lose("manifest")
		c.now = c.now.Add(3 * grace) // the files are older than the grace
		if lack, err := remote.Restore(t.Context(), earlier, "g", newest); err != nil || !lack.IsNothing() {
			t.Fatalf("%+v, %v", lack, err)
		}
		stored := func() (files int) {
			for _, f := range lost.Files {
				if _, err := d.bucket.Get(t.Context(), path.Join("g", d.id, f.Key), ""); err == nil {
					files++
				}
			}
			return files
		}
		for range 2 { // a restart does not shorten the grace
			writer := d.open()
			must(t, writer.commit())
			for range 2 {
				c.now = c.now.Add(grace / 2)
				_, err := writer.writer.Sweep(t.Context())
				must(t, err)
				if got := stored(); got != len(lost.Files) {
					t.Fatalf("newest %d: %d of %d files of the lost manifest are left", newest, got, len(lost.Files))
				}
			}
		}
		writer := d.open()
		must(t, writer.add(10, 11))
		must(t, writer.commit())
		c.now = c.now.Add(2 * grace)
		_, err := writer.writer.Sweep(t.Context())
		must(t, err)
		if got, kept := stored(), len(lost.Files)-1; got > kept {
			t.Errorf("newest %d: %d files of the lost manifest are left, the stored one knows %d", newest, got, kept)
		}
		if got := writer.count(); got != 11 {
			t.Errorf("newest %d: %d of 11 documents", newest, got)
		}
	}
}

// I13: an earlier copy replaced a lost manifest, and was replaced in turn by a
// later copy, which retired files of the earlier one long ago. Readers may still
// use these, so they stay for a grace from then on, and are swept after it.
func TestFilesOfAnEarlierManifestStayForAGrace(t *testing.T) {
	for _, isHealed := range []bool{false, true} { // by its writer, after another loss
		c := &clock{time.Unix(1_700_000_000, 0)}
		d := create(t, memory.New(c.time))
		n, remote, _ := withEarlierCopy(t, d)
		given, earlier := n.writer.Manifest(), vfs.Memory()
		must(t, remote.Pull(t.Context(), earlier, "g", given, nil))
		must(t, n.g.MergeAll(t.Context()))
		d.lose("manifest")
		if lack, err := remote.Restore(t.Context(), earlier, "g", 0); err != nil || !lack.IsNothing() {
			t.Fatalf("%+v, %v", lack, err)
		}
		c.now = c.now.Add(3 * grace)
		if lack, err := remote.Restore(t.Context(), n.fs, "g", 0); err != nil || !lack.IsNothing() {
			t.Fatalf("%+v, %v", lack, err)
		}
		writer := n
		if isHealed {
			d.lose("manifest")
			if done, err := n.writer.Heal(t.Context()); err != nil || !done.Manifest {
				t.Fatalf("%+v, %v", done, err)
			}
		} else {
			writer = d.open()
		}
		check := func(want int) {
			t.Helper()
			_, err := writer.writer.Sweep(t.Context())
			must(t, err)
			stored := 0
			for _, f := range given.Files {
				if _, err := d.bucket.Get(t.Context(), path.Join("g", d.id, f.Key), ""); err == nil {
					stored++
				}
			}
			if stored != want {
				t.Fatalf("healed %t: %d files of the earlier manifest are left, not %d", isHealed, stored, want)
			}
		}
		for range 2 {
			check(len(given.Files))
			c.now = c.now.Add(grace / 2)
		}
		check(len(given.Files))
		marks := func() int {
			listing, err := d.bucket.List(t.Context(), path.Join("g", d.id, restored), "")
			must(t, err)
			return len(listing.Entries)
		}
		if marks() == 0 {
			t.Errorf("healed %t: nothing says that a manifest was given back", isHealed)
		}
		c.now = c.now.Add(publishLimit + time.Second)
		check(0)
		if left := marks(); left > 0 { // they were only needed for the grace
			t.Errorf("healed %t: %d objects say that a manifest was given back", isHealed, left)
		}
		if got := writer.count(); got != 10 {
			t.Errorf("healed %t: %d of 10 documents", isHealed, got)
		}
	}
}

// I13: the object that an earlier build put before it restored a manifest keeps the
// files for a grace too.
func TestAnEarlierBuildGaveAManifestBack(t *testing.T) {
	c := &clock{time.Unix(1_700_000_000, 0)}
	d := create(t, memory.New(c.time))
	n, _, _ := withEarlierCopy(t, d)
	must(t, n.g.MergeAll(t.Context()))
	c.now = c.now.Add(3 * grace)
	key := path.Join("g", d.id, restored)
	_, err := d.bucket.PutIf(t.Context(), key, bucket.Bytes([]byte("id\n")), bucket.Always)
	must(t, err)
	for _, isOver := range []bool{false, true} {
		swept, err := n.writer.Sweep(t.Context())
		must(t, err)
		if (swept.Files > 0) != isOver {
			t.Errorf("grace over %t: %d files are swept", isOver, swept.Files)
		}
		c.now = c.now.Add(grace + publishLimit + time.Second)
	}
	if _, err := d.bucket.Get(t.Context(), key, ""); err != nil {
		t.Error(err)
	}
}
