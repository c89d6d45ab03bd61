package registry

import (
	"strings"
	"testing"
)

// ParseID rejects every text that String does not write, whatever its length.
func TestAnIDHas32Digits(t *testing.T) {
	id := NewID()
	if got, err := ParseID(id.String()); err != nil || got != id {
		t.Errorf("%v is read as %v: %v", id, got, err)
	}
	for _, text := range []string{
		"", "0", strings.Repeat("0", 31), strings.Repeat("0", 33), strings.Repeat("0", 34), strings.Repeat("a", 64),
		strings.Repeat("A", 32), strings.Repeat("g", 32), strings.Repeat("0", 31) + "/",
	} {
		if got, err := ParseID(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
