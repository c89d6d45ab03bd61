package problem

import (
	"cmp"
	"slices"
)

// Lookup returns the code with a name and whether this version declares it.
func Lookup(name string) (*Code, bool) {
	at, found := slices.BinarySearchFunc(declared, name, func(c *Code, name string) int { return cmp.Compare(c.name, name) })
	if !found {
		return nil, false
	}
	return declared[at], true
}

// Undeclared returns a code that this version does not declare, for clients of a
// later node. Its problems show the message verbatim.
func Undeclared(name string, status int, message string) *Code {
	return declare(name, status, message, "")
}
