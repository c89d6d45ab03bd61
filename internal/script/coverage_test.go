package script

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/script/steps"
	"github.com/quiresearch/quire/problem"
)

// Reasons why no script shows a code: it cannot be caused by sending one
// request after the other to one working node.
const (
	byRace     = "needs two requests at the same moment"
	byNodes    = "needs several nodes and a bucket"
	byFault    = "needs a disk or a store that fails"
	byLater    = "needs something stored by a later version"
	byNothing  = "nothing brings it about in this build"
	byCutShort = "needs a connection that ends early"
	bySize     = "needs a body larger than a script holds"
)

// exception gives the reason why no script shows a code, and the test that
// shows it instead: the directory of its package and its name. Without a test,
// more explains why.
type exception struct {
	reason string
	test   string
	more   string
}

// notShown lists the codes that no script shows.
var notShown = map[string]exception{
	"index:already_exists":             {byRace, "internal/registry TestWhatExistsIsNotCreatedAgain", ""},
	"index:generation:already_exists":  {byRace, "internal/registry TestWhatExistsIsNotCreatedAgain", ""},
	"index:generation:unsettled":       {byRace, "", "a write loses eight races in a row against promotions"},
	"index:closed":                     {byRace, "internal/generations TestRemovedGenerationIsGone", ""},
	"evaluation:in_progress":           {byRace, "internal/node TestAnIndexHasOneUnfinishedEvaluation", ""},
	"judgements:too_many":              {bySize, "internal/judgement TestBoundsOfASet", ""},
	"storage:conflict":                 {byRace, "internal/versioned TestChangeGivesUpAfterThreeLostWrites", ""},
	"index:no_live_generation":         {byNodes, "internal/registry TestRebuiltIndexHasNoLiveGenerationUnlessAsked", ""},
	"index:readonly":                   {byNodes, "internal/generations TestAWriterFencedTwiceIsReadOnly", ""},
	"indexer:unavailable":              {byNodes, "internal/api TestForgedAddressesAreNotUsed", ""},
	"indexer:unreachable":              {byNodes, "internal/api TestARequestWaitsForTheNextWriter", ""},
	"indexer:leadership_unreadable":    {byNodes, "internal/ownership TestFailedReadsOfTheLeadershipAreShared", ""},
	"search:freshness:unavailable":     {byNodes, "internal/node TestFreshnessIsWaitedFor", ""},
	"index:io_error":                   {byFault, "internal/api TestErrorBodies", ""},
	"node:error":                       {byFault, "internal/api TestAPanicIsCaughtAndCounted", ""},
	"storage:io_error":                 {byFault, "engine TestWritesAreRefusedBelowTheReserve", ""},
	"storage:unknown":                  {byFault, "internal/campaign TestFullDiskRefusesWritesAndSearchesOn", ""},
	"storage:unavailable":              {byFault, "internal/versioned TestStorageThatLetsNobodyInIsUnavailable", ""},
	"index:unsupported":                {byLater, "internal/api TestDefinitionsOfALaterVersion", ""},
	"index:definition:unrepresentable": {byLater, "internal/api TestDefinitionsOfALaterVersion", ""},
	"index:field:type_unrepresentable": {byLater, "internal/api TestDefinitionsOfALaterVersion", ""},
	"settings:unrepresentable":         {byLater, "internal/api TestSettingsOfALaterVersion", ""},
	"document:names_too_many":          {bySize, "engine TestNamesOfWildcardFieldsAreBounded", ""},
	"document:values_too_many":         {bySize, "internal/document TestListValuesAreBounded", ""},
	"request:body_unreadable":          {byCutShort, "internal/api TestABodyThatStopsIsUnreadable", ""},
	"request:body_ratio_out_of_range":  {bySize, "internal/api TestCompressedBodiesAreBounded", ""},
	"index:generation:storage_held":    {byNothing, "internal/registry TestHeldStorageRefusesAGeneration", "an id is never drawn twice"},

	"index:generation:not_creatable":    {byNothing, "", "a generation of an index that is not there is index:not_found"},
	"index:schema:features_unsupported": {byNothing, "", "a body can only ask for what this build reads, and it supports all of that"},
	"index:field:type_unsupported":      {byNothing, "", "every type of the format is indexed"},
	"index:out_of_date":                 {byNothing, "", "a node that lost an index answers index:readonly until it has pulled"},
}

// A test listed for a code exists and names the code.
func TestWhatScriptsDoNotShowIsTested(t *testing.T) {
	for code, e := range notShown {
		if e.test == "" {
			if e.more == "" {
				t.Errorf("%s: neither a test nor why there is none", code)
			}
			continue
		}
		directory, name, _ := strings.Cut(e.test, " ")
		if body := testBody(t, directory, name); !strings.Contains(body, code) && !strings.Contains(body, "problem."+identifier(code)) {
			t.Errorf("%s: %s in %s does not name it", code, name, directory)
		}
	}
}

// testBody returns the text of a test in a package.
func testBody(t *testing.T, directory, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", directory, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, body, found := strings.Cut(string(content), "\nfunc "+name+"("); found {
			body, _, _ = strings.Cut(body, "\n}\n")
			return body
		}
	}
	t.Errorf("%s has no %s", directory, name)
	return ""
}

// identifier returns the Go name of a code.
func identifier(code string) string {
	var name strings.Builder
	for part := range strings.FieldsFuncSeq(code, func(r rune) bool { return r == ':' || r == '_' }) {
		name.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return name.String()
}

func TestScriptsCoverTheInterface(t *testing.T) {
	requests, codes := make([]string, 0), make(map[string]bool)
	var all strings.Builder
	name := regexp.MustCompile(`validation|[a-z]+(:[a-z_]+)+`)
	for _, file := range scripts(t) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
		script, err := steps.Parse(string(content))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range script.Steps {
			requests = append(requests, step.Request[0])
			for _, code := range name.FindAllString(strings.Join(step.Answer, "\n"), -1) {
				codes[code] = true
			}
		}
	}
	left := maps.Clone(notShown)
	for _, code := range problem.Codes() {
		e, excepted := notShown[code.Name()]
		switch {
		case !codes[code.Name()] && !excepted:
			t.Errorf("no script shows %s", code.Name())
		case codes[code.Name()] && excepted:
			t.Errorf("%s is shown, although it %s", code.Name(), e.reason)
		}
		delete(left, code.Name())
	}
	for code := range left {
		t.Errorf("%s is not a code", code)
	}
	shown := strings.Join(requests, "\n")
	for _, route := range api.Routes() {
		if !routePattern(route).MatchString(shown) {
			t.Errorf("no script shows %s", route.Operation)
		}
	}
	for _, p := range auth.Permissions() {
		if !strings.Contains(all.String(), string(p.Permission)) {
			t.Errorf("no script shows the permission %s", p.Permission)
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
