// Package ownership decides which node writes which index.
//
// In local mode there is one node and it writes everything; Local stands for it. In
// object mode one object of the bucket, the leadership, holds the sessions of the
// nodes that may write and, for each index, the session that writes it. A Member is
// one node's part in it: it beats, claims and takes over.
//
// The leadership says which node should write; it never decides which node can. The
// manifest and the log of each generation decide that, so nothing here has to be
// right for data to be safe.
//
// Invariants:
//
//	OW1  A session is over when its beat did not change for a whole lease on the
//	     clock of the watching node. Times of other nodes are never compared.
//	OW2  One replacement of the object renews everything a node holds.
//	OW3  A claim of a session that is not over is never taken.
//	OW4  A leadership that cannot be read changes nothing.
//
// A Member may be used by any number of goroutines.
package ownership

import (
	"context"
	"time"
)

// Candidate is a node that may write indexes.
type Candidate struct {
	Node      string    `json:"node"`
	Address   string    `json:"address,omitempty"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Claim says that a node writes an index.
type Claim struct {
	Index     string    `json:"index"`
	Node      string    `json:"node"`
	Address   string    `json:"address,omitempty"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Table lists which node writes what: candidates sorted by node, claims by index.
type Table struct {
	Candidates []Candidate `json:"candidates"`
	Claims     []Claim     `json:"claims"`
}

// Local is the ownership of a deployment of one node, which holds every index and
// announces nothing.
type Local struct{}

// Table returns an empty table.
func (Local) Table(context.Context) (Table, error) {
	return Table{Candidates: []Candidate{}, Claims: []Claim{}}, nil
}
