package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
)

type inspectCommand struct {
	File string `arg:"" type:"existingfile" help:"Manifest, log, side or segment file, or a stored object such as the registry."`
}

// Run prints the contents of a stored file.
func (c *inspectCommand) Run(s *surroundings) error {
	directory, name := filepath.Split(c.File)
	if begins(c.File, '{') {
		return inspectObject(c.File, s.out)
	}
	return engine.Inspect(vfs.OS(filepath.Clean(directory)), name, s.out)
}

// begins reports whether a file starts with the given byte.
func begins(name string, with byte) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	var first [1]byte
	_, err = io.ReadFull(file, first[:])
	return err == nil && first[0] == with
}

// inspectObject prints a JSON file: an object of the bucket, whose checksum is
// verified, or a note of a node, which has none.
func inspectObject(name string, out io.Writer) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	shown := jsontext.Value(bytes.Clone(content))
	if err := shown.Indent(); err != nil {
		return fmt.Errorf("inspect %s: %w: %w", name, versioned.ErrCorrupt, err)
	}
	fmt.Fprintln(out, shown)
	if !bytes.Contains(content, []byte(`"crc32c":`)) {
		return nil
	}
	if _, err := versioned.Decode[jsontext.Value](content); err != nil {
		return fmt.Errorf("inspect %s: %w", name, err)
	}
	return nil
}
