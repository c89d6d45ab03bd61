package api

import (
	"context"
	"time"

	"github.com/quiresearch/quire/internal/auth"
)

// timestampForm formats timestamps in UTC with microseconds.
const timestampForm = "2006-01-02T15:04:05.000000Z"

func timestamp(at time.Time) string { return at.UTC().Format(timestampForm) }

// optionalTimestamp returns nil, which becomes null, if at is nil.
func optionalTimestamp(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := at.UTC().Format(time.RFC3339Nano)
	return &text
}

type keyBody struct {
	ID          string      `json:"id"`
	Description string      `json:"description"`
	Grants      []grantBody `json:"grants"`
	CreatedAt   string      `json:"createdAt"`
	ExpiresAt   *string     `json:"expiresAt"`
}

type grantBody struct {
	Permissions []auth.Permission `json:"permissions"`
	Indexes     []string          `json:"indexes"`
}

type keyListBody struct {
	Keys              []keyBody `json:"keys"`
	RootKeyConfigured bool      `json:"rootKeyConfigured"`
	AnonymousKey      *string   `json:"anonymousKey"`
	Next              string    `json:"next,omitempty"`
}

type keyWithCredentialBody struct {
	Credential string  `json:"credential"`
	Key        keyBody `json:"key"`
}

func describeKey(k auth.Key) keyBody {
	body := keyBody{
		ID: k.ID, Description: k.Description, Grants: make([]grantBody, 0, len(k.Grants)),
		CreatedAt: timestamp(k.CreatedAt), ExpiresAt: optionalTimestamp(k.ExpiresAt),
	}
	for _, g := range k.Grants {
		body.Grants = append(body.Grants, grantBody{Permissions: g.Permissions, Indexes: g.Indexes})
	}
	return body
}

// secretResponse keeps a response with a credential out of all caches.
func secretResponse(r *Response) *Response { return r.With("Cache-Control", "no-store") }

func (a *API) listKeys(ctx context.Context, r *Request) (*Response, error) {
	listing, err := r.Listing()
	if err != nil {
		return nil, err
	}
	keys, err := a.authority.List(ctx)
	if err != nil {
		return nil, err
	}
	page, next := Page(keys, func(k auth.Key) string { return k.ID }, listing)
	body := keyListBody{Keys: make([]keyBody, 0, len(page)), RootKeyConfigured: a.authority.RootKeyConfigured(), Next: next}
	for _, k := range page {
		body.Keys = append(body.Keys, describeKey(k))
	}
	if id := a.authority.AnonymousKey(); id != "" {
		body.AnonymousKey = &id
	}
	return secretResponse(OK(body)), nil
}

func (a *API) createKey(ctx context.Context, r *Request) (*Response, error) {
	body, err := r.RequiredBody()
	if err != nil {
		return nil, err
	}
	wanted, err := auth.ReadNewKey(body, time.Now())
	if err != nil {
		return nil, err
	}
	key, credential, err := a.authority.Create(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return secretResponse(Created(keyWithCredentialBody{string(credential), describeKey(key)})), nil
}

func (a *API) rotateKey(ctx context.Context, r *Request) (*Response, error) {
	key, credential, err := a.authority.Rotate(ctx, r.Param("id"))
	if err != nil {
		return nil, err
	}
	return secretResponse(OK(keyWithCredentialBody{string(credential), describeKey(key)})), nil
}

func (a *API) revokeKey(ctx context.Context, r *Request) (*Response, error) {
	if err := a.authority.Revoke(ctx, r.Param("id")); err != nil {
		return nil, err
	}
	return NoContent(), nil
}
