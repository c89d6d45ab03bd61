package campaign

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// browse shows a page in Chromium and returns its final content.
func browse(t *testing.T, page string) string {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium, which scripts/install-chromium installs")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--host-resolver-rules=MAP rebound.example 127.0.0.1", "--dump-dom", page)
	output, err := command.Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return string(output)
}

// hostilePage tries to delete every document, in each way a page has without
// preflight, and to read.
const hostilePage = `<!doctype html><title>evil</title><body><iframe name="frame"></iframe>
<form id="form" method="post" enctype="text/plain" target="frame"><input name='{"all":true,"x":"' value='"}'></form>
<script>
const body = '{"all":true}';
(async () => {
	let read = "nothing";
	for (const node of NODES) {
		const path = node + "/v1alpha1/indexes/x/documents/";
		document.getElementById("form").action = path + "actions/delete";
		document.getElementById("form").submit();
		navigator.sendBeacon(path + "actions/delete", body);
		await fetch(path + "actions/delete", {method: "POST", mode: "no-cors", body: new Blob([body])}).catch(() => {});
		try { read = await (await fetch(path + "1")).text() } catch (e) {}
	}
	document.body.append("read " + read + ", ran");
})();
</script>`

// S27: a page of another origin, in a real browser, neither reads from nor writes
// to a node without credentials, under the name of this machine or a name that was
// pointed at it.
func TestHostilePagesInABrowser(t *testing.T) {
	p := start(t, t.TempDir(), "SERVICE_AUTH_MODE=none", "SERVICE_AUTH_ROOT_KEY=", "SERVICE_HTTP_ALLOWED_HOSTS=127.0.0.1,localhost")
	c := newCaller(p)
	c.must(t, "PUT", "/admin/indexes/x", definition)
	c.must(t, "PUT", "/indexes/x/documents/1", `{"version":1}`)
	port := p.base[strings.LastIndexByte(p.base, ':'):]
	nodes, _ := json.Marshal([]string{p.base, "http://localhost" + port, "http://rebound.example" + port})
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.ReplaceAll(hostilePage, "NODES", string(nodes)))
	}))
	defer evil.Close()
	if shown := browse(t, evil.URL); !strings.Contains(shown, "read nothing, ran") {
		t.Errorf("the page shows %s", shown)
	}
	c.must(t, "POST", "/admin/indexes/x/actions/commit", "")
	c.must(t, "GET", "/indexes/x/documents/1", "") // it still exists
	if found := meters(t, p); !strings.Contains(found, `code="request:origin_forbidden"`) || !strings.Contains(found, `code="request:host_forbidden"`) {
		t.Error("the pages did not reach the node")
	}
}
