package engine

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/quiresearch/quire/internal/blockfile"
	"github.com/quiresearch/quire/internal/format"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/internal/vfs"
)

// Inspect describes a stored file of any kind: a manifest, a log file, a side
// file or a segment.
func Inspect(fs vfs.FS, name string, out io.Writer) error {
	mapping, err := fs.Map(name)
	if err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	defer mapping.Release()
	content := mapping.Bytes()
	switch {
	case bytes.HasPrefix(content, []byte("quire-manifest ")):
		if _, err := out.Write(append(content, '\n')); err != nil {
			return err
		}
		_, err := manifest.Decode(content)
		return err
	case bytes.HasPrefix(content, []byte(format.Log.Mark)):
		return inspectLog(path.Base(name), content, out)
	}
	file, err := blockfile.Inspect(name, content)
	if err != nil {
		return fmt.Errorf("inspect %s: %w", name, err)
	}
	switch file.Kind() {
	case format.Side.Mark:
		file.Dump(out, nil)
		return inspectSide(name, content, out)
	case format.Segment.Mark:
		return segment.Dump(out, fs, name)
	}
	file.Dump(out, nil)
	return nil
}

func inspectLog(name string, content []byte, out io.Writer) error {
	return log.Dump(name, content, func(offset int64, lsn uint64, payload []byte) error {
		batch, err := log.DecodeBatch(payload)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%10d  batch %d  %d bytes, epoch %d, promised commit %d\n", offset, lsn, len(payload), batch.Epoch, batch.Promised)
		for _, logged := range batch.Operations {
			fmt.Fprintf(out, "            %s %q  %d bytes\n", logged.Kind, logged.Key, len(logged.Body))
		}
		return nil
	})
}

func inspectSide(name string, content []byte, out io.Writer) error {
	side, err := snapshot.ReadSide(name, content)
	if err != nil {
		return err
	}
	for _, entry := range side.Entries {
		live := "all"
		if entry.Live != nil {
			live = fmt.Sprint(entry.Live.Count())
		}
		fmt.Fprintf(out, "segment %s: %s of %d documents and list values live\n", entry.Segment, live, entry.Documents)
		for _, column := range slices.Sorted(maps.Keys(entry.Signals)) {
			fmt.Fprintf(out, "  %q: %d values refreshed\n", column, entry.Signals[column].Len())
		}
	}
	if side.Keys != nil {
		fmt.Fprintf(out, "%d changed keys\n", len(side.Keys))
	}
	return nil
}
