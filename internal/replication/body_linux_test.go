package replication

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/vfs"
)

// hasty is a store that reads a body as HTTP transports do: in a separate goroutine that
// may keep reading after the store has answered.
type hasty struct {
	bucket.Bucket
	handle func(io.ReadCloser) error
}

func (h *hasty) PutIf(ctx context.Context, key string, body bucket.Body, condition bucket.Condition) (bucket.Written, error) {
	if !strings.Contains(key, "/seg/") {
		return h.Bucket.PutIf(ctx, key, body, condition)
	}
	reader, err := body.Open()
	if err != nil {
		return bucket.Written{}, err
	}
	handled := make(chan error)
	go func() { handled <- h.handle(reader) }()
	return bucket.Written{}, <-handled
}

// cutting is a file system that truncates files once they are mapped.
type cutting struct {
	vfs.FS
	root string
}

func (c cutting) Map(name string) (*vfs.Mapping, error) {
	mapping, err := c.FS.Map(name)
	if err == nil {
		err = os.Truncate(filepath.Join(c.root, name), 0)
	}
	return mapping, err
}

// uploading returns a writer to a hasty store and a file to upload from root.
func uploading(t *testing.T, store *hasty, fs func(root string) vfs.FS) (w *Writer, f manifest.File, content []byte, root string) {
	t.Helper()
	root = t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "g"), 0o700))
	content = bytes.Repeat([]byte("content "), 1<<15)
	must(t, os.WriteFile(filepath.Join(root, "g", "file"), content, 0o600))
	store.Bucket = memory.New(nil)
	d := create(t, store)
	w, err := New(store, d.id, grace).Take(t.Context(), fs(root), "g", manifest.NewID())
	must(t, err)
	whole := bucket.Bytes(content)
	return w, manifest.File{Name: "file", Size: whole.Size, CRC32C: whole.CRC32C}, content, root
}

// A store may answer before it has read the whole file. The file stays mapped until
// the transport has closed the body.
func TestAFileStaysMappedUntilItsBodyIsClosed(t *testing.T) {
	var late io.ReadCloser
	store := &hasty{handle: func(body io.ReadCloser) error {
		late = body
		return errors.New("slow down")
	}}
	w, f, content, _ := uploading(t, store, vfs.OS)
	if err := w.Upload(t.Context(), f); err == nil {
		t.Fatal("a refused upload succeeded")
	}
	var got []byte
	err := vfs.Protect(func() (err error) {
		got, err = io.ReadAll(late)
		return err
	})
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("read %d of %d bytes, %v", len(got), len(content), err)
	}
	must(t, late.Close())
	must(t, late.Close())
	if n, err := late.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d bytes after the close, %v", n, err)
	}
}

// F38: a file that cannot be read fails its upload at once and does not end the
// process.
func TestAnUnreadableFileFailsItsUpload(t *testing.T) {
	var root string
	store := &hasty{handle: func(body io.ReadCloser) error {
		defer body.Close()
		if err := os.Truncate(filepath.Join(root, "g", "file"), 0); err != nil {
			return err
		}
		_, err := io.ReadAll(body)
		return errors.Join(bucket.ErrUnknown, err)
	}}
	for name, fs := range map[string]func(string) vfs.FS{
		"before it is sent": func(root string) vfs.FS { return cutting{vfs.OS(root), root} },
		"while it is sent":  vfs.OS,
	} {
		t.Run(name, func(t *testing.T) {
			w, f, _, at := uploading(t, store, fs)
			root = at
			if err := w.Upload(t.Context(), f); !errors.Is(err, vfs.ErrFault) {
				t.Error(err)
			}
		})
	}
}
