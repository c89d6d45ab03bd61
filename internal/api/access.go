package api

import "context"

type accessBody struct {
	Principal   string      `json:"principal"`
	Key         *string     `json:"key"`
	ExpiresAt   *string     `json:"expiresAt"`
	Grants      []grantBody `json:"grants"`
	StorageMode string      `json:"storageMode"`
}

// getAccess responds with the permissions of the request's credential. Any
// credential the node accepts may ask about itself, and about nothing else. The
// storage mode is included because a permission to audit or repair the registry
// is useful only in object mode.
func (a *API) getAccess(_ context.Context, r *Request) (*Response, error) {
	p := r.Principal
	body := accessBody{Principal: p.Name(), ExpiresAt: optionalTimestamp(p.ExpiresAt()), Grants: []grantBody{}, StorageMode: a.node.StorageMode()}
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
