//go:build invariants

package invariant

// Enabled reports whether Check checks; guard costly conditions with it.
const Enabled = true
