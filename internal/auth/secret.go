package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Secret is text that is never shown: every way of printing it gives ***.
type Secret string

// String returns ***.
func (s Secret) String() string { return "***" }

// GoString returns ***.
func (s Secret) GoString() string { return "***" }

// Format writes *** whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("***")) }

// MarshalText returns ***.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// LogValue returns ***.
func (s Secret) LogValue() slog.Value { return slog.StringValue("***") }

const (
	// credentialPrefix begins every credential, so that scanners for leaked secrets
	// find them.
	credentialPrefix = "quire"
	idDigits         = 16
	secretBytes      = 32
	rootHashPrefix   = "sha256:"
)

type hash [sha256.Size]byte

func hashOf(text string) hash { return sha256.Sum256([]byte(text)) }

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// newID returns the id of a key: eight random bytes in lower-case hexadecimal.
func newID() string {
	var id [idDigits / 2]byte
	rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// newSecret returns 32 random bytes as text.
func newSecret() string {
	var secret [secretBytes]byte
	rand.Read(secret[:])
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

func credential(id, secret string) string {
	return credentialPrefix + "_" + id + "_" + secret
}

// splitCredential splits one of our credentials into id and secret.
func splitCredential(text string) (id, secret string, ok bool) {
	rest, ok := strings.CutPrefix(text, credentialPrefix+"_")
	if !ok {
		return "", "", false
	}
	id, secret, ok = strings.Cut(rest, "_")
	if !ok || len(id) != idDigits || !isLowerHex(id) {
		return "", "", false
	}
	return id, secret, true
}

func isLowerHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Fingerprint distinguishes root keys without revealing them: it has 16 bits, so
// that a guess that fits is most likely wrong. It is empty without a root key.
func Fingerprint(configured Secret) string {
	root, err := rootHash(configured)
	if err != nil || root == nil {
		return ""
	}
	again := hashOf("fingerprint of " + root.String())
	return hex.EncodeToString(again[:2])
}

// rootHash reads the configured root key: the key itself, or its hash after
// sha256:. It returns nil when none is configured.
func rootHash(configured Secret) (*hash, error) {
	text := strings.TrimSpace(string(configured))
	if text == "" {
		return nil, nil
	}
	digits, hashed := strings.CutPrefix(text, rootHashPrefix)
	if !hashed {
		h := hashOf(text)
		return &h, nil
	}
	var h hash
	decoded, err := hex.DecodeString(digits)
	if err != nil || len(decoded) != len(h) {
		return nil, errors.New("SERVICE_AUTH_ROOT_KEY: what follows sha256: is not a hash of 64 hexadecimal digits")
	}
	copy(h[:], decoded)
	return &h, nil
}
