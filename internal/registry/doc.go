// Package registry knows which indexes and generations exist, under which names,
// and which generation of each index is live.
//
// The registry is one object of the bucket, replaced conditionally. A Registry
// holds the copy last read; readers resolve names against the copy and never wait
// for storage. A change reads the object, applies itself to what it found, and
// writes the result provided that the object has not changed meanwhile, so that
// two nodes never undo each other.
//
// Invariants:
//
//	RG1  Ids of indexes and generations are random, 128 bits, and never used again.
//	RG2  The copy never goes back to an older version.
//	RG3  An index has at most one live generation, and it is one of its own.
//	RG4  A registry that is missing, unreadable, of another deployment or older than
//	     the copy deletes nothing: the copy stays in force and changes are refused.
//	     Before any was read, names are neither found nor absent: storage:io_error.
//	RG5  A removed id stays listed as removed until its data is gone.
//	RG6  An id is removed only by a client's delete. A repair lists what it finds in
//	     storage and keeps what this node knows to be listed (I22), according to the
//	     newest registry of the deployment that it read, in force or not.
//
// A Registry may be used by any number of goroutines.
package registry
