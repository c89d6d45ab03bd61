package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/turn"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// Mode says whether requests need a credential.
type Mode string

// The modes. The zero Mode is ModeKeys.
const (
	ModeKeys Mode = "keys"
	ModeNone Mode = "none"
)

// Options configure an Authority.
type Options struct {
	Mode            Mode
	RootKey         Secret        // the key or sha256:<hash>; empty: none
	AnonymousKey    string        // id of the key for requests without a credential; empty: none
	RefreshInterval time.Duration // zero: 10 s
	StaleLimit      time.Duration // how long keys are trusted without a read; zero: 60 s
}

const (
	objectKey              = "keys"
	defaultRefreshInterval = 10 * time.Second
	defaultStaleLimit      = time.Minute
	// refreshPause is the average time between two reads caused by unknown
	// credentials: guesses cost at most twenty conditional reads a second, after a
	// burst of refreshBurst.
	refreshPause = 50 * time.Millisecond
	refreshBurst = 100
	refreshLimit = 5 * time.Second // for a store that does not answer
)

// Authority authenticates requests and keeps the keys.
type Authority struct {
	options Options
	root    *hash
	store   *versioned.Store[keySet]
	log     *slog.Logger

	refreshing  turn.Lock // held while an unknown credential is looked up, for all waiting callers; comes before readTurn
	refreshedAt time.Time // when the last read began; guarded by refreshing
	refreshFrom time.Time // how much of their rate the reads have used up so far; guarded by refreshing

	readTurn turn.Lock // held by the one goroutine that reads the store

	mu     sync.RWMutex // guards the fields below; taken after readTurn
	held   versioned.Object[keySet]
	byID   map[string]*Key
	readAt time.Time // the last successful read; zero: never
}

// Open reads the keys and refuses a configuration under which no request could be
// trusted: without a root key, keys that cannot be read or of which none may manage
// keys; an anonymous key that does not exist or grants more than search; or an
// invalid root hash.
func Open(ctx context.Context, b bucket.Bucket, options Options, log *slog.Logger) (*Authority, error) {
	if options.RefreshInterval <= 0 {
		options.RefreshInterval = defaultRefreshInterval
	}
	if options.StaleLimit <= 0 {
		options.StaleLimit = defaultStaleLimit
	}
	root, err := rootHash(options.RootKey)
	if err != nil {
		return nil, err
	}
	options.RootKey = ""
	a := &Authority{options: options, root: root, store: versioned.New[keySet](b, objectKey, objectKey), log: log}
	err = a.Refresh(ctx)
	switch options.Mode {
	case ModeNone:
		log.Warn("authentication is turned off: every request has all permissions")
		return a, nil
	case ModeKeys, "":
		return a, a.checkStart(err)
	}
	return nil, fmt.Errorf("SERVICE_AUTH_MODE: %q is neither keys nor none", options.Mode)
}

func (a *Authority) checkStart(readError error) error {
	now := time.Now()
	if a.root == nil {
		if readError != nil {
			return fmt.Errorf("the keys cannot be read and SERVICE_AUTH_ROOT_KEY is not set: %w", readError)
		}
		if !a.held.Value.hasAdministrator(now, "") {
			return errors.New("no stored key may manage keys: set SERVICE_AUTH_ROOT_KEY, or SERVICE_AUTH_MODE=none to work without credentials")
		}
	}
	if readError != nil {
		a.log.Error("cannot read the keys; accepting only the root key", "error", readError)
	}
	if id := a.options.AnonymousKey; id != "" {
		key := a.byID[id]
		switch {
		case len(id) != idDigits || !isLowerHex(id):
			// It may be a credential, which no log may contain (S9).
			return fmt.Errorf("SERVICE_AUTH_ANONYMOUS_KEY: not an id, the %d hexadecimal digits that a key has beside its credential", idDigits)
		case key == nil:
			return fmt.Errorf("SERVICE_AUTH_ANONYMOUS_KEY: there is no key %s", id)
		case !key.holdsOnly(Search):
			return fmt.Errorf("SERVICE_AUTH_ANONYMOUS_KEY: the key %s holds other permissions than search", id)
		}
	}
	return nil
}

// hasAdministrator reports whether a usable key other than except may manage keys.
func (s keySet) hasAdministrator(now time.Time, except string) bool {
	for i := range s.Keys {
		if k := &s.Keys[i]; k.ID != except && k.isUsable(now) && k.holds(KeysWrite) {
			return true
		}
	}
	return false
}

// Run reads the keys at an interval until ctx ends.
func (a *Authority) Run(ctx context.Context) error {
	ticker := time.NewTicker(a.options.RefreshInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := a.Refresh(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("cannot read the keys; keeping those read last until the stale limit",
				"limit", a.options.StaleLimit, "error", err)
		}
	}
}

// Refresh reads the keys if they changed. After a failed read the keys last read
// stay in force.
func (a *Authority) Refresh(ctx context.Context) error {
	if err := a.readTurn.LockUntil(ctx); err != nil {
		return unread(err)
	}
	defer a.readTurn.Unlock()
	return a.refreshLocked(ctx)
}

func unread(cause error) error {
	return problem.StorageIoError.New("resource", objectKey).Because(cause)
}

func (a *Authority) refreshLocked(ctx context.Context) error {
	a.mu.RLock()
	held := a.held
	a.mu.RUnlock()
	found, _, err := a.store.ReadUnless(ctx, held)
	if err != nil {
		return err
	}
	a.install(found, true)
	return nil
}

// install takes over what the store holds. It ignores an object older than the one
// held, which a slow read may bring; an absent object empties the keys.
func (a *Authority) install(found versioned.Object[keySet], read bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if found.Exists() && found.Version < a.held.Version {
		return
	}
	a.held = found
	a.byID = make(map[string]*Key, len(found.Value.Keys))
	for i := range found.Value.Keys {
		a.byID[found.Value.Keys[i].ID] = &found.Value.Keys[i]
	}
	if read {
		a.readAt = time.Now()
	}
}

// find returns the key with an id, or nil when there is none or the keys are too
// old to be trusted.
func (a *Authority) find(id string, now time.Time) *Key {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.readAt.IsZero() || now.Sub(a.readAt) > a.options.StaleLimit {
		return nil
	}
	return a.byID[id]
}

// refreshShared reads the keys again, in a read that begins after the call: keys
// created and credentials rotated before the call are known when it returns.
// Concurrent callers share a read, and reads are limited in rate.
func (a *Authority) refreshShared(ctx context.Context) {
	asked := time.Now()
	if a.refreshing.LockUntil(ctx) != nil {
		return
	}
	defer a.refreshing.Unlock()
	if a.refreshedAt.After(asked) {
		return // another call read them for this one too
	}
	if earliest := asked.Add(-refreshBurst * refreshPause); a.refreshFrom.Before(earliest) {
		a.refreshFrom = earliest
	}
	a.refreshFrom = a.refreshFrom.Add(refreshPause)
	if wait := time.Until(a.refreshFrom); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
	a.refreshedAt = time.Now()
	// The read continues for the others when the first caller leaves.
	reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshLimit)
	defer cancel()
	if err := a.Refresh(reading); err != nil {
		a.log.Error("cannot read the keys", "error", err)
	}
}

// Authenticate returns the sender of a request with the given Authorization
// headers. Every credential that is not accepted gives the same
// auth:unauthenticated.
func (a *Authority) Authenticate(ctx context.Context, authorization []string) (*Principal, error) {
	if a.options.Mode == ModeNone {
		return unchecked(), nil
	}
	switch len(authorization) {
	case 0:
		return a.anonymous()
	case 1:
	default:
		return nil, problem.AuthUnauthenticated.New()
	}
	scheme, value, _ := strings.Cut(strings.TrimSpace(authorization[0]), " ")
	value = strings.TrimSpace(value)
	if !strings.EqualFold(scheme, "Bearer") || value == "" {
		return nil, problem.AuthUnauthenticated.New()
	}
	return a.bearer(ctx, value)
}

func (a *Authority) anonymous() (*Principal, error) {
	now := time.Now()
	if a.options.AnonymousKey != "" {
		if key := a.find(a.options.AnonymousKey, now); key != nil && key.isUsable(now) {
			return &Principal{name: key.ID, anonymous: true, grants: key.Grants, expiresAt: key.ExpiresAt}, nil
		}
	}
	return nil, problem.AuthUnauthenticated.New()
}

func (a *Authority) bearer(ctx context.Context, value string) (*Principal, error) {
	now := time.Now()
	id, secret, ours := splitCredential(value)
	var key *Key
	if ours {
		key = a.find(id, now)
	}
	if key == nil && a.isRoot(value) {
		return root(), nil
	}
	if ours && !key.accepts(secret, now) {
		// Another node may have created the key or rotated its credential.
		a.refreshShared(ctx)
		now = time.Now()
		key = a.find(id, now)
	}
	if !ours || !key.accepts(secret, now) {
		return nil, problem.AuthUnauthenticated.New()
	}
	return &Principal{name: key.ID, grants: key.Grants, expiresAt: key.ExpiresAt}, nil
}

func (a *Authority) isRoot(value string) bool {
	given := hashOf(value)
	return a.root != nil && subtle.ConstantTimeCompare(given[:], a.root[:]) == 1
}

// accepts compares the secret in the same time whether or not the key exists.
func (k *Key) accepts(secret string, now time.Time) bool {
	given, stored := hashOf(secret).String(), hash{}.String()
	if k != nil {
		stored = k.SecretHash
	}
	same := subtle.ConstantTimeCompare([]byte(given), []byte(stored)) == 1
	return same && k != nil && k.isUsable(now)
}
