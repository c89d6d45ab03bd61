// Package ownership tells which node writes which index.
//
// In local mode there is one node and it writes everything: Local is that
// answer. The table of a deployment with several nodes has candidates, which
// may write, and claims, which say who does.
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

// Table is who writes what: candidates sorted by node, claims by index.
type Table struct {
	Candidates []Candidate `json:"candidates"`
	Claims     []Claim     `json:"claims"`
}

// Local is the ownership of a deployment of one node, which holds every index
// and tells nobody.
type Local struct{}

// Table returns an empty table.
func (Local) Table(context.Context) (Table, error) {
	return Table{Candidates: []Candidate{}, Claims: []Claim{}}, nil
}

// WriterAddress returns an empty text: this node serves every write.
func (Local) WriterAddress(context.Context, string, bool) (string, error) { return "", nil }
