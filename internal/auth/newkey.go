package auth

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// NewKey is the requested content of a key.
type NewKey struct {
	Description string
	Grants      []Grant    // roles are expanded, permissions sorted
	ExpiresAt   *time.Time // nil: never
}

// latestExpiry is the last moment a timestamp of four-digit years can name.
var latestExpiry = time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)

// Bounds of one key. All keys are one object that every node reads repeatedly.
const (
	maxDescription = 1000 // bytes
	maxGrants      = 100
	maxPatterns    = 1000 // of indexes, over all grants
)

// ReadNewKey reads the body of a request to create a key and reports every problem
// found. If the shape is wrong, it reports only those problems.
func ReadNewKey(body []byte, now time.Time) (NewKey, error) {
	var found problem.List
	request, ok := jsonread.Parse(body, &found)
	if !ok {
		return NewKey{}, found.Err()
	}
	var (
		key    NewKey
		grants []grantRequest
		expiry jsonread.Value
	)
	request.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "description":
			if key.Description, _ = member.Text(); len(key.Description) > maxDescription {
				member.Invalid("expected at most " + strconv.Itoa(maxDescription) + " bytes")
			}
		case "grants":
			grants = readGrants(member)
		case "expiresAt":
			expiry = member
			member.Text()
		default:
			return false
		}
		return true
	})
	if err := found.Err(); err != nil {
		return NewKey{}, err
	}
	if len(grants) == 0 {
		found.Report(problem.AuthKeyGrantsRequired.At(problem.At("grants")))
	}
	for _, g := range grants {
		key.Grants = append(key.Grants, g.check(&found))
	}
	if !expiry.IsNull() {
		key.ExpiresAt = checkExpiry(expiry, now)
	}
	return key, found.Err()
}

type grantRequest struct {
	at          problem.Path
	role        string
	hasRole     bool
	permissions []string
	hasList     bool // permissions was given
	indexes     []string
	hasIndexes  bool
}

// readGrants keeps a null grant as one that grants nothing, which check rejects.
func readGrants(list jsonread.Value) []grantRequest {
	var grants []grantRequest
	if list.Kind() != jsonread.ListKind {
		list.Items(func(int, jsonread.Value) {})
		return nil
	}
	patterns := 0
	it := jsonread.Items(list.Raw())
	for position := 0; it.Next(); position++ {
		if position == maxGrants {
			list.Invalid("expected at most " + strconv.Itoa(maxGrants) + " grants")
			break
		}
		item := jsonread.New(it.Value(), list.Path().Item(position), list.Found())
		g := grantRequest{at: item.Path()}
		item.Members(func(name string, member jsonread.Value) bool {
			switch name {
			case "role":
				g.role, g.hasRole = member.Text()
			case "permissions":
				g.permissions, g.hasList = member.Texts()
			case "indexes":
				g.indexes, g.hasIndexes = member.Texts()
				if before := patterns; before <= maxPatterns {
					if patterns += len(g.indexes); patterns > maxPatterns {
						member.Invalid("expected at most " + strconv.Itoa(maxPatterns) + " patterns of indexes in one key")
					}
				}
			default:
				return false
			}
			return true
		})
		grants = append(grants, g)
	}
	return grants
}

func (g grantRequest) check(found *problem.List) Grant {
	var held []Permission
	if g.hasRole {
		if granted, ok := rolePermissions(g.role); ok {
			held = append(held, granted...)
		} else {
			found.Report(problem.AuthKeyRoleUnknown.At(g.at.Field("role"), "role", g.role, "roles", Roles()).AmongNames(g.role, Roles()...))
		}
	}
	for i, name := range g.permissions {
		if p := Permission(name); p.IsKnown() {
			held = append(held, p)
		} else {
			found.Report(problem.AuthKeyPermissionUnknown.At(g.at.Field("permissions").Item(i), "permission", name).Among(name, permissionNames))
		}
	}
	if len(g.permissions) == 0 && (g.hasList || !g.hasRole) {
		found.Report(problem.AuthKeyPermissionsRequired.At(g.at))
	}
	slices.Sort(held)
	held = slices.Compact(held)
	g.checkIndexes(held, found)
	return Grant{Permissions: held, Indexes: g.indexes}
}

func (g grantRequest) checkIndexes(held []Permission, found *problem.List) {
	var needing []string
	for _, p := range held {
		if p.Scope() == ScopeIndex {
			needing = append(needing, string(p))
		}
	}
	at := g.at.Field("indexes")
	for i, pattern := range g.indexes {
		if !isPattern(pattern) {
			found.Report(problem.AuthKeyIndexPatternInvalid.At(at.Item(i), "pattern", pattern))
		}
	}
	switch {
	case len(needing) > 0 && len(g.indexes) == 0:
		found.Report(problem.AuthKeyIndexesRequired.At(at, "permissions", needing))
	case len(held) > 0 && len(needing) == 0 && g.hasIndexes && !g.namesUnknown():
		found.Report(problem.AuthKeyIndexesUnsupported.At(at))
	}
}

// namesUnknown reports whether the grant names something that this build does not
// know, so that it cannot be known whether it needs an index.
func (g grantRequest) namesUnknown() bool {
	if _, ok := rolePermissions(g.role); g.hasRole && !ok {
		return true
	}
	return slices.ContainsFunc(g.permissions, func(name string) bool { return !Permission(name).IsKnown() })
}

// timestamps are the accepted forms: a date and time with an offset; seconds and
// the colon of the offset are optional.
var timestamps = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04Z07",
}

func checkExpiry(value jsonread.Value, now time.Time) *time.Time {
	text, _ := value.Text()
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	at, ok := parseTimestamp(text)
	switch {
	case !ok:
		value.Report(problem.AuthKeyExpiryInvalid, "value", text)
	case at.After(latestExpiry) || at.Year() < 0:
		value.Report(problem.AuthKeyExpiryInvalid, "value", text, "latest", latestExpiry.Format(time.RFC3339Nano))
	case !at.After(now):
		value.Report(problem.AuthKeyExpiryInPast, "value", text)
	default:
		return &at
	}
	return nil
}

func parseTimestamp(text string) (time.Time, bool) {
	for _, form := range timestamps {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
