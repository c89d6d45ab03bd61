package blockfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/quiresearch/quire/internal/format"
)

// Verification selects what a Reader checks when it is opened.
type Verification int

const (
	// VerifyAll checks every section's checksum.
	VerifyAll Verification = iota
	// Trusted checks only header, footer and directory: for files that this process
	// has written or verified before.
	Trusted
	// VerifyUsed checks header, footer and directory, and leaves sections to Check,
	// which a caller runs before it reads one: the time to open does not grow with
	// the size of the file.
	VerifyUsed
)

// Section describes one section of a file.
type Section struct {
	ID
	Offset int64
	Length int64
	CRC32C uint32
}

// Reader gives access to the sections of a file. It does not own the bytes. A
// segment may have hundreds of thousands of sections, so their descriptions stay in
// the file.
type Reader struct {
	name    string
	data    []byte
	kind    string
	version uint32
	dir     directory
	checks  *checks // nil when nothing remains to be checked

	damaged   atomic.Bool
	onDamaged func() // may be nil
}

// Open reads the directory of a file of the given kind, in a version from oldest to
// version.
func Open(name string, data []byte, kind string, oldest, version uint32, verify Verification) (*Reader, error) {
	r, err := Inspect(name, data)
	if err != nil {
		return nil, err
	}
	if r.kind != kind {
		return nil, fmt.Errorf("open %s: holds %q, not %q: %w", name, r.kind, kind, ErrVersion)
	}
	if r.version < oldest || r.version > version {
		return nil, fmt.Errorf("open %s: version %d, this program reads %d to %d: %w", name, r.version, oldest, version, ErrVersion)
	}
	switch verify {
	case VerifyAll:
		if err := r.Verify(); err != nil {
			return nil, err
		}
	case VerifyUsed:
		r.checks = newChecks(r.dir.len())
	}
	return r, nil
}

// Inspect reads the directory of a file of any kind and version, without
// checking the sections.
func Inspect(name string, data []byte) (*Reader, error) {
	size := int64(len(data))
	if size < headerSize+footerSize {
		return nil, Corrupt(name, size, "%d bytes are too few", size)
	}
	if string(data[:8]) != format.Envelope.Mark {
		return nil, Corrupt(name, 0, "magic %q", data[:8])
	}
	h := data[:headerSize]
	if Checksum(h[:headerSize-4]) != binary.LittleEndian.Uint32(h[headerSize-4:]) {
		return nil, Corrupt(name, 0, "header checksum")
	}
	r := &Reader{
		name:    name,
		data:    data,
		kind:    string(bytes.TrimRight(h[8:16], "\x00")),
		version: binary.LittleEndian.Uint32(h[16:]),
	}
	at := size - footerSize
	f := data[at:]
	if string(f[48:56]) != endMark {
		return nil, Corrupt(name, at, "end magic %q", f[48:56])
	}
	if Checksum(f[:footerSize-4]) != binary.LittleEndian.Uint32(f[footerSize-4:]) {
		return nil, Corrupt(name, at, "footer checksum")
	}
	if got := binary.LittleEndian.Uint64(f[24:]); got != uint64(size) {
		return nil, Corrupt(name, at, "footer says %d bytes, the file has %d", got, size)
	}
	dirOffset, count := binary.LittleEndian.Uint64(f[0:]), binary.LittleEndian.Uint64(f[8:])
	if count > maxSections || dirOffset < headerSize || dirOffset > uint64(at) || count*entrySize > uint64(at)-dirOffset {
		return nil, Corrupt(name, at, "directory of %d sections at %d", count, dirOffset)
	}
	dir := data[dirOffset : dirOffset+count*entrySize]
	if Checksum(dir) != binary.LittleEndian.Uint32(f[16:]) {
		return nil, Corrupt(name, int64(dirOffset), "directory checksum")
	}
	var err error
	r.dir, err = openDirectory(name, dir, int64(dirOffset))
	return r, err
}

// Name returns the name that the file was opened with.
func (r *Reader) Name() string { return r.name }

// Kind returns the kind stored in the file.
func (r *Reader) Kind() string { return r.kind }

// Size returns the length of the file.
func (r *Reader) Size() int64 { return int64(len(r.data)) }

// Sections returns all sections in the order of the file.
func (r *Reader) Sections() []Section {
	all := make([]Section, r.dir.len())
	for i := range all {
		all[i] = r.dir.at(i)
	}
	return all
}

// Section returns the bytes of a section and whether it exists. Their capacity
// extends past the end (BF2), so that block decoders may read ahead.
func (r *Reader) Section(id ID) ([]byte, bool) {
	i, ok := r.dir.find(id)
	if !ok {
		return nil, false
	}
	s := r.dir.at(i)
	return r.data[s.Offset : s.Offset+s.Length : s.Offset+s.Length+footerSize], true
}

// Offset returns the offset of a section in the file, for error messages; 0 when it
// does not exist.
func (r *Reader) Offset(id ID) int64 {
	if i, ok := r.dir.find(id); ok {
		return r.dir.at(i).Offset
	}
	return 0
}

// Verify checks the checksum of every section.
func (r *Reader) Verify() error {
	for i := range r.dir.len() {
		if err := r.verify(i); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) verify(i int) error {
	s := r.dir.at(i)
	if got := Checksum(r.data[s.Offset : s.Offset+s.Length]); got != s.CRC32C {
		return Corrupt(r.name, s.Offset, "section %v: checksum %08x, want %08x", s.ID, got, s.CRC32C)
	}
	return nil
}

// Check verifies a section that was not verified when the file was opened, once. It
// returns nil for a section that does not exist.
func (r *Reader) Check(id ID) error {
	if r.checks == nil {
		return nil
	}
	if i, ok := r.dir.find(id); ok {
		return r.check(i)
	}
	return nil
}

// CheckOwner runs Check for all sections of an owner.
func (r *Reader) CheckOwner(owner uint32) error {
	if r.checks == nil {
		return nil
	}
	for _, i := range r.dir.of(owner) {
		if err := r.check(int(i)); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) check(i int) error {
	return r.checks.once(i, func() error {
		isDamaged := true // also if verify panics
		defer func() {
			if isDamaged {
				r.noteDamage()
			}
		}()
		err := r.verify(i)
		isDamaged = err != nil
		return err
	})
}

// WhenDamaged sets a function that is called when Check finds damage. It must not
// block, and must be set before the Reader is shared.
func (r *Reader) WhenDamaged(do func()) { r.onDamaged = do }

// IsDamaged reports whether Check has found damage.
func (r *Reader) IsDamaged() bool { return r.damaged.Load() }

func (r *Reader) noteDamage() {
	if !r.damaged.Swap(true) && r.onDamaged != nil {
		r.onDamaged()
	}
}

// Dump prints header, sections and footer, one line each. describe, if not nil,
// returns the name of a section.
func (r *Reader) Dump(w io.Writer, describe func(ID) string) {
	fmt.Fprintf(w, "%10d  header  kind %s, version %d\n", 0, r.kind, r.version)
	for _, s := range r.Sections() {
		text := ""
		if describe != nil {
			text = describe(s.ID)
		}
		line := fmt.Sprintf("%10d  section %d.%d  %d bytes, crc32c %08x  %s", s.Offset, s.Owner, s.Part, s.Length, s.CRC32C, text)
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	fmt.Fprintf(w, "%10d  footer  %d sections, %d bytes\n", len(r.data)-footerSize, r.dir.len(), len(r.data))
}
