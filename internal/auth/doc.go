// Package auth decides who sends a request and what it may do.
//
// The table in permissions.go is the only list of permissions and roles. Keys are
// kept in one conditionally replaced object of the bucket. An Authority holds the
// copy last read and turns an Authorization header into a Principal, which reports
// what it may do on which name.
//
// Invariants:
//
//	AU1  A secret is never stored, logged or shown: only its SHA-256 is kept.
//	AU2  Every refused credential gives the same problem.
//	AU3  A name no grant covers gives the same problem as a name that does not exist.
//	AU4  The anonymous principal can search and nothing else, whatever its key says.
//
// An Authority and a Principal may be used by any number of goroutines.
package auth
