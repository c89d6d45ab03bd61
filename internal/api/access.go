package api

import "context"

type accessBody struct {
	Principal string      `json:"principal"`
	Key       *string     `json:"key"`
	ExpiresAt *string     `json:"expiresAt"`
	Grants    []grantBody `json:"grants"`
}

// getAccess answers what the credential of the request may do. Any credential
// the node accepts may ask about itself, and about nothing else.
func (a *API) getAccess(_ context.Context, r *Request) (*Response, error) {
	p := r.Principal
	body := accessBody{Principal: p.Name(), ExpiresAt: optionalTimestamp(p.ExpiresAt()), Grants: []grantBody{}}
	if p.IsKey() {
		id := p.Name()
		body.Key, body.Principal = &id, "key"
	}
	if p.IsAnonymous() {
		body.Principal = "anonymous"
	}
	for _, g := range p.Grants() {
		body.Grants = append(body.Grants, grantBody{Permissions: g.Permissions, Indexes: g.Indexes})
	}
	return OK(body), nil
}
