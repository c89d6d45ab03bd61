// Package manifest is the file that describes the contents of a generation: its
// definition, the segments with their deleted documents and refreshed signal
// values, how much of the log they contain, and the commit sequence number.
//
// A commit takes effect when the manifest is replaced: Write makes the new one
// durable under a temporary name and renames it. A generation is created with an
// empty manifest (sequence 0), so a missing manifest is damage and never means that
// the generation is empty. In object mode the same bytes are the manifest object
// and are replaced conditionally.
//
// Members that this version does not know are preserved when a manifest is read and
// written again. A Manifest that was written or read must not be changed
// afterwards. The bytes are described in FORMAT.md.
package manifest

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/vfs"
)

// Name is the file name of the manifest of a generation.
const Name = "manifest"

const (
	temporaryName  = "manifest.new"
	ancestryLength = 32
)

var (
	// ErrCorrupt marks a manifest whose bytes are damaged.
	ErrCorrupt = errors.New("manifest is damaged")
	// ErrVersion marks a manifest of a newer format.
	ErrVersion = errors.New("manifest format is not supported")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Manifest is the state of a generation at one commit.
type Manifest struct {
	Version       uint64         `json:"version"`            // counts every write of the manifest
	WriteID       string         `json:"writeId"`            // random, fresh for every write
	Ancestry      []string       `json:"ancestry,omitempty"` // ids of the previous writes, newest first
	Generation    string         `json:"generation"`         // id of the generation, 32 hexadecimal digits
	Epoch         uint64         `json:"epoch"`
	Session       string         `json:"session,omitempty"`
	Sequence      uint64         `json:"sequence"` // commits that carried changes
	LastLSN       uint64         `json:"lastLSN"`  // the segments contain the log up to here
	LowWaterMarks []LowWaterMark `json:"floors,omitempty"`
	Definition    jsontext.Value `json:"definition"`
	NextFile      uint64         `json:"nextFile"`     // number of the next segment or side file
	Standing      uint64         `json:"nextStanding"` // of the next document
	Segments      []Segment      `json:"segments,omitempty"`
	Files         []File         `json:"files,omitempty"` // every file that the manifest names, once
	Tracking      *Tracking      `json:"tracking,omitzero"`
	Retired       []Retired      `json:"retired,omitempty"`
	GivenBack     *GivenBack     `json:"givenBack,omitzero"`
	Live          int64          `json:"live"` // documents that are not deleted

	Unknown jsontext.Value `json:",embed"`
}

// Segment is one segment with its state at the commit.
type Segment struct {
	File      string `json:"file"`
	First     uint64 `json:"first"`         // standing of its first document in the order of the index
	Documents int64  `json:"documents"`     // number of documents, without list values
	Live      int64  `json:"live"`          // those not deleted
	Side      string `json:"side,omitzero"` // side file with its live documents and refreshed signals; empty: all live, none refreshed

	Unknown jsontext.Value `json:",embed"`
}

// File is an immutable file that the manifest names.
type File struct {
	Name   string `json:"name"`
	Key    string `json:"key,omitzero"` // its object in the bucket; object mode only
	Size   int64  `json:"size"`
	CRC32C uint32 `json:"crc32c"`

	Unknown jsontext.Value `json:",embed"`
}

// Precedes reports whether m is older than other, so that no view of other goes
// back to m (I6). The commit sequence number decides: when a bucket has lost the
// manifest and a node gives an earlier one back, versions count from that one
// again, while a later commit holds everything that was acknowledged. Of two
// manifests of the same commit, the one built on the other is the later one: a
// manifest that was given back may have the higher version.
func (m *Manifest) Precedes(other *Manifest) bool {
	switch {
	case m.Sequence != other.Sequence:
		return m.Sequence < other.Sequence
	case other.IsBuiltOn(m), m.IsBuiltOn(other):
		return other.IsBuiltOn(m)
	}
	return m.Version < other.Version
}

// IsBuiltOn reports whether the ancestry of m contains other, or the write whose
// state other gives back, unless m gives back the same state. It returns false if
// other is more than 32 writes back.
func (m *Manifest) IsBuiltOn(other *Manifest) bool {
	return slices.Contains(m.Ancestry, other.WriteID) || other.state() != m.state() && slices.Contains(m.Ancestry, other.state())
}

// GivenBack is set in a manifest that replaces a lost one. Such a manifest holds
// the state of an earlier write, with a higher version or epoch.
type GivenBack struct {
	WriteID string `json:"writeId"` // of the manifest itself: a build that does not know this member copies it to the next one
	State   string `json:"state"`   // write id of the earlier manifest
}

// state returns the id of the write that produced the state of m.
func (m *Manifest) state() string {
	if m.GivenBack != nil && m.GivenBack.WriteID == m.WriteID {
		return m.GivenBack.State
	}
	return m.WriteID
}

// GiveBack returns a successor with the same state, to be stored in place of a lost
// manifest.
func (m *Manifest) GiveBack(epoch, version uint64) *Manifest {
	next := m.Next()
	next.Epoch, next.Version = epoch, max(next.Version, version)
	next.GivenBack = &GivenBack{WriteID: next.WriteID, State: m.state()}
	return next
}

// LowWaterMark is a point in the log: objects up to LSN may be removed once Time is
// a grace period ago.
type LowWaterMark struct {
	LSN  uint64 `json:"lsn"`
	Time int64  `json:"time"` // of the store, milliseconds
}

// Retired is an object that no commit has named since Time.
type Retired struct {
	Key  string `json:"key"`
	Time int64  `json:"time"` // of the store, milliseconds
}

// Tracking holds the keys changed since a reindex began.
type Tracking struct {
	Files []TrackedFile `json:"files,omitempty"`

	Unknown jsontext.Value `json:",embed"`
}

// TrackedFile is a side file with the keys that one commit changed, or several
// successive ones.
type TrackedFile struct {
	File     string `json:"file"`
	First    uint64 `json:"first,omitzero"` // the first of several commits; 0: only one
	Sequence uint64 `json:"sequence"`       // the last commit
	Keys     int    `json:"keys"`
}

// File returns the entry of a file, or nil when the manifest does not name it.
func (m *Manifest) File(name string) *File {
	for i := range m.Files {
		if m.Files[i].Name == name {
			return &m.Files[i]
		}
	}
	return nil
}

// Next returns a copy for the next write: with a new write id, the version
// incremented and the ancestry extended. Its slices may be changed freely.
func (m *Manifest) Next() *Manifest {
	next := *m
	next.Version++
	next.WriteID = NewID()
	next.GivenBack = nil
	if m.WriteID != "" {
		next.Ancestry = append([]string{m.WriteID}, m.Ancestry...)
		next.Ancestry = next.Ancestry[:min(len(next.Ancestry), ancestryLength)]
	}
	next.LowWaterMarks = append([]LowWaterMark(nil), m.LowWaterMarks...)
	next.Segments = append([]Segment(nil), m.Segments...)
	next.Files = append([]File(nil), m.Files...)
	next.Retired = append([]Retired(nil), m.Retired...)
	if m.Tracking != nil {
		tracking := *m.Tracking
		tracking.Files = append([]TrackedFile(nil), m.Tracking.Files...)
		next.Tracking = &tracking
	}
	return &next
}

// NewID returns 32 random hexadecimal digits.
func NewID() string {
	var id [16]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// Encode returns the bytes of the manifest.
func (m *Manifest) Encode() ([]byte, error) {
	body, err := json.Marshal(m, json.Deterministic(true), jsontext.Multiline(true))
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	return seal(body), nil
}

// seal prepends the head line with the checksum to a body.
func seal(body []byte) []byte {
	head := fmt.Appendf(nil, "%s %d %08x %d\n", format.Manifest.Mark, format.Manifest.Version, crc32.Checksum(body, castagnoli), len(body))
	return append(head, body...)
}

// Decode decodes a manifest and checks that it is consistent. An error wraps
// ErrCorrupt or ErrVersion.
func Decode(content []byte) (*Manifest, error) {
	head, body, ok := bytes.Cut(content, []byte("\n"))
	words := bytes.Split(head, []byte(" "))
	if !ok || len(words) != 4 || string(words[0]) != format.Manifest.Mark {
		return nil, fmt.Errorf("decode manifest: %w: not a manifest", ErrCorrupt)
	}
	version, err := strconv.ParseUint(string(words[1]), 10, 32)
	if err != nil {
		return nil, fmt.Errorf("decode manifest: %w: version", ErrCorrupt)
	}
	if version != uint64(format.Manifest.Version) {
		return nil, fmt.Errorf("decode manifest: %w: version %d", ErrVersion, version)
	}
	if !bytes.Equal(content, seal(body)) {
		return nil, fmt.Errorf("decode manifest: %w: checksum", ErrCorrupt)
	}
	m := new(Manifest)
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("decode manifest: %w: %w", ErrCorrupt, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("decode manifest: %w: %w", ErrCorrupt, err)
	}
	return m, nil
}

// check returns an error when the manifest contradicts itself.
func (m *Manifest) check() error {
	known := make(map[string]bool, len(m.Files))
	for _, file := range m.Files {
		if !plainName(file.Name) || file.Size < 0 || known[file.Name] {
			return fmt.Errorf("file %q", file.Name)
		}
		known[file.Name] = true
	}
	need := func(name string) error {
		if name != "" && !known[name] {
			return fmt.Errorf("file %q is not listed", name)
		}
		return nil
	}
	var live int64
	var first uint64
	for _, segment := range m.Segments {
		if segment.First < first || segment.First > m.Standing {
			return fmt.Errorf("segment %q stands at %d", segment.File, segment.First)
		}
		first = segment.First
		if segment.File == "" || segment.Live < 0 || segment.Live > segment.Documents {
			return fmt.Errorf("segment %q has %d of %d documents", segment.File, segment.Live, segment.Documents)
		}
		if err := errors.Join(need(segment.File), need(segment.Side)); err != nil {
			return err
		}
		live += segment.Live
	}
	if live != m.Live {
		return fmt.Errorf("%d live documents, segments have %d", m.Live, live)
	}
	if m.Tracking != nil {
		for _, file := range m.Tracking.Files {
			if err := need(file.File); err != nil {
				return err
			}
		}
	}
	return nil
}

// plainName reports whether name stays inside its directory.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) < 200 && path.Base(name) == name &&
		!bytes.ContainsAny([]byte(name), "\x00\\")
}

// Read returns the manifest in a directory. A missing one is an error wrapping
// vfs.ErrNotExist.
func Read(fs vfs.FS, dir string) (*Manifest, error) {
	content, err := fs.ReadFile(path.Join(dir, Name))
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	m, err := Decode(content)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Join(dir, Name), err)
	}
	return m, nil
}

// Write replaces the manifest in a directory. If the error wraps ErrUnsettled,
// either the new or the old manifest may be read after a crash; after any other
// error the old one remains.
func Write(fs vfs.FS, dir string, m *Manifest) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	content, err := m.Encode()
	if err != nil {
		return err
	}
	temporary := path.Join(dir, temporaryName)
	if err := fs.Remove(temporary); err != nil && !errors.Is(err, vfs.ErrNotExist) {
		return fmt.Errorf("write manifest: %w", err)
	}
	file, err := fs.Create(temporary)
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	if _, err := file.Write(content); err != nil {
		file.Close()
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := file.Sync(); err != nil {
		file.Close()
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	if err := fs.Rename(temporary, path.Join(dir, Name)); err != nil {
		return fmt.Errorf("write manifest: %w: %w", ErrUnsettled, err)
	}
	if err := fs.SyncDir(dir); err != nil {
		return fmt.Errorf("write manifest: %w: %w", ErrUnsettled, err)
	}
	return nil
}

// ErrUnsettled marks a replacement whose outcome depends on a crash.
var ErrUnsettled = errors.New("replacement not settled")
