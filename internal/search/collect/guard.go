package collect

import (
	"errors"

	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// Guard runs a piece of a search. If the disk cannot deliver a page of a mapped file, or on a
// bug, only this search must fail: a panic on a goroutine of the pool would end the process.
func Guard(work func() error) error {
	err := vfs.Protect(work)
	if errors.Is(err, vfs.ErrFault) {
		return problem.IndexClosed.New().Because(err)
	}
	return err
}
