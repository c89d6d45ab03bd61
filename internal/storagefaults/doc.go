// Package storagefaults runs one scripted session against a node repeatedly, each
// time with a different fault of its storage.
//
// The session sends requests of every operation. A point selects the storage (the
// bucket of a node, its disk, or the directory of a node without a bucket), the
// kind of fault, and the call that fails; the points cover every kind and every
// call. Clients remember the answers they received. Whatever happened, every answer
// has a code that its operation documents, nothing acknowledged is missing, nothing
// refused is present, and the node serves again once the fault is gone, and after a
// restart.
//
//	go test ./internal/storagefaults -run Faults -v -timeout 0 -faults 20000 -first 1
//
// A failure prints the flags that run its point again; -log shows the log of the
// node.
package storagefaults
