package auth

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/problem"
)

// watched counts reads and can refuse them.
type watched struct {
	bucket.Bucket
	reads atomic.Int64
	away  atomic.Bool
}

func (w *watched) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	w.reads.Add(1)
	if w.away.Load() {
		return bucket.Object{}, errors.New("storage is away")
	}
	return w.Bucket.Get(ctx, key, unless)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, b bucket.Bucket, o Options) *Authority {
	t.Helper()
	a, err := Open(t.Context(), b, o, quiet())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func searchKey() NewKey {
	return NewKey{Grants: []Grant{{Permissions: []Permission{Search}, Indexes: []string{"books"}}}}
}

func adminKey() NewKey {
	return NewKey{Grants: []Grant{{Permissions: []Permission{KeysWrite}}}}
}

func mustCreate(t *testing.T, a *Authority, k NewKey) (Key, string) {
	t.Helper()
	key, secret, err := a.Create(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(secret)
}

func TestCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := open(t, memory.New(nil), Options{RootKey: "the root key"})
		key, good := mustCreate(t, a, searchKey())
		soon := time.Now().Add(time.Second)
		lapsing := searchKey()
		lapsing.ExpiresAt = &soon
		_, lapsed := mustCreate(t, a, lapsing)
		time.Sleep(time.Second)
		other, revoked := mustCreate(t, a, searchKey())
		if err := a.Revoke(t.Context(), other.ID); err != nil {
			t.Fatal(err)
		}
		var refusals []string
		for _, c := range []struct {
			what    string
			headers []string
			name    string // empty: refused
		}{
			{"none", nil, ""},
			{"root", []string{"Bearer the root key"}, "root"},
			{"key", []string{"Bearer " + good}, key.ID},
			{"scheme in another case, spaces around", []string{"  bEaReR   " + good + "  "}, key.ID},
			{"no scheme", []string{good}, ""},
			{"another scheme", []string{"Basic " + good}, ""},
			{"empty token", []string{"Bearer "}, ""},
			{"empty header", []string{""}, ""},
			{"two headers", []string{"Bearer " + good, "Bearer " + good}, ""},
			{"wrong secret", []string{"Bearer " + good[:len(good)-1] + "~"}, ""},
			{"unknown id", []string{"Bearer quire_0000000000000000_x"}, ""},
			{"prefix only", []string{"Bearer quire_"}, ""},
			{"lapsed", []string{"Bearer " + lapsed}, ""},
			{"revoked", []string{"Bearer " + revoked}, ""},
			{"nearly root", []string{"Bearer the root kex"}, ""},
		} {
			p, err := a.Authenticate(t.Context(), c.headers)
			switch {
			case c.name != "" && (err != nil || p.Name() != c.name):
				t.Errorf("%s: %v, %v", c.what, p, err)
			case c.name == "" && !errors.Is(err, problem.AuthUnauthenticated):
				t.Errorf("%s: %v, %v", c.what, p, err)
			case c.name == "":
				refusals = append(refusals, err.Error())
			}
		}
		for _, text := range refusals {
			if text != refusals[0] {
				t.Errorf("refusals differ: %q and %q", text, refusals[0])
			}
		}
	})
}

func TestRootKeyByHash(t *testing.T) {
	sum := hashOf("secret root")
	a := open(t, memory.New(nil), Options{RootKey: Secret("sha256:" + hex.EncodeToString(sum[:]))})
	if _, err := a.Authenticate(t.Context(), []string{"Bearer secret root"}); err != nil {
		t.Error(err)
	}
	if _, err := a.Authenticate(t.Context(), []string{"Bearer sha256:" + hex.EncodeToString(sum[:])}); err == nil {
		t.Error("the hash itself is accepted as the key")
	}
}

func TestStartIsRefused(t *testing.T) {
	withKeys := memory.New(nil)
	a := open(t, withKeys, Options{RootKey: "r"})
	reader, readers := mustCreate(t, a, searchKey())
	administrator, _ := mustCreate(t, a, adminKey())
	onlyReader := memory.New(nil)
	mustCreate(t, open(t, onlyReader, Options{RootKey: "r"}), searchKey())
	away := &watched{Bucket: withKeys}
	away.away.Store(true)
	for _, c := range []struct {
		what    string
		bucket  bucket.Bucket
		options Options
		refused bool
	}{
		{"no root key and no keys", memory.New(nil), Options{}, true},
		{"root key and no keys", memory.New(nil), Options{RootKey: "r"}, false},
		{"an administrator", withKeys, Options{}, false},
		{"keys without administrator", onlyReader, Options{}, true},
		{"keys unreadable", away, Options{}, true},
		{"keys unreadable with root key", away, Options{RootKey: "r"}, false},
		{"anonymous search key", withKeys, Options{AnonymousKey: reader.ID}, false},
		{"anonymous administrator", withKeys, Options{AnonymousKey: administrator.ID}, true},
		{"anonymous credential", withKeys, Options{AnonymousKey: readers}, true},
		{"anonymous unknown", withKeys, Options{AnonymousKey: "0000000000000000"}, true},
		{"root hash too short", withKeys, Options{RootKey: "sha256:abcd"}, true},
		{"root hash not hexadecimal", withKeys, Options{RootKey: Secret("sha256:" + strings.Repeat("x", 64))}, true},
		{"no checks", memory.New(nil), Options{Mode: ModeNone}, false},
		{"unknown mode", withKeys, Options{Mode: "maybe"}, true},
	} {
		_, err := Open(t.Context(), c.bucket, c.options, quiet())
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", c.what, err)
		}
		if err != nil && strings.Contains(err.Error(), readers) {
			t.Errorf("%s: a credential is in the error: %v", c.what, err)
		}
	}
}

func TestAnonymousOnlySearches(t *testing.T) {
	b := memory.New(nil)
	first := open(t, b, Options{RootKey: "r"})
	key, _ := mustCreate(t, first, searchKey())
	a := open(t, b, Options{RootKey: "r", AnonymousKey: key.ID})
	p, err := a.Authenticate(t.Context(), nil)
	if err != nil || !p.IsAnonymous() || p.CheckIndex(Search, "books") != nil {
		t.Fatalf("%v, %v", p, err)
	}
	if _, err := a.Authenticate(t.Context(), []string{"Bearer "}); err == nil {
		t.Error("an empty bearer token counts as anonymous")
	}
	if err := a.Revoke(t.Context(), key.ID); !errors.Is(err, problem.AuthKeyInUseAsAnonymous) {
		t.Errorf("revoke of the anonymous key: %v", err)
	}
	if err := first.Revoke(t.Context(), key.ID); err != nil {
		t.Errorf("revoke on a node that does not depend on it: %v", err)
	}
	if err := a.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(t.Context(), nil); err == nil {
		t.Error("a revoked anonymous key is accepted")
	}
}

func TestLastAdministratorStays(t *testing.T) {
	b := memory.New(nil)
	first, _ := mustCreate(t, open(t, b, Options{RootKey: "r"}), adminKey())
	a := open(t, b, Options{})
	if err := a.Revoke(t.Context(), first.ID); !errors.Is(err, problem.AuthKeyLastAdministrator) {
		t.Fatalf("revoke of the last administrator: %v", err)
	}
	second, _ := mustCreate(t, a, adminKey())
	// Two nodes revoke the two administrators at once: one administrator stays.
	other := open(t, b, Options{})
	var revokers sync.WaitGroup
	errs := make([]error, 2)
	revokers.Go(func() { errs[0] = a.Revoke(t.Context(), first.ID) })
	revokers.Go(func() { errs[1] = other.Revoke(t.Context(), second.ID) })
	revokers.Wait()
	keys, err := a.List(t.Context())
	if err != nil || len(keys) != 1 {
		t.Fatalf("%d keys left, %v, %v", len(keys), errs, err)
	}
}

func TestKeyOfAnotherNodeIsFoundAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &watched{Bucket: memory.New(nil)}
		one, two := open(t, b, Options{RootKey: "r"}), open(t, b, Options{RootKey: "r"})
		key, credential := mustCreate(t, one, searchKey())
		if _, err := two.Authenticate(t.Context(), []string{"Bearer " + credential}); err != nil {
			t.Fatalf("new key on another node: %v", err)
		}
		for i := range 1000 { // R26: neither they nor the earlier read delay it
			_, err := two.Authenticate(t.Context(), []string{fmt.Sprintf("Bearer quire_%016x_x", i)})
			if !errors.Is(err, problem.AuthUnauthenticated) {
				t.Fatal(err)
			}
		}
		_, rotated, err := one.Rotate(t.Context(), key.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := one.Authenticate(t.Context(), []string{"Bearer " + credential}); err == nil {
			t.Error("the previous credential works on the node that rotated it")
		}
		if _, err := two.Authenticate(t.Context(), []string{"Bearer " + string(rotated)}); err != nil {
			t.Errorf("rotated credential: %v", err)
		}
	})
}

func TestKeysAreBelievedForAWhileWithoutStorage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &watched{Bucket: memory.New(nil)}
		a := open(t, b, Options{RootKey: "r"})
		_, credential := mustCreate(t, a, searchKey())
		b.away.Store(true)
		for range 6 {
			time.Sleep(10 * time.Second)
			_ = a.Refresh(t.Context())
		}
		if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential}); err != nil {
			t.Errorf("within the limit: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential}); err == nil {
			t.Error("keys are believed beyond the limit")
		}
		if _, err := a.Authenticate(t.Context(), []string{"Bearer r"}); err != nil {
			t.Errorf("root key: %v", err)
		}
		b.away.Store(false)
		if err := a.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential}); err != nil {
			t.Errorf("after the storage came back: %v", err)
		}
	})
}

func TestKeyWithUnknownFeatureIsRejectedAndUnknownMembersAreKept(t *testing.T) {
	a := open(t, memory.New(nil), Options{RootKey: "r"})
	key, credential := mustCreate(t, a, searchKey())
	_, err := a.change(t.Context(), func(now keySet) (keySet, error) {
		k := *now.find(key.ID)
		k.RequiredFeatures = []string{"quota"}
		k.Unknown = []byte(`{"quota":5}`)
		k.Grants[0].Permissions = append(k.Grants[0].Permissions, "time.travel")
		return now.with(k), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential}); err == nil {
		t.Error("a key with an unknown feature is accepted")
	}
	mustCreate(t, a, searchKey())
	keys, err := a.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.ID == key.ID && string(k.Unknown) != `{"quota":5}` {
			t.Errorf("unknown members became %s", k.Unknown)
		}
	}
}

func TestSecretIsNeverShown(t *testing.T) {
	var logged strings.Builder
	b := memory.New(nil)
	a, err := Open(t.Context(), b, Options{RootKey: "canary-root"}, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	key, secret, err := a.Create(t.Context(), searchKey())
	if err != nil {
		t.Fatal(err)
	}
	stored, _, err := bucket.ReadAll(t.Context(), b, "keys", "", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	tail := string(secret)[strings.LastIndex(string(secret), key.ID)+len(key.ID)+1:]
	shown := fmt.Sprintf("%v %s %q %+v %#v", secret, secret, secret, Options{RootKey: "canary-root"}, secret) + logged.String() + string(stored)
	if strings.Contains(shown, tail) || strings.Contains(shown, "canary-root") {
		t.Errorf("a secret is shown: %s", shown)
	}
}

func FuzzSplitCredential(f *testing.F) {
	f.Add("quire_0123456789abcdef_secret")
	f.Add("quire__")
	f.Fuzz(func(t *testing.T, text string) {
		if id, secret, ok := splitCredential(text); ok && credential(id, secret) != text {
			t.Fatalf("%q was split into %q and %q", text, id, secret)
		}
	})
}

// Three nodes create keys at once: every key that was answered as created works on
// all of them.
func TestKeysOfSeveralNodesAreNotLost(t *testing.T) {
	b := memory.New(nil)
	var (
		nodes   sync.WaitGroup
		mu      sync.Mutex
		created []string
	)
	for range 3 {
		nodes.Go(func() {
			a := open(t, b, Options{RootKey: "r"})
			for range 15 {
				_, credential, err := a.Create(t.Context(), searchKey())
				if err != nil {
					if !errors.Is(err, problem.StorageConflict) {
						t.Error(err)
					}
					continue
				}
				mu.Lock()
				created = append(created, string(credential))
				mu.Unlock()
			}
		})
	}
	nodes.Wait()
	a := open(t, b, Options{RootKey: "r"})
	for _, credential := range created {
		if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential}); err != nil {
			t.Errorf("a created key is refused: %v", err)
		}
	}
	if len(created) == 0 {
		t.Error("no key was created")
	}
}
