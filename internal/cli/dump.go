package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"

	"github.com/quiresearch/quire/internal/load"
	"github.com/quiresearch/quire/internal/remote"
)

type dumpCommand struct {
	nodeFlags
	Index  string `arg:"" help:"The index, or one of its generations as INDEX@GENERATION."`
	Output string `short:"o" placeholder:"FILE" help:"Output file, compressed with zstd if its name ends in .zst. Default: standard output."`
	Zstd   bool   `help:"Compress with zstd."`
}

// Run writes the definition, the settings and the documents of an index. All
// documents are from one commit.
func (c *dumpCommand) Run(ctx context.Context, s *surroundings) error {
	node, err := c.nodeFlags.node(s)
	if err != nil {
		return err
	}
	if err := reach(ctx, node); err != nil {
		return err
	}
	var index struct {
		Name       string         `json:"name"`
		Definition jsontext.Value `json:"definition"`
	}
	if err := node.Do(ctx, remote.Request{Method: "GET", Path: remote.IndexPath("admin", c.Index)}, &index); err != nil {
		return err
	}
	header := load.DumpHeader{Index: index.Name, Definition: index.Definition}
	if header.Settings, err = readSettings(ctx, node, index.Name); err != nil {
		return err
	}
	documents, err := node.Stream(ctx, remote.IndexPath("data", c.Index)+"/documents?all=true", "application/x-ndjson")
	if err != nil {
		return err
	}
	defer documents.Close()
	count, err := c.write(s, header, documents)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "%s documents of %s\n", grouped(count), c.Index)
	return nil
}

// readSettings returns the settings of an index in a form that can be stored
// again, or nil if there are none.
func readSettings(ctx context.Context, node *remote.Node, index string) (jsontext.Value, error) {
	var settings map[string]jsontext.Value
	err := node.Do(ctx, remote.Request{Method: "GET", Path: remote.IndexPath("admin", index) + "/settings"}, &settings)
	if remote.IsCode(err, "settings:not_found") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	delete(settings, "version")
	delete(settings, "freshness")
	return json.Marshal(settings, json.Deterministic(true))
}

// write writes the dump. The file gets the name of the output once it is complete; an
// earlier dump of that name stays until then.
func (c *dumpCommand) write(s *surroundings, header load.DumpHeader, documents io.Reader) (count int, err error) {
	out := s.out
	if c.Output != "" && c.Output != "-" {
		file, finish, failed := createWhole(c.Output)
		if failed != nil {
			return 0, failed
		}
		defer func() { err = finish(err) }()
		out = file
	}
	if !c.Zstd && !strings.HasSuffix(c.Output, ".zst") {
		return load.WriteDump(out, header, documents)
	}
	packed, err := zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	count, err = load.WriteDump(packed, header, documents)
	return count, errors.Join(err, packed.Close())
}

// createWhole creates a file next to name. finish renames it to name, or removes it if
// writing failed. It opens name itself if that is not a regular file, such as a pipe, or
// if it exists and its directory does not allow new files.
func createWhole(name string) (file *os.File, finish func(failed error) error, err error) {
	found, err := os.Stat(name)
	isThere := err == nil
	if isThere && found.Mode().IsRegular() {
		if name, err = filepath.EvalSymlinks(name); err != nil { // keep a symbolic link, and replace its target
			return nil, nil, err
		}
	}
	if !isThere || found.Mode().IsRegular() {
		file, err = os.Create(name + ".partial")
	}
	if file == nil && isThere {
		file, err = os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		return file, func(failed error) error { return errors.Join(failed, file.Close()) }, err
	}
	if err == nil && isThere {
		err = file.Chmod(found.Mode().Perm())
	}
	return file, func(failed error) error {
		err := errors.Join(failed, file.Sync(), file.Close())
		if err == nil {
			err = os.Rename(file.Name(), name)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
		return err
	}, err
}
