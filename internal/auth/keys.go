package auth

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// RootKeyConfigured reports whether this node has a root key.
func (a *Authority) RootKeyConfigured() bool { return a.root != nil }

// AnonymousKey returns the id of the key that requests without a credential act as
// on this node, or an empty string when they are refused.
func (a *Authority) AnonymousKey() string {
	if a.options.Mode == ModeNone {
		return ""
	}
	return a.options.AnonymousKey
}

// List reads every key from the store, ordered by id.
func (a *Authority) List(ctx context.Context) ([]Key, error) {
	found, err := a.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	return found.Value.Keys, nil
}

// Create stores a new key and returns it with its credential, which cannot be
// retrieved again.
func (a *Authority) Create(ctx context.Context, wanted NewKey) (Key, Secret, error) {
	secret := newSecret()
	key := Key{
		Description: wanted.Description,
		Grants:      wanted.Grants,
		CreatedAt:   time.Now().UTC().Truncate(time.Microsecond),
		ExpiresAt:   wanted.ExpiresAt,
		SecretHash:  hashOf(secret).String(),
	}
	_, err := a.change(ctx, func(now keySet) (keySet, error) {
		for key.ID == "" || now.find(key.ID) != nil {
			key.ID = newID()
		}
		return now.with(key), nil
	})
	if err != nil {
		return Key{}, "", err
	}
	a.log.Info("key created", "key", key.ID)
	return key, Secret(credential(key.ID, secret)), nil
}

// Rotate gives a key a new credential and keeps everything else.
func (a *Authority) Rotate(ctx context.Context, id string) (Key, Secret, error) {
	secret := newSecret()
	var rotated Key
	_, err := a.change(ctx, func(now keySet) (keySet, error) {
		key := now.find(id)
		if key == nil {
			return keySet{}, problem.AuthKeyNotFound.New("id", id)
		}
		rotated = *key
		rotated.SecretHash = hashOf(secret).String()
		return now.with(rotated), nil
	})
	if err != nil {
		return Key{}, "", err
	}
	a.log.Info("key rotated", "key", id)
	return rotated, Secret(credential(id, secret)), nil
}

// Revoke removes a key. It refuses to remove the anonymous key of this node and, on
// a node without a root key, the last key that may manage keys. Both are decided on
// the keys that are replaced.
func (a *Authority) Revoke(ctx context.Context, id string) error {
	_, err := a.change(ctx, func(now keySet) (keySet, error) {
		key := now.find(id)
		switch {
		case key == nil:
			return keySet{}, problem.AuthKeyNotFound.New("id", id)
		case id == a.AnonymousKey():
			return keySet{}, problem.AuthKeyInUseAsAnonymous.New("id", id)
		case a.root == nil && a.options.Mode != ModeNone && key.holds(KeysWrite) && !now.hasAdministrator(time.Now(), id):
			return keySet{}, problem.AuthKeyLastAdministrator.New("id", id)
		}
		return now.without(id), nil
	})
	if err == nil {
		a.log.Info("key revoked", "key", id)
	}
	return err
}

func (a *Authority) change(ctx context.Context, apply func(now keySet) (keySet, error)) (versioned.Object[keySet], error) {
	if err := a.readTurn.LockUntil(ctx); err != nil {
		return versioned.Object[keySet]{}, unread(err)
	}
	defer a.readTurn.Unlock()
	written, err := a.store.Change(ctx, func(now versioned.Object[keySet]) (keySet, error) {
		return apply(now.Value)
	})
	if err == nil {
		a.install(written, true)
	}
	return written, err
}
