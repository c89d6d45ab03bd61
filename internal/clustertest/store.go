package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/manifest"
)

// Mask is what replaces an object for a while.
type Mask int

// The masks of F22.
const (
	Missing Mask = iota
	Empty
	Garbage
	Older   // a state it had before
	Foreign // the object of another deployment or generation
)

// earlier is how many states of an object are kept to be shown again.
const earlier = 8

// Store is a bucket in memory that watches its calls. It knows the grace, reads
// every stored manifest, and reports
//
//	I6   a commit, an epoch or a version that decreases,
//	I11  a manifest that names a file which does not exist as stated,
//	I13  a deletion of something that a manifest of the last grace names, of a log
//	     record above every floor that is a grace old, or of an object that says
//	     that a generation exists which is listed, or holds documents and was not
//	     marked as removed a grace ago,
//	I14  a replacement of a registry or manifest that is missing or damaged, other
//	     than by the last state.
type Store struct {
	*memory.Bucket
	grace  time.Duration
	report func(string)

	mu        sync.Mutex
	manifests map[string][]published // by generation, oldest first
	states    map[string][]state     // of registry and manifests, newest last
	masks     map[string]mask
	masked    int
	lying     int             // masks that show a sound object of another time or place
	lies      int             // such masks so far
	repairing int             // repairs under way, which replace a damaged registry
	lost      map[string]bool // objects that are gone for good
	reserved  bucket.Tag      // what holds the place of a lost registry until a repair writes one
	marked    map[string]bool // removal marks that were ever stored
	unlisted  map[string]bool // generations that one registry listed and the next did not
}

type mask struct {
	kind    Mask
	content []byte
	tag     bucket.Tag
}

// state is an earlier content of an object.
type state struct {
	content []byte
	tag     bucket.Tag
}

// published is a manifest and when it was replaced.
type published struct {
	manifest *manifest.Manifest
	until    time.Time // zero: it is current
}

var _ bucket.Bucket = (*Store)(nil)

// NewStore returns an empty bucket.
func NewStore(grace time.Duration, report func(string)) *Store {
	return &Store{Bucket: memory.New(nil), grace: grace, report: report,
		manifests: make(map[string][]published), states: make(map[string][]state), masks: make(map[string]mask),
		lost: make(map[string]bool), marked: make(map[string]bool), unlisted: make(map[string]bool)}
}

func isWatched(key string) bool { return key == "registry" || path.Base(key) == "manifest" }

// SetMask shows something else in place of an object. It returns false when there
// is nothing to show.
func (s *Store) SetMask(key string, kind Mask) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost[key] {
		return false
	}
	m := mask{kind: kind}
	switch kind {
	case Garbage:
		m.content = []byte(`{"format":1,"writeId":"0","version":1,"crc32c":"00000000","value":{}}`)
	case Older:
		states := s.states[key]
		if len(states) < 2 {
			return false
		}
		m.content = states[0].content
	case Foreign:
		for _, other := range slices.Sorted(maps.Keys(s.states)) {
			if states := s.states[other]; other != key && other != "registry" {
				m.content = states[len(states)-1].content
				break
			}
		}
		if m.content == nil {
			return false
		}
	}
	s.unmask(key)
	if kind == Older || kind == Foreign {
		s.lying++
		s.lies++
	}
	s.masked++
	m.tag = bucket.Tag(fmt.Sprintf("masked-%d", s.masked))
	s.masks[key] = m
	return true
}

// Unmask shows the object itself again.
func (s *Store) Unmask(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unmask(key)
}

func (s *Store) unmask(key string) {
	if m, isMasked := s.masks[key]; isMasked && (m.kind == Older || m.kind == Foreign) {
		s.lying--
	}
	delete(s.masks, key)
}

// IsLying reports whether an object of another time or place is shown.
func (s *Store) IsLying() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lying > 0
}

// KnowsBetter reports whether a reader that was last given the state of a tag, of
// the object of a key, would see that what Older shows is earlier. A reader that
// was given nothing, or nothing newer, has to believe it.
func (s *Store) KnowsBetter(key string, tag bucket.Tag) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.IndexFunc(s.states[key], func(known state) bool { return known.tag == tag }) > 0
}

// Truthful runs do and reports whether every object was itself, missing or damaged
// all the time: an object that is sound but wrong looks like the right one.
func (s *Store) Truthful(do func()) bool {
	count := func() (lies int, isTruthful bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.lies, s.lying == 0
	}
	before, isTruthful := count()
	do()
	after, _ := count()
	return isTruthful && before == after
}

// Repair runs a repair of the registry.
func (s *Store) Repair(do func()) {
	count := func(n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.repairing += n
	}
	count(1)
	defer count(-1)
	do()
}

// IsRepairing reports whether a repair of the registry is under way.
func (s *Store) IsRepairing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repairing > 0
}

// Lose deletes an object as a mistake of an operator or of the store does. A
// manifest may come back from a node that holds an earlier one, a registry only by
// repair.
func (s *Store) Lose(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unmask(key)
	_, _ = s.Bucket.Delete(context.Background(), key, bucket.Always)
	s.lost[key] = true
}

// IsLost reports whether an object was lost and is not back.
func (s *Store) IsLost(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[key]
}

// IsReserved reports whether the object of a tag only holds the place of a lost
// registry.
func (s *Store) IsReserved(tag bucket.Tag) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return tag != "" && tag == s.reserved
}

// versionOf returns the version of a registry, or 0 when it cannot be read.
func versionOf(content []byte) uint64 {
	var held struct{ Version uint64 }
	_ = json.Unmarshal(content, &held)
	return held.Version
}

// WasMarked reports whether a generation ever had a removal mark.
func (s *Store) WasMarked(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.marked[path.Join("g", id, "removed")]
}

// WasUnlisted reports whether a registry ever ceased to list a generation. Nodes
// then drop their copies of it.
func (s *Store) WasUnlisted(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unlisted[id]
}

func (s *Store) noteUnlisted(before, now []byte) {
	earlier, err := listedIn(before)
	if err != nil {
		return
	}
	listed, err := listedIn(now)
	if err != nil {
		return
	}
	for id := range earlier {
		if !listed[id] {
			s.unlisted[id] = true
		}
	}
}

// Last returns the registry or manifest that was stored last, and its tag.
func (s *Store) Last(key string) ([]byte, bucket.Tag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := s.states[key]
	if len(states) == 0 {
		return nil, ""
	}
	return states[len(states)-1].content, states[len(states)-1].tag
}

// Generations returns the generations that have a manifest, in order.
func (s *Store) Generations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for id := range s.manifests {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// Get reads an object.
func (s *Store) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, isMasked := s.masks[key]
	if !isMasked {
		return s.Bucket.Get(ctx, key, unless)
	}
	object := bucket.Object{Tag: m.tag, Size: int64(len(m.content)), Date: time.Now()}
	switch {
	case m.kind == Missing:
		return bucket.Object{Date: object.Date}, fmt.Errorf("get %s: %w", key, bucket.ErrNotFound)
	case unless == m.tag:
		return object, bucket.ErrNotModified
	}
	object.Body = io.NopCloser(bytes.NewReader(m.content))
	return object, nil
}

// PutIf stores an object if the condition holds.
func (s *Store) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m, isMasked := s.masks[key]; isMasked {
		return s.putMasked(ctx, key, m, body, condition)
	}
	written, err := s.Bucket.PutIf(ctx, key, body, condition)
	if err == nil && !isWatched(key) {
		delete(s.lost, key)
		if path.Base(key) == "removed" {
			s.marked[key] = true
		}
	}
	if err != nil || !isWatched(key) {
		return written, err
	}
	if key == "registry" && s.lost[key] && s.repairing == 0 && ctx.Value(delayed{}) == nil {
		s.report("I14: a registry that was lost was begun anew")
	}
	content := readAll(body)
	if key == "registry" && versionOf(content) == 0 {
		s.reserved = written.Tag
		return written, nil
	}
	if key != "registry" {
		s.published(key, content)
	} else if states := s.states[key]; len(states) > 0 {
		s.noteUnlisted(states[len(states)-1].content, content)
	}
	states := append(s.states[key], state{content, written.Tag})
	s.states[key] = states[max(0, len(states)-earlier):]
	delete(s.lost, key)
	return written, nil
}

// putMasked answers a write to a masked object. The writer of a generation may
// store again exactly what was there last.
func (s *Store) putMasked(ctx context.Context, key string, m mask, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	isLate := ctx.Value(delayed{}) != nil
	isOurs := condition.Matches == m.tag || condition == bucket.Always || m.kind == Missing && condition.Absent
	states := s.states[key]
	isHealed := isOurs && !isLate && key != "registry" && len(states) > 0 && bytes.Equal(readAll(body), states[len(states)-1].content)
	switch {
	case isHealed:
		s.unmask(key)
		return bucket.Written{Tag: states[len(states)-1].tag, Date: time.Now()}, nil
	case !isOurs && m.kind == Missing:
		return bucket.Written{}, fmt.Errorf("put %s: %w", key, bucket.ErrNotFound)
	case isOurs && !isLate && m.kind != Older && m.kind != Foreign && s.repairing == 0 && (key == "registry" || s.lists(path.Base(path.Dir(key)))):
		s.report(fmt.Sprintf("I14: %s was replaced although it was missing or damaged (%d)", key, m.kind))
	}
	return bucket.Written{}, fmt.Errorf("put %s: %w", key, bucket.ErrCondition)
}

func readAll(body bucket.Body) []byte {
	reader, err := body.Open()
	if err != nil {
		return nil
	}
	defer reader.Close()
	content, err := io.ReadAll(reader)
	if err != nil {
		return nil
	}
	return content
}

// published checks a manifest that was stored.
func (s *Store) published(key string, content []byte) {
	id := path.Base(path.Dir(key))
	m, err := manifest.Decode(content)
	if err != nil {
		s.report(fmt.Sprintf("I11: a manifest of %s cannot be read: %v", id, err))
		return
	}
	all := s.manifests[id]
	if n := len(all); n > 0 {
		before := all[n-1].manifest
		isOlder := m.Sequence < before.Sequence || m.Epoch < before.Epoch || m.Version <= before.Version || m.LastLSN < before.LastLSN
		if isOlder && !s.lost[key] {
			s.report(fmt.Sprintf("I6: generation %s went from epoch %d commit %d version %d to %d, %d, %d", id,
				before.Epoch, before.Sequence, before.Version, m.Epoch, m.Sequence, m.Version))
		}
		all[n-1].until = time.Now()
	}
	for _, f := range m.Files {
		if s.lost[path.Join("g", id, f.Key)] {
			continue
		}
		stored, err := s.content(path.Join("g", id, f.Key))
		if err != nil || int64(len(stored)) != f.Size || crc32.Checksum(stored, crc32.MakeTable(crc32.Castagnoli)) != f.CRC32C {
			s.report(fmt.Sprintf("I11: manifest version %d of %s names %s, which is not there as it says: %v", m.Version, id, f.Key, err))
		}
	}
	for len(all) > 1 && time.Since(all[0].until) > s.grace && !all[0].until.IsZero() {
		all = all[1:]
	}
	s.manifests[id] = append(all, published{manifest: m})
}

func (s *Store) content(key string) ([]byte, error) {
	object, err := s.Bucket.Get(context.Background(), key, "")
	if err != nil {
		return nil, err
	}
	return io.ReadAll(object.Body)
}

// List returns every object below the prefix.
func (s *Store) List(ctx context.Context, prefix, delimiter string) (bucket.Listing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	listing, err := s.Bucket.List(ctx, prefix, delimiter)
	listing.Entries = slices.DeleteFunc(listing.Entries, func(e bucket.Entry) bool {
		m, isMasked := s.masks[e.Key]
		return isMasked && m.kind == Missing
	})
	return listing, err
}

// Delete removes an object if the condition holds.
func (s *Store) Delete(ctx context.Context, key string, condition bucket.Condition) (bucket.Written, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "registry" || key == "deployment" {
		s.report("I14: " + key + " was deleted")
	}
	if why := s.mustStay(key); why != "" {
		s.report("I13: " + key + " was deleted: " + why)
	}
	if path.Base(key) == "manifest" {
		delete(s.manifests, path.Base(path.Dir(key)))
	}
	return s.Bucket.Delete(ctx, key, condition)
}

// mustStay returns why an object must not be deleted, or an empty string if it may
// be.
func (s *Store) mustStay(key string) string {
	parts := strings.SplitN(key, "/", 3)
	if len(parts) != 3 || parts[0] != "g" {
		return ""
	}
	if _, err := s.content(key); err != nil {
		return ""
	}
	id, rest := parts[1], parts[2]
	all := s.manifests[id]
	if len(all) == 0 {
		return ""
	}
	current := all[len(all)-1].manifest
	if !s.lists(id) && (current.Sequence == 0 || s.isExpired(id)) {
		return ""
	}
	// A removed generation may be restored; objects that its writer no longer needs
	// may be deleted.
	switch kind, name, _ := strings.Cut(rest, "/"); kind {
	case "seg":
		for _, p := range all {
			isRecent := p.until.IsZero() || time.Since(p.until) < s.grace
			if isRecent && slices.ContainsFunc(p.manifest.Files, func(f manifest.File) bool { return f.Key == rest }) {
				return fmt.Sprintf("manifest version %d names it", p.manifest.Version)
			}
		}
	case "wal":
		lsn, err := strconv.ParseUint(name, 10, 64)
		if err != nil {
			return "it is no log record"
		}
		for _, f := range current.LowWaterMarks {
			if lsn <= f.LSN && time.Since(time.UnixMilli(f.Time)) >= s.grace {
				return ""
			}
		}
		return "no floor that is a grace old is above it"
	case "removed": // it was restored
	case "restored":
		marks, err := s.Bucket.List(context.Background(), key, "")
		if err != nil || len(marks.Entries) != 1 || time.Since(marks.Entries[0].Modified) < s.grace {
			return "a manifest was given back less than a grace ago"
		}
	default:
		return "its generation is listed, or was not marked as removed a grace ago"
	}
	return ""
}

// isExpired reports whether a generation was marked as removed a grace ago.
func (s *Store) isExpired(id string) bool {
	marks, err := s.Bucket.List(context.Background(), path.Join("g", id, "removed"), "")
	return err == nil && len(marks.Entries) == 1 && time.Since(marks.Entries[0].Modified) >= s.grace
}

// lists reports whether the registry lists a generation.
func (s *Store) lists(id string) bool {
	content, err := s.content("registry")
	if states := s.states["registry"]; (err != nil || s.lost["registry"]) && len(states) > 0 {
		content, err = states[len(states)-1].content, nil // it is lost
	}
	if err != nil {
		return false
	}
	listed, err := listedIn(content)
	return err != nil || listed[id]
}

// listedIn returns the generations that a registry lists.
func listedIn(content []byte) (map[string]bool, error) {
	var stored struct {
		Value struct {
			Indexes map[string]struct {
				Generations map[string]struct{ ID string }
			}
		}
	}
	if err := json.Unmarshal(content, &stored); err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, index := range stored.Value.Indexes {
		for _, generation := range index.Generations {
			listed[generation.ID] = true
		}
	}
	return listed, nil
}
