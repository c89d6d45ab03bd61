// Package storagefaults runs one scripted session against a node again and again,
// each time with another fault of its storage.
//
// The session sends requests of every operation. A point names the storage (the
// bucket of a node, its disk, or the directory of a node without a bucket), the kind
// of fault, and the call that meets it; the points go over every kind and every call.
// Clients remember what they were answered. Whatever happened, every answer has a
// code that its operation documents, nothing acknowledged is missing, nothing refused
// is there, and the node serves again once the fault is gone, and after a restart.
//
//	go test ./internal/storagefaults -run Faults -v -timeout 0 -faults 20000 -first 1
//
// A failure names its point by the flags that run it again; -log shows what the node
// says.
package storagefaults
