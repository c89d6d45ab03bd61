package snapshot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/layout"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/vfs"
)

// F38, I12: a walk that fails because pages cannot be read leaves no partial result that
// a later walk would take for all keys.
func TestAWalkAfterAFaultMissesNoKey(t *testing.T) {
	const documents = 100
	directory := t.TempDir()
	b := segment.NewBuilder()
	field := b.Field(segment.FieldOptions{Name: layout.Key, Kind: segment.Terms, Key: true})
	for i := range documents {
		b.StartDoc()
		b.Term(field, fmt.Append(nil, i), 0)
		b.EndDoc(true)
	}
	if _, err := b.Finish(vfs.OS(directory), "segment"); err != nil {
		t.Fatal(err)
	}
	reader, err := segment.Open(vfs.OS(directory), "segment", blockfile.VerifyUsed)
	if err != nil {
		t.Fatal(err)
	}
	view := New(1, []*Segment{NewSegment(reader, nil, nil, nil)}, nil)
	defer view.Release()
	walk := func() (count int, err error) {
		err = vfs.Protect(func() error {
			keys, err := view.Keys("", false, true)
			if err != nil {
				return err
			}
			for {
				if _, _, _, ok := keys.Next(); !ok {
					return keys.Err()
				}
				count++
			}
		})
		return count, err
	}
	name := filepath.Join(directory, "segment")
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	if count, err := walk(); !errors.Is(err, vfs.ErrFault) {
		t.Fatalf("a walk without pages: %d keys, %v", count, err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if count, err := walk(); err != nil || count != documents {
		t.Errorf("%d of %d keys once the pages are back, %v", count, documents, err)
	}
}
