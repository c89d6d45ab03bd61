package generations

import (
	"slices"
	"testing"

	"github.com/quiresearch/quire/internal/vfs/faultfs"
)

// I2: the first generation in a new directory is durable, and so are the names of all
// directories above it.
func TestDirectoriesAboveAGenerationAreSynced(t *testing.T) {
	var calls []string
	s := newSet(t, 0)
	s.fs = faultfs.New(func(call faultfs.Call) error {
		calls = append(calls, call.Op+" "+call.Name)
		return nil
	})
	create(t, s, "books")
	made, synced := slices.Index(calls, "makedir generations"), slices.Index(calls, "syncdir .")
	if made < 0 || synced < made {
		t.Errorf("the directory of the generations is not durable after %q", calls)
	}
}
