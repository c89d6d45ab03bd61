package script

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/problem"
)

// What the scripts show of each vocabulary. A number may rise, never fall:
// whoever adds a script raises it.
const (
	shownCodes  = 307
	shownRoutes = 36
)

func TestScriptsCoverTheInterface(t *testing.T) {
	var text strings.Builder
	for _, file := range scripts(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	all := text.String()

	shown := make(map[string]bool)
	for _, name := range regexp.MustCompile(`validation|[a-z]+(:[a-z_]+)+`).FindAllString(all, -1) {
		shown[name] = true
	}
	var missingCodes []string
	codes := 0
	for _, code := range problem.Codes() {
		if shown[code.Name()] {
			codes++
		} else {
			missingCodes = append(missingCodes, code.Name())
		}
	}
	var missingRoutes []string
	routes := 0
	for _, route := range api.Routes() {
		if routePattern(route).MatchString(all) {
			routes++
		} else {
			missingRoutes = append(missingRoutes, route.Operation)
		}
	}
	t.Logf("%d of %d codes are shown; not yet: %s", codes, len(problem.Codes()), strings.Join(missingCodes, " "))
	t.Logf("%d of %d routes are shown; not yet: %s", routes, len(api.Routes()), strings.Join(missingRoutes, " "))
	if codes < shownCodes || routes < shownRoutes {
		t.Errorf("the scripts show %d codes and %d routes, fewer than before", codes, routes)
	}
	for _, p := range auth.Permissions() {
		if !strings.Contains(all, string(p.Permission)) {
			t.Logf("the permission %s is shown in no script", p.Permission)
		}
	}
}

// routePattern matches a request line of the route.
func routePattern(route api.Route) *regexp.Regexp {
	var path strings.Builder
	for segment := range strings.SplitSeq(strings.TrimPrefix(route.Path, "/"), "/") {
		if strings.HasPrefix(segment, "{") {
			path.WriteString(`/[^/?\s]+`)
		} else {
			path.WriteString("/" + regexp.QuoteMeta(url.PathEscape(segment)))
		}
	}
	return regexp.MustCompile(`(?m)^` + route.Method + " " + path.String() + `(\?\S*)?$`)
}
