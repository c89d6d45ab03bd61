package auth

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// S4: secrets are compared by their hashes and in constant time, and nowhere else:
// no hash of a secret is an operand of == or !=, and both places that decide call
// subtle.ConstantTimeCompare.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	deciding := map[string]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(function, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					if n.Sel.Name == "ConstantTimeCompare" {
						deciding[function.Name.Name] = true
					}
				case *ast.BinaryExpr:
					if n.Op == token.EQL || n.Op == token.NEQ {
						for _, side := range []ast.Expr{n.X, n.Y} {
							if selector, ok := side.(*ast.SelectorExpr); ok && selector.Sel.Name == "SecretHash" {
								t.Errorf("%s compares a hash with %s", function.Name.Name, n.Op)
							}
						}
					}
				}
				return true
			})
		}
	}
	if !deciding["accepts"] || !deciding["isRoot"] || len(deciding) != 2 {
		t.Errorf("constant time in %v", deciding)
	}
}

// S4: refusing a key that does not exist costs as much as a wrong secret: the
// secret is hashed and compared either way.
func TestUnknownAndKnownKeysCostTheSame(t *testing.T) {
	secret := newSecret()
	known := &Key{ID: newID(), SecretHash: hashOf(secret).String()}
	var unknown *Key
	at := time.Now()
	if !known.accepts(secret, at) || known.accepts(newSecret(), at) || unknown.accepts(secret, at) || unknown.accepts("", at) {
		t.Fatal("accepted and refused are mixed up")
	}
	// No key has the hash that stands in for a missing one.
	if hashOf("") == (hash{}) {
		t.Error("the stand-in is the hash of a secret")
	}
	wrong := newSecret()
	cost := func(k *Key) float64 { return testing.AllocsPerRun(100, func() { k.accepts(wrong, at) }) }
	if a, b := cost(known), cost(unknown); a != b {
		t.Errorf("a known key allocates %v times, an unknown one %v", a, b)
	}
	if len(known.SecretHash) != len(hash{}.String()) {
		t.Error("the stand-in has another length")
	}
}

// S5, R26: invented keys, concurrent or one after the other, cause at most twenty
// reads of the store a second after a burst, and do not delay a key that is new.
func TestMadeUpKeysReadTheStoreAtABoundedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &watched{Bucket: memory.New(nil)}
		a := open(t, b, Options{RootKey: "r", RefreshInterval: time.Millisecond})
		other := open(t, b.Bucket, Options{RootKey: "r"})
		began, reads := time.Now(), b.reads.Load()
		var guessing sync.WaitGroup
		for range 50 {
			guessing.Go(func() {
				for range 200 {
					var id [8]byte
					rand.Read(id[:])
					if _, err := a.Authenticate(t.Context(), []string{"Bearer " + credential(hex.EncodeToString(id[:]), newSecret())}); !errors.Is(err, problem.AuthUnauthenticated) {
						t.Error(err)
					}
				}
			})
		}
		time.Sleep(5 * time.Second)
		_, secret, err := other.Create(t.Context(), NewKey{Grants: []Grant{{Permissions: []Permission{Search}, Indexes: []string{"*"}}}})
		if err != nil {
			t.Fatal(err)
		}
		asked := time.Now()
		if _, err := a.Authenticate(t.Context(), []string{"Bearer " + string(secret)}); err != nil || time.Since(asked) > time.Second {
			t.Errorf("a new key meanwhile: %v after %v", err, time.Since(asked))
		}
		guessing.Wait()
		most := int64(20*(time.Since(began)/time.Second+1)) + refreshBurst
		if got := b.reads.Load() - reads; got > most {
			t.Errorf("%d reads in %v", got, time.Since(began))
		}
	})
}

// S24: whatever the stored keys object holds, no request gets in through it and
// nothing breaks.
func FuzzStoredKeys(f *testing.F) {
	f.Add([]byte(`{"keys":[{"id":"0123456789abcdef","grants":[{"permissions":["search"],"indexes":["*"]}],"createdAt":"2026-01-01T00:00:00Z","secretSha256":"00"}]}`))
	f.Add([]byte(`{"keys":[{},{"id":null,"expiresAt":"x"}],"other":[1]}`))
	f.Add([]byte(`{"keys":[{"id":"0123456789abcdef","secretSha256":"","grants":[{"permissions":["keys.write"]}]}]}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		if !jsontext.Value(stored).IsValid() {
			return
		}
		b := memory.New(nil)
		raw := versioned.New[jsontext.Value](b, objectKey, objectKey)
		if _, err := raw.Replace(t.Context(), versioned.Object[jsontext.Value]{}, jsontext.Value(stored)); err != nil {
			return
		}
		a, err := Open(t.Context(), b, Options{RootKey: "r"}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range []string{"quire_0123456789abcdef_", "quire_0123456789abcdef_x", "x"} {
			if _, err := a.Authenticate(t.Context(), []string{"Bearer " + value}); err == nil {
				t.Errorf("%s accepts %s", stored, value)
			}
		}
		_, _ = a.List(t.Context())
	})
}
