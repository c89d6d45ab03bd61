package collect

import (
	"errors"

	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Guard runs a piece of a search. A page of a mapped file that the disk cannot
// deliver, or a bug, must cost this search alone: a panic on a goroutine of the
// pool would end the process.
func Guard(work func() error) error {
	err := vfs.Protect(work)
	if errors.Is(err, vfs.ErrFault) {
		return problem.IndexClosed.New().Because(err)
	}
	return err
}
