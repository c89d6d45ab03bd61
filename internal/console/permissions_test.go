package console

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/auth"
)

var quoted = regexp.MustCompile(`"([a-z.]+)"`)

// listed returns the names in a list of a console file, from the text begin to
// the next text end.
func listed(t *testing.T, c *Console, name, begin, end string) []string {
	t.Helper()
	_, rest, found := strings.Cut(string(c.files[Path+name].plain), begin)
	if !found {
		t.Fatalf("%s does not hold %q", name, begin)
	}
	rest, _, _ = strings.Cut(rest, end)
	var names []string
	for _, match := range quoted.FindAllStringSubmatch(rest, -1) {
		names = append(names, match[1])
	}
	return names
}

// The console lists the same permissions and roles as the table.
func TestPermissionsAreThoseOfTheTable(t *testing.T) {
	c := newConsole(t)
	var all, deployment, reader, writer []string
	for _, row := range auth.Permissions() {
		name := string(row.Permission)
		all = append(all, name)
		if row.Scope == auth.ScopeDeployment {
			deployment = append(deployment, name)
		}
		if slices.Contains(row.Roles, "reader") {
			reader = append(reader, name)
		}
		if slices.Contains(row.Roles, "writer") {
			writer = append(writer, name)
		}
	}
	for _, test := range []struct {
		what, file, begin, end string
		want                   []string
	}{
		{"permissions", "rooms/access.js", "const permissions = ", "]);", all},
		{"the role reader", "rooms/access.js", "reader: [", "]", reader},
		{"the role writer", "rooms/access.js", "writer: [", "]", writer},
		{"permissions of the deployment", "lib/session.js", "const deployment = new Set(", ")", deployment},
	} {
		got := listed(t, c, test.file, test.begin, test.end)
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the console knows %v, the table %v", test.what, got, test.want)
		}
	}
}
