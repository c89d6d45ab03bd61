package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/quiresearch/quire/internal/vfs"
)

// cutting is a file system that truncates the first segment once it is mapped.
type cutting struct {
	vfs.FS
	root string
	cut  atomic.Bool
}

func (c *cutting) Map(name string) (*vfs.Mapping, error) {
	mapping, err := c.FS.Map(name)
	if err == nil && strings.HasSuffix(name, segmentSuffix) && !c.cut.Swap(true) {
		err = os.Truncate(filepath.Join(c.root, name), 0)
	}
	return mapping, err
}

// F38: a segment that cannot be read back during indexing is written again and does not
// end the process.
func TestASegmentThatIsUnreadableWhenItIsWrittenIsWrittenAgain(t *testing.T) {
	root := t.TempDir()
	fs := &cutting{FS: vfs.OS(root), root: root}
	create(t, fs, books)
	g := open(t, fs, Options{MaxChanges: -1, MaxInterval: -1, NoMerges: true, MinFree: -1, Workers: 1, Memory: 1 << 14})
	const documents = 300
	for i := range documents {
		mustAdd(t, g, fmt.Sprintf(`{"id":"%d","title":"title %d"}`, i, i))
	}
	mustCommit(t, g)
	if got := mustDocuments(t, g); len(got) != documents || !fs.cut.Load() {
		t.Errorf("%d of %d documents", len(got), documents)
	}
}
