package auth

import (
	"strings"

	"github.com/quiresearch/quire/problem"
)

// Names of the principals that are no keys, as job records show them.
const (
	RootName      = "root"
	UncheckedName = "unchecked"
)

// Principal is whoever sends a request, with what it may do. It never changes
// and may be used by any number of goroutines.
type Principal struct {
	name       string
	everything bool
	anonymous  bool
	grants     []Grant
}

func root() *Principal      { return &Principal{name: RootName, everything: true} }
func unchecked() *Principal { return &Principal{name: UncheckedName, everything: true} }

// Name returns the key id, "root", or "unchecked" in authentication mode none.
func (p *Principal) Name() string { return p.name }

// IsAnonymous reports whether the request carried no credential and acts as
// the anonymous key.
func (p *Principal) IsAnonymous() bool { return p.anonymous }

// Can reports whether p holds a permission on a name, which is an index or
// index@generation exactly as the request writes it. The name does not matter
// to deployment-scoped permissions.
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

// covers reports whether any grant matches the name, with whatever permission
// that counts for p.
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

// CheckIndex refuses a request that needs an index-scoped permission on a
// name: index:not_found when no grant covers the name, just as if there were
// no such index, and auth:forbidden when the permission is missing.
func (p *Principal) CheckIndex(permission Permission, name string) error {
	switch {
	case p.Can(permission, name):
		return nil
	case !p.covers(name):
		return notFound(name)
	}
	return forbidden(permission)
}

// CheckBareIndex is CheckIndex for endpoints whose resource belongs to the
// index even when the name carries a generation: the permission is needed on
// the bare index.
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

// CheckSomewhere refuses a request that needs a permission on at least one
// index and has it nowhere.
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

// notFound is what a name that does not exist answers, whatever bytes it has.
func notFound(name string) error {
	return problem.IndexNotFound.New("name", strings.ToValidUTF8(name, "\uFFFD"))
}

func forbidden(permission Permission) error {
	return problem.AuthForbidden.New("permission", string(permission))
}
