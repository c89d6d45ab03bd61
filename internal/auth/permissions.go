package auth

import (
	"slices"
	"sort"
)

// Permission is the name of something a key may do.
type Permission string

// The permissions of the interface. Their names are stored in keys and never
// change.
const (
	Search          Permission = "search"
	DocumentsRead   Permission = "documents.read"
	DocumentsWrite  Permission = "documents.write"
	DocumentsDelete Permission = "documents.delete"
	IndexesRead     Permission = "indexes.read"
	IndexesWrite    Permission = "indexes.write"
	IndexesDelete   Permission = "indexes.delete"
	IndexesPromote  Permission = "indexes.promote"
	IndexesCommit   Permission = "indexes.commit"
	IndexesPull     Permission = "indexes.pull"
	IndexesReindex  Permission = "indexes.reindex"
	SettingsWrite   Permission = "settings.write"
	KeysRead        Permission = "keys.read"
	KeysWrite       Permission = "keys.write"
	RegistryAudit   Permission = "registry.audit"
	RegistryRepair  Permission = "registry.repair"
)

// Scope says what a permission is needed on.
type Scope string

// The scopes of endpoints. A permission itself is either ScopeIndex or
// ScopeDeployment; ScopeAnyIndex is an endpoint that needs an index-scoped
// permission on at least one index; ScopeCredential is an endpoint that needs
// no permission, only a credential the node accepts.
const (
	ScopeIndex      Scope = "index"
	ScopeAnyIndex   Scope = "any-index"
	ScopeDeployment Scope = "deployment"
	ScopeCredential Scope = "credential"
)

// Definition is one row of the table of permissions.
type Definition struct {
	Permission Permission
	Scope      Scope
	Roles      []string // the roles that hold it, sorted
	Allows     string
}

const (
	roleReader = "reader"
	roleWriter = "writer"
	roleAdmin  = "admin"
)

var (
	all        = []string{roleAdmin, roleReader, roleWriter}
	writing    = []string{roleAdmin, roleWriter}
	onlyAdmins = []string{roleAdmin}
)

var permissions = []Definition{
	{Search, ScopeIndex, all, "Search, suggest, facet values and explain."},
	{DocumentsRead, ScopeIndex, writing, "Read and list documents."},
	{DocumentsWrite, ScopeIndex, writing, "Add, replace and update documents."},
	{DocumentsDelete, ScopeIndex, writing, "Delete documents by key or query."},
	{IndexesRead, ScopeIndex, all, "List indexes; read definitions, status, settings, reindex jobs and writer assignments."},
	{IndexesWrite, ScopeIndex, onlyAdmins, "Create an index or a generation; replace a definition; draft one."},
	{IndexesDelete, ScopeIndex, onlyAdmins, "Delete an index or a generation."},
	{IndexesPromote, ScopeIndex, onlyAdmins, "Promote a generation."},
	{IndexesCommit, ScopeIndex, writing, "Commit and push."},
	{IndexesPull, ScopeIndex, onlyAdmins, "Pull the latest state."},
	{IndexesReindex, ScopeIndex, onlyAdmins, "Start and cancel reindex jobs."},
	{SettingsWrite, ScopeIndex, onlyAdmins, "Replace, change or remove search settings."},
	{KeysRead, ScopeDeployment, onlyAdmins, "List keys."},
	{KeysWrite, ScopeDeployment, onlyAdmins, "Create, rotate and revoke keys."},
	{RegistryAudit, ScopeDeployment, onlyAdmins, "Compare the registry with the storage."},
	{RegistryRepair, ScopeDeployment, onlyAdmins, "Register what the storage holds."},
}

func permissionNames() []string {
	names := make([]string, len(permissions))
	for i, d := range permissions {
		names[i] = string(d.Permission)
	}
	return names
}

// Permissions returns the table of permissions, in the order of the interface.
func Permissions() []Definition { return slices.Clone(permissions) }

// Roles returns the names of the roles, sorted.
func Roles() []string { return slices.Clone(all) }

// IsKnown reports whether p is a permission of the interface.
func (p Permission) IsKnown() bool { return p.definition() != nil }

// Scope returns ScopeIndex or ScopeDeployment, or an empty string for an unknown
// name.
func (p Permission) Scope() Scope {
	if d := p.definition(); d != nil {
		return d.Scope
	}
	return ""
}

// Roles returns the roles that hold p, sorted.
func (p Permission) Roles() []string {
	if d := p.definition(); d != nil {
		return slices.Clone(d.Roles)
	}
	return nil
}

func (p Permission) definition() *Definition {
	for i := range permissions {
		if permissions[i].Permission == p {
			return &permissions[i]
		}
	}
	return nil
}

// rolePermissions returns the permissions of a role, sorted by name, and whether
// the role exists.
func rolePermissions(role string) ([]Permission, bool) {
	if !slices.Contains(all, role) {
		return nil, false
	}
	var held []Permission
	for _, d := range permissions {
		if slices.Contains(d.Roles, role) {
			held = append(held, d.Permission)
		}
	}
	sort.Slice(held, func(i, j int) bool { return held[i] < held[j] })
	return held, true
}
