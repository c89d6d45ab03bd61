package script

import (
	"maps"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/problem"
)

// Why a code is shown by no script: what brings it about cannot be sent in one
// request after the other to one node that works.
const (
	byRace     = "needs two requests at the same moment"
	byNodes    = "needs several nodes and a bucket"
	byFault    = "needs a disk or a store that fails"
	byLater    = "needs something stored by a later version"
	byNothing  = "nothing brings it about in this build"
	byCutShort = "needs a connection that ends early"
)

// notShown are the codes that no script shows, each with its reason and where
// it is tested instead.
var notShown = map[string]string{
	"index:already_exists":              byRace,     // registry: TestNodesRace
	"index:generation:already_exists":   byRace,     // registry: TestNodesRace
	"index:generation:unsettled":        byRace,     // node: a write loses eight races against promotions
	"index:closed":                      byRace,     // campaign: TestTruncatedFileUnderARunningNode
	"storage:conflict":                  byRace,     // versioned, auth: TestKeysOfSeveralNodesAreNotLost
	"index:no_live_generation":          byNodes,    // registry: TestRebuiltIndexHasNoLiveGenerationUnlessAsked
	"index:readonly":                    byNodes,    // node: object mode; clustertest
	"indexer:unavailable":               byNodes,    // api: TestForgedAddressesAreNotUsed
	"indexer:unreachable":               byNodes,    // api: TestTheWriterChecksAgain
	"indexer:leadership_unreadable":     byNodes,    // node: object mode
	"search:freshness:unavailable":      byNodes,    // node: object mode; campaign: TestTokensAreHostile
	"index:io_error":                    byFault,    // api: TestErrorBodies
	"node:error":                        byFault,    // api: TestAPanicIsCaughtAndCounted
	"storage:io_error":                  byFault,    // campaign: TestFullDiskRefusesWritesAndSearchesOn
	"storage:unknown":                   byFault,    // versioned
	"storage:unavailable":               byFault,    // versioned: TestStorageThatLetsNobodyInIsUnavailable
	"index:unsupported":                 byLater,    // definition, registry: TestUnknownMembersAndFeatures
	"index:definition:unrepresentable":  byLater,    // definition
	"index:field:type_unrepresentable":  byLater,    // definition
	"settings:unrepresentable":          byLater,    // settings: TestLoadSetsAsideWhatItDoesNotKnow
	"request:body_unreadable":           byCutShort, // api: TestABodyThatStopsIsUnreadable
	"index:generation:storage_held":     byNothing,  // an id is never drawn twice; registry: TestHeldStorageRefusesAGeneration
	"index:generation:not_creatable":    byNothing,  // a generation of an index that is not there is index:not_found
	"index:schema:features_unsupported": byNothing,  // a body can only ask for what this build reads, and it supports all of that
	"index:field:type_unsupported":      byNothing,  // every type of the format is indexed
	"index:out_of_date":                 byNothing,  // a node that lost an index answers index:readonly until it has pulled
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
		script, err := Parse(string(content))
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
		reason, excepted := notShown[code.Name()]
		switch {
		case !codes[code.Name()] && !excepted:
			t.Errorf("no script shows %s", code.Name())
		case codes[code.Name()] && excepted:
			t.Errorf("%s is shown, although it %s", code.Name(), reason)
		}
		delete(left, code.Name())
	}
	for code := range left {
		t.Errorf("%s is no code", code)
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
