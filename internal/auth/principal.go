package auth

import (
	"slices"
	"strings"
	"time"

	"github.com/quiresearch/quire/problem"
)

// Names of the principals that are not keys, as job records show them.
const (
	RootName      = "root"
	UncheckedName = "unchecked"
)

// Principal is the sender of a request and what it may do. It never changes and may
// be used by any number of goroutines.
type Principal struct {
	name       string
	everything bool
	anonymous  bool
	grants     []Grant
	expiresAt  *time.Time // nil: never
}

func root() *Principal      { return &Principal{name: RootName, everything: true} }
func unchecked() *Principal { return &Principal{name: UncheckedName, everything: true} }

// Name returns the key id, "root", or "unchecked" in authentication mode none.
func (p *Principal) Name() string { return p.name }

// IsAnonymous reports whether the request carried no credential and acts as the
// anonymous key.
func (p *Principal) IsAnonymous() bool { return p.anonymous }

// IsKey reports whether p is a stored key, including the anonymous one.
func (p *Principal) IsKey() bool { return !p.everything }

// ExpiresAt returns when the key expires, or nil when it never does.
func (p *Principal) ExpiresAt() *time.Time { return p.expiresAt }

// Grants returns what p may do, in the order of its key: the permissions that this
// build knows, sorted by name, and the patterns they hold on. It omits grants that
// hold nothing. The caller owns the slices.
func (p *Principal) Grants() []Grant {
	if p.everything {
		held, _ := rolePermissions(roleAdmin)
		return []Grant{{Permissions: held, Indexes: []string{"*"}}}
	}
	grants := make([]Grant, 0, len(p.grants))
	for _, g := range p.grants {
		held := slices.DeleteFunc(slices.Clone(g.Permissions), func(permission Permission) bool {
			return !permission.IsKnown() || p.anonymous && permission != Search
		})
		if len(held) == 0 {
			continue
		}
		slices.Sort(held)
		grants = append(grants, Grant{Permissions: held, Indexes: slices.Clone(g.Indexes)})
	}
	return grants
}

// Can reports whether p holds a permission on a name, which is an index or
// index@generation exactly as in the request. Deployment-scoped permissions ignore
// the name.
func (p *Principal) Can(permission Permission, name string) bool {
	if p.everything {
		return true
	}
	if p.anonymous && permission != Search {
		return false
	}
	deployment := permission.Scope() == ScopeDeployment
	for _, g := range p.grants {
		if g.holds(permission) && (deployment || g.covers(name)) {
			return true
		}
	}
	return false
}

// CanSomewhere reports whether p holds a permission on at least one pattern.
func (p *Principal) CanSomewhere(permission Permission) bool {
	if p.everything {
		return true
	}
	if p.anonymous && permission != Search {
		return false
	}
	for _, g := range p.grants {
		if g.holds(permission) && (len(g.Indexes) > 0 || permission.Scope() == ScopeDeployment) {
			return true
		}
	}
	return false
}

// covers reports whether any grant that counts for p matches the name, with
// whatever permission.
func (p *Principal) covers(name string) bool {
	if p.everything {
		return true
	}
	for _, g := range p.grants {
		if p.anonymous && !g.holds(Search) {
			continue
		}
		if g.covers(name) {
			return true
		}
	}
	return false
}

// CheckIndex refuses a request that needs an index-scoped permission on a name:
// with index:not_found when no grant covers the name, just as if the index did not
// exist, and with auth:forbidden when the permission is missing.
func (p *Principal) CheckIndex(permission Permission, name string) error {
	switch {
	case p.Can(permission, name):
		return nil
	case !p.covers(name):
		return notFound(name)
	}
	return forbidden(permission)
}

// CheckBareIndex is CheckIndex for endpoints whose resource belongs to the index
// even when the name carries a generation: the permission is needed on the bare
// index.
func (p *Principal) CheckBareIndex(permission Permission, name string) error {
	index, _, _ := strings.Cut(name, "@")
	switch {
	case p.Can(permission, index):
		return nil
	case !p.covers(name) && !p.covers(index):
		return notFound(name)
	}
	return forbidden(permission)
}

// CheckVisible refuses a request that names an index or a generation not covered by any
// grant, with index:not_found, as if it did not exist.
func (p *Principal) CheckVisible(name string) error {
	if p.covers(name) {
		return nil
	}
	return notFound(name)
}

// CheckSomewhere refuses a request that needs a permission on at least one index
// when p holds it on none.
func (p *Principal) CheckSomewhere(permission Permission) error {
	if p.CanSomewhere(permission) {
		return nil
	}
	return forbidden(permission)
}

// CheckDeployment refuses a request that lacks a deployment-scoped permission.
func (p *Principal) CheckDeployment(permission Permission) error {
	if p.Can(permission, "") {
		return nil
	}
	return forbidden(permission)
}

// notFound returns the problem of a name that does not exist, whatever bytes it
// has.
func notFound(name string) error {
	return problem.IndexNotFound.New("name", strings.ToValidUTF8(name, "\uFFFD"))
}

func forbidden(permission Permission) error {
	return problem.AuthForbidden.New("permission", string(permission))
}
