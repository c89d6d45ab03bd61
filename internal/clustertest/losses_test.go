package clustertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
)

// F23, F27: in some runs the bucket loses segments, manifests, identities or the
// registry while clients write, and repairs run concurrently until everything is
// back. From a loss until then machines keep their disks, which hold the last
// copies; their processes are killed, paused and cut off as always.

// lose removes objects until the end and has the losses repaired.
func (s *simulation) lose(random *rand.Rand) {
	for !s.isOver() {
		s.rest(between(random, 2*time.Second, 15*time.Second))
		s.guard()
		lost := s.loss(random)
		for _, key := range lost {
			s.trace.Note("bucket", "lose "+key, 0)
			s.store.Lose(key)
		}
		for len(lost) > 0 && !s.isOver() && !s.isWhole(false) {
			s.rest(between(random, time.Second, 10*time.Second))
			s.repair(random)
		}
		if s.isWhole(false) {
			s.isGuarded.Store(false)
		}
	}
}

// guard keeps the disks of the machines from now on.
func (s *simulation) guard() {
	s.isGuarded.Store(true)
	for _, m := range s.machines {
		m.mu.Lock()
		m.disk.SetFault(nil)
		m.mu.Unlock()
	}
}

// loss draws objects that a machine, or a running process's knowledge, can restore.
// It is empty when there are none.
func (s *simulation) loss(random *rand.Rand) []string {
	var keys []string
	what := random.IntN(8)
	if what < 3 { // F27
		// A client that restores an index asks for no promotion: its repair of a
		// lost registry would leave every index without a live generation.
		if _, isNoted := s.knowing(); !isNoted || s.store.IsLying() || s.store.IsRepairing() {
			return nil
		}
		keys = append(keys, "registry")
	}
	index, err := s.truth().Find(books)
	if err != nil {
		return nil
	}
	for _, name := range index.GenerationNames() {
		id := index.Generations[name].ID.String()
		stored := s.manifestOf(id)
		if stored == nil || !s.holdsWhole(id, stored) || random.IntN(3) == 0 {
			continue
		}
		of := func(name string) string { return path.Join("g", id, name) }
		if what == 2 || what == 3 || what == 6 {
			keys = append(keys, of("identity"))
		}
		if what >= 4 && what <= 6 {
			keys = append(keys, of("manifest"))
		}
		for _, f := range stored.Files {
			if what >= 6 && (what == 6 || random.IntN(2) == 0) {
				keys = append(keys, of(f.Key))
			}
		}
	}
	return keys
}

// manifestOf returns the manifest of a generation that the bucket holds, or nil.
func (s *simulation) manifestOf(id string) *manifest.Manifest {
	content, err := s.store.content(path.Join("g", id, "manifest"))
	if err != nil {
		return nil
	}
	stored, err := manifest.Decode(content)
	if err != nil {
		return nil
	}
	return stored
}

// holdsWhole reports whether the disk of some machine holds exactly the state of a
// manifest: its newest commit with every file.
func (s *simulation) holdsWhole(id string, stored *manifest.Manifest) bool {
	return slices.ContainsFunc(s.machines, func(m *machine) bool {
		m.mu.Lock()
		disk := m.disk
		m.mu.Unlock()
		dir := "generations/" + id
		local, err := manifest.Read(disk, dir)
		if err != nil || local.Sequence != stored.Sequence || local.LastLSN != stored.LastLSN {
			return false
		}
		return !slices.ContainsFunc(stored.Files, func(f manifest.File) bool {
			content, err := disk.ReadFile(path.Join(dir, f.Name))
			return err != nil || bucket.Bytes(content).CRC32C != f.CRC32C
		})
	})
}

// knowing returns the processes that know the newest registry, or whose disk does,
// and whether any disk does: its note is what is left when processes are killed.
func (s *simulation) knowing() (all []*process, isNoted bool) {
	content, newest := s.store.Last("registry")
	for _, m := range s.machines {
		m.mu.Lock()
		p, disk := m.now, m.disk
		m.mu.Unlock()
		noted, err := disk.ReadFile("registry-seen")
		knows := err == nil && versionOf(noted) == versionOf(content)
		isNoted = isNoted || knows
		if p != nil && (knows || p.link.Given("registry") == newest) {
			all = append(all, p)
		}
	}
	return all, isNoted
}

// repair asks a process for a repair. If the registry is lost, it asks one that
// knows it: no other could tell what was live. Whatever is repaired, no index goes
// away.
func (s *simulation) repair(random *rand.Rand) {
	p := s.anyProcess(random)
	bodies := []string{`{"promoteNewest":true}`, `{"promoteNewest":true,"restoreFromNodes":true}`, `{"restoreFromNodes":true}`, `{}`}
	if all, _ := s.knowing(); s.store.IsLost("registry") {
		if len(all) == 0 {
			return
		}
		p, bodies = all[random.IntN(len(all))], bodies[:2]
	}
	if p != nil {
		s.repairBy(p, bodies[random.IntN(len(bodies))])
	}
}

func (s *simulation) repairBy(p *process, body string) {
	before := s.idOf(books)
	var (
		done registry.Repair
		err  error
	)
	s.store.Repair(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
		defer cancel()
		err = p.send(ctx, "POST", "/admin/registry/actions/repair", body, &done)
	})
	s.trace.Note(p.link.name, "repair "+body, told(err))
	if after := s.idOf(books); before != (registry.ID{}) && after == (registry.ID{}) {
		s.t.Errorf("seed %d: I22: a repair removed %s: %+v, %v", s.seed, books, done, err)
	}
}

// isWhole reports whether the bucket holds the registry and a whole state of every
// generation that it lists. With mustBe it first runs a last repair and fails if
// the bucket does not. It omits generations that a delete removed from the registry
// and a repair or a client brought back: nodes had dropped their copies, so that
// what the bucket lost of them is nowhere.
func (s *simulation) isWhole(mustBe bool) bool {
	// Other nodes do not ask a node that writes nothing, so ask all in turn.
	for try := 0; mustBe && try < 20 && !s.isWhole(false); try++ {
		all, _ := s.knowing()
		if len(all) > 0 {
			s.repairBy(all[try%len(all)], `{"promoteNewest":true,"restoreFromNodes":true}`)
		}
		time.Sleep(time.Minute)
	}
	var lacks []string
	if s.store.IsLost("registry") {
		lacks = append(lacks, "registry")
	}
	for _, index := range s.truth().List() {
		for _, generation := range index.Generations {
			if id := generation.ID.String(); !s.store.WasUnlisted(id) {
				lacks = append(lacks, s.lacks(id)...)
			}
		}
	}
	if mustBe && len(lacks) > 0 {
		s.t.Errorf("seed %d: I22: nodes did not give back %s", s.seed, strings.Join(lacks, ", "))
	}
	return len(lacks) == 0
}

// lacks returns the keys of a generation that the bucket lacks.
func (s *simulation) lacks(id string) []string {
	var missing []string
	keys := []string{path.Join("g", id, "identity"), path.Join("g", id, "manifest")}
	if stored := s.manifestOf(id); stored != nil {
		for _, f := range stored.Files {
			keys = append(keys, path.Join("g", id, f.Key))
		}
	}
	for _, key := range keys {
		if _, err := s.store.content(key); err != nil {
			missing = append(missing, fmt.Sprintf("%s (%v)", key, err))
		}
	}
	return missing
}
