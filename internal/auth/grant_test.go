package auth

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/quiresearch/quire/problem"
)

func TestPatternMatches(t *testing.T) {
	for _, c := range []struct {
		pattern    string
		matches    []string
		mismatches []string
	}{
		{"books", []string{"books"}, []string{"books@1", "books2", "book"}},
		{"books@*", []string{"books@1", "books@blue"}, []string{"books", "books2@1"}},
		{"books*", []string{"books", "books@1", "books-old", "books-old@2"}, []string{"book"}},
		{"books@1*", []string{"books@1", "books@10"}, []string{"books", "books@2"}},
		{"books@1", []string{"books@1"}, []string{"books", "books@10"}},
		{"*", []string{"books", "books@1", "a"}, nil},
	} {
		for _, name := range c.matches {
			if !patternMatches(c.pattern, name) {
				t.Errorf("%s does not match %s", c.pattern, name)
			}
		}
		for _, name := range c.mismatches {
			if patternMatches(c.pattern, name) {
				t.Errorf("%s matches %s", c.pattern, name)
			}
		}
	}
}

func TestIsPattern(t *testing.T) {
	for _, good := range []string{"*", "shop", "shop*", "shop@*", "shop@1", "shop@1*", "0*"} {
		if !isPattern(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{"", "Shop*", "a*b", "**", "my shop", "-a*", "@*", "@1", "shop@-*", "shop@@*", "shop@1@2"} {
		if isPattern(bad) {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestRolesHoldWhatTheInterfaceSays(t *testing.T) {
	reader, _ := rolePermissions("reader")
	if want := []Permission{IndexesRead, Search}; !slices.Equal(reader, want) {
		t.Errorf("reader holds %v", reader)
	}
	writer, _ := rolePermissions("writer")
	if want := []Permission{DocumentsDelete, DocumentsRead, DocumentsWrite, IndexesCommit, IndexesRead, Search}; !slices.Equal(writer, want) {
		t.Errorf("writer holds %v", writer)
	}
	if admin, _ := rolePermissions("admin"); len(admin) != len(permissions) {
		t.Errorf("admin holds %v", admin)
	}
	if _, ok := rolePermissions("READER"); ok {
		t.Error("roles are matched without regard to case")
	}
}

func TestPrincipalChecks(t *testing.T) {
	key := &Principal{name: "k", grants: []Grant{
		{Permissions: []Permission{Search, KeysRead}, Indexes: []string{"a", "b"}},
		{Permissions: []Permission{DocumentsWrite}, Indexes: []string{"b"}},
		{Permissions: []Permission{SettingsWrite}, Indexes: []string{"c@*"}},
	}}
	anonymous := &Principal{name: "k", anonymous: true, grants: key.grants}
	for _, c := range []struct {
		what string
		err  error
		code *problem.Code
	}{
		{"held", key.CheckIndex(Search, "a"), nil},
		{"missing", key.CheckIndex(DocumentsWrite, "a"), problem.AuthForbidden},
		{"union", key.CheckIndex(DocumentsWrite, "b"), nil},
		{"not covered", key.CheckIndex(Search, "a@1"), problem.IndexNotFound},
		{"deployment", key.CheckDeployment(KeysRead), nil},
		{"deployment missing", key.CheckDeployment(KeysWrite), problem.AuthForbidden},
		{"somewhere", key.CheckSomewhere(DocumentsWrite), nil},
		{"nowhere", key.CheckSomewhere(IndexesRead), problem.AuthForbidden},
		{"bare index only by generation", key.CheckBareIndex(SettingsWrite, "c@1"), problem.AuthForbidden},
		{"bare index held", key.CheckBareIndex(Search, "a@1"), nil},
		{"bare index not covered", key.CheckBareIndex(Search, "c"), problem.IndexNotFound},
		{"anonymous search", anonymous.CheckIndex(Search, "a"), nil},
		{"anonymous write", anonymous.CheckIndex(DocumentsWrite, "b"), problem.AuthForbidden},
		{"anonymous deployment", anonymous.CheckDeployment(KeysRead), problem.AuthForbidden},
		{"anonymous covered by another permission only", anonymous.CheckIndex(Search, "c@1"), problem.IndexNotFound},
		{"root", root().CheckDeployment(KeysWrite), nil},
	} {
		if c.code == nil && c.err != nil || c.code != nil && !errors.Is(c.err, c.code) {
			t.Errorf("%s: %v, want %v", c.what, c.err, c.code)
		}
	}
}

func FuzzPatternValidity(f *testing.F) {
	for _, seed := range []string{"*", "shop@*", "a*b", "Shop*", "shop@1*"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if isPattern(text) && text != "*" && !patternMatches(text, text[:len(text)-1]) && !patternMatches(text, text) {
			t.Fatalf("%q matches nothing", text)
		}
	})
}

// The grants that a principal reports are those of Can: the anonymous key shows
// only search, and names that this build does not know are left out.
func TestGrantsOfAPrincipalAreWhatItMayDo(t *testing.T) {
	grants := []Grant{
		{Permissions: []Permission{Search, "flying", DocumentsRead}, Indexes: []string{"shop*"}},
		{Permissions: []Permission{IndexesRead}, Indexes: []string{"books"}},
	}
	for name, test := range map[string]struct {
		principal *Principal
		want      []Grant
	}{
		"key": {&Principal{grants: grants}, []Grant{
			{Permissions: []Permission{DocumentsRead, Search}, Indexes: []string{"shop*"}},
			{Permissions: []Permission{IndexesRead}, Indexes: []string{"books"}}}},
		"anonymous": {&Principal{grants: grants, anonymous: true}, []Grant{
			{Permissions: []Permission{Search}, Indexes: []string{"shop*"}}}},
	} {
		if got := test.principal.Grants(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, row := range Permissions() {
		if !(&Principal{grants: root().Grants()}).Can(row.Permission, "any@1") {
			t.Errorf("the root key does not show %s", row.Permission)
		}
	}
}
