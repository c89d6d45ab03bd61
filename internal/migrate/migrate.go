// Package migrate moves a stopped deployment between a directory of local mode
// and a bucket of object mode, without indexing anything again.
//
// Generations are moved first, then settings, jobs and keys, then the registry and
// the mark of the deployment: an interrupted move leaves a bucket or directory that
// holds no deployment yet, and can be run again. The source stays as it is. The
// result is verified by opening and reading every generation in it.
//
// A Move belongs to one goroutine.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"time"

	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/replication"
	"github.com/quiresearch/quire/internal/vfs"
)

const (
	generationsDirectory = "generations"
	verifyDirectory      = "migrate-verify"
	grace                = time.Hour
	largestObject        = 256 << 20
)

// lastObjects make a bucket or directory a deployment, in the order they are
// written.
var lastObjects = []string{"registry", "deployment"}

// sharedPrefixes are the other shared objects of a deployment.
var sharedPrefixes = []string{"settings/", "judgements/", "searches/", "jobs/", "keys"}

// Move is a move of one deployment.
type Move struct {
	Local  bucket.Bucket // the shared objects of local mode
	Remote bucket.Bucket // the bucket of object mode
	FS     vfs.FS        // the directory of the node
	Engine engine.Options
	Lease  time.Duration // of the deployment in the bucket
	Log    *slog.Logger
}

// moved is a generation that is moved.
type moved struct {
	name      string
	id        registry.ID
	sequence  uint64
	documents int
}

// ToBucket moves the deployment of the directory into the bucket.
func (m *Move) ToBucket(ctx context.Context) error {
	known, err := m.begin(ctx, m.Local, m.Remote)
	if err != nil {
		return err
	}
	var all []moved
	for _, one := range listed(known) {
		directory := path.Join(generationsDirectory, one.id.String())
		if one.sequence, one.documents, err = m.settle(ctx, engine.Storage{FS: m.FS, Directory: directory}); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		if err := m.remote(one.id).Import(ctx, m.FS, directory); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		if err := copyObject(ctx, m.Local, m.Remote, registry.Prefix(one.id)+"identity"); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		m.Log.Info("stored", "generation", one.name, "documents", one.documents)
		all = append(all, one)
	}
	if err := m.copyShared(ctx, m.Local, m.Remote); err != nil {
		return err
	}
	for _, one := range all {
		if err := m.verify(ctx, one); err != nil {
			return fmt.Errorf("verify generation %s: %w", one.name, err)
		}
	}
	return nil
}

// FromBucket moves the deployment of the bucket into the directory.
func (m *Move) FromBucket(ctx context.Context) error {
	if err := ownership.AwaitIdle(ctx, m.Remote, m.Lease, m.Log); err != nil {
		return err
	}
	known, err := m.begin(ctx, m.Remote, m.Local)
	if err != nil {
		return err
	}
	for _, one := range listed(known) {
		directory := path.Join(generationsDirectory, one.id.String())
		if err := m.FS.MakeDir(directory); err != nil {
			return err
		}
		remote := m.remote(one.id)
		writer, err := remote.Take(ctx, m.FS, directory, registry.NewID().String())
		if err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		if err := remote.Pull(ctx, m.FS, directory, writer.Manifest(), nil); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		// Commit what the log holds; then the directory is complete without it.
		if _, _, err := m.settle(ctx, engine.Storage{FS: m.FS, Directory: directory, Log: writer, Publisher: writer}); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		_, one.documents, err = m.settle(ctx, engine.Storage{FS: m.FS, Directory: directory})
		if err != nil {
			return fmt.Errorf("verify generation %s: %w", one.name, err)
		}
		if err := copyObject(ctx, m.Remote, m.Local, registry.Prefix(one.id)+"identity"); err != nil {
			return fmt.Errorf("generation %s: %w", one.name, err)
		}
		m.Log.Info("fetched", "generation", one.name, "documents", one.documents)
	}
	return m.copyShared(ctx, m.Remote, m.Local)
}

func (m *Move) remote(generation registry.ID) *replication.Remote {
	return replication.New(m.Remote, generation.String(), grace)
}

// begin checks that one side holds a deployment and the other none.
func (m *Move) begin(ctx context.Context, from, to bucket.Bucket) (*registry.Registry, error) {
	for _, key := range lastObjects {
		if _, err := read(ctx, from, key); err != nil {
			return nil, fmt.Errorf("%s holds no deployment to move: %w", m.describe(from), err)
		}
		if _, err := read(ctx, to, key); err == nil {
			return nil, fmt.Errorf("%s holds a deployment already, choose an empty one: %s exists", m.describe(to), key)
		} else if !errors.Is(err, bucket.ErrNotFound) {
			return nil, err
		}
	}
	known, err := registry.Open(ctx, from, m.Log)
	if err != nil {
		return nil, err
	}
	if !known.IsRead() {
		return nil, errors.New("the registry cannot be read")
	}
	return known, nil
}

// describe returns the name of a bucket of the move in messages.
func (m *Move) describe(b bucket.Bucket) string {
	if b == m.Remote {
		return "the bucket below its prefix"
	}
	return "the directory"
}

// listed returns every generation that the registry lists, by name.
func listed(known *registry.Registry) []moved {
	var all []moved
	for _, index := range known.List() {
		for _, generation := range index.GenerationNames() {
			all = append(all, moved{name: index.Name + "@" + generation, id: index.Generations[generation].ID})
		}
	}
	return all
}

// settle opens a generation, verifies every file, commits what the log holds, and
// closes it again.
func (m *Move) settle(ctx context.Context, storage engine.Storage) (sequence uint64, documents int, err error) {
	options := m.Engine
	options.NoMerges = true
	g, err := engine.Open(ctx, storage, options)
	if err != nil {
		return 0, 0, err
	}
	if err := g.Verify(ctx); err != nil {
		return 0, 0, errors.Join(err, g.Close(ctx))
	}
	if _, err := g.Commit(ctx, engine.Explicit); err != nil {
		return 0, 0, errors.Join(err, g.Close(ctx))
	}
	if view := g.Snapshot(); view != nil {
		sequence, documents = view.Sequence, view.Documents
		view.Release()
	}
	return sequence, documents, g.Close(ctx)
}

// verify fetches what the bucket holds of a generation into a directory of its own,
// opens and reads it.
func (m *Move) verify(ctx context.Context, one moved) error {
	directory := path.Join(verifyDirectory, one.id.String())
	defer m.discard(directory)
	remote := m.remote(one.id)
	held, err := remote.Read(ctx, "")
	if err != nil {
		return err
	}
	if err := remote.Pull(ctx, m.FS, directory, held.Manifest, nil); err != nil {
		return err
	}
	options := m.Engine
	options.ReadOnly = true
	g, err := engine.Open(ctx, engine.Storage{FS: m.FS, Directory: directory}, options)
	if err != nil {
		return err
	}
	defer g.Close(ctx)
	if err := g.Verify(ctx); err != nil {
		return err
	}
	view := g.Snapshot()
	if view == nil {
		return errors.New("it shows nothing")
	}
	defer view.Release()
	if view.Documents != one.documents || view.Sequence != one.sequence {
		return fmt.Errorf("it shows %d documents of commit %d, the directory %d of %d", view.Documents, view.Sequence, one.documents, one.sequence)
	}
	return nil
}

// discard removes what a verification fetched. Files that cannot be removed are
// harmless.
func (m *Move) discard(directory string) {
	names, err := m.FS.List(directory)
	if err != nil {
		return
	}
	for _, name := range names {
		_ = m.FS.Remove(path.Join(directory, name))
	}
	_ = m.FS.Remove(directory)
	_ = m.FS.Remove(path.Dir(directory))
}

// copyShared copies settings, jobs and keys, then the objects that make the target
// a deployment.
func (m *Move) copyShared(ctx context.Context, from, to bucket.Bucket) error {
	var keys []string
	for _, prefix := range sharedPrefixes {
		listing, err := from.List(ctx, prefix, "")
		if err != nil {
			return err
		}
		for _, entry := range listing.Entries {
			keys = append(keys, entry.Key)
		}
	}
	for _, key := range slices.Concat(keys, lastObjects) {
		if err := copyObject(ctx, from, to, key); err != nil {
			return err
		}
	}
	return nil
}

func read(ctx context.Context, b bucket.Bucket, key string) ([]byte, error) {
	content, _, err := bucket.ReadAll(ctx, b, key, "", largestObject)
	return content, err
}

// copyObject copies one object. An existing object with the same bytes was copied
// by an earlier attempt.
func copyObject(ctx context.Context, from, to bucket.Bucket, key string) error {
	content, err := read(ctx, from, key)
	if err != nil {
		return fmt.Errorf("copy %s: %w", key, err)
	}
	for range 5 {
		_, err = to.PutIf(ctx, key, bucket.Bytes(content), bucket.Absent())
		if err == nil {
			return nil
		}
		there, readErr := read(ctx, to, key)
		switch {
		case readErr == nil && slices.Equal(there, content):
			return nil
		case readErr == nil:
			return fmt.Errorf("copy %s: another object is there", key)
		}
	}
	return fmt.Errorf("copy %s: %w", key, err)
}
