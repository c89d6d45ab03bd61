package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/localdir"
	"github.com/quiresearch/quire/internal/bucket/s3"
	"github.com/quiresearch/quire/internal/config"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/ownership"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
)

const (
	lockName   = "node.lock"
	nodeIDName = "node-id"
	probeLimit = time.Minute
)

// storage is where a node keeps everything, held until closed.
type storage struct {
	node.Storage
	nodeID string
	close  func() error
}

// openStorage takes over the directory and, in object mode, the bucket.
func openStorage(ctx context.Context, c *config.Config, meters *metrics.Set, log *slog.Logger) (*storage, error) {
	if c.Storage.IsLocal() {
		store, err := localdir.Open(filepath.Join(c.Storage.LocalDirectory, "bucket"))
		if err != nil {
			return nil, fmt.Errorf("%w: SERVICE_STORAGE_LOCAL_DIRECTORY: %w", ErrRefused, err)
		}
		makePrivate(c.Storage.LocalDirectory, log)
		return &storage{node.Storage{Bucket: store, FS: vfs.OS(c.Storage.LocalDirectory)}, nodeID(c.Node), store.Close}, nil
	}
	lock, err := lockDirectory(c.Storage.LocalDirectory)
	if err != nil {
		return nil, fmt.Errorf("%w: SERVICE_STORAGE_LOCAL_DIRECTORY: %w", ErrRefused, err)
	}
	makePrivate(c.Storage.LocalDirectory, log)
	opened, err := openObject(ctx, c, meters, log)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	opened.close = lock.Close
	return opened, nil
}

func lockDirectory(directory string) (io.Closer, error) {
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return nil, err
	}
	return vfs.OS(directory).Lock(lockName)
}

func openObject(ctx context.Context, c *config.Config, meters *metrics.Set, log *slog.Logger) (*storage, error) {
	store, err := openBucket(c.Storage.Remote, meters)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err := checkDeployment(ctx, c, store); err != nil {
		return nil, err
	}
	if c.Indexer.Enabled {
		probing, cancel := context.WithTimeout(ctx, probeLimit)
		err := s3.Probe(probing, store)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("%w: SERVICE_STORAGE_REMOTE_ variables: bucket %s: %w", ErrRefused, c.Storage.Remote.Bucket, err)
		}
	} else if _, err := store.List(ctx, "deployment", "/"); errors.Is(err, bucket.ErrUnknown) {
		// The node serves nothing until the bucket is back.
		log.Error("cannot reach the bucket", "bucket", c.Storage.Remote.Bucket, "error", err)
	} else if err != nil {
		return nil, fmt.Errorf("%w: SERVICE_STORAGE_REMOTE_ variables: bucket %s: %w", ErrRefused, c.Storage.Remote.Bucket, err)
	}
	id, err := lastingNodeID(c)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	member, err := ownership.Join(ctx, store, ownership.Options{
		Node: id, Address: c.Node.Address, Lease: c.Indexer.LeaseDuration, Candidate: c.Indexer.Enabled, Reclaim: true,
		RootKey: auth.Fingerprint(auth.Secret(c.Auth.RootKey.Reveal())),
	}, log)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	log.Info("bucket opened", "bucket", c.Storage.Remote.Bucket, "prefix", c.Storage.Remote.Prefix,
		"credentials", c.Storage.Remote.Auth, "node", id, "address", c.Node.Address)
	return &storage{Storage: node.Storage{
		Bucket: store, FS: vfs.OS(c.Storage.LocalDirectory),
		Object: &node.Object{
			Member: member, RemovalGrace: c.Indexes.RemovalGrace, SweepInterval: c.Indexes.RemovalSweepInterval,
			VerifyInterval: c.Indexes.VerifyInterval, SettingsInterval: c.Indexes.SettingsRefresh,
			PullConcurrency: c.Indexes.RefreshConcurrency, PreloadIdleLimit: c.Indexes.PreloadIdleLimit,
			Budget:         generations.Budget{MaxSize: c.Indexes.DiskMaxSize, MinIdle: c.Indexes.DiskMinIdle, HalfLife: c.Indexes.DiskHalfLife},
			BudgetInterval: c.Indexes.DiskSweepInterval,
		},
	}, nodeID: id}, nil
}

// checkDeployment refuses a bucket of another deployment than the directory belongs
// to, before anything is written to it: a node that began a new deployment there
// would answer that nothing exists. A bucket that cannot be read now is checked
// when the registry is read.
func checkDeployment(ctx context.Context, c *config.Config, store bucket.Bucket) error {
	belongs, err := node.Deployment(vfs.OS(c.Storage.LocalDirectory))
	if err != nil || belongs.IsZero() {
		return nil // the node reports it
	}
	var other *registry.DeploymentError
	if err := registry.CheckDeployment(ctx, store, belongs); !errors.As(err, &other) {
		return nil
	}
	if other.Found.IsZero() && c.RestoreBucket {
		if err := registry.ClaimEmpty(ctx, store, belongs); err != nil {
			return fmt.Errorf("%w: mark the bucket: %w", ErrRefused, err)
		}
		return nil
	}
	return refuseDeployment(c, other)
}

// refuseDeployment returns an error with advice about a bucket of another
// deployment.
func refuseDeployment(c *config.Config, other *registry.DeploymentError) error {
	held, advice := "holds deployment "+other.Found.String(), ""
	if other.Found.IsZero() {
		held = "is empty"
		advice = "\n- If the bucket was emptied: start with quire serve --restore-bucket, then repair the registry with " +
			`{"restoreFromNodes": true}.`
	}
	return fmt.Errorf("%w: the directory %s belongs to deployment %s, but bucket %s with prefix %q %s. Nothing was changed.\n"+
		"- If bucket or prefix are wrong: set SERVICE_STORAGE_REMOTE_BUCKET and SERVICE_STORAGE_REMOTE_PREFIX to those of the deployment.\n"+
		"- If this node is to serve another deployment: give it an empty directory by SERVICE_STORAGE_LOCAL_DIRECTORY.%s",
		ErrRefused, c.Storage.LocalDirectory, other.Expected, c.Storage.Remote.Bucket, c.Storage.Remote.Prefix, held, advice)
}

// openBucket returns the bucket that the configuration names. It sends nothing.
func openBucket(r config.Remote, meters *metrics.Set) (*s3.Store, error) {
	var credentials s3.Credentials
	switch r.Auth {
	case "static":
		credentials = s3.Static(r.AccessKey.Reveal(), r.SecretKey.Reveal(), r.SessionToken.Reveal())
	case "file":
		credentials = s3.File(r.CredentialsFile, r.CredentialsProfile)
	case "gcp":
		credentials = s3.Google()
	default:
		credentials = s3.AWS()
	}
	options := s3.Options{URL: r.URL, Bucket: r.Bucket, Prefix: r.Prefix, Region: r.Region, Credentials: credentials}
	if meters != nil {
		options.Observe = func(operation string, status int, took time.Duration) {
			meters.StorageOperation(operation, status >= 200 && status < 400, status, took)
		}
	}
	store, err := s3.New(options)
	if err != nil {
		return nil, fmt.Errorf("SERVICE_STORAGE_REMOTE_URL: %w", err)
	}
	return store, nil
}

// lastingNodeID returns the configured id, or one that stays with the directory:
// the lock of the directory keeps another node from using it.
func lastingNodeID(c *config.Config) (string, error) {
	if c.Node.ID != "" {
		return c.Node.ID, nil
	}
	name := filepath.Join(c.Storage.LocalDirectory, nodeIDName)
	content, err := os.ReadFile(name)
	if id := strings.TrimSpace(string(content)); err == nil && id != "" && len(id) < 200 {
		return id, nil
	}
	id := nodeID(c.Node)
	if err := os.WriteFile(name, []byte(id+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("SERVICE_STORAGE_LOCAL_DIRECTORY: %w", err)
	}
	return id, nil
}

func nodeID(c config.Node) string {
	if c.ID != "" {
		return c.ID
	}
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	var random [4]byte
	_, _ = rand.Read(random[:])
	return host + "-" + hex.EncodeToString(random[:])
}
