// Package invariant checks the invariants of the code at run time.
//
// A package lists its invariants by number in its comment and checks them
// where they could break:
//
//	invariant.Check(doc > w.last, "P1: %d after %d", doc, w.last)
//
// Builds with the tag "invariants" (all test targets) panic on a violation; other
// builds compile the check away.
package invariant

import "fmt"

// Check panics with the formatted message when holds is false and Enabled is
// true. It does nothing in builds without the tag "invariants".
func Check(holds bool, format string, args ...any) {
	if Enabled && !holds {
		panic("invariant broken: " + fmt.Sprintf(format, args...))
	}
}
