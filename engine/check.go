package engine

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/segment/postings"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// CheckAll checks every generation in a directory and below it, writes one line for
// each to out, and returns everything that is wrong. A directory without
// generations is reported on out and is not an error. CheckAll changes nothing; the
// generations must not be open.
func CheckAll(fs vfs.FS, directory string, out io.Writer) error {
	found := 0
	err := checkBelow(fs, directory, out, &found)
	if err == nil && found == 0 {
		fmt.Fprintln(out, "no generation there")
	}
	return err
}

func checkBelow(fs vfs.FS, directory string, out io.Writer, found *int) error {
	names, err := fs.List(directory)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	var failures []error
	for _, name := range names {
		switch inner, isDirectory := strings.CutSuffix(name, "/"); {
		case isDirectory:
			failures = append(failures, checkBelow(fs, path.Join(directory, inner), out, found))
		case name == manifest.Name:
			*found++
			report, err := Check(fs, directory)
			if err != nil {
				fmt.Fprintf(out, "%s: %v\n", directory, err)
				failures = append(failures, fmt.Errorf("%s: %w", directory, err))
				continue
			}
			fmt.Fprintf(out, "%s: %s\n", directory, report)
		}
	}
	return errors.Join(failures...)
}

// Report describes a generation that a check found intact.
type Report struct {
	Sequence  uint64
	Documents int
	Segments  int
	Bytes     int64
	Logged    int // operations in the log after the last commit
}

// String returns the report as one line.
func (r Report) String() string {
	return fmt.Sprintf("ok, commit %d, %d documents in %d segments, %d bytes, %d operations in the log",
		r.Sequence, r.Documents, r.Segments, r.Bytes, r.Logged)
}

// Check verifies everything in the directory of a generation: that the files are
// those that the manifest names, their checksums, order and counts, that no key is
// live twice, that a document and its list values are live or deleted together, and
// that the log continues from the commit. It returns the first error found. Check
// changes nothing; the generation must not be open.
func Check(fs vfs.FS, directory string) (Report, error) {
	m, err := manifest.Read(fs, directory)
	if err != nil {
		return Report{}, err
	}
	report := Report{Sequence: m.Sequence, Segments: len(m.Segments)}
	for _, file := range m.Files {
		if err := checkFile(fs, directory, file); err != nil {
			return report, err
		}
		report.Bytes += file.Size
	}
	segments, _, err := openManifest(fs, directory, m, nil, nil)
	if err != nil {
		return report, err
	}
	view := snapshot.New(m.Sequence, segments, nil)
	defer view.Release()
	report.Documents = view.Documents
	keys := make(map[string]string, view.Documents)
	for _, s := range view.Segments {
		if err := segment.Check(s.Reader); err != nil {
			return report, err
		}
		if err := checkLive(s); err != nil {
			return report, err
		}
		if err := checkKeys(s, keys); err != nil {
			return report, err
		}
	}
	if len(keys) != view.Documents {
		return report, fmt.Errorf("%d live documents have %d keys", view.Documents, len(keys))
	}
	report.Logged, err = checkLog(fs, path.Join(directory, logDirectory), m)
	return report, err
}

// checkFile compares a file with its entry in the manifest.
func checkFile(fs vfs.FS, directory string, file manifest.File) error {
	name := path.Join(directory, file.Name)
	mapping, err := fs.Map(name)
	if err != nil {
		return err
	}
	defer mapping.Release()
	if size := int64(len(mapping.Bytes())); size != file.Size {
		return blockfile.Corrupt(name, 0, "%d bytes, the manifest says %d", size, file.Size)
	}
	if blockfile.Checksum(mapping.Bytes()) != file.CRC32C {
		return blockfile.Corrupt(name, 0, "checksum of the whole file")
	}
	return nil
}

// checkLive verifies that list values are live exactly when their document is.
func checkLive(s *snapshot.Segment) error {
	parents := s.Reader.Parents()
	if parents == nil || s.Live == nil {
		return nil
	}
	for doc := uint32(0); doc < s.Reader.NumDocs(); doc++ {
		if s.Live.Get(doc) != s.Live.Get(parents.Next(doc)) {
			return blockfile.Corrupt(s.Reader.Name(), 0, "list value %d and its document %d differ in being live", doc, parents.Next(doc))
		}
	}
	return nil
}

// checkKeys adds the keys of live documents to keys and rejects duplicates.
func checkKeys(s *snapshot.Segment, keys map[string]string) error {
	field := s.Reader.Terms(layout.Key)
	if field == nil {
		return nil
	}
	var documents postings.Iterator
	for ord := range field.Stats().Terms {
		key := string(field.Term(ord))
		field.Iterator(&documents, field.At(ord))
		for documents.NextBlock() {
			for _, doc := range documents.Docs() {
				if !s.IsLive(doc) {
					continue
				}
				if other, ok := keys[key]; ok {
					return fmt.Errorf("key %q is live in %s and in %s", key, other, s.Reader.Name())
				}
				keys[key] = s.Reader.Name()
			}
		}
		if err := documents.Err(); err != nil {
			return err
		}
	}
	return nil
}

// checkLog reads the log after the commit and counts its operations. A torn tail is
// not damage: opening the generation truncates it.
func checkLog(fs vfs.FS, directory string, m *manifest.Manifest) (operations int, err error) {
	if _, err := fs.List(directory); errors.Is(err, vfs.ErrNotExist) {
		return 0, nil
	}
	err = log.Inspect(fs, directory, m.LastLSN, func(lsn uint64, payload []byte) error {
		batch, err := log.DecodeBatch(payload)
		if err != nil {
			return err
		}
		for _, logged := range batch.Operations {
			if _, err := decodeOperation(logged); err != nil {
				return fmt.Errorf("batch %d: %w", lsn, err)
			}
		}
		operations += len(batch.Operations)
		return nil
	})
	return operations, err
}
