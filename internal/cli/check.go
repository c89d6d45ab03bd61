package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/manifest"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/server"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/internal/vfs"
)

type checkCommand struct {
	Directory string `arg:"" type:"existingdir" help:"Directory of a stopped node, or of one generation."`
}

// Run checks every generation below the directory and, in the directory of a
// node in local mode, the registry and the other stored objects. It fails if
// something is damaged or missing, or if the directory is not one of a node or a
// generation. It changes nothing.
func (c *checkCommand) Run(s *surroundings) error {
	if isInUse(c.Directory) {
		fmt.Fprintln(s.err, "A node is running in this directory. Stop it first: files that it writes during the check may be reported as damaged or missing.")
	}
	damage := errors.Join(engine.CheckAll(vfs.OS(c.Directory), ".", s.out), checkObjects(c.Directory, s.out))
	switch {
	case damage == nil && !isNode(c.Directory) && !holdsGeneration(c.Directory):
		return refusedError{fmt.Errorf("%s is not the data directory of a node and holds no generation", c.Directory)}
	case damage == nil:
		return nil
	case errors.Is(damage, fs.ErrPermission):
		return fmt.Errorf("some files cannot be read:\n%w", damage)
	}
	return fmt.Errorf("damaged:\n%w", damage)
}

// isNode reports whether a directory holds what a node makes. An empty bucket folder
// does not count: a node stores its registry there at the first start.
func isNode(directory string) bool {
	if _, err := os.Stat(filepath.Join(directory, "bucket")); err == nil {
		_, err = os.Stat(filepath.Join(directory, "bucket", "registry"))
		return err == nil
	}
	return server.IsDataDirectory(directory)
}

// holdsGeneration reports whether there is a manifest in a directory or below it.
func holdsGeneration(directory string) bool {
	found := false
	_ = fs.WalkDir(os.DirFS(directory), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && entry.Name() == manifest.Name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

// isInUse reports whether a running node holds the lock of a directory, in
// either mode. It does not create a lock.
func isInUse(directory string) bool {
	for _, name := range []string{filepath.Join("bucket", "~lock"), "node.lock"} {
		name = filepath.Join(directory, name)
		if _, err := os.Stat(name); err != nil {
			continue
		}
		lock := flock.New(name)
		if free, err := lock.TryLock(); err == nil && !free {
			return true
		}
		_ = lock.Close()
	}
	return false
}

// checkObjects checks the stored objects of a node in local mode, and that
// every generation of its registry exists. Other directories have no such
// objects.
func checkObjects(directory string, out io.Writer) error {
	store := filepath.Join(directory, "bucket")
	if _, err := os.Stat(store); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var damage []error
	sound, known := 0, make(map[string]bool)
	err := filepath.WalkDir(store, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), "~") { // the lock and leftovers of a crash
			return err
		}
		key, err := filepath.Rel(store, name)
		if err != nil {
			return err
		}
		known[key] = true
		content, err := os.ReadFile(name)
		if err == nil && key == "registry" {
			err = checkListed(directory, content)
		} else if err == nil {
			_, err = versioned.Decode[jsontext.Value](content)
		}
		if err != nil {
			damage = append(damage, fmt.Errorf("bucket/%s: %w", filepath.ToSlash(key), err))
			return nil
		}
		sound++
		return nil
	})
	if !known["registry"] && (len(known) > 0 || holdsGeneration(directory)) {
		damage = append(damage, errors.New("bucket/registry: missing"))
	}
	if err := errors.Join(append(damage, err)...); err != nil {
		fmt.Fprintln(out, err)
		return err
	}
	if sound > 0 {
		fmt.Fprintf(out, "bucket: ok, %s\n", plural(sound, "object", "objects"))
	}
	return nil
}

// checkListed returns an error naming the generations of a registry that are
// missing.
func checkListed(directory string, content []byte) error {
	indexes, err := registry.ListStored(content)
	if err != nil {
		return err
	}
	var missing []error
	for _, index := range indexes {
		for _, name := range index.GenerationNames() {
			generation := filepath.Join("generations", index.Generations[name].ID.String())
			if _, err := os.Stat(filepath.Join(directory, generation, manifest.Name)); err != nil {
				missing = append(missing, fmt.Errorf("generation %s@%s in %s: %w", index.Name, name, generation, err))
			}
		}
	}
	return errors.Join(missing...)
}
