//go:build !invariants

package invariant

// Enabled tells whether Check checks; guard costly conditions with it.
const Enabled = false
