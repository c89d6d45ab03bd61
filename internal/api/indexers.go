package api

import (
	"context"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/ownership"
)

type indexersBody struct {
	Candidates []candidateBody `json:"candidates"`
	Claims     []claimBody     `json:"claims"`
}

type candidateBody struct {
	Node      string `json:"node"`
	Address   string `json:"address,omitempty"`
	ExpiresAt string `json:"expiresAt"`
}

type claimBody struct {
	Index string `json:"index"`
	candidateBody
}

// listIndexers responds with all candidates and with the claims on indexes that
// the key may read.
func (a *API) listIndexers(ctx context.Context, r *Request) (*Response, error) {
	table, err := a.node.Indexers(ctx)
	if err != nil {
		return nil, err
	}
	body := indexersBody{Candidates: []candidateBody{}, Claims: []claimBody{}}
	for _, c := range table.Candidates {
		body.Candidates = append(body.Candidates, candidateBody{c.Node, c.Address, timestamp(c.ExpiresAt)})
	}
	for _, c := range table.Claims {
		if r.Principal.Can(auth.IndexesRead, c.Index) {
			body.Claims = append(body.Claims, describeClaim(c))
		}
	}
	return OK(body), nil
}

func describeClaim(c ownership.Claim) claimBody {
	return claimBody{c.Index, candidateBody{c.Node, c.Address, timestamp(c.ExpiresAt)}}
}
