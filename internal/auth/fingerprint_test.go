package auth

import "testing"

// A fingerprint distinguishes keys without revealing them; a key and its hash have
// the same one.
func TestFingerprints(t *testing.T) {
	plain := Fingerprint("a root key of some length")
	hashed := Fingerprint(Secret("sha256:" + hashOf("a root key of some length").String()))
	if len(plain) != 4 || plain != hashed || plain == Fingerprint("another root key") || Fingerprint("") != "" {
		t.Errorf("%q %q %q", plain, hashed, Fingerprint("another root key"))
	}
}
